"""Questions are told from requests and answered from the knowledge; what is asked of the kernel: test_chat.py."""

import pytest

from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.request import Request
from akgen.graph.chat.answers import answer, asked_of_kernel, nearest_entries
from akgen.graph.chat.conversation import given_path
from akgen.knowledge.chip import chip
from tests.agents.sentences.check import HERE, sentences

ANSWERED = {
    "how do I use DataCopyPad?": "DataCopyPad (copy)",
    "how to use datacopypad": "DataCopyPad (copy)",
    "DataCopyPad 怎么用？": "DataCopyPad (copy)",
    "ReduceSum signature": "ReduceSum (reduction)",
    "usage of Cast": "Cast (conversion)",
    "does DataCopy support bf16?": "DataCopy (copy)",
    "TBuf": "TBuf (",
    "what is GM_OVERRUN": "GM_OVERRUN: ",
    "what does ub_overflow mean?": "UB_OVERFLOW: ",
    "GM_OVERRUN 是什么意思": "GM_OVERRUN：",
    "how big is the UB?": "Ascend910B2: Unified Buffer 192 KiB",
    "有多少个核": "Ascend910B2: 48 个向量核",
    "what is MTE2?": "MTE2: The pipe",
    "什么是双缓冲": "double buffering: 队列",
}
OF_KERNEL = {
    "how much UB did it take?": "tiling", "它用了多少UB": "tiling", "how many cores does it use": "tiling",
    "why is it slow?": "profile", "瓶颈在哪": "profile",
    "where is the bottleneck?": "profile", "为什么这么慢": "profile", "why 12 % of the roofline?": "profile",
    "how can I make it faster?": "profile", "show me the code": "code", "看看代码": "code",
    "show the host code": "host", "is it correct?": "verdict", "精度怎么样": "verdict",
}  # fmt: skip
REQUESTS = [
    "how about bf16?", "can you write a softmax kernel, fp16, 64x64?", "show me a softmax kernel for fp16 64x64",
    "LayerNorm", "TopK", "Exp fp32 100", "use 20 cores", "how do I write a LayerNorm kernel in fp16?", "tiles of 4096",
    "the attention is our bottleneck", "relu [8, 48] fp32, a bottleneck in our profile", "这个算子是瓶颈，写一个 relu",
]  # fmt: skip


@pytest.mark.parametrize("text", ANSWERED)
def test_a_question_is_answered(text: str) -> None:
    found = answer(text, language_of(text), chip())
    assert found is not None and found.startswith(ANSWERED[text])


def test_two_interfaces_are_told_side_by_side() -> None:
    found = answer("what is the difference between TQue and TBuf?", Language.ENGLISH, chip())
    assert found is not None
    assert [part.split(" (")[0] for part in found.split("\n\n")] == ["TQue", "TBuf"]


@pytest.mark.parametrize("text", OF_KERNEL)
def test_a_question_is_about_the_kernel_in_hand(text: str) -> None:
    assert asked_of_kernel(text) == OF_KERNEL[text]


@pytest.mark.parametrize("text", REQUESTS)
def test_a_request_is_no_question(text: str) -> None:
    assert asked_of_kernel(text) is None and answer(text, Language.ENGLISH, chip()) is None


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.txt")))
def test_no_sentence_that_asks_for_a_kernel_is_a_question(name: str) -> None:
    wanted = [turn for s in sentences(name) if s.expected != "?unclear" for turn in s.turns]
    taken = [t for t in wanted if asked_of_kernel(t) or answer(t, language_of(t), chip())]
    assert taken == []


def test_what_nothing_answers_gets_the_nearest_entries_if_there_are_any() -> None:
    found = nearest_entries("how do I handle a tail that is not aligned?", Language.ENGLISH)
    assert found is not None and "DataCopyPad: " in found
    for text in ("what's the weather tomorrow?", "how are you", "relu fp16 64x64?"):
        assert nearest_entries(text, Language.ENGLISH) is None


@pytest.mark.parametrize(
    ("text", "language"), [("算一下 " + "很" * 120 + ".py", "zh"), ("look at " + "x" * 300 + ".py", "en")]
)
def test_a_word_that_no_file_can_be_called_is_refused(text: str, language: Language) -> None:
    heard = given_path(text, Request(), language)
    assert heard is not None and heard.kind == "refused" and "cannot be used" in (heard.problem or "")
