"""Edits are applied strictly: exactly once, whole or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akgen.agents.calls.edits import Edit, apply_edits, read_edits

PATH = "op_kernel/x.cpp"
FILES = {PATH: "int a;\nint b;  \nint c;\nint a;\n", "op_host/x.cpp": "host\n"}
REPLY = """First I mend the kernel.

op_kernel/x.cpp
<<<<<<< SEARCH
int b;
=======
int bee;
>>>>>>> REPLACE

and the host, op_host/x.cpp:
```cpp
<<<<<<< SEARCH
host
=======
guest
>>>>>>> REPLACE
```
"""
DIFF = """```diff
--- a/op_kernel/x.cpp
+++ b/op_kernel/x.cpp
@@ -1,3 +1,3 @@
 int a;
-int b;
+int bee;
 int c;
```
"""


def test_blocks_belong_to_the_file_that_is_named_above_them() -> None:
    edits = read_edits(REPLY, "op_kernel/other.cpp")
    assert [(e.path, e.old, e.new) for e in edits] == [
        (PATH, "int b;\n", "int bee;\n"),
        ("op_host/x.cpp", "host\n", "guest\n"),
    ]


def test_a_block_without_a_path_is_for_the_kernel() -> None:
    block = "<<<<<<< SEARCH\nint b;\n=======\n>>>>>>> REPLACE\n"
    assert read_edits(block, PATH) == (Edit(path=PATH, old="int b;\n", new=""),)
    assert apply_edits(FILES, read_edits(block, PATH))[0][PATH] == "int a;\nint c;\nint a;\n"


@pytest.mark.parametrize("reply", [REPLY, DIFF])
def test_what_stands_once_is_replaced_and_the_rest_stays(reply: str) -> None:
    changed, refused = apply_edits(FILES, read_edits(reply, PATH))
    assert refused is None
    assert changed[PATH] == "int a;\nint bee;\nint c;\nint a;\n"


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("int a;\n", "stands at lines 1, 4"),
        ("int d;\n", "does not stand in op_kernel/x.cpp as given; the nearest line is `int"),
        ("", "is empty"),
    ],
)
def test_what_does_not_stand_once_refuses_every_edit(old: str, words: str) -> None:
    edits = (Edit(path=PATH, old="int b;\n", new="int e;\n"), Edit(path=PATH, old=old, new="x\n"))
    changed, refused = apply_edits(FILES, edits)
    assert changed == FILES
    assert refused is not None and words in refused.text


def test_an_empty_search_makes_a_new_file_and_nothing_else_does() -> None:
    new = Edit(path="op_kernel/y.h", old="", new="int y;\n")
    assert apply_edits(FILES, (new,))[0]["op_kernel/y.h"] == "int y;\n"
    _, refused = apply_edits(FILES, (new.model_copy(update={"old": "z\n"}),))
    assert refused is not None and "no file op_kernel/y.h" in refused.text


@given(st.text(alphabet="ab<>=SEARCHREPLACE@+- \n/._", max_size=200))
def test_any_text_is_read_and_changes_the_named_file_or_nothing(text: str) -> None:
    for edit in read_edits(text, PATH):
        changed, refused = apply_edits(FILES, (edit,))
        differing = {path for path in changed if changed[path] != FILES.get(path)}
        assert differing <= (set() if refused else {edit.path})
        assert FILES.keys() <= changed.keys()
