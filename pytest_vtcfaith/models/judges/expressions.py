"""Equations and comparisons in running text, and whether they hold.

Nothing of the text is ever evaluated as code: a small grammar of numbers, the letters of known unknowns and five
operations is read, within bounds, into sympy's own objects.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

MOST_TOKENS = 80
MOST_DIGITS = 30
MOST_BITS = 4096
MOST_DEGREE = 12
MOST_EXPONENT = 64
DEEPEST = 20

_TOKEN = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<relation><=|>=|!=|==|[=<>≤≥≠≈])"
    r"|(?P<power>\*\*|\^)"
    r"|(?P<operation>[+\-−–—*×·∙⋅∗/÷⁄∕])"
    r"|(?P<open>[(\[])|(?P<close>[)\]])"
    r"|(?P<percent>%)"
    r"|(?P<word>[A-Za-z]+(?:['’][A-Za-z]+)?)"
    r"|(?P<currency>[$€£])"
    r"|(?P<blank>\s+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_SIGNS = dict.fromkeys("-−–—", "-") | dict.fromkeys("*×·∙⋅∗", "*") | dict.fromkeys("÷/⁄∕", "/") | {"+": "+"}
_RELATIONS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}
_SPOKEN = {"plus": "+", "minus": "-", "times": "*"}
_PROSE = (
    "and or so then is are was were gives give makes make because but since with which from to than if when where "
    "that we thus hence therefore in on at by for equals plus minus times of"
)
_NO_UNITS = frozenset(_PROSE.split())


class NotMathematics(ValueError):
    """A side of a relation is no expression of this grammar, or passes its bounds."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A chain of sides and the relations between them: `12 + 7 = 19`, `5 < n`. `start` and `end` are its place."""

    text: str
    start: int
    end: int
    sides: tuple[tuple[_Token, ...], ...]
    signs: tuple[str, ...]

    def numbers_of_sides(self) -> list[tuple[Fraction, ...]]:
        """The numbers of each side."""
        return [tuple(fraction(token.text) for token in side if token.kind == "number") for side in self.sides]

    def all_numbers(self) -> tuple[Fraction, ...]:
        """The numbers of all sides."""
        return tuple(fraction(token.text) for side in self.sides for token in side if token.kind == "number")

    @property
    def vacuous(self) -> bool:
        """Whether all sides are written alike: "19 = 19" says nothing."""
        written = {tuple(token.text for token in side if token.kind not in ("open", "close")) for side in self.sides}
        return len(written) == 1

    @property
    def unknown(self) -> bool:
        """Whether an unknown's letter stands in it."""
        return any(token.kind == "unknown" for side in self.sides for token in side)


def fraction(text: str) -> Fraction:
    """A number as written: `1,250`, `3.75`. Raises NotMathematics for one of more than 30 digits."""
    if len(text) > MOST_DIGITS:
        raise NotMathematics(f"a number of {len(text)} characters")
    return Fraction(text.replace(",", ""))


def find_relations(text: str, unknowns: Collection[str] = ()) -> list[Relation]:
    """All equations and comparisons of a text.

    `unknowns`: the letters that stand for numbers. Units after a number ("12 apples + 7 apples = 19 apples"), currency
    signs, `x` between numbers, "25% of 80" and OCR's dashes are understood.
    """
    found = []
    for run in _runs(_tokens(text, unknowns)):
        sides: list[list[_Token]] = [[]]
        signs: list[str] = []
        for token in run:
            if token.kind == "relation":
                signs.append(token.text)
                sides.append([])
            else:
                sides[-1].append(token)
        while signs and not sides[0]:
            sides, signs = sides[1:], signs[1:]
        while signs and not sides[-1]:
            sides, signs = sides[:-1], signs[:-1]
        if signs:
            start, end = sides[0][0].start, sides[-1][-1].end
            found.append(Relation(text[start:end], start, end, tuple(map(tuple, sides)), tuple(signs)))
    return found


def holds(relation: Relation, values: Mapping[str, Sequence[str]] | None = None) -> bool | None:
    """Whether every part of the chain is true; None where a side cannot be read.

    `values`: what each unknown may be. "n = 4" holds where 4 is one of its values, anything else where it does for all
    of them. A relation of unknowns without values holds where it is an identity.
    """
    values = values or {}
    try:
        sides = [_Parser(side).parse() for side in relation.sides]
        return all(
            _pair(left, sign, right, values, relation.sides[place + 1])
            for place, (left, sign, right) in enumerate(zip(sides[:-1], relation.signs, sides[1:], strict=True))
        )
    except ZeroDivisionError:
        return False
    except NotMathematics:
        return None


def _pair(left: Any, sign: str, right: Any, values: Mapping[str, Sequence[str]], shown: Sequence[_Token]) -> bool:
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)
    known = {symbol: [_number(value) for value in values[str(symbol)]] for symbol in symbols if str(symbol) in values}
    if not symbols or not known:
        return _compare(left, sign, right, shown)
    if sign == "=" and left in known and right.is_number:
        return any(right == value for value in known[left])
    if sign == "=" and right in known and left.is_number:
        return any(left == value for value in known[right])
    pairs: list[dict[Any, Any]] = [{}]
    for symbol, options in known.items():
        pairs = [pair | {symbol: option} for pair in pairs for option in options]
    return all(_compare(left.subs(pair), sign, right.subs(pair), shown) for pair in pairs)


def _number(text: str) -> Any:
    import sympy

    value = Fraction(text)
    return sympy.Rational(value.numerator, value.denominator)


def _compare(left: Any, sign: str, right: Any, shown: Sequence[_Token]) -> bool:
    import sympy

    difference = sympy.expand(left - right)
    if not difference.is_number:
        return sign == "=" and sympy.simplify(difference) == 0
    if difference.is_finite is not True:
        return False
    if sign == "≈":
        digits = next((len(token.text.partition(".")[2]) for token in reversed(shown) if token.kind == "number"), 0)
        return bool(abs(difference) <= sympy.Rational(1, 2 * 10**digits))
    truth = {
        "=": difference == 0,
        "≠": difference != 0,
        "<": difference < 0,
        ">": difference > 0,
        "≤": difference <= 0,
        "≥": difference >= 0,
    }
    return bool(truth[sign])


def _tokens(text: str, unknowns: Collection[str]) -> list[_Token]:
    """The tokens of a text without blanks; a word in the middle of a calculation is read, passed over or `other`."""
    raw = [
        _Token(match.lastgroup or "other", match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(text)
        if match.lastgroup not in ("blank", "currency")
    ]
    tokens: list[_Token] = []
    for place, token in enumerate(raw):
        before = tokens[-1] if tokens else None
        of_part = len(tokens) > 1 and before is not None and before.kind == "number" and tokens[-2].text == "/"
        kind, shown = token.kind, token.text
        if kind == "operation":
            shown = _SIGNS[shown]
        elif kind == "relation":
            shown = _RELATIONS.get(shown, shown)
        elif kind == "word":
            kind, shown = _word(token, before, raw[place + 1 : place + 3], unknowns, of_part)
        if kind == "unit":
            continue
        tokens.append(_Token(kind, shown, token.start, token.end))
    return tokens


def _word(
    token: _Token, before: _Token | None, following: Sequence[_Token], unknowns: Collection[str], of_part: bool
) -> tuple[str, str]:
    """What a word is between `before` and the two tokens `following` it; `of_part`: a fraction stands before it."""
    word, after = token.text, following[0] if following else None
    ends_value = before is not None and before.kind in ("number", "close", "percent", "unknown")
    starts_value = after is not None and (after.kind in ("number", "open") or after.text in unknowns)
    if word in unknowns:
        return "unknown", word
    lower = word.lower()
    if lower == "x" and ends_value and starts_value:
        return "operation", "*"
    if lower in _SPOKEN and ends_value and starts_value:
        return "operation", _SPOKEN[lower]
    if lower == "equals" and ends_value:
        return "relation", "="
    if lower == "of" and before is not None and (of_part or before.kind in ("percent", "close")) and starts_value:
        return "operation", "*"
    if ends_value and lower not in _NO_UNITS and (len(word) > 1 or lower in "mgls"):
        if after is not None and after.kind in ("operation", "relation"):
            return "unit", word
        if len(following) == 2 and following[0].kind == "word" and following[1].kind in ("operation", "relation"):
            return "unit", word
    return "other", word


def _runs(tokens: Sequence[_Token]) -> list[list[_Token]]:
    """Stretches that are mathematics throughout."""
    runs: list[list[_Token]] = [[]]
    for token in tokens:
        last = runs[-1][-1] if runs[-1] else None
        if token.kind == "other":
            runs.append([])
        elif (
            last is not None
            and last.kind == "number"
            and (token.kind == "number" or (token.kind == "open" and token.start > last.end))
        ):
            runs.append([token])
        else:
            runs[-1].append(token)
    return [trimmed for run in runs if (trimmed := _trimmed(run))]


def _trimmed(run: list[_Token]) -> list[_Token]:
    """The run without brackets around it, and without what a calculation cannot begin or end with."""
    if len(run) > 2 and run[0].kind == "open" and run[-1].kind == "close" and _relation_inside(run):
        return _trimmed(run[1:-1])
    while run and run[-1].kind in ("operation", "power", "open"):
        run = run[:-1]
    while run and (
        run[0].kind in ("power", "close", "percent")
        or (run[0].kind == "operation" and (run[0].text != "-" or len(run) < 2 or run[1].start > run[0].end))
    ):
        run = run[1:]
    while run and sum(token.kind == "open" for token in run) < sum(token.kind == "close" for token in run):
        if run[-1].kind != "close":
            break
        run = run[:-1]  # "(12 + 7 = 19)" after a word
    if run and run[0].kind == "open" and sum(t.kind == "open" for t in run) > sum(t.kind == "close" for t in run):
        run = run[1:]
    return run


def _relation_inside(run: Sequence[_Token]) -> bool:
    depth = 0
    for token in run:
        depth += (token.kind == "open") - (token.kind == "close")
        if token.kind == "relation" and depth > 0:
            return True
    return False


class _Parser:
    """Reads one side by recursive descent, keeping count of depth, degree and size."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        if len(tokens) > MOST_TOKENS:
            raise NotMathematics(f"a side of {len(tokens)} tokens")
        self._tokens, self._place, self._depth = tokens, 0, 0

    def parse(self) -> Any:
        result = self._sum()
        if self._place < len(self._tokens):
            raise NotMathematics("something is left over")
        return result

    def _next(self) -> _Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _takes(self, kind: str, *texts: str) -> _Token | None:
        token = self._next()
        if token is not None and token.kind == kind and (not texts or token.text in texts):
            self._place += 1
            return token
        return None

    def _sum(self) -> Any:
        result = self._product()
        while token := self._takes("operation", "+", "-"):
            other = self._product()
            result = _bounded(result + other if token.text == "+" else result - other)
        return result

    def _product(self) -> Any:
        result = self._signed()
        while True:
            token = self._takes("operation", "*", "/")
            following = self._next()
            if token is None and (following is None or following.kind not in ("open", "unknown")):
                return result
            other = self._signed() if token is not None else self._powered()
            if token is not None and token.text == "/":
                if other == 0:
                    raise ZeroDivisionError
                result = _bounded(result / other)
            else:
                result = _bounded(result * other)

    def _signed(self) -> Any:
        if self._takes("operation", "-"):
            return -self._powered()
        return self._powered()

    def _powered(self) -> Any:
        base = self._atom()
        if not self._takes("power"):
            return base
        exponent = -self._atom() if self._takes("operation", "-") else self._atom()
        if not exponent.is_Integer or abs(exponent) > MOST_EXPONENT:
            raise NotMathematics("an exponent that is no whole number up to 64")
        if base.is_number:
            if base == 0 and exponent < 0:
                raise ZeroDivisionError
            if base == 0 and exponent == 0:
                raise NotMathematics("0 to the power of 0")
            if _bits(base) * abs(int(exponent)) > MOST_BITS:
                raise NotMathematics("a power of too many digits")
        elif exponent < 0 or exponent * _degree(base) > MOST_DEGREE:
            raise NotMathematics("a power of unknowns of too high a degree")
        return _bounded(base**exponent)

    def _atom(self) -> Any:
        import sympy

        self._depth += 1
        if self._depth > DEEPEST + len(self._tokens):
            raise NotMathematics("nested too deeply")
        if token := self._takes("number"):
            value = fraction(token.text)
            result = sympy.Rational(value.numerator, value.denominator)
        elif token := self._takes("unknown"):
            result = sympy.Symbol(token.text)
        elif self._takes("open"):
            result = self._sum()
            if not self._takes("close"):
                raise NotMathematics("a bracket is not closed")
        else:
            raise NotMathematics("a number is missing")
        while self._takes("percent"):
            result = result / 100
        return result


def _bounded(value: Any) -> Any:
    if value.is_number:
        if _bits(value) > MOST_BITS:
            raise NotMathematics("a number of too many digits")
    elif _degree(value) > MOST_DEGREE:
        raise NotMathematics("too high a degree")
    return value


def _bits(value: Any) -> int:
    return max(int(value.p).bit_length(), int(value.q).bit_length())


def _degree(value: Any) -> int:
    """An upper bound of the degree in all unknowns together, without expanding anything."""
    if not value.args:
        return 0 if value.is_number else 1
    if value.is_Add:
        return max(map(_degree, value.args))
    if value.is_Pow:
        return _degree(value.args[0]) * max(1, abs(int(value.args[1])))
    return sum(map(_degree, value.args))
