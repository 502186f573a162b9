"""A run sees the project it was called in, whatever folders its options name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

MODEL = """
from pytest_vtcfaith import register_model

@register_model("mine", prompts=False, revision="1")
class Mine:
    def transcribe(self, images, prompt):
        return ["read" for _ in images]
"""


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside the project, with a project file of its own."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "pytest.ini").write_text("[pytest]\ntestpaths = nowhere\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("option", "workers"), [("--vtc-report", "-n0"), ("--vtc-report", "-n2"), ("--vtc-baselines", "-n0")]
)
def test_a_folder_behind_an_option_is_not_the_project(bench, outside: Path, option: str, workers: str) -> None:
    bench.replay()
    given = [*bench.arguments("--vtc-model", "replay:answers.jsonl", option, str(outside), workers)]
    if option == "--vtc-report":
        given.remove("--vtc-report=out")
    found = bench.run(*given, plain=True, fresh=True)
    assert found.status == 0, found.text
    assert f"rootdir: {bench.path}\n" in found.text
    assert "configfile: pytest.ini" in found.text
    assert "testpaths: cases" in found.text
    if option == "--vtc-report":
        assert (outside / "results.jsonl").is_file()


def test_the_projects_addopts_hold(bench, outside: Path) -> None:
    (bench.path / "pytest.ini").write_text(
        "[pytest]\ntestpaths = cases\naddopts = --vtc-model=replay:answers.jsonl --strict-markers\n", encoding="utf-8"
    )
    bench.replay()
    found = bench.run(
        "--vtc-cases=data", "--vtc-thresholds=thresholds.toml", "--vtc-report", str(outside), plain=True, fresh=True
    )
    assert found.status == 0, found.text
    assert "rewriting 12 cases" in found.text


def test_models_of_the_projects_conftest_are_known_to_tests_elsewhere(bench, outside: Path) -> None:
    """As with `--pyargs pytest_vtcfaith.benchmark_cases`: the test files are not the project's own."""
    (outside / "pytest.ini").unlink()
    tests = outside / "installed"
    (bench.path / "cases").rename(tests)
    (bench.path / "pytest.ini").unlink()
    (bench.path / "conftest.py").write_text(MODEL, encoding="utf-8")
    found = bench.run("--vtc-model=mine", "--collect-only", "-q", str(tests), fresh=True)
    assert found.status == 0, found.text
    assert "test_case[mine-doc-0000-original]" in found.text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_gates_run_when_the_tests_lie_outside_rootdir(bench, outside: Path, workers: str) -> None:
    (outside / "pytest.ini").unlink()
    tests = outside / "installed"
    (bench.path / "cases").rename(tests)
    found = bench.run(bench.replay("original"), workers, "--rootdir", str(bench.path), str(tests), fresh=True)
    assert found.status == 1, found.text
    assert found.verdicts["en-scramble-rewrite_rate"] == "fail"
    assert len(found.verdicts) == 10
    assert re.search(r"2 failed, 17 passed, 3 skipped", found.text)
