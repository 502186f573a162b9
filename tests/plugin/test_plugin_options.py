"""The command line and `[tool.vtcfaith]`: what is asked for must exist, and is said back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

OPTIONS = """
model suite lang tier limit thresholds cases report baselines cache no-cache inconclusive seed renderer
"""


def test_help_lists_every_option(bench) -> None:
    found = bench.run("--help", plain=True)
    assert found.status == 0
    for name in OPTIONS.split():
        assert re.search(rf"^  --vtc-{name}\b", found.text, re.MULTILINE), name


def test_without_a_model_the_benchmark_is_deselected(bench) -> None:
    found = bench.run()
    assert found.status == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "no model chosen" in found.text
    assert "pytest --vtc-model=NAME" in found.text
    assert "2 deselected" in found.text
    assert not found.folder.exists()


def test_without_a_model_other_tests_run(bench) -> None:
    bench.module("def test_other(): pass\n")
    found = bench.run()
    assert found.status == 0
    found.counts(passed=1, deselected=2)


def test_the_header_says_what_is_measured(bench) -> None:
    found = bench.run(bench.replay(), "--collect-only")
    assert re.search(
        r"^vtcfaith: replay-answers-jsonl-\w+: rewriting 12 cases; thresholds .*thresholds.toml$", found.text, re.M
    )


def test_a_limited_run_says_so(bench) -> None:
    found = bench.run(bench.replay(), "--vtc-limit=2")
    assert found.status == 0
    assert "LIMITED to 2 documents per tier" in found.text
    assert "Limited to 2 documents" in (found.folder / "summary.md").read_text(encoding="utf-8")
    assert set(found.results) == {f"doc-{n:04d}-{c}" for n in (0, 1) for c in ("original", "scramble", "random")}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ["--vtc-model=replai:answers.jsonl"],
            r"unknown model 'replai:answers.jsonl'; known models, nearest first: replay",
        ),
        (["--vtc-model=rapidocrr"], r"unknown model 'rapidocrr'; known models, nearest first: rapidocr,"),
        (["--vtc-model=replay:nowhere.jsonl"], r"cannot read the replay file .*nowhere.jsonl"),
        (["--vtc-model=replay:"], r"unknown model 'replay:'"),
        (
            ["--vtc-suite=rewritng"],
            r"--vtc-suite 'rewritng': did you mean 'rewriting'\? known: rewriting, ",
        ),
        (["--vtc-lang=eng"], r"--vtc-lang 'eng': did you mean 'en'\? known: en, "),
        (
            ["--vtc-tier=rewriting/en/scrambel"],
            r"did you mean 'rewriting/en/scramble'\? known: rewriting/en/scramble, ",
        ),
        (["--vtc-tier=preservation/*"], r"--vtc-tier 'preservation/\*': did you mean"),
        (["--vtc-renderer=omni"], r"--vtc-renderer 'omni'"),
        (["--vtc-lang=ko"], r"no case is left: .* tiers: rewriting/en/original, "),
        (["--vtc-suite=preservation"], r"no case is left"),
        (["--vtc-limit=0"], r"--vtc-limit 0: give the number of documents per tier, 1 or more"),
        (["--vtc-limit=-3"], r"--vtc-limit -3: give"),
        (["--vtc-limit=few"], r"--vtc-limit: invalid int value: 'few'"),
        (["--vtc-inconclusive=maybe"], r"--vtc-inconclusive: invalid choice: 'maybe'"),
        (["--vtc-limit=1", "--snapshot-update"], r"--snapshot-update with --vtc-limit: a limited run is no baseline"),
        (["--vtc-thresholds=nowhere.toml"], r"nowhere.toml: no such thresholds file"),
        (["--vtc-cases=cases"], r"cases: no manifest \(\*.jsonl\) in this folder"),
        (["--vtc-report=thresholds.toml"], r"--vtc-report .*thresholds.toml: is a file; name a folder"),
        (["--vtc-baselines=nowhere"], r"--vtc-baselines .*nowhere: there is no such folder"),
        (["--vtc-baselines=thresholds.toml"], r"--vtc-baselines .*thresholds.toml: is a file"),
        (["--vtc-cache=thresholds.toml"], r"--vtc-cache .*thresholds.toml: is a file"),
        (["--vtc-cases=thresholds.toml"], r"--vtc-cases .*thresholds.toml: is a file"),
    ],
)
def test_what_does_not_exist_is_a_usage_error(bench, given: list[str], said: str) -> None:
    found = bench.run(*([] if given[0].startswith("--vtc-model") else [bench.replay()]), *given)
    assert found.status == pytest.ExitCode.USAGE_ERROR, found.text
    assert re.search(said, found.text), found.text
    assert "Traceback" not in found.text


def test_a_model_named_twice_is_one(bench) -> None:
    model = bench.replay()
    assert bench.run(model, model, "--collect-only", "-q").text.count("doc-0000-original") == 1


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'rewrite_rate'\nmax = nan\n", "max"),
        ("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'rewrite_rat'\nmax = 0.1\n", "did you mean 'rewrite_rate'?"),
        ("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'rewrite_rate'\nmax = 1.5\n", "max = 1.5"),
        ("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'rewrite_rate'\nmax = -0.1\n", "max = -0.1"),
        ("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'rewrite_rate'\n", "bounds nothing"),
        ("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'rewrite_rate'\nmaximum = 1\n", "maximum"),
        ("[[gate]\n", "TOML"),
        ("", "no [[gate]] in the file"),
    ],
)
def test_bad_thresholds_are_a_usage_error(bench, toml: str, said: str) -> None:
    bench.thresholds(toml)
    found = bench.run(bench.replay())
    assert found.status == pytest.ExitCode.USAGE_ERROR
    assert "thresholds.toml" in found.text
    assert said in found.text


def test_a_broken_manifest_is_a_usage_error(bench) -> None:
    path = bench.path / "data" / "rewriting-en.jsonl"
    path.write_bytes(path.read_bytes().replace(b"harbour", b"harbor", 1))
    found = bench.run(bench.replay())
    assert found.status == pytest.ExitCode.USAGE_ERROR
    assert "rewriting-en.jsonl:1: field 'sha256'" in found.text


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("treshold = 'a.toml'", "unknown key 'treshold'; did you mean 'thresholds'?"),
        ("thresholds = 3", "thresholds = 3: a str is expected"),
        ("prompts = 'plain'", "prompts = 'plain': a list is expected"),
        ("prompts = ['plane']", "prompts: unknown condition 'plane'; known: plain"),
        ("prompts = [1]", "prompts: unknown condition 1"),
        ("prompts = []", "prompts is empty"),
        ("inconclusive = 'maybe'", "inconclusive = 'maybe': give 'fail', 'warn' or 'pass'"),
        ("models = []", "models = []: a dict is expected"),
        ("models = {mine = 'rapidocr'}", "[tool.vtcfaith.models.mine] must be a table"),
        ("models = {mine = {adapter = 'rapidoc'}}", "adapter = 'rapidoc' is not one of the known adapters"),
    ],
)
def test_bad_tables_are_usage_errors(bench, table: str, said: str) -> None:
    (bench.path / "pyproject.toml").write_text(f"[tool.vtcfaith]\n{table}\n", encoding="utf-8")
    found = bench.run("--vtc-model=mine" if "mine" in table else bench.replay())
    assert found.status == pytest.ExitCode.USAGE_ERROR, found.text
    assert said in found.text
    assert "Traceback" not in found.text


@pytest.mark.parametrize("text", ["[tool]\nvtcfaith = 3\n", "[tool.vtcfaith\n"])
def test_a_broken_pyproject_is_a_usage_error(bench, text: str) -> None:
    (bench.path / "pyproject.toml").write_text(text, encoding="utf-8")
    found = bench.run(bench.replay())
    assert found.status == pytest.ExitCode.USAGE_ERROR, found.text
    assert "pyproject.toml" in found.text
    assert "Traceback" not in found.text


def test_the_table_sets_what_the_command_line_may_override(bench) -> None:
    bench.replay("original")
    (bench.path / "strict.toml").write_text(bench_thresholds(0.1), encoding="utf-8")
    (bench.path / "lax.toml").write_text(bench_thresholds(1.0), encoding="utf-8")
    (bench.path / "pyproject.toml").write_text(
        '[tool.vtcfaith]\nthresholds = "strict.toml"\ncases = "data"\nreport = "out"\n'
        '[tool.vtcfaith.models.mine]\nadapter = "replay"\nmodel = "answers.jsonl"\n',
        encoding="utf-8",
    )
    strict = bench.run("--vtc-model=mine", "-p", "no:randomly", plain=True)
    assert strict.status == 1
    assert strict.verdicts["en-scramble-rewrite_rate"] == "fail"
    lax = bench.run("--vtc-model=mine", "--vtc-thresholds=lax.toml", "-p", "no:randomly", plain=True)
    assert lax.status == 0, lax.text
    assert lax.verdicts["en-scramble-rewrite_rate"] == "pass"


def bench_thresholds(bound: float) -> str:
    return f"[[gate]]\nwhere = 'rewriting/*/scramble'\nmetric = 'rewrite_rate'\nmax = {bound}\n"


def test_tiers_and_languages_choose_cases_and_gates(bench) -> None:
    found = bench.run(bench.replay(), "--vtc-tier=rewriting/*/scramble", "--vtc-lang=en", "--vtc-suite=rewriting")
    assert found.status == 0, found.text
    assert {row["tier"] for row in found.results.values()} == {"rewriting/en/scramble"}
    assert {row["tier"] for row in found.gates.values()} == {"rewriting/en/scramble", "rewriting"}


def test_prompt_conditions_of_the_table_become_cases(bench) -> None:
    (bench.path / "pyproject.toml").write_text('[tool.vtcfaith]\nprompts = ["no_correct"]\n', encoding="utf-8")
    found = bench.run("--vtc-model=rapidocr", "--collect-only", "-q")
    assert "test_case[rapidocr-doc-0000-original-no-correct]" in found.text
    assert "test_case[rapidocr-doc-0000-original]" not in found.text


def test_two_manifests_with_one_case_are_refused(bench) -> None:
    bench.manifest(bench.rows[:1], "another.jsonl")
    found = bench.run(bench.replay())
    assert found.status == pytest.ExitCode.USAGE_ERROR
    assert re.search(r"rewriting-en.jsonl:2: case 'doc-0000-original' is also in .*another.jsonl:2", found.text)


def test_an_unwritable_report_folder_is_a_usage_error(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path, session: str) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr("pytest_vtcfaith.report.results.begin", refuse)
    found = bench.run(bench.replay())
    assert found.status == pytest.ExitCode.USAGE_ERROR, found.text
    assert "--vtc-report" in found.text


@pytest.mark.parametrize("name", ["cache", "report", "cases", "baselines", "thresholds"])
def test_an_empty_path_is_not_the_current_folder(bench, name: str) -> None:
    found = bench.run(bench.replay(), f"--vtc-{name}=", plain=True)
    assert found.status == pytest.ExitCode.USAGE_ERROR
    assert f"--vtc-{name} is empty: give a path, or leave the option out" in found.text
    assert not (bench.path / "replies.sqlite").exists()
