"""Shards: the part of the documents that one of several machines runs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shard:
    """The `number`-th (from 1) of `of` shards."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def deal(documents: Mapping[str, Collection[str]], of: int) -> dict[str, int]:
    """Document → which of `of` shards (from 1) it is in, the same on every machine.

    `documents` maps each to its tiers. Those with the same tiers are dealt out in turn, in the order of their SHA-256:
    every shard gets as many of each kind, but for one.
    """

    def place(document: str) -> tuple[list[str], bytes]:
        return sorted(documents[document]), hashlib.sha256(document.encode("utf-8", "surrogatepass")).digest()

    return {document: rank % of + 1 for rank, document in enumerate(sorted(documents, key=place))}


def parse_shard(text: str) -> Shard:
    """`I/N` as a shard. Raises ValueError that names the mend."""
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text.strip())
    if found is None:
        raise ValueError(f"{text!r}: give I/N, the number of this machine and how many there are, e.g. 1/4")
    number, of = int(found[1]), int(found[2])
    if not 1 <= number <= of:
        raise ValueError(f"{text!r}: I counts from 1 to N: give {_examples(of)}")
    return Shard(number, of)


def _examples(of: int) -> str:
    if of < 1:
        return "1/N with at least one shard, e.g. 1/4"
    return "1/1" if of == 1 else f"one of 1/{of} to {of}/{of}"
