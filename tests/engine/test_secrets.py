"""What is a secret, and what is not."""

from __future__ import annotations

import pytest

from pytest_vtcfaith.engine import secrets
from pytest_vtcfaith.engine.secrets import hide_variable, mask_secrets


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("key sk-test-123 refused", "key *** refused"),
        ("hf_abcdefgh and gsk_abcdefgh", "*** and ***"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("{'Authorization': 'bearer abc'}", "{'Authorization': 'bearer ***'}"),
        ("https://user:pass@host/v1", "https://user:***@host/v1"),
        ("?api_key=abc&x=1", "?api_key=***&x=1"),
        ("hf-internal-testing/tiny-random-model", "hf-internal-testing/tiny-random-model"),
        ("the desk-lamp-factory", "the desk-lamp-factory"),
        ("no secret here", "no secret here"),
    ],
)
def test_by_their_look(text, masked):
    assert mask_secrets(text, {}) == masked


def test_by_the_environment():
    environment = {
        "MY_API_KEY": "harbour/pass+",
        "MAX_TOKENS": "4096",
        "HOME": "/home/harbour",
        "A_SECRET": "harbour/pass+2",
    }
    text = "harbour/pass+ harbour/pass+2 harbour%2Fpass%2B 4096 /home/harbour"
    assert mask_secrets(text, environment) == "*** *** *** 4096 /home/harbour"


def test_a_hidden_variable_is_a_secret_whatever_its_name(monkeypatch):
    monkeypatch.setattr(secrets, "_HIDDEN", set())
    assert mask_secrets("pass it", {"MY_SERVER": "pass"}) == "pass it"
    hide_variable("MY_SERVER")
    assert mask_secrets("pass it", {"MY_SERVER": "pass\n"}) == "*** it"
    assert mask_secrets("a as it", {"MY_SERVER": "a"}) == "a as it"
