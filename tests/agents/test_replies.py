"""Replies in every form that models are known to give, and in the forms that they should not."""

import pytest

from akgen.agents.calls.replies import read_code, read_json

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
