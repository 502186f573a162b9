"""What is a secret, and what is not."""

from __future__ import annotations

import base64
import json
import string
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.engine import secrets
from pytest_vtcfaith.engine.secrets import excerpt, hide_variable, is_key, mask_secrets


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
    assert mask_secrets("aGFyYm91ci9wYXNzKw== and harbour/pass%2b", environment) == "*** and ***"


def test_a_hidden_variable_is_a_secret_whatever_its_name(monkeypatch):
    monkeypatch.setattr(secrets, "_HIDDEN", set())
    assert mask_secrets("pass it", {"MY_SERVER": "pass"}) == "pass it"
    hide_variable("MY_SERVER")
    assert mask_secrets("pass it", {"MY_SERVER": "pass\n"}) == "*** it"
    assert mask_secrets("a as it", {"MY_SERVER": "a"}) == "a as it"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("sk-test-123", True),
        ("0123456789abcdef0123456789abcdef", True),
        ("3f2a9c1e-77b4-4d1e-9a55-0c1d2e3f4a5b", True),
        ("EMPTY", False),
        ("none", False),
        ("harbour", False),
        ("token-abc123", False),
        ("sk-placeholder", False),
        ("internationalization", False),
        ("1234567890123456", False),
        ("the harbour of 1999", False),
        ("", False),
    ],
)
def test_what_can_only_be_a_key(value, expected):
    assert is_key(value) is expected


@given(st.integers(0, 60), st.integers(1, 60))
def test_a_cut_leaves_no_part_of_a_key(before, limit):
    key = "Zq9" * 11
    shown = excerpt("x" * before + " api_key=" + key + "\n\nrest", limit)
    assert "Z" not in shown
    assert "q9" not in shown
    assert len(shown) <= limit + 1


def test_a_secret_of_several_lines_is_masked_line_by_line_and_one_with_quotes_in_json():
    lines = [letter * 20 for letter in string.ascii_lowercase[:3]]
    environment = {"TLS_KEY": "\n".join(lines), "DB_PASSWORD": 'harbour"pass'}
    assert mask_secrets(f'{lines[1]} and harbour\\"pass', environment) == "*** and ***"


@given(st.text(st.characters(codec="utf-8"), min_size=8))
def test_no_form_of_a_key_is_left(key):
    if any(map(str.isspace, key)) or "*" in key:
        return
    content = key.encode()
    for form in (key, json.dumps(key)[1:-1], quote(key), base64.b64encode(content).decode()):
        assert secrets.mask_key(f"<{form}>", key) in ("<***>", f"<***{'=' * form.count('=')}>")
