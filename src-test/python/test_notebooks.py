"""Executes the notebooks: their own assertions must hold, and git holds no outputs."""

import json
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARRAYMORPH_JAR", str(jar))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}
    ).execute(env=dict(os.environ))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_has_no_outputs(path: Path) -> None:
    cells = json.loads(path.read_text())["cells"]
    assert not [cell["id"] for cell in cells if cell.get("outputs") or cell.get("execution_count")]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_says_nothing_twice(path: Path) -> None:
    sources = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
    assert len(sources) == len(set(sources))
