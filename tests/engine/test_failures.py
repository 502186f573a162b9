"""Messages of errors that are kept: short enough, with both ends, and without secrets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.engine.failures import LONGEST_MESSAGE, shortened
from pytest_vtcfaith.engine.run import checked_replies, error_reply
from pytest_vtcfaith.metrics.outcomes import Reply


@given(st.text(max_size=40), st.integers(0, 3 * LONGEST_MESSAGE))
def test_short_ones_stay_and_long_ones_keep_both_ends(text: str, length: int) -> None:
    message = text + "x" * length + text[::-1]
    found = shortened(message)
    assert shortened(found) == found
    if len(message) <= LONGEST_MESSAGE:
        assert found == message
    else:
        assert len(found) == LONGEST_MESSAGE
        assert found.startswith(text)
        assert found.endswith(text[::-1])
        assert f"{len(message)} characters in all" in found


@pytest.mark.parametrize("place", range(LONGEST_MESSAGE - 1200, LONGEST_MESSAGE + 40, 7))
def test_no_cut_shows_a_part_of_a_secret(place: int) -> None:
    message = "." * place + " sk-test-1234567890abcdef " + "." * (2 * LONGEST_MESSAGE)
    told = checked_replies([Reply(text=None, error=message)], 1)[0].error
    for error in (error_reply(ValueError(message)).error, told):
        assert error is not None
        assert len(error) == LONGEST_MESSAGE
        assert "sk-" not in error
