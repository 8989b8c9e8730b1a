"""Several finished operators in one package, under their own names, and a run of the tree as a record."""

from pathlib import Path

from akgen.agents.prompts.builder import example_project
from tests.command import command
from tests.fake_cann.machine import Rehearsal
from tests.fake_cann.scene import project


def test_two_operators_are_built_into_one_package(machine: Rehearsal, tmp_path: Path) -> None:
    project("").write_to(tmp_path / "scale")
    example_project().write_to(tmp_path / "one")
    done = command(
        "package", tmp_path / "scale", tmp_path / "one", "--out", tmp_path / "out", "--json", env=machine.env
    )
    assert done.code == 0, done.out + done.err
    found = done.document
    assert found["operators"] == ["ScaleAdd", "AddOne"] and len(found["installers"]) == 1
    assert Path(found["installers"][0]).is_file() and (tmp_path / "out/logs/build.log").is_file()
    kernels = [path for path in found["contents"] if path.endswith(".o")]
    assert {Path(path).name.partition("_")[0] for path in kernels} == {"ScaleAdd", "AddOne"}


def test_projects_with_other_texts_under_one_name_are_refused(machine: Rehearsal, tmp_path: Path) -> None:
    for name, text in (("a", "// a"), ("b", "// b")):
        whole = project("") if name == "a" else example_project()
        files = dict(whole.files) | {"op_kernel/shared.h": text}
        whole.model_copy(update={"files": files}).write_to(tmp_path / name)
    done = command("package", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "out", env=machine.env)
    assert done.code == 2 and "other texts under op_kernel/shared.h" in done.err
