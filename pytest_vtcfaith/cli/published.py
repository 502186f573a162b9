"""`vtcfaith published`: the papers' tables, as printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from pytest_vtcfaith.cli.output import errors_in_one_line, print_lines
from pytest_vtcfaith.published import Table, load_table, papers, table_numbers
from pytest_vtcfaith.texts.errors import TextsError

_UNITS = {
    "percent": "percent",
    "share": "shares, 0 to 1",
    "points": "percentage points of change, but counts and levels",
}


def table_lines(table: Table) -> list[str]:
    """A table as Markdown with its caption, unit and source; `–` where the paper prints it."""
    unit = _UNITS.get(table.unit, "the unit of each column")
    head = [*table.keys, *table.columns]
    lines = [
        f"Table {table.number}: {table.caption}",
        f"In {unit}. {table.source}.",
        "",
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
    ]
    for row in table.rows:
        figures = ("–" if figure is None else str(figure) for figure in row.values.values())
        lines.append(f"| {' | '.join([*row.keys.values(), *figures])} |")
    return lines


def table_json(table: Table) -> dict[str, Any]:
    """A table as plain JSON: `paper`, `table`, `caption`, `unit`, `source`, `rows`; figures as texts, as printed."""
    return {
        "paper": table.paper,
        "table": table.number,
        "caption": table.caption,
        "unit": table.unit,
        "source": table.source,
        "rows": [
            dict(row.keys) | {name: None if figure is None else str(figure) for name, figure in row.values.items()}
            for row in table.rows
        ],
    }


def _chosen(paper: str | None, numbers: list[str] | None) -> Iterator[Table]:
    if paper is None and numbers:
        raise TextsError(f"--table needs a paper before it: vtcfaith published {papers()[0]} --table {numbers[0]}")
    try:
        for name in papers() if paper is None else [paper]:
            for number in numbers or table_numbers(name):
                yield load_table(name, number)
    except ValueError as error:
        raise TextsError(str(error)) from None


def published(
    paper: Annotated[str | None, typer.Argument(help="The paper, e.g. zerosense; default: a list of all.")] = None,
    table: Annotated[list[str] | None, typer.Option(help="Only this table, e.g. 2 or A4. Repeatable.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each table.")] = False,
) -> None:
    """Prints the papers' tables as printed there: in Markdown, or as JSON. Without a paper: what tables there are.

    \b
    Examples
      vtcfaith published
      vtcfaith published zerosense --table 2
      vtcfaith published zerosense --json
    """
    with errors_in_one_line():
        chosen = list(_chosen(paper, table))
        if as_json:
            print_lines(json.dumps(table_json(one), ensure_ascii=False) for one in chosen)
        elif paper is None:
            print_lines(f"{one.paper} {one.number:>3}  {one.caption.split('. ')[0]}" for one in chosen)
        else:
            print_lines(line for one in chosen for line in (*table_lines(one), ""))
