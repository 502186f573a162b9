"""Manifests: what is written is read back, and everything wrong is named with file, line, field and mend."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.texts import ManifestError, read_manifest, write_manifest
from pytest_vtcfaith.texts.characters import fault
from pytest_vtcfaith.texts.manifest import manifest_bytes

HEADER = {
    "schema": "vtcfaith/rewriting",
    "version": 1,
    "seed": 0,
    "generator": "test",
    "licence": "Apache-2.0",
    "rate": 0.08,
    "visual_rate": 1.0,
}
PRESERVATION = {
    "schema": "vtcfaith/preservation",
    "version": 1,
    "seed": None,
    "generator": "test",
    "licence": "Apache-2.0",
    "layouts": ["glyph"],
    "ratios": [2.5, 10.0],
    "tokenizer": "deepseek",
}


def row(condition: str = "scramble", text: str = "the baot", document: str = "en-tide", **more: Any) -> dict[str, Any]:
    return {
        "case": f"{document}-{condition}",
        "document": document,
        "lang": "en",
        "condition": condition,
        "original": "the boat",
        "text": text,
    } | more


def source(name: str = "natural", text: str = "the boat", document: str = "en-tide", **more: Any) -> dict[str, Any]:
    return {"document": document, "lang": "en", "source": name, "text": text, "n_text": 2} | more


def raw(path: Path, rows: list[Any], header: dict[str, Any] | None = None, ending: bytes = b"\n") -> Path:
    """Writes a manifest without any check; a row may be a dict, text or bytes."""
    lines = [r if isinstance(r, bytes) else (r if isinstance(r, str) else json.dumps(r)).encode() for r in rows]
    body = b"".join(line + b"\n" for line in lines[:-1]) + (lines[-1] + ending if lines else b"")
    header = {"sha256": hashlib.sha256(body).hexdigest()} | (HEADER if header is None else header)
    path.write_bytes(json.dumps(header).encode() + b"\n" + body)
    return path


def problem(path: Path) -> str:
    with pytest.raises(ManifestError) as caught:
        read_manifest(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}:")
    return message.removeprefix(str(path))


ROWS = [row("original", "the boat"), row()]


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    write_manifest(path, HEADER, ROWS)
    manifest = read_manifest(path)
    assert manifest.path == path
    assert manifest.rows == ((2, ROWS[0]), (3, ROWS[1]))
    body = path.read_bytes().partition(b"\n")[2]
    assert manifest.header == HEADER | {"sha256": hashlib.sha256(body).hexdigest()}
    assert [name.name for name in tmp_path.iterdir()] == ["m.jsonl"]


def test_bytes_are_deterministic_and_unescaped(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    rows = [row("original", "灯塔 한글", original="灯塔 한글")]
    shuffled = [dict(reversed(r.items())) for r in rows]
    data = manifest_bytes(path, HEADER, rows)
    assert data == manifest_bytes(path, dict(reversed(HEADER.items())), shuffled)
    assert "灯塔 한글".encode() in data
    assert b"\r" not in data
    assert not path.exists()


@given(st.text().filter(lambda text: not fault(text)))
def test_every_text_is_read_back_whatever_looks_like_a_line_end(text: str) -> None:
    path = Path("m.jsonl")
    data = manifest_bytes(path, HEADER, [row("original", text, original=text)])
    assert data.count(b"\n") == 2
    assert json.loads(data.split(b"\n")[1])["text"] == text


def test_line_separators_inside_a_text(tmp_path: Path) -> None:
    text = "page\n\tpage2\u2028end\u2029 a\n\nb\u3000c"
    path = tmp_path / "m.jsonl"
    write_manifest(path, PRESERVATION, [source(text=text)])
    assert read_manifest(path).rows == ((2, source(text=text)),)


def test_writing_replaces_the_old_file_only_when_the_new_one_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    write_manifest(path, HEADER, ROWS)
    old = path.read_bytes()
    with pytest.raises(ManifestError, match="perturb a word"):
        write_manifest(path, HEADER, [row(text="the  boat")])
    assert path.read_bytes() == old
    write_manifest(path, HEADER, ROWS[:1])
    assert len(read_manifest(path).rows) == 1
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(extra=1)], ":2: field 'extra' = 1 is unknown: remove it"),
        ([{k: v for k, v in row().items() if k != "text"}], ":2: field 'text' is missing: add it"),
        ([row(condition="blur")], ":2: field 'condition' = 'blur': Input should be 'original', 'scramble'"),
        ([row(lang="fr")], ":2: field 'lang' = 'fr'"),
        ([row(text=7)], ":2: field 'text' = 7: Input should be a valid string"),
        ([row(text=" \n")], r":2: field 'text' = ' \n': has nothing visible"),
        ([row(text="\u200b\u200b")], r":2: field 'text' = '\u200b\u200b': has nothing visible"),
        ([row(text="a\nb\x07")], r":2: field 'text' = 'a\nb\x07': has the control character U+0007 in paragraph 2"),
        ([row(text="a\x85b")], r":2: field 'text' = 'a\x85b': has the control character U+0085 in paragraph 1: remove"),
        ([row(original="a\rb")], r":2: field 'original' = 'a\rb': has the control character U+000D"),
        ([row(text="the ba\u200dot")], r":2: field 'text' = 'the ba\u200dot': has U+200D, which no page shows: remove"),
        ([row(original="a\u180e")], r":2: field 'original' = 'a\u180e': has U+180E, which no page shows"),
        ([row(text="\ud83d")], r":2: field 'text' = '\ud83d'"),
        ([row(document="En_Tide")], ":2: field 'case' = 'En_Tide-scramble': must be an ASCII slug"),
        ([row(case="en-tide-scramble\n")], ":2: field 'case' = "),
        ([row(case="other")], ":2: case 'other' must be 'en-tide-scramble'"),
        ([row("original")], ":2: text must equal original under condition 'original'"),
        ([row(text="the\u200b  boat")], ":2: text equals original after normalising, in condition 'scramble'"),
        ([row(text="the boat!")], ":2: text equals original after normalising"),
        ([row(lang="zh", original="河边", text="边河")], ":2: condition 'scramble' is not defined for lang 'zh'"),
        ([*ROWS, row()], ":4: case 'en-tide-scramble' stands on line 3 already"),
        ([ROWS[0], row(original="a boat")], ":3: document 'en-tide': original differs from line 2"),
        ([ROWS[0], row("random", lang="ko")], ":3: document 'en-tide': lang 'ko' differs from 'en' from line 2"),
        (["{"], ":2: '{' is not JSON"),
        (["[1]"], ":2: [1] is not a JSON object"),
        (['{"case": "a", "case": "b"}'], ":2: field 'case' stands twice: keep one"),
        (['{"case": NaN}'], ":2: NaN is not JSON"),
        ([b'{"case": "\xff"}'], ":2: byte 10 of the line is not UTF-8"),
        (["[" * 100_000], ":2: '[[["),
        (['{"text": ' + "[" * 800 + "]" * 800 + "}"], ":2: field"),
        (['{"case": ' + "1" * 5000 + "}"], ":2: a number of 5000 digits is too large: correct it"),
        ([ROWS[0], "", row()], ":3: the line is blank"),
        ([], ":1: the manifest has no rows"),
    ],
)
def test_wrong_rewriting_rows(tmp_path: Path, rows: list[Any], message: str) -> None:
    assert problem(raw(tmp_path / "m.jsonl", rows)).startswith(message)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([source(n_text=0)], ":2: field 'n_text' = 0: Input should be greater than or equal to 1"),
        ([source(n_text=2.5)], ":2: field 'n_text' = 2.5"),
        ([source("Zero Sense")], ":2: field 'source' = 'Zero Sense': must be an ASCII slug"),
        ([source(), source()], ":3: document 'en-tide' with source 'natural' stands on line 2 already"),
        ([source(), source("uniform", "a boat")], ":3: document 'en-tide': text of 6 characters is not within 1 %"),
        ([source("uniform", "a boat"), source()], ":3: document 'en-tide': text of 6 characters is not within 1 %"),
    ],
)
def test_wrong_preservation_rows(tmp_path: Path, rows: list[Any], message: str) -> None:
    assert problem(raw(tmp_path / "m.jsonl", rows, PRESERVATION)).startswith(message)


def test_sources_other_than_natural_and_uniform_may_have_any_length(tmp_path: Path) -> None:
    rows = [source(), source("zerosense", "a very long text"), source("uniform", "two oars", "en-other")]
    write_manifest(tmp_path / "m.jsonl", PRESERVATION, rows)
    assert len(read_manifest(tmp_path / "m.jsonl").rows) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "vtcfaith/unknown"}, ":1: field 'schema' = 'vtcfaith/unknown' is unknown: it must be one of vtcf"),
        ({"schema": ["x"]}, ":1: field 'schema' = ['x'] is unknown"),
        ({"version": 2}, ":1: field 'version' = 2: this release reads 1: rebuild it"),
        ({"version": True}, ":1: field 'version' = True"),
        ({"seed": "0"}, ":1: field 'seed' = '0'"),
        ({"licence": ""}, ":1: field 'licence' = ''"),
        ({"rate": 8}, ":1: field 'rate' = 8"),
        ({"colour": "red"}, ":1: field 'colour' = 'red' is unknown"),
        (
            {"sha256": "0" * 64},
            ":1: field 'sha256' = '000000000000…' is not the hash of the rows: the rows were edited",
        ),
        ({"sha256": "abc"}, ":1: field 'sha256' = 'abc'"),
    ],
)
def test_wrong_headers(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    assert problem(raw(tmp_path / "m.jsonl", ROWS, HEADER | change)).startswith(message)


@pytest.mark.parametrize("field", sorted({*HEADER, "sha256"}))
def test_every_header_field_is_needed(tmp_path: Path, field: str) -> None:
    path = tmp_path / "m.jsonl"
    write_manifest(path, HEADER, ROWS)
    header, _, body = path.read_bytes().partition(b"\n")
    path.write_bytes(json.dumps({k: v for k, v in json.loads(header).items() if k != field}).encode() + b"\n" + body)
    assert f"'{field}'" in problem(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ratios": []}, ":1: field 'ratios' = []"),
        ({"ratios": [2.5, 2.5]}, ":1: field 'ratios' = [2.5, 2.5]: must not name one value twice"),
        ({"ratios": [-1.0]}, ":1: field 'ratios.0' = -1.0"),
        ({"ratios": [1e-300]}, ":1: field 'ratios.0' = 1e-300"),
        ({"ratios": [1e300]}, ":1: field 'ratios.0' = 1e+300"),
        ({"layouts": ["A 4"]}, ":1: field 'layouts.0' = 'A 4': must be an ASCII slug"),
        ({"tokenizer": " "}, ":1: field 'tokenizer' = ' '"),
    ],
)
def test_wrong_preservation_headers(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    assert problem(raw(tmp_path / "m.jsonl", [source()], PRESERVATION | change)).startswith(message)


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    write_manifest(path, HEADER, ROWS)
    good = path.read_bytes()
    for data, message in [
        (b"", ":1: the file is empty"),
        (b"\n", ":1: '' is not JSON"),
        (b"\xef\xbb\xbf" + good, ":1: the file begins with a byte order mark"),
        (good[:-1], ":3: the last line is torn"),
        (good[:-40], ":3: the last line is torn"),
        (good.replace(b"baot", b"btao"), ":1: field 'sha256'"),
        (good[: good[:-1].rindex(b"\n") + 1], ":1: field 'sha256'"),
        (good.replace(b"\n", b"\r\n"), ":1: field 'sha256'"),
        (good.decode().encode("utf-16-le") + b"\n", ":1: "),
        (good.split(b"\n")[0], ":1: the last line is torn"),
    ]:
        path.write_bytes(data)
        assert problem(path).startswith(message)
    path.write_bytes(good.replace(b"\n", b"\r\n"))
    assert ".gitattributes" in problem(path)


def test_a_missing_manifest_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_manifest(tmp_path / "m.jsonl")


def test_a_pipe_or_a_folder_is_no_manifest(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    for name in ("pipe.jsonl", "folder.jsonl"):
        assert problem(tmp_path / name) == ":1: it is a folder or a pipe, no manifest: rename it or move it away"


def test_writing_follows_links(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep" / "target.jsonl", tmp_path / "link.jsonl"
    link.symlink_to("deep/target.jsonl")
    for rows in (ROWS, ROWS[:1]):  # the target is made, then replaced
        write_manifest(link, HEADER, rows)
        assert link.is_symlink()
        assert len(read_manifest(target).rows) == len(rows)
    assert [path.name for path in target.parent.iterdir()] == ["target.jsonl"]


@pytest.mark.parametrize("kind", ["folder", "pipe", "ring", "device", "below a file"])
def test_what_cannot_be_written_is_named_and_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "out.jsonl"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "ring":
        path.symlink_to(path)
    elif kind == "device":
        path = Path("/dev/null")
    else:
        path.write_bytes(b"")
        path = path / "m.jsonl"
    with pytest.raises(ManifestError, match=r"choose another file") as caught:
        write_manifest(path, HEADER, ROWS)
    assert str(caught.value).startswith(f"{path}: it ")
    assert path.is_symlink() is (kind == "ring")
    assert not path.is_file()


def test_a_full_disk_is_named_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    code = f"""
import json, resource, signal
from pathlib import Path
from pytest_vtcfaith.texts import ManifestError, write_manifest
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
try:
    write_manifest(Path({str(path)!r}), {HEADER!r}, {ROWS!r})
except ManifestError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{path}: it cannot be written (File too large): make room")
    assert list(tmp_path.iterdir()) == []


def by_file(**fields: str) -> dict[str, Any]:
    return {name: value for name, value in row().items() if name not in ("text", "original")} | fields


def test_texts_may_stand_in_files_beside_the_manifest(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "灯.txt").write_bytes("\ufeffthe  boat\r\n".encode())
    (tmp_path / "page.txt").write_text("the baot\n", encoding="utf-8")
    path = raw(tmp_path / "m.jsonl", [by_file(original_file="in/灯.txt", text_file="page.txt")])
    assert read_manifest(path).rows == ((2, row()),)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../secret.txt", "must lie inside the manifest's folder"),
        ("in/../../secret.txt", "must lie inside the manifest's folder"),
        ("in\\..\\secret.txt", "must lie inside the manifest's folder"),
        ("/etc/hostname", "must lie inside the manifest's folder"),
        ("C:/secret.txt", "must lie inside the manifest's folder"),
        ("C:secret.txt", "must lie inside the manifest's folder"),
        ("link.txt", "leads out of the manifest's folder by a link"),
        ("loop/secret.txt", "leads out of the manifest's folder by a link"),
        ("absent.txt", "cannot be read"),
        ("ring.txt", "cannot be read"),
        ("ring/page.txt", "cannot be read"),
        ("pipe.txt", "it is no regular file"),
        ("joiners.txt", "has nothing visible"),
        ("nul\0.txt", "cannot be read"),
        ("latin.txt", "cannot be read"),
        (".", "cannot be read"),
        ("", "must be the relative path of a text file"),
        (7, "must be the relative path of a text file"),
    ],
)
def test_files_outside_the_folder_are_refused(tmp_path: Path, name: Any, message: str) -> None:
    folder = tmp_path / "cases"
    (folder / "in").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "latin.txt").write_bytes(b"\xe9")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "loop").symlink_to(tmp_path)
    (folder / "ring.txt").symlink_to("ring.txt")
    (folder / "ring").symlink_to("ring")
    os.mkfifo(folder / "pipe.txt")
    (folder / "joiners.txt").write_text("\u200d\u200c", encoding="utf-8")
    path = raw(folder / "m.jsonl", [by_file(original="the boat", text_file=name)])
    found = problem(path)
    assert found.startswith(":2: field 'text_file' = ")
    assert message in found


def test_text_and_its_file_exclude_each_other(tmp_path: Path) -> None:
    path = raw(tmp_path / "m.jsonl", [row(text_file="page.txt")])
    assert problem(path).startswith(":2: fields 'text' and 'text_file' exclude each other")


def test_a_value_that_is_not_json_is_refused_when_writing(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"m\.jsonl:2: .* cannot be written as JSON"):
        write_manifest(tmp_path / "m.jsonl", HEADER, [row(text=b"bytes")])
