"""Runs the Python and SQL snippets of docs/guide, page by page, against the real data.

A page is one program: its blocks run in order in one namespace. The stores of the bucket
``s3a://climate`` are local copies here; what a page writes goes to a fresh folder. The pages about
other clouds run on emulators, and are skipped where those are not installed.
"""

import re
import shutil
from pathlib import Path

import emulators
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "guide").glob("*.md"))
BLOCK = re.compile(r"^```(python|sql)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture
def climate(tmp_path: Path) -> str:
    for name in ("coads.zarr", "etopo.zarr"):
        shutil.copytree(ROOT / "src-test" / "data" / name, tmp_path / name)
    return str(tmp_path)


@pytest.fixture
def cloud(request, spark, climate: str, tmp_path_factory):
    """The store that a page is about, holding the same data, reached by the session's settings."""
    page = request.getfixturevalue("page").stem
    programs = {"azure": "azurite-blob", "google": "fake-gcs-server"}
    if page not in programs:
        yield
        return
    if emulators.find(programs[page]) is None:
        pytest.skip(f"{programs[page]} is not installed")
    if page == "azure":
        server = emulators.azurite(tmp_path_factory.mktemp("azurite"), Path(climate), "climate")
    else:
        server = emulators.fake_gcs(Path(climate), "climate")
    with server as settings:
        for key, value in settings.items():
            spark.conf.set(key, value)
        yield
        for key in settings:
            spark.conf.unset(key)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_snippets_run(page: Path, spark, climate: str, cloud) -> None:
    namespace = {"spark": spark}
    for number, (language, text) in enumerate(BLOCK.findall(page.read_text()), start=1):
        code = text.replace("s3a://climate", climate)
        try:
            if language == "sql":
                for statement in filter(str.strip, code.split(";")):
                    spark.sql(statement).collect()
            else:
                exec(compile(code, f"{page.name} block {number}", "exec"), namespace)
        except Exception as failure:
            pytest.fail(f"{page.name}, block {number}: {type(failure).__name__}: {failure}\n{text}")
