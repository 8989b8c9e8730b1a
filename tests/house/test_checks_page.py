"""The page of checks that `make docs` writes names every code of the catalogue."""

import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_names_every_code() -> None:
    spec = importlib.util.spec_from_file_location("make_checks", ROOT / "docs" / "make_checks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.page()
    catalogue = json.loads((ROOT / "knowledge" / "data" / "errors.json").read_text())
    assert [code for code in catalogue if f"### {code}\n" not in text] == []
    assert module.shown_by().keys() <= catalogue.keys()
