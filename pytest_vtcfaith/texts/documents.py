"""Source texts on disk: reading them, cleaning them, and the names made of their file names."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from pytest_vtcfaith.metrics.normalise import PROFILES, normalise
from pytest_vtcfaith.metrics.scripts import WHITE_SPACE
from pytest_vtcfaith.texts.characters import drop_inkless, fault
from pytest_vtcfaith.texts.errors import TextsError, reason

_LINE_END = re.compile(r"[\n-\r\x85\u2028\u2029]+")
_SPACES = re.compile(f"[{WHITE_SPACE}]+")
_SLUG_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Document:
    """A source text: the file it came from, its id (an ASCII slug, unique in its folder) and its clean text."""

    path: Path
    slug: str
    text: str
    had_bom: bool = False


def clean(text: str) -> str:
    """The text in NFC, one line a paragraph: white space in a line is one space, blank lines and edges go.

    Characters that a page drops because they have no ink (joiners, direction marks, …) go too.
    """
    text = unicodedata.normalize("NFC", drop_inkless(text))
    lines = (_SPACES.sub(" ", line).strip(" ") for line in _LINE_END.split(text))
    return "\n".join(line for line in lines if line)


def survives(original: str, text: str, lang: str) -> bool:
    """Whether the two texts still differ after normalising by every profile, so that scoring can tell them apart.

    `lang`: `en`, `zh`, `ko`. Source: definitions §2, "a profile must not erase a perturbation".
    """
    return all(normalise(original, name, lang) != normalise(text, name, lang) for name in PROFILES)


def slug(name: str) -> str:
    """An ASCII id `[a-z0-9][a-z0-9-]*` of at most 69 characters made of any name; never empty.

    A name that is such an id of at most 60 characters is its own; any other keeps its ASCII part and gains eight digits
    of the SHA-256 of its NFC form, so that different names give different ids and NFC and NFD the same.
    """
    name = unicodedata.normalize("NFC", name)
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    if plain == name and plain:
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain}-{digest}" if plain else digest


def checked(text: str, source: str) -> str:
    """The clean text. Raises TextsError naming `source` when it cannot stand on a page (`characters.fault`)."""
    text = clean(text)
    if problem := fault(text):
        raise TextsError(f"{source}: its text {problem}")
    return text


def decode(data: bytes, source: str) -> tuple[str, bool]:
    """Decodes UTF-8 and cleans; the flag says whether the bytes began with a byte order mark.

    Raises TextsError naming `source` when the bytes are not UTF-8, or as `checked`.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TextsError(f"{source}: byte {error.start} is not UTF-8: save the file as UTF-8") from None
    return checked(text, source), text.startswith("\ufeff")


def read_file(path: Path) -> bytes:
    """The bytes of a regular file. Raises TextsError naming it when it is none (reading a pipe may never end) or
    cannot be read.
    """
    try:
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "no regular file"
            raise TextsError(f"{path}: it is {kind}: put a text file in its place, or rename it")
        return path.read_bytes()
    except OSError as error:
        raise TextsError(f"{path}: it cannot be read ({reason(error)}): mend or remove it") from error


def read_text(path: Path) -> str:
    """The clean text of a UTF-8 file; errors as `read_file` and `decode`."""
    return decode(read_file(path), str(path))[0]


def read_documents(folder: Path, match: Sequence[str] = ()) -> list[Document]:
    """The documents of all `.txt` files of a folder, sorted by the NFC form of their names.

    `match` keeps the files whose name matches one of these patterns (as in a shell; none: all). Raises TextsError when
    the folder is missing, has no such file, a pattern matches none, a file is wrong (`read_file`, `decode`), or two
    names give the same id.
    """
    if not folder.is_dir():
        raise TextsError(f"{folder}: there is no such folder: give one with .txt files")
    names = {path: unicodedata.normalize("NFC", path.name) for path in folder.iterdir() if path.suffix == ".txt"}
    if not names:
        raise TextsError(f"{folder}: there is no .txt file in it: give a folder of UTF-8 text files")
    for pattern in match:
        if not any(fnmatchcase(name, pattern) for name in names.values()):
            some = ", ".join(sorted(names.values())[:4])
            raise TextsError(f"{folder}: no .txt file matches {pattern!r}: correct it; the folder has {some}")
    documents: dict[str, Document] = {}
    for path in sorted(names, key=lambda path: (names[path], path.name)):
        if match and not any(fnmatchcase(names[path], pattern) for pattern in match):
            continue
        name = slug(unicodedata.normalize("NFC", path.stem))
        if name in documents:
            raise TextsError(f"{path}: its name gives the same id as {documents[name].path}: rename one")
        text, had_bom = decode(read_file(path), str(path))
        documents[name] = Document(path, name, text, had_bom)
    return list(documents.values())
