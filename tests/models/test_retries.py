"""Retries: which statuses, and how long."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.models.retries import put_again, retry_after, waiting

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def test_only_408_429_and_passing_server_errors_are_put_again():
    assert [status for status in range(200, 600) if put_again(status)] == [
        408,
        429,
        *(status for status in range(500, 600) if status not in (501, 505)),
    ]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": " 7 "}, 7.0),
        ({"retry-after": "3600"}, 60.0),
        ({"retry-after": "-7"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=20), usegmt=True)}, 20.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=20), usegmt=True)}, 0.0),
        ({"retry-after": format_datetime(NOW + timedelta(days=20), usegmt=True)}, 60.0),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:09 -0000"}, 9.0),
        ({"retry-after": "Sun, 99 Mar 2026 12:00:09 GMT"}, None),
    ],
)
def test_what_a_server_asks_to_wait(headers, seconds):
    assert retry_after(headers, NOW) == seconds


@given(st.integers(0, 10_000), st.integers(0, 2**32))
def test_full_jitter_stays_under_a_limit_that_doubles(attempt, seed):
    assert 0 <= waiting(attempt, None, random.Random(seed)) <= min(30.0, 2.0 ** min(attempt, 10))


@given(st.floats(0, 60), st.integers(0, 2**32))
def test_what_was_asked_is_waited_first(asked, seed):
    assert asked <= waiting(3, asked, random.Random(seed)) <= asked + 1


def test_jitter_differs():
    assert len({waiting(5, None, random.Random(seed)) for seed in range(20)}) == 20
