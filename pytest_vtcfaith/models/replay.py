"""A model that is a file: replies given before, looked up by case id."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.protocols import TASKS
from pytest_vtcfaith.models.spec import ModelSpec, check_declared, check_options, shown

OPTIONS = {
    "file": "the replay file, where `model` is used to choose among several models in it",
    "languages": "list of languages the model read (default all)",
    "visual_tokens": "its visual-token family (default nominal)",
    "prompts": "true where it took the suite's prompt (default false)",
    "task": "what was asked where the lines do not say: transcribe, edit, answer or draw (default by their case ids)",
    "keep_ratio": "share of the visual tokens it kept, where it was a compression method (default none)",
    "base": "name of the model that the method compresses, whose frozen groups count (default none)",
}
_LISTED = 10
"""Most names of models in a message."""
USAGE_FIELDS = ("completion_tokens", "max_tokens", "image_tokens")


@dataclass(frozen=True, slots=True)
class Replay:
    """Replies by case id; `pictures` are the files of those that are pictures, `file` is for messages."""

    file: Path
    replies: Mapping[str, Reply]
    pictures: Mapping[str, Path] = field(default_factory=dict)

    def reply(self, case_id: str) -> Reply:
        """What the file holds for a case; an error, which is no failure of the model, where it holds nothing."""
        found = self.replies.get(case_id)
        if found is None:
            return Reply(text=None, error=f"no line for case {case_id} in {self.file}")
        picture = self.pictures.get(case_id)
        return found if picture is None else _picture(picture)


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `replay:FILE`; the file is read at once, so that a broken one is noticed before anything runs.

    A table in pyproject.toml gives either `model = "FILE"`, or `file = "FILE"` and `model = "NAME"` to take only the
    lines of one model. Relative paths start at the current directory. `languages`, `visual_tokens`, `prompts`,
    `keep_ratio` and `base` declare what the model that gave the replies declared: which cases are inapplicable, what
    pages cost. `task` is what was asked in lines without a field `task`; without it the ids of their cases tell it to a
    run (`ModelSpec.replayed`), and until then pictures are edits and the others transcripts.

    Raises ValueError that names the option, or the file and the line.
    """
    check_options(options, OPTIONS, name)
    prompts, languages = options.get("prompts", False), options.get("languages")
    if not isinstance(prompts, bool):
        raise ValueError(f"model {name!r}: prompts = {shown(prompts)} must be true or false")
    task = options.get("task")
    if task is not None and (not isinstance(task, str) or task not in TASKS):
        raise ValueError(f"model {name!r}: task = {shown(task)} must be one of {', '.join(TASKS)}")
    visual_tokens = options.get("visual_tokens", "nominal")
    check_declared(name, languages, visual_tokens)
    path, wanted = (options["file"], identifier) if "file" in options else (identifier, None)
    if not isinstance(path, str) or not path:
        raise ValueError(f'model {name!r}: no replay file; write replay:FILE, or file = "FILE" in its table')
    file = Path(path)
    try:
        data = file.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: no file can have this name
        reason = getattr(error, "strerror", None) or str(error)
        where = str(file.absolute())
        where = where if where.isprintable() else ascii(where)
        raise ValueError(f"model {name!r}: cannot read the replay file {where}: {reason}") from error
    rows = read_rows(data, file, wanted)
    replay = Replay(file, replies_of(rows, file), _pictures(rows, file))
    digest = hashlib.sha256(data)
    for path in sorted(replay.pictures.values()):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return ModelSpec(
        name=name,
        load=lambda: replay,
        languages=None if languages is None else frozenset(languages),
        visual_tokens=visual_tokens,
        prompts=prompts,
        revision=f"sha256:{digest.hexdigest()}",
        adapter="replay",
        options={} if wanted is None else {"model": wanted},
        needs_picture=False,
        keep_ratio=options.get("keep_ratio"),
        base=options.get("base", ""),
        tasks=frozenset(row.get("task") or task or _default_task(row) for _, row in rows)
        or frozenset({task or "transcribe"}),
        replayed={row["case"]: row.get("task") or task or "" for _, row in rows},
    )


def read_rows(data: bytes, file: Path, wanted: str | None = None) -> list[tuple[int, dict[str, Any]]]:
    """The lines of a replay file that count, each with its number.

    `data` is UTF-8 JSONL, one object a line with `case` and `text` (text or null), optionally `finish_reason`,
    `refusal`, `usage` (token counts), `model`, `task` (what was asked, one of `TASKS`), and of an editor or illustrator
    `picture`, the path of a picture in or under the file's folder; other fields are ignored. `wanted` takes only the
    lines of that model and those that name none. `replies_of` makes them replies.

    Raises ValueError naming file, line and field: for a line that is no such object, and for several models when none
    is wanted.
    """
    rows = [
        (number, _row(line, f"{file}, line {number}"))
        for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1)
        if line.strip()
    ]
    models = sorted({row["model"] for _, row in rows if row.get("model") is not None})
    if wanted is None and len(models) > 1:
        raise ValueError(
            f"{file} holds replies of several models ({_listed(models)}): choose one in"
            f' [tool.vtcfaith.models.NAME] with adapter = "replay", file = "{file}", model = {json.dumps(models[0])}'
        )
    if wanted is not None and rows and wanted not in models:
        raise ValueError(f"{file} holds no replies of the model {wanted!r}; it has: {_listed(models) or 'no names'}")
    return [(number, row) for number, row in rows if wanted is None or row.get("model") in (None, wanted)]


def _listed(models: Sequence[str]) -> str:
    """The first names, which a stranger may have written, escaped."""
    more = [f"and {len(models) - _LISTED} more"] if len(models) > _LISTED else []
    return ", ".join([*(shown(model) for model in models[:_LISTED]), *more])


def replies_of(rows: list[tuple[int, dict[str, Any]]], file: Path) -> dict[str, Reply]:
    """The replies of the lines by case id. Raises ValueError for two replies to one case, and for a wrong count."""
    replies: dict[str, Reply] = {}
    lines: dict[str, int] = {}
    for number, row in rows:
        case = row["case"]
        if case in lines:
            raise ValueError(
                f"{file}: case {case!r} is answered twice, in lines {lines[case]} and {number}; remove one"
            )
        lines[case] = number
        replies[case] = _reply(row, f"{file}, line {number}")
    return replies


def _row(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: not a JSON object in UTF-8 ({error}); cut off or edited?") from error
    if not isinstance(row, dict):
        raise ValueError(f'{where}: must be an object like {{"case": …, "text": …}}, got {type(row).__name__}')
    _check(row.get("case"), str, "case", where)
    if not row["case"]:
        raise ValueError(f"{where}: field 'case' is empty; it must be the id of a case")
    if "text" not in row and "picture" not in row:
        raise ValueError(f"{where}: field 'text' is missing; give the reply, or null where there was none")
    for name in ("text", "finish_reason", "refusal", "model", "task", "picture"):
        if row.get(name) is not None:
            _check(row[name], str, name, where)
    if row.get("task") is not None and row["task"] not in TASKS:
        raise ValueError(f"{where}: field 'task' is {shown(row['task'])}; it must be one of {', '.join(TASKS)}")
    if row.get("usage") is not None:
        _check(row["usage"], dict, "usage", where)
    return row


def _default_task(row: Mapping[str, Any]) -> str:
    return "transcribe" if row.get("picture") is None else "edit"


def _pictures(rows: list[tuple[int, dict[str, Any]]], file: Path) -> dict[str, Path]:
    """The files of the pictures. Raises ValueError for one that is not there, or not in or under the file's folder."""
    folder = file.resolve().parent
    found = {}
    for number, row in rows:
        if row.get("picture") is not None:
            path = (folder / row["picture"]).resolve()
            where = f"{file}, line {number}: field 'picture' is {shown(row['picture'])}"
            if not path.is_relative_to(folder):
                raise ValueError(f"{where}, outside of {folder}: put the picture beside the file or in a folder there")
            if not path.is_file():
                raise ValueError(f"{where}: there is no such file")
            found[row["case"]] = path
    return found


def _picture(path: Path) -> Reply:
    from pytest_vtcfaith.engine.pictures import opened, picture_reply

    try:
        return picture_reply(opened(path))
    except (OSError, ValueError) as problem:
        return Reply(text=None, error=f"{path}: no picture that can be read: {problem}")


def _check(value: object, kind: type, name: str, where: str) -> None:
    if not isinstance(value, kind):
        wanted = "text" if kind is str else "an object"
        raise ValueError(f"{where}: field {name!r} must be {wanted}, got {json.dumps(value, default=repr)[:80]}")


def _reply(row: Mapping[str, Any], where: str) -> Reply:
    counts: dict[str, int] = {}
    for name in USAGE_FIELDS:
        count = (row.get("usage") or {}).get(name)
        if count is None:
            continue
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise ValueError(f"{where}: usage.{name} must be a whole number of tokens, got {count!r}")
        counts[name] = count
    given = {name: row[name] for name in ("text", "finish_reason", "refusal") if row.get(name) is not None}
    return Reply.from_mapping({**given, **counts})
