from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import cases

CASES = Path(__file__).parent / "data" / "cases"
ROWS = [
    pytest.param(row, id=f"{path.stem}-{row['id']}")
    for path in sorted(CASES.glob("*.jsonl"))
    for row in cases.rows(path)
]


@pytest.mark.parametrize("row", ROWS)
def test_row_holds(row: cases.Row) -> None:
    assert cases.miss(row) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"area": "rhymes"}, "area 'rhymes' is unknown"),
        ({"expect": {"wer": 0.5}}, "expected {'wer': 0.5}, found {'wer': 0.0}"),
        ({"expect": {"wer": None}}, "found {'wer': 0.0}"),
        ({"expect": {"werr": 0.0}}, "unknown field werr"),
        ({"given": {"lang": "en", "reference": "a", "hypothesis": "a", "flavour": 1}}, "unknown field flavour"),
        ({"area": ["rates"]}, "area ['rates'] is unknown"),
        ({"expect": {}}, "expect {} expects nothing"),
        ({"expect": None}, "expect None expects nothing"),
        ({"given": {}}, "given {} must be an object"),
        ({"given": [1]}, "given [1] must be an object"),
        ({"given": {"lang": "xx", "reference": "a", "hypothesis": "a"}}, "ValueError: lang 'xx'"),
    ],
)
def test_a_row_that_does_not_hold_is_a_miss(change: dict[str, object], words: str) -> None:
    row = {"area": "rates", "given": {"lang": "en", "reference": "a", "hypothesis": "a"}, "expect": {"wer": 0.0}}
    assert cases.miss(row) is None
    assert words in (cases.miss(row | change) or "")


@pytest.mark.parametrize(
    ("given", "expect"),
    [
        ({"rule": "SR(28)", "size": [4000, 20], "max_tokens": 64}, "unsupported"),
        ({"rule": "SR(28)", "size": [1801, 9], "max_tokens": 64}, "error"),
        ({"rule": "SR(28)", "size": [650, 30], "max_tokens": 20}, {"resized": [560, 28], "tokens": 20}),
        ({"family": "gemma3", "n_text": 2560, "ratio": 10, "page": [595, 842]}, {"tokens": 256}),
        ({"family": "gemma3", "n_text": 100, "ratio": 10, "page": [595, 842]}, "unsupported"),
        ({"family": "nope", "n_text": 100, "ratio": 10, "page": [595, 842]}, "error"),
    ],
)
def test_budget_rows(given: dict[str, object], expect: object) -> None:
    assert cases.miss({"area": "budget", "given": given, "expect": expect}) is None


def test_unsupported_is_the_librarys_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that ran the picture over its budget must make the row a miss."""
    monkeypatch.setattr("pytest_vtcfaith.pages.budget.resize_within", lambda *_, **__: (3164, 28))
    given = {"rule": "SR(28)", "size": [4000, 20], "max_tokens": 64}
    assert "found [3164, 28]" in (cases.miss({"area": "budget", "given": given, "expect": "unsupported"}) or "")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[1]\n", ":1: [1] is no row"),
        (b'{"id": "a"}\n"text"\n', ":2: 'text' is no row"),
        (b"\xef\xbb\xbf{}\n", ":1: the file begins with a byte order mark"),
        (b"\n{\n", ":2: not JSON in UTF-8"),
        (b'{"id": "\xff"}\n', ":1: not JSON in UTF-8"),
        (b"[" * 100_000, ":1: not JSON in UTF-8"),
        (b"\n\n", ": the file has no rows"),
        (None, ": it cannot be read (No such file or directory)"),
    ],
)
def test_a_file_that_is_no_cases_file(tmp_path: Path, data: bytes | None, message: str) -> None:
    file = tmp_path / "file.jsonl"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(SystemExit) as caught:
        cases.main([str(file)])
    assert str(caught.value.code).startswith(f"{file}{message}")  # a text: Python prints it and exits with 1


@pytest.mark.parametrize(
    ("found", "expect", "equal"),
    [
        (0.1 + 0.2, 0.3, True),
        (1, 1.0, True),
        (0.3, 0.31, False),
        (None, 0, False),
        (0, None, False),
        (True, 1, False),
        ([1, 2], [1, 2.0], True),
        ([1, 2], [1], False),
        ({"a": None}, {"a": None}, True),
        ("0", 0, False),
    ],
)
def test_same(found: object, expect: object, equal: bool) -> None:
    assert cases.same(found, expect) is equal


def test_command_line(tmp_path: Path) -> None:
    good = {
        "id": "g",
        "area": "rates",
        "given": {"lang": "en", "reference": "a", "hypothesis": "a"},
        "expect": {"wer": 0},
    }
    file = tmp_path / "file.jsonl"

    def run(*rows: object) -> tuple[int, list[str]]:
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        command = [sys.executable, cases.__file__, str(file)]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return result.returncode, result.stdout.splitlines()

    assert run(good) == (0, ["1 rows, 0 misses"])
    code, lines = run(good, good | {"id": "b\u6d77", "expect": {"wer": 1}})
    assert code == 1
    assert lines[-1] == "2 rows, 1 misses"
    assert lines[0].startswith("MISS file.jsonl b\\u6d77: expected")
