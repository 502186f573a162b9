"""Steps that are wrong in one known way: what the reference illustrators draw, and what a judge must find."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

from pytest_vtcfaith.texts.draws import Draw, below

Fault = Literal["result", "operand", "comparison", "fact", "option"]


def faults_of(step: Mapping[str, Any]) -> tuple[Fault, ...]:
    """The ways in which this step can be made wrong."""
    found: list[Fault] = []
    plain = [relation for relation in step.get("relations", ()) if not re.search("[a-z]", relation) and "=" in relation]
    if any("=" in relation for relation in step.get("relations", ())):
        found.append("result")
    if plain:
        found.append("operand")
    if any(re.search("[<>]", relation) for relation in step.get("relations", ())):
        found.append("comparison")
    if step.get("facts"):
        found.append("fact")
    if re.search(r"\bis (right|wrong)\.$", step["text"]):
        found.append("option")
    return tuple(found)


def corrupted(step: Mapping[str, Any], record: Mapping[str, Any], fault: Fault, draw: Draw) -> str:
    """The text of a step with one fault.

    - `result`: the last number of an equation is off by 1 to 9.
    - `operand`: a calculation sets out from a number that the task does not have, and is right in itself.
    - `comparison`: greater is called less, or less greater.
    - `fact`: a subject gets a value that is not its own.
    - `option`: a right option is called wrong, a wrong one right.

    Raises ValueError for a fault that `faults_of` does not name for this step.
    """
    if fault not in faults_of(step):
        raise ValueError(f"this step cannot have the fault {fault!r}: {step['text']!r}")
    text: str = step["text"]
    if fault == "option":
        verdict = "wrong" if text.endswith("right.") else "right"
        return re.sub(r"\b(right|wrong)\.$", f"{verdict}.", text)
    if fault == "fact":
        attribute, subject, value = step["facts"][below(draw, len(step["facts"]))]
        known = record["facts"][attribute]
        others = [other for other in known["values"] if other not in known["subjects"][subject]]
        return _replaced_fact(text, subject, value, others[below(draw, len(others))])
    if fault == "comparison":
        relation = next(relation for relation in step["relations"] if re.search("[<>]", relation))
        return text.replace(relation, relation.translate(str.maketrans("<>", "><")), 1)
    relations = [relation for relation in step["relations"] if "=" in relation]
    if fault == "result":
        relation = relations[below(draw, len(relations))]
        solutions = {
            int(value) for values in record.get("unknowns", {}).values() for value in values if "/" not in value
        }
        place = max(relation.rfind(character) for character in "0123456789")
        begin = len(relation[: place + 1].rstrip("0123456789"))
        right = int(relation[begin : place + 1])
        near = [right + by for by in range(1, 10) if right + by not in solutions]
        wrong = f"{relation[:begin]}{near[below(draw, len(near))]}{relation[place + 1 :]}"
    else:
        relation = next(relation for relation in relations if not re.search("[a-z]", relation))
        wrong = _other_operand(relation, 1 + below(draw, 9))
    return text.replace(relation, wrong, 1)


def _replaced_fact(text: str, subject: str, value: str, other: str) -> str:
    """The value after the last mention of its subject is replaced; a denial of the other becomes one of its own."""
    begin = max(text.lower().rfind(subject.lower()), 0)
    place = text.lower().find(value.lower(), begin + len(subject) if begin else 0)
    if place < 0:
        place = text.lower().find(value.lower())
    rest = text[place + len(value) :]
    rest = re.sub(rf"\bnot {re.escape(other)}\b", lambda _: f"not {value}", rest)
    return f"{text[:place]}{other}{rest}"


def _other_operand(relation: str, by: int) -> str:
    """The first number is raised beyond all that a task has, and the result with it."""
    left, _, _ = relation.rpartition("=")
    first, *rest = re.split(r"(\D+)", left.strip())
    divisors = [int(rest[place + 1]) for place, operation in enumerate(rest) if operation.strip() == "÷"]
    raised = int(first) + (1000 + by) * math.prod(divisors)  # so that the result is whole again
    calculation = "".join([str(raised), *rest]).replace("×", "*").replace("−", "-").replace("÷", "/")
    return f"{raised}{''.join(rest)} = {_value(calculation)}"


def _value(calculation: str) -> str:
    """The value of a calculation of whole numbers without brackets, as a whole number or a fraction."""
    total, sign = Fraction(0), 1
    for part in re.split(r"([+-])", calculation):
        if part in "+-":
            sign = 1 if part == "+" else -1
            continue
        factors = re.split(r"([*/])", part)
        product = Fraction(factors[0].strip())
        for operation, factor in zip(factors[1::2], factors[2::2], strict=True):
            product = product * int(factor) if operation == "*" else product / int(factor)
        total += sign * product
    return str(total)
