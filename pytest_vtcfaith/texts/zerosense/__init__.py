"""ZeroSense: texts of words that no language model expects (definitions §3 "Construction", ZeroSense §4.1)."""

from pytest_vtcfaith.texts.zerosense.attempts import Attempt, Recipe
from pytest_vtcfaith.texts.zerosense.construct import Progress, generate
from pytest_vtcfaith.texts.zerosense.vocabulary import Vocabulary, valid_words, word_list

__all__ = ["Attempt", "Progress", "Recipe", "Vocabulary", "generate", "valid_words", "word_list"]
