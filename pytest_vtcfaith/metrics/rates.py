"""Error rates and accuracies of a transcript (definitions §3)."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from pytest_vtcfaith.metrics.align import edit_counts
from pytest_vtcfaith.metrics.normalise import comparable
from pytest_vtcfaith.metrics.tokenise import tokens


def text_scores(
    reference: str, hypothesis: str, *, lang: str, profile: str = "verbatim"
) -> dict[str, float | int | str | None]:
    """The text metrics of one page, and the counts from which a tier pools them.

    `lang` and `profile` as for `normalise`; where the profile would erase all of one of the texts, both are compared
    verbatim. What is undefined is None. Raises ValueError for an unknown language or profile. Source: definitions §3.

    - `wer`, `cer`: edits ÷ reference length, uncapped; 0 when both are empty, None when only the reference is.
      `cer_spaceless`: the same without white space.
    - `word_accuracy`: matches of the minimum-edit alignment ÷ reference words, in [0, 1].
    - `word_precision`, `word_recall`, `word_f1`: over the sets of words, in [0, 1]; the precision of an empty
      hypothesis is None, its F1 against a text is 0.
    - `char_accuracy`: 1 − Levenshtein ÷ length of the longer one, over code points, in [0, 1].
    - `word_edits`, `word_matches`, `reference_words`, `hypothesis_words`, `char_edits`, `reference_chars`,
      `char_longest`: counts.
    - `outcome`: `spurious_text`, present only when the reference is empty and the hypothesis is not.
    """
    ref, hyp = comparable(reference, hypothesis, profile=profile, lang=lang)
    ref_words, hyp_words = tokens(ref, lang), tokens(hyp, lang)
    word_edits, word_matches = edit_counts(ref_words, hyp_words)
    char_edits, longest = Levenshtein.distance(ref, hyp), max(len(ref), len(hyp))
    bare_ref, bare_hyp = ref.replace(" ", ""), hyp.replace(" ", "")
    ref_set, hyp_set = set(ref_words), set(hyp_words)
    both = len(ref_set & hyp_set)
    identical = 1.0 if not hyp else None
    scores: dict[str, float | int | str | None] = {
        "wer": _rate(word_edits, len(ref_words)),
        "cer": _rate(char_edits, len(ref)),
        "cer_spaceless": _rate(Levenshtein.distance(bare_ref, bare_hyp), len(bare_ref)),
        "word_accuracy": word_matches / len(ref_words) if ref_words else identical,
        "word_precision": both / len(hyp_set) if hyp_set else None,
        "word_recall": both / len(ref_set) if ref_set else identical,
        "word_f1": 2 * both / (len(ref_set) + len(hyp_set)) if ref_set or hyp_set else 1.0,
        "char_accuracy": 1 - char_edits / longest if longest else 1.0,
        "word_edits": word_edits,
        "word_matches": word_matches,
        "reference_words": len(ref_words),
        "hypothesis_words": len(hyp_words),
        "char_edits": char_edits,
        "reference_chars": len(ref),
        "hypothesis_chars": len(hyp),
        "char_longest": longest,
    }
    if hyp and not ref:
        scores["outcome"] = "spurious_text"
    return scores


def _rate(edits: int, length: int) -> float | None:
    if length:
        return edits / length
    return None if edits else 0.0
