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
        ({"given": {"lang": "xx", "reference": "a", "hypothesis": "a"}}, "ValueError: lang 'xx'"),
    ],
)
def test_a_row_that_does_not_hold_is_a_miss(change: dict[str, object], words: str) -> None:
    row = {"area": "rates", "given": {"lang": "en", "reference": "a", "hypothesis": "a"}, "expect": {"wer": 0.0}}
    assert cases.miss(row) is None
    assert words in (cases.miss(row | change) or "")


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
