"""What crosses to the controller: no value a test records or says may end a worker, hang the run or turn it green."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import OrderedDict
from pathlib import Path
from typing import Any

import execnet
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.plugin.carry import plain


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no")


class Real(float):
    pass


class Whole(int):
    pass


class Text(str):
    pass


HOLDS_ITSELF: list[Any] = []
HOLDS_ITSELF.append(HOLDS_ITSELF)


@pytest.mark.parametrize(
    ("value", "carried"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (0.25, 0.25),
        (b"\xff", b"\xff"),
        ("plain 灯塔 한글 😀", "plain 灯塔 한글 😀"),
        ("bad \ud83d", "bad \\ud83d"),
        (Text("sub"), "sub"),
        (Real(0.5), 0.5),
        (Whole(7), 7),
        (2**80, 2**80),
        (-(2**31), -(2**31)),
        (-(2**31) - 1, "-2147483649"),
        (Whole(-(2**40)), "-1099511627776"),
        (np.float64(0.25), 0.25),
        (np.float32(0.5), 0.5),
        (np.int64(4), 4),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array([1.5]), 1.5),
        (np.array([1, 2]), "[1 2]"),
        (Path("a/b"), "a/b"),
        ((1, np.float64(2)), (1, 2.0)),
        ({"\ud800": [Path("x")]}, {"\\ud800": ["x"]}),
        (OrderedDict(a=1), {"a": 1}),
        ({1}, "{1}"),
        (3 + 4j, "(3+4j)"),
        (Unprintable(), "<Unprintable that cannot be shown>"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_value_becomes_one_that_can_be_carried(value: object, carried: object) -> None:
    found = plain(value)
    assert type(found) is type(carried)
    assert found == carried
    execnet.dumps(found)


def test_a_list_that_holds_itself_is_carried() -> None:
    execnet.dumps(plain(HOLDS_ITSELF))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.binary() | st.text(st.characters(codec=None)),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(st.characters(codec=None)), inner)
    ),
    max_leaves=12,
)


@given(anything)
def test_execnet_carries_the_result(value: object) -> None:
    found = plain(value)
    assert repr(execnet.loads(execnet.dumps(found))) == repr(found)
    assert plain(found) is found or repr(plain(found)) == repr(found)


HOSTILE = r"""
import pathlib, sys, warnings
import numpy as np
import pytest

class Unprintable:
    def __str__(self): raise RuntimeError("no")

@pytest.mark.parametrize("value", [np.float64(.25), np.array([1, 2]), pathlib.Path("x"), "bad \ud83d", {"a": {1}},
                                   -(2**70), "\x00\x1b[31m\ufffe"], ids=range(7))
def test_property(record_property, value):
    record_property("x", value)

def test_message(): assert False, "bad \ud83d"

def test_message_in_a_variable():
    said = "bad \ud83d" * 3
    assert said == "good"

def test_raised(): raise ValueError("bad \udc00")

def test_printed():
    print("bad \ud83d")
    print("bad \ud83d", file=sys.stderr)
    assert 0

def test_skipped(): pytest.skip("bad \ud83d")

def test_xfailed(): pytest.xfail("bad \ud83d")

def test_warned(): warnings.warn("bad \ud83d")

def test_warned_with_more():
    warnings.warn(UserWarning("fine", "bad \ud83d", pathlib.Path("x")))
    warnings.warn(UserWarning("fine", -(2**40)))

@pytest.fixture
def broken(): raise OSError("bad \ud83d")

def test_setup(broken): pass

def test_section(request):
    request.node.add_report_section("call", "sec \ud83d", "bad \ud83d")
    request.node.user_properties.append(("np", np.int64(3)))
    assert 0
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
@pytest.mark.parametrize("with_model", [False, True])
def test_hostile_tests_are_all_reported(bench, workers: str, with_model: bool) -> None:
    bench.module(HOSTILE)
    model = [bench.replay()] if with_model else []
    found = bench.run(*model, workers, "--junitxml=junit.xml", "-ra", "-k", "test_own or test_rewriting")
    assert found.status == 1, found.text[-3000:]
    assert "INTERNALERROR" not in found.text
    assert "crashed" not in found.text
    expected = {"passed": 9, "failed": 5, "errors": 1, "skipped": 1, "xfailed": 1}
    if with_model:
        expected["passed"] += 19
        expected["skipped"] += 3
    outcomes = found.result.parseoutcomes()
    assert {name: outcomes.get(name) for name in expected} == expected
    assert "bad \\ud83d" in found.text
    suite = ET.fromstring((bench.path / "junit.xml").read_bytes())[0]
    assert suite.get("errors") == "1"
    values = [p.get("value") for p in suite.iter("property") if p.get("name") == "x"]
    assert "0.25" in values
    assert len(values) == 7


def test_metrics_travel_as_one_ascii_string(bench) -> None:
    """As the controller gets it, before it is booked."""
    bench.module(
        "import json\n\n"
        "def pytest_runtest_makereport(item, call):\n"
        "    if call.when == 'call' and 'doc-0000-scramble' in item.name:\n"
        "        open('carried.json', 'w').write(json.dumps(item.user_properties))\n",
        "conftest.py",
    )
    bench.run(bench.replay(), "-n0", "-k", "doc-0000-scramble")
    ((name, text),) = json.loads((bench.path / "carried.json").read_text(encoding="utf-8"))
    assert name == "vtc"
    assert text.isascii()
    assert len(text) < 2000
    assert json.loads(text)["metrics"]["verbatim"] == 2
