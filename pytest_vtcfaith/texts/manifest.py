"""Manifests: JSONL files with a header line, whose rows are what a suite measures."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from pytest_vtcfaith.texts.documents import read_text
from pytest_vtcfaith.texts.edits.picture_rows import SCHEMA as PICTURES
from pytest_vtcfaith.texts.edits.picture_rows import PicturesHeader, PicturesRow
from pytest_vtcfaith.texts.edits.rows import SCHEMA as EDITING
from pytest_vtcfaith.texts.edits.rows import EditingHeader, EditingRow
from pytest_vtcfaith.texts.errors import TextsError, reason, show
from pytest_vtcfaith.texts.questions.rows import SCHEMA as COMPRESSION
from pytest_vtcfaith.texts.questions.rows import CompressionHeader, CompressionRow
from pytest_vtcfaith.texts.rows import (
    MATCHED,
    SCHEMAS,
    TEMPLATE,
    PreservationRow,
    Row,
    case_name,
    conflict,
    template_file,
    unmatched,
)
from pytest_vtcfaith.texts.tasks.rows import SCHEMA as REASONING
from pytest_vtcfaith.texts.tasks.rows import ReasoningHeader, ReasoningRow

VERSION = 1

_SCHEMAS: dict[str, tuple[type[BaseModel], type[Any]]] = {
    **SCHEMAS,
    EDITING: (EditingHeader, EditingRow),
    PICTURES: (PicturesHeader, PicturesRow),
    COMPRESSION: (CompressionHeader, CompressionRow),
    REASONING: (ReasoningHeader, ReasoningRow),
}
_SHOWN = 60
_DIGITS = 400  # Python refuses to convert more than 4,300, and a float has at most 309
_M = TypeVar("_M", bound=BaseModel)


class ManifestError(TextsError):
    """A manifest is wrong; the message names file and line, field, value and mend."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A valid manifest: where it lies, its header, and its rows, each with its line in the file (from 1)."""

    path: Path
    header: Mapping[str, Any]
    rows: tuple[tuple[int, dict[str, Any]], ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A manifest before it is written: its header without `sha256`, its rows, and what the user should be told."""

    header: dict[str, Any]
    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()


def _fail(path: Path, line: int, problem: str) -> NoReturn:
    raise ManifestError(f"{path}:{line}: {problem}")


def _json_object(path: Path, line: int, data: bytes) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            _fail(path, line, f"field {next(n for n in names if names.count(n) > 1)!r} stands twice: keep one")
        return found

    def constant(name: str) -> NoReturn:
        _fail(path, line, f"{name} is not JSON: write a number or null")

    def whole(digits: str) -> int:
        if len(digits) > _DIGITS:
            _fail(path, line, f"a number of {len(digits)} digits is too large: correct it")
        return int(digits)

    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=unique, parse_constant=constant, parse_int=whole)
    except UnicodeDecodeError as error:
        _fail(path, line, f"byte {error.start} of the line is not UTF-8: save the file as UTF-8")
    except (json.JSONDecodeError, RecursionError) as error:
        shown = show(data[:_SHOWN].decode("utf-8", "replace"))
        _fail(path, line, f"{shown} is not JSON ({error}): rebuild the manifest")
    if not isinstance(value, dict):
        _fail(path, line, f"{show(value)} is not a JSON object: write {{…}}")
    return value


def _explain(error: ValidationError) -> str:
    """The first problem pydantic found, as field, value, what is wrong and what to do."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return f"field {field!r} is missing: add it"
    if first["type"] == "extra_forbidden":
        return f"field {field!r} = {show(first['input'])} is unknown: remove it, or correct its name"
    problem = str(first["ctx"]["error"]) if first["type"] == "value_error" else first["msg"]
    return f"field {field!r} = {show(first['input'])}: {problem}" if field else problem


def _model(path: Path, line: int, model: type[_M], value: Mapping[str, Any]) -> _M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        _fail(path, line, _explain(error))


def inside(path: Path, line: int, shown: str, name: str) -> Path:
    """The file that a manifest names by a relative path. Raises ManifestError for one outside the manifest's folder.

    `path`, `line`: where the name stands; `shown`: how a message begins.
    """
    windows = PureWindowsPath(name)
    if "\\" in name or windows.drive or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        _fail(path, line, f"{shown} must lie inside the manifest's folder (with /, without ..): move the file there")
    folder = path.parent.resolve()
    target = (folder / name).resolve()
    if not target.is_relative_to(folder):
        _fail(path, line, f"{shown} leads out of the manifest's folder by a link: copy the file there")
    return target


def _referenced(path: Path, line: int, field: str, name: object) -> str:
    """The text of a file that a row names."""
    shown = f"field {field!r} = {show(name)}"
    if not isinstance(name, str) or not name:
        _fail(path, line, f"{shown} must be the relative path of a text file")
    try:
        return read_text(inside(path, line, shown, name))
    except ManifestError:
        raise
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of links, up to Python 3.12
        _fail(path, line, f"{shown} cannot be read ({error}): put a UTF-8 text file there")


def _with_texts(path: Path, line: int, row: dict[str, Any]) -> dict[str, Any]:
    """The row with the texts in place of the names of the files that hold them."""
    result = dict(row)
    for field in ("text", "original"):
        named = f"{field}_file"
        if named in result:
            if field in result:
                _fail(path, line, f"fields {field!r} and {named!r} exclude each other: remove one")
            result[field] = _referenced(path, line, named, result.pop(named))
    return result


def _check_template(path: Path, layout: str) -> None:
    """Fails unless a template layout's file lies in the manifest's folder; what it holds is not looked at."""
    shown = f"field 'layouts' = {show(layout)}"
    try:
        found = inside(path, 1, shown, template_file(layout)[0]).is_file()
    except ManifestError:
        raise
    except (OSError, ValueError, RuntimeError):  # RuntimeError: a loop of links, up to Python 3.12
        found = False
    if not found:
        _fail(path, 1, f"{shown}: there is no such file in the manifest's folder: put the annotation file there")


def _check_pictures(path: Path, line: int, row: PicturesRow) -> None:
    """Fails for a picture outside the manifest's folder; whether it is there is seen when it is read."""
    for field, picture in (("source", row.source), ("reference", row.reference)):
        shown = f"field '{field}.file' = {show(picture.file)}"
        try:
            inside(path, line, shown, picture.file)
        except ManifestError:
            raise
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of links, up to Python 3.12
            _fail(path, line, f"{shown} is no path ({error}): rebuild the manifest")


def _header(path: Path, data: bytes, body: bytes) -> tuple[dict[str, Any], type[Row]]:
    header = _json_object(path, 1, data)
    schema, version = header.get("schema"), header.get("version")
    if not isinstance(schema, str) or schema not in _SCHEMAS:
        _fail(path, 1, f"field 'schema' = {show(schema)} is unknown: it must be one of {', '.join(_SCHEMAS)}")
    if version != VERSION or isinstance(version, bool):
        _fail(path, 1, f"field 'version' = {show(version)}: this release reads {VERSION}: rebuild it")
    header_model, row_model = _SCHEMAS[schema]
    _model(path, 1, header_model, header)
    for layout in header.get("layouts", ()):
        if layout.startswith(TEMPLATE):
            _check_template(path, layout)
    if header["sha256"] != hashlib.sha256(body).hexdigest():
        mend = "the rows were edited or cut: rebuild the manifest with vtcfaith build"
        if header["sha256"] == hashlib.sha256(body.replace(b"\r\n", b"\n")).hexdigest():
            mend = "the line ends were changed to CRLF: mark *.jsonl as -text in .gitattributes and check it out again"
        _fail(path, 1, f"field 'sha256' = {show(header['sha256'][:12] + '…')} is not the hash of the rows: {mend}")
    return header, row_model


def _check_sources(path: Path, header: Mapping[str, Any], documents: Iterable[list[tuple[int, Row]]]) -> None:
    """Fails for a `natural-at-SOURCE` in a document without that source, and for a pattern that matches no case."""
    known: list[set[str]] = []
    for rows in documents:
        found = [(line, row) for line, row in rows if isinstance(row, PreservationRow)]
        known.append({row.source for _, row in found})
        for line, row in found:
            partner = row.source.removeprefix(MATCHED)
            if partner not in known[-1] and partner != row.source:
                _fail(
                    path,
                    line,
                    f"field 'source' = {show(row.source)}: document {row.document!r} has no row with source "
                    f"{partner!r}: add that row or remove this one",
                )
    if header.get("on_request") and (pattern := unmatched(header, known)) is not None:
        example = case_name(header["layouts"][0], header["ratios"][0], min(set().union(*known)))
        _fail(path, 1, f"field 'on_request' = {show(pattern)} matches no case (one is {example}): correct or remove it")


def parse_manifest(path: Path, data: bytes) -> Manifest:
    """Reads and checks the bytes of a manifest that lies, or will lie, at `path`. Raises ManifestError."""
    if not data:
        _fail(path, 1, "the file is empty: build it with vtcfaith build")
    if data.startswith(b"\xef\xbb\xbf"):
        _fail(path, 1, "the file begins with a byte order mark: save it as UTF-8 without one")
    lines = data.split(b"\n")
    if lines[-1]:
        _fail(path, len(lines), "the last line is torn (no line end): rebuild the manifest with vtcfaith build")
    header, row_model = _header(path, lines[0], data[len(lines[0]) + 1 :])
    rows: list[tuple[int, dict[str, Any]]] = []
    keys: dict[str, int] = {}
    documents: dict[str, list[tuple[int, Row]]] = {}
    for line, content in enumerate(lines[1:-1], 2):
        if not content.strip():
            _fail(path, line, "the line is blank: remove it")
        row = _model(path, line, row_model, _with_texts(path, line, _json_object(path, line, content)))
        if row.key in keys:
            _fail(path, line, f"{row.key} stands on line {keys[row.key]} already: remove or rename one")
        keys[row.key] = line
        if isinstance(row, PicturesRow):
            _check_pictures(path, line, row)
        for other_line, other in documents.setdefault(row.document, []):
            # the published edits of one page are told in several languages
            if not isinstance(row, PicturesRow) and (problem := conflict(row, other)):
                _fail(path, line, f"document {row.document!r}: {problem} from line {other_line}: make them agree")
        documents[row.document].append((line, row))
        rows.append((line, row.model_dump(exclude_unset=True)))
    if not rows:
        _fail(path, 1, "the manifest has no rows: build it with vtcfaith build")
    _check_sources(path, header, documents.values())
    return Manifest(path, header, tuple(rows))


def read_manifest(path: Path) -> Manifest:
    """Reads a manifest.

    A row's `text_file` (`original_file`), a path relative to the manifest and inside its folder, stands for `text`
    (`original`) and is replaced by the clean text of that file. Raises ManifestError for anything wrong in the file and
    for what is no regular file, OSError when it cannot be read.
    """
    if path.exists() and not path.is_file():
        _fail(path, 1, "it is a folder or a pipe, no manifest: rename it or move it away")
    return parse_manifest(path, path.read_bytes())


def manifest_bytes(path: Path, header: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The bytes of a manifest that will lie at `path`: keys sorted, UTF-8 unescaped, the hash of the rows put in.

    `header` comes without `sha256`. Raises ManifestError when the result is no valid manifest.
    """

    def dump(value: Mapping[str, Any], line: int) -> bytes:
        try:
            return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
        except (ValueError, TypeError) as error:
            _fail(path, line, f"{show(value)} cannot be written as JSON ({error}): correct the value")

    body = b"".join(dump(row, line) for line, row in enumerate(rows, 2))
    data = dump({**header, "sha256": hashlib.sha256(body).hexdigest()}, 1) + body
    parse_manifest(path, data)
    return data


def output_file(path: Path) -> Path:
    """The file that writing to `path` makes or replaces; links are followed. Raises ManifestError for another kind."""
    try:
        target = path.resolve()
        if target.is_symlink():
            raise RuntimeError("Symlink loop")  # what resolve raises itself, up to Python 3.12
        if not target.exists() or target.is_file():
            return target
    except (OSError, RuntimeError) as error:
        raise ManifestError(f"{path}: it cannot be written ({error}): choose another file") from error
    kind = "a folder" if target.is_dir() else "no regular file"
    raise ManifestError(f"{path}: it is {kind}: choose another file to write")


def write_manifest(path: Path, header: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes a manifest atomically, and its folder where there is none: `path` has the old bytes or the new.

    A link stays one: the file it leads to is replaced. Raises ManifestError as `manifest_bytes` and `output_file` do,
    and when the system refuses to write.
    """
    data = manifest_bytes(path, header, rows)
    target = output_file(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        temporary.replace(target)
    except OSError as error:
        raise ManifestError(
            f"{path}: it cannot be written ({reason(error)}): make room or get the right to write there, "
            "or choose another file"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
