"""Shards: which documents they hold, and what can be asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.plugin.shards import Shard, deal, parse_shard

documents = st.dictionaries(st.text(max_size=8), st.sets(st.sampled_from("abc"), min_size=1), max_size=30)


@given(documents, st.integers(1, 9))
def test_every_document_is_in_one_shard_and_shards_are_as_large(found: dict[str, set[str]], of: int) -> None:
    dealt = deal(found, of)
    assert dealt.keys() == found.keys()
    sizes = [sum(number == shard for number in dealt.values()) for shard in range(1, of + 1)]
    assert sum(sizes) == len(found)
    assert max(sizes) - min(sizes) <= 1
    for tiers in {frozenset(tiers) for tiers in found.values()}:  # also of every kind
        own = [dealt[document] for document in found if found[document] == tiers]
        assert max(own.count(n) for n in range(1, of + 1)) - min(own.count(n) for n in range(1, of + 1)) <= 1


@given(documents, st.integers(1, 9), st.randoms())
def test_the_order_of_the_documents_does_not_matter(found: dict[str, set[str]], of: int, random) -> None:
    names = list(found)
    random.shuffle(names)
    assert deal({name: sorted(found[name]) for name in names}, of) == deal(found, of)


def test_other_processes_deal_alike() -> None:
    names = [f"doc-{n:04d}" for n in range(40)]
    code = f"from pytest_vtcfaith.plugin.shards import deal; print(deal(dict.fromkeys({names!r}, 'a'), 4))"
    said = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env={"PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    ]
    assert eval(said[0].stdout) == eval(said[1].stdout) == deal(dict.fromkeys(names, "a"), 4)


def test_names_decide_by_their_hash() -> None:
    dealt = deal({f"doc-{n:04d}": ["a"] for n in range(40)}, 2)
    first = [dealt[f"doc-{n:04d}"] for n in range(10)]
    assert set(first) == {1, 2}  # not by the order of the names
    assert first != [1, 2] * 5


@pytest.mark.parametrize(("text", "shard"), [("1/1", Shard(1, 1)), (" 3/4 ", Shard(3, 4)), ("04/4", Shard(4, 4))])
def test_what_can_be_asked_for(text: str, shard: Shard) -> None:
    assert parse_shard(text) == shard
    assert parse_shard(str(shard)) == shard


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("5/4", "I counts from 1 to N: give one of 1/4 to 4/4"),
        ("0/4", "give one of 1/4 to 4/4"),
        ("0/0", "give 1/N with at least one shard"),
        ("2/1", "give 1/1"),
        ("a", "give I/N, the number of this machine and how many there are, e.g. 1/4"),
        ("1", "give I/N"),
        ("-1/4", "give I/N"),
        ("1/4/2", "give I/N"),
        ("", "give I/N"),
        ("¹/4", "give I/N"),
    ],
)
def test_what_cannot(text: str, mend: str) -> None:
    with pytest.raises(ValueError, match=mend) as caught:
        parse_shard(text)
    assert repr(text) in str(caught.value)
