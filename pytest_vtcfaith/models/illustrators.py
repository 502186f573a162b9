"""Reference illustrators: they know the tasks' solutions and spoil them in one named way, so that the suite can be
validated on them.

They are for tests and validation; no benchmark of a real model uses them. An illustrator is only given a prompt: by it,
it finds the task among those of a manifest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.spec import ModelSpec, check_options
from pytest_vtcfaith.pages.layouts import FlowLayout
from pytest_vtcfaith.pages.render import RENDERER, render
from pytest_vtcfaith.texts.build import derived_seed
from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.draws import below
from pytest_vtcfaith.texts.manifest import read_manifest
from pytest_vtcfaith.texts.tasks.corrupt import corrupted, faults_of
from pytest_vtcfaith.texts.tasks.prompts import drawing_prompt, question_text, written
from pytest_vtcfaith.texts.tasks.rows import SCHEMA

if TYPE_CHECKING:
    from PIL import Image

Row = Mapping[str, Any]

OPTIONS = {"cases": "folder of the manifests whose tasks it knows; default: the bundled ones"}
BLUR = 7.0
"""Radius of the illegible page, in pixels."""

PAGE = FlowLayout(
    # wide enough for a step a line, and no larger than an OCR engine needs: each picture is read by every run
    name="drawn",
    width_pt=420,
    height_pt=1200,
    margin_x_pt=20,
    margin_y_pt=20,
    font_size_pt=11,
    line_height_pt=15,
    style="sans",
    dpi=100,
    crop_last_page=True,
)


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The reference model `illustrator:NAME`. Raises ValueError for a name that `ILLUSTRATORS` lacks, and for a folder
    without reasoning tasks."""
    if identifier is None or identifier not in ILLUSTRATORS:
        raise ValueError(
            f"model {name!r}: reference illustrator {identifier!r} is unknown: choose one of {', '.join(ILLUSTRATORS)}"
        )
    check_options(options, OPTIONS, name)
    folder = Path(options["cases"]) if "cases" in options else bundled_folder() / "data"
    files = [path for path in sorted(folder.glob("*.jsonl")) if _is_reasoning(path)]
    if not files:
        raise ValueError(f"model {name!r}: cases = {str(folder)!r}: no manifest of {SCHEMA} lies there: build one")
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    return ModelSpec(
        name=name,
        load=partial(_load, identifier, tuple(files)),
        languages=frozenset({"en"}),
        revision=f"tasks {digest[:16]}; renderer {RENDERER}",
        adapter="illustrator",
        options={"illustrator": identifier},
        tasks=frozenset({"draw"}),
    )


def _is_reasoning(path: Path) -> bool:
    with path.open("rb") as file:
        return f'"{SCHEMA}"'.encode() in file.readline(4096)


def _load(name: str, files: Sequence[Path]) -> ReferenceIllustrator:
    return ReferenceIllustrator(name, [row for path in files for _, row in read_manifest(path).rows])


class ReferenceIllustrator:
    """An `Illustrator` that does one thing of `ILLUSTRATORS` with the tasks of some manifest rows.

    Raises ValueError for a name that `ILLUSTRATORS` lacks, and for two rows with one prompt.
    """

    def __init__(self, name: str, rows: Iterable[Row]) -> None:
        if name not in ILLUSTRATORS:
            raise ValueError(f"illustrator {name!r} is unknown: choose one of {', '.join(ILLUSTRATORS)}")
        self._name = name
        self._rows: dict[str, Row] = {}
        for row in rows:
            other = self._rows.setdefault(drawing_prompt(row), row)
            if other is not row:
                raise ValueError(f"cases {other['case']!r} and {row['case']!r} have one prompt: remove one")

    def draw(self, prompts: Sequence[str]) -> list[Image.Image | Reply]:
        """A picture for each prompt; a prompt of no row has a Reply with an error."""
        return [self._one(prompt) for prompt in prompts]

    def _one(self, prompt: str) -> Image.Image | Reply:
        row = self._rows.get(prompt)
        if row is None:
            return Reply(text=None, error="this reference illustrator does not know the task: give its option cases")
        text = row["text"] if row["kind"] == "rendering" else ILLUSTRATORS[self._name](row)
        image = render(text, layout=PAGE, lang=row["lang"]).image
        return _blurred(image) if self._name == "illegible" else image


def _blurred(image: Image.Image) -> Image.Image:
    from PIL import ImageFilter

    return image.filter(ImageFilter.GaussianBlur(BLUR))


def _right(row: Row) -> str:
    return written(_texts(row), row["answer"]["text"])


def _right_answer_wrong_steps(row: Row) -> str:
    steps = tuple(_wrong_step(row, number) for number in range(len(row.get("steps", ()))))
    return written(steps, row["answer"]["text"])


def _wrong_answer_right_steps(row: Row) -> str:
    return written(_texts(row), wrong_answer(row))


def _repeats_question(row: Row) -> str:
    return question_text(row)


ILLUSTRATORS: Mapping[str, Callable[[Row], str]] = {
    "right": _right,
    "right-answer-wrong-steps": _right_answer_wrong_steps,
    "wrong-answer-right-steps": _wrong_answer_right_steps,
    "illegible": _right,
    "repeats-question": _repeats_question,
}
"""What a reference illustrator writes on the page of a task. All draw the passages of the rendering gate as they are;
`illegible` blurs every page."""


def _texts(row: Row) -> tuple[str, ...]:
    return tuple(step["text"] for step in row.get("steps", ()))


def _wrong_step(row: Row, number: int) -> str:
    step = row["steps"][number]
    draw = Random(derived_seed(0, row["case"], f"wrong step {number}")).random
    faults = faults_of(step)
    if not faults:
        raise ValueError(f"case {row['case']!r}: step {number + 1} has nothing that can be made wrong")
    return corrupted(step, row.get("record", {}), faults[below(draw, len(faults))], draw)


def wrong_answer(row: Row) -> str:
    """An answer of the right kind that is wrong: another option, a larger number, another name."""
    answer = row["answer"]
    if answer["kind"] == "number":
        return str(int(answer["text"]) + 1 + len(row["case"]) % 9)
    others: Iterable[str] = row["record"]["options"] if answer["kind"] == "choice" else answer["choices"]
    return next(other for other in sorted(others) if other != answer["text"])
