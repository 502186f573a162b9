from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app

NUMBERS = ("2", "3", "4", "5", "6", "A4", "A5", "A7")


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(app, ["published", *map(str, arguments)])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def test_without_a_paper_the_tables_are_listed() -> None:
    lines = run().stdout.rstrip("\n").split("\n")
    assert [line.split()[:2] for line in lines] == [
        *(["faithc4", str(n)] for n in range(1, 11)),
        *(["faithc4", n] for n in ("A3", "A4", "A5", "A7", "A8")),
        *(["reasoning", n] for n in ("1", "2", "3")),
        *(["vde", n] for n in ("2", "3", "5", "6", "7", "8")),
        *(["vtc-bench", n] for n in ("F1", "F2")),
        *(["zerosense", n] for n in NUMBERS),
    ]
    (found,) = (line for line in lines if line.split()[:2] == ["zerosense", "5"])
    assert found == "zerosense   5  Experimental results of different text shuffling strategies under varying " + (
        "compression ratios (Glyph layout)"
    )


def test_one_table_as_markdown() -> None:
    lines = run("zerosense", "--table", "4").stdout.split("\n")
    assert lines[0].startswith("Table 4: Glyph max precision convergence")
    assert lines[1].startswith("In shares, 0 to 1. Decoupling Semantics from Vision")
    assert lines[3:5] == ["| ratio | 1,000 | 4,000 | 7,000 | 10,000 |", "|---|---|---|---|---|"]
    assert lines[5] == "| 2.5× | 0.6742 | 0.6761 | 0.6762 | 0.6750 |"
    assert lines[10] == "| 15.0× | 0.2339 | 0.2346 | 0.2343 | – |"


def test_all_tables_of_a_paper() -> None:
    output = run("zerosense").stdout
    assert [line.split(":")[0] for line in output.split("\n") if line.startswith("Table ")] == [
        f"Table {number}" for number in NUMBERS
    ]


def test_json() -> None:
    lines = [
        json.loads(line) for line in run("zerosense", "--table", "a4", "--table", "6", "--json").stdout.split("\n")[:-1]
    ]
    assert [(line["paper"], line["table"], line["unit"]) for line in lines] == [
        ("zerosense", "A4", "percent"),
        ("zerosense", "6", "share"),
    ]
    assert lines[1]["rows"][0] == {"ratio": "2.5×", "10⁻³": "0.850", "10⁻⁴": "0.829", "10⁻⁶": "0.709"}
    assert lines[0]["rows"][2]["HunyuanOCR · FOX"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zerosens"], "error: unknown paper 'zerosens': known are zerosense"),
        (["zerosense", "--table", "9"], "error: zerosense has no Table '9' here: there are 2, 3"),
        (["--table", "2"], "error: --table needs a paper before it: vtcfaith published faithc4 --table 2"),
    ],
)
def test_what_a_user_can_mend_is_one_line(arguments: list[str], message: str) -> None:
    result = run(*arguments, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1
