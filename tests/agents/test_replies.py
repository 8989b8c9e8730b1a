"""Replies in every form that models are known to give, and in the forms that they should not."""

import pytest

from akgen.agents.calls.edits import Edit
from akgen.agents.calls.replies import read_code, read_json, split_thought, spoken

KERNEL = "op_kernel/gelu.cpp"
FULL = """<think>Three files.</think>
Here they are.
================== op_host/gelu_tiling.h ==================
```cpp
#pragma once
```
================== op_host/gelu.cpp ==================
```cpp
int host;
```
================== op_kernel/gelu.cpp ==================
```cpp
int kernel;
```
Done.
"""


def test_a_full_answer_gives_its_three_files_and_thought() -> None:
    reply = read_code(FULL, KERNEL)
    assert reply.files == {
        "op_host/gelu_tiling.h": "#pragma once\n",
        "op_host/gelu.cpp": "int host;\n",
        KERNEL: "int kernel;\n",
    }
    assert reply.thought == "Three files."
    assert not reply.kernel_only


def test_an_answer_that_begins_inside_its_thought_is_read_after_it() -> None:
    reply = read_code("maybe ```cpp\nint draft;\n```\n</think>\n```cpp\nint kernel;\n```", KERNEL)
    assert reply.files == {KERNEL: "int kernel;\n"}
    assert reply.thought is not None and "draft" in reply.thought


@pytest.mark.parametrize("end", ["</kernel_impl>", ""])
def test_a_kernel_only_answer_is_read_also_without_its_closing_tag(end: str) -> None:
    reply = read_code(f"<kernel_impl>\n```cpp\nint kernel;\n```\n{end}", KERNEL)
    assert reply.files == {KERNEL: "int kernel;\n"}
    assert reply.kernel_only


@pytest.mark.parametrize("end", ["```</kernel_impl>", "``` </kernel_impl> Done.", "```\n</kernel_impl>"])
def test_tags_and_fences_of_a_kernel_only_answer_may_share_a_line(end: str) -> None:
    reply = read_code(f"<kernel_impl>```cpp\nint kernel;\n{end}", KERNEL)
    assert reply.files == {KERNEL: "int kernel;\n"}
    assert reply.kernel_only


def test_fenced_blocks_go_where_the_line_before_or_their_first_line_says() -> None:
    text = "File `op_host/gelu.cpp`:\n```cpp\nint host;\n```\n```cpp\n// op_kernel/gelu.cpp\nint kernel;\n```"
    reply = read_code(text, KERNEL)
    assert reply.files == {"op_host/gelu.cpp": "int host;\n", KERNEL: "// op_kernel/gelu.cpp\nint kernel;\n"}


def test_blocks_of_other_languages_are_not_code_of_the_operator() -> None:
    reply = read_code("```python\nprint(1)\n```\n```bash\nmake\n```", KERNEL)
    assert reply.files == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("<think>I wonder", "inside its thought"),
        ("I cannot help with that.", "no code block"),
        ("```cpp\nint kernel;", "cut inside a code block"),
        ("<kernel_impl></kernel_impl>", "empty"),
    ],
)
def test_a_reply_without_code_says_why(text: str, words: str) -> None:
    reply = read_code(text, KERNEL)
    assert reply.files == {}
    assert reply.problem is not None and words in reply.problem


@pytest.mark.parametrize(
    ("text", "at_limit"),
    [
        ("<think>I wonder", False),
        ("I wonder on and on", True),
        ("```cpp\nint kernel;", False),
        ("<kernel_impl>\n```cpp\nint kernel;\n", True),
        ("<kernel_impl>\nint kernel;\n", True),
        ("<kernel_impl>```cpp\nint kernel;\n", True),
        ("<kernel_impl>```cpp\nint kernel;\n", False),
        ("The kernel: <kernel_impl> ```cpp\nint ker", False),
        ("================== op_host/gelu.cpp ==================\n```cpp\nint host;\n```\n", True),
        (FULL.replace("int kernel;\n```\nDone.\n", "int ker"), True),
    ],
)
def test_a_cut_reply_is_no_code_and_says_so(text: str, at_limit: bool) -> None:
    reply = read_code(text, KERNEL, at_limit=at_limit)
    assert (reply.files, reply.code) == ({}, "REPLY_CUT")


def test_what_came_whole_before_the_limit_counts() -> None:
    reply = read_code("```cpp\nint kernel;\n```\nThis kernel works by", KERNEL, at_limit=True)
    assert reply.files == {KERNEL: "int kernel;\n"}


@pytest.mark.parametrize(
    "path", ["../../etc/passwd.txt", "/tmp/x.cpp", "op_host/../x.cpp", "CMakeLists.txt", "op_kernel/.x.h"]
)
def test_a_path_outside_of_the_operator_refuses_the_whole_reply(path: str) -> None:
    text = f"================== {path} ==================\n```cpp\nint x;\n```\n"
    reply = read_code(text, KERNEL)
    assert reply.files == {}
    assert reply.problem is not None and path in reply.problem


def test_the_last_json_object_counts_and_braces_in_prose_do_not_disturb() -> None:
    text = 'use {x} and {"draft": {"a": 1}} then\n```json\n{"final": {"b": [1, {"c": 2}]}}\n```'
    assert read_json(text) == {"final": {"b": [1, {"c": 2}]}}


@pytest.mark.parametrize("text", ["", "{", "no", '<think>{"a": 1}</think>', "[1, 2]"])
def test_a_reply_without_an_object_has_no_json(text: str) -> None:
    assert read_json(text) is None


@pytest.mark.parametrize(
    ("text", "at_limit", "problem", "code"),
    [
        ("", False, "The reply is empty.", "REPLY_EMPTY"),
        ("Sorry.", False, "The reply holds no code block.", "NO_CODE"),
        ("Sorry.", True, "The reply reached its length limit before any code.", "REPLY_CUT"),
        ("```cpp\nint kernel;", False, "The reply is cut inside a code block.", "REPLY_CUT"),
        ("<kernel_impl>\nint kernel;\n", True, "The reply is cut inside <kernel_impl>.", "REPLY_CUT"),
        ("<kernel_impl></kernel_impl>", False, "The reply's <kernel_impl> block is empty.", "NO_CODE"),
        ("====== op_host/a.cpp ======\nint host;\n", True, f"The reply is cut before {KERNEL}.", "REPLY_CUT"),
        (
            "====== a.cpp ======\nint host;\n",
            False,
            "The reply names the file a.cpp, which is not below op_host or op_kernel.",
            "NO_CODE",
        ),
    ],
)
def test_a_problem_is_told_in_one_sentence_with_its_code_and_the_thought(
    text: str, at_limit: bool, problem: str, code: str
) -> None:
    reply = read_code(f"<think>hm</think>{text}", KERNEL, at_limit=at_limit)
    assert (reply.thought, reply.problem, reply.code) == ("hm", problem, code)


def test_a_reply_that_ends_inside_its_thought_keeps_the_thought() -> None:
    reply = read_code("<think>I wonder", KERNEL)
    assert (reply.thought, reply.problem) == ("I wonder", "The reply ends inside its thought.")


@pytest.mark.parametrize("at_limit", [True, False])
def test_nothing_at_the_limit_is_empty_and_not_cut(at_limit: bool) -> None:
    assert read_code(" \n", KERNEL, at_limit=at_limit).code == "REPLY_EMPTY"


def test_everything_before_the_last_end_of_a_thought_is_thought() -> None:
    assert split_thought("<think>one</think> two</think>code") == ("one two", "code", False)


def test_a_thought_without_end_begins_at_its_first_mark() -> None:
    assert split_thought("aloud<think>one<think>two") == ("one<think>two", "aloud", True)


@pytest.mark.parametrize("text", ["<think> </think>code", "code"])
def test_an_empty_thought_is_none(text: str) -> None:
    assert split_thought(text) == (None, "code", False)


def test_what_is_spoken_is_the_reply_without_its_thought() -> None:
    assert spoken("<think>hm</think>\ncode\n") == "code"


def test_a_reply_that_is_all_thought_is_spoken_whole() -> None:
    assert spoken("<think>hm</think>") == "<think>hm</think>"


def test_edits_without_a_path_change_the_kernel_and_keep_the_thought() -> None:
    text = "<think>hm</think>\n<<<<<<< SEARCH\nint a;\n=======\nint b;\n>>>>>>> REPLACE\n"
    reply = read_code(text, KERNEL)
    assert reply.edits == (Edit(path=KERNEL, old="int a;\n", new="int b;\n"),)
    assert (reply.thought, reply.files, reply.problem) == ("hm", {}, None)


def test_an_edit_outside_of_the_operator_refuses_the_whole_reply() -> None:
    reply = read_code("--- a/x.cpp\n+++ b/x.cpp\n@@ -1 +1 @@\n-int a;\n+int b;\n", KERNEL)
    assert reply.edits == ()
    assert reply.problem is not None and "x.cpp" in reply.problem


def test_a_full_answer_may_leave_the_kernel_out() -> None:
    reply = read_code("====== op_host/gelu.cpp ======\n```cpp\nint host;\n```\n", KERNEL)
    assert reply.files == {"op_host/gelu.cpp": "int host;\n"}


def test_a_full_answer_that_ends_at_the_limit_after_its_kernel_counts() -> None:
    assert set(read_code(FULL, KERNEL, at_limit=True).files) >= {KERNEL}


@pytest.mark.parametrize("part", ["int host;\n", "```cpp\nint host;\n``` that was the host\n"])
def test_a_headed_file_without_a_whole_block_is_all_its_lines_but_the_fences(part: str) -> None:
    assert read_code(f"====== op_host/a.cpp ======\n{part}", KERNEL).files == {"op_host/a.cpp": "int host;\n"}


def test_prose_around_a_block_is_no_code_of_the_kernel() -> None:
    reply = read_code(
        "<think>hm</think><kernel_impl>\nHere:\n```cpp\nint kernel;\n```\nDone.\n</kernel_impl>", KERNEL
    )
    assert (reply.thought, reply.files) == ("hm", {KERNEL: "int kernel;\n"})


def test_fences_inside_a_line_are_no_code_of_the_kernel() -> None:
    reply = read_code("<kernel_impl>```cpp\nint kernel;```</kernel_impl>", KERNEL)
    assert reply.files == {KERNEL: "int kernel;\n"}


def test_a_kernel_with_its_closing_tag_is_whole_at_the_limit() -> None:
    reply = read_code("<kernel_impl>\nint kernel;\n</kernel_impl>", KERNEL, at_limit=True)
    assert reply.files == {KERNEL: "int kernel;\n"}


@pytest.mark.parametrize(("line", "kernel_only"), [("", True), ("// op_host/gelu.cpp\n", False)])
def test_blocks_are_kernel_only_if_all_go_to_the_kernel(line: str, kernel_only: bool) -> None:
    assert read_code(f"```cpp\n{line}int x;\n```", KERNEL).kernel_only is kernel_only


def test_the_first_line_of_a_block_names_its_file() -> None:
    text = "```cpp\n// op_host/gelu.cpp\nint host;\n```"
    assert set(read_code(text, KERNEL).files) == {"op_host/gelu.cpp"}


def test_a_later_line_of_a_block_does_not_name_its_file() -> None:
    text = "```cpp\nint kernel;\n// see op_host/gelu.cpp\n```"
    assert set(read_code(text, KERNEL).files) == {KERNEL}


def test_code_after_a_block_of_another_language_counts() -> None:
    reply = read_code("```bash\nmake\n```\n```cpp\nint kernel;\n```", KERNEL)
    assert reply.files == {KERNEL: "int kernel;\n"}


def test_code_loses_only_the_empty_lines_around_it() -> None:
    reply = read_code("```cpp\n\n  int x = X\n\n```", KERNEL)
    assert reply.files == {KERNEL: "  int x = X\n"}


@pytest.mark.parametrize("text", ['{"a": 1}', '{{"a": 1}', '{"a": 1} {'])
def test_an_object_is_found_wherever_it_begins(text: str) -> None:
    assert read_json(text) == {"a": 1}
