"""Tiny models, made once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_vtcfaith.models.protocols import LanguageModel

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def model_folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folders of a generator with a byte-level tokenizer and of a validator with one that writes ▁."""
    pytest.importorskip("transformers", reason="needs the extra torch")
    from pytest_vtcfaith.models.language import loading

    loading._libraries(gguf=False)
    from tiny_language import byte_level, metaspace, save_model

    folder = tmp_path_factory.mktemp("tiny")
    return save_model(folder / "g", byte_level(), seed=1), save_model(folder / "v", metaspace(), seed=2)


@pytest.fixture(scope="session")
def generator(model_folders: tuple[Path, Path]) -> LanguageModel:
    from pytest_vtcfaith.models.language import load_language_model

    return load_language_model(str(model_folders[0]), threads=1)


@pytest.fixture(scope="session")
def validator(model_folders: tuple[Path, Path]) -> LanguageModel:
    from pytest_vtcfaith.models.language import load_language_model

    return load_language_model(str(model_folders[1]), threads=1)


@pytest.fixture(scope="session")
def words(generator: LanguageModel, validator: LanguageModel) -> tuple[str, ...]:
    from pytest_vtcfaith.texts.zerosense import valid_words

    return valid_words([generator.tokenizer, validator.tokenizer]).words
