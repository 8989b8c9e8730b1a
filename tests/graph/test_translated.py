"""What the stages write reaches a Chinese person in Chinese; what no pattern knows stays as it was."""

import pytest

from akgen.agents.requests.language import Language
from akgen.graph.chat.texts import of_finding, translated
from akgen.knowledge.data_files import read_json
from akgen.knowledge.errors import catalogue
from akgen.tools.core.outcome import Diagnostic, Outcome

LINES = {
    "softmax, 8 cores by rows, tile 40, UB 18688 B, by composer": "softmax，8 个核按行切分，分块 40，"
    "UB 18688 字节，由内置编译器",
    "4 files, 403 lines, kernel gelu_custom": "4 个文件，403 行，核函数 gelu_custom",
    "in 1.93 s": "用时 1.93 秒",
    "1 of 1 cases correct, worst relative error 0.00039": "1 个用例中 1 个正确，最大相对误差 0.00039",
    "0.4 us predicted, 0% of the roofline, bound by latency": "预测 0.4 微秒，达到屋顶线的 0%，受限于延迟",
    "14.2 us of it pass until the last core begins, which no share counts": "其中 14.2 微秒用于启动全部核，"
    "屋顶线的占比不计入",
    "accept: all cases correct": "接受：全部用例正确",
    "outcome: correct, all cases correct": "结果：正确，全部用例正确",
    "attempt 2": "第 2 次",
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_a_stage_is_translated(line: str) -> None:
    assert translated(line, Language.CHINESE) == LINES[line]
    assert translated(line, Language.ENGLISH) == line


def test_what_no_pattern_knows_stays() -> None:
    assert translated("ld: cannot find -lfoo", Language.CHINESE) == "ld: cannot find -lfoo"


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_word(outcome: Outcome) -> None:
    assert translated(outcome.value, Language.CHINESE) != outcome.value


def test_a_finding_is_told_by_its_code_with_the_original_behind_it() -> None:
    found = Diagnostic(code="UB_OVERFLOW", text="x takes 300000 bytes", remedy="Shrink it.")
    told = of_finding(found, Language.CHINESE)
    assert "统一缓冲区" in told.text and "x takes 300000 bytes" in told.text and "分块" in (told.remedy or "")
    assert of_finding(found, Language.ENGLISH) == found


def test_translated_codes_are_codes_of_the_catalogue() -> None:
    codes = read_json("errors_zh.json")
    assert len(codes) >= 50 and set(codes) <= set(catalogue())
