"""Causal language models, which build and validate ZeroSense texts: one adapter a file."""

from pytest_vtcfaith.models.language.loading import load_language_model, load_tokenizer

__all__ = ["load_language_model", "load_tokenizer"]
