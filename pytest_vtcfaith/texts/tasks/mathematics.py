"""Mathematical tasks of five levels: templates written here, whose steps are built together with the task.

1: one or two additions and subtractions. 2: multiplication and division in several steps. 3: percentages and parts.
4: an equation in one unknown. 5: two unknowns, a quadratic equation, a sum of a series, a count of choices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pytest_vtcfaith.texts.draws import Draw, below

Made = tuple[str, str, list[dict[str, Any]], dict[str, Any]]
"""Question, answer, steps, record."""


def mathematics_tasks(draw_of: Any, each: int) -> Iterator[dict[str, Any]]:
    """Rows of kind `mathematics`: `each` tasks of every level, from its templates in turn."""
    asked: set[str] = set()
    for level, templates in TEMPLATES.items():
        for number in range(each):
            make = templates[number % len(templates)]
            skill = make.__name__.strip("_").replace("_", "-")
            case = f"mathematics-{level}-{skill}-{number // len(templates) + 1}"
            draw = draw_of(case)
            question, answer, steps, record = make(draw)
            while question in asked:
                question, answer, steps, record = make(draw)
            asked.add(question)
            yield {
                "case": case,
                "document": case,
                "lang": "en",
                "kind": "mathematics",
                "skill": skill,
                "level": level,
                "question": question,
                "answer": {"kind": "number", "text": answer},
                "steps": steps,
                "record": record,
            }


def _step(text: str, *relations: str) -> dict[str, Any]:
    """A step; {} in its text stands for its relations."""
    return {"text": text.format(*relations), "relations": list(relations)}


def _between(draw: Draw, low: int, high: int) -> int:
    return low + below(draw, high - low + 1)


def _shelf(draw: Draw) -> Made:
    start, more, less = _between(draw, 20, 60), _between(draw, 11, 40), _between(draw, 5, 19)
    middle = start + more
    return (
        f"A shelf holds {start} books. {more} books are put on it, and later {less} are taken away. How many books "
        "are on the shelf then?",
        str(middle - less),
        [
            _step("After the books are put on there are {} books.", f"{start} + {more} = {middle}"),
            _step("After some are taken away there are {} books.", f"{middle} − {less} = {middle - less}"),
        ],
        {},
    )


def _bus(draw: Draw) -> Made:
    first, off, on = _between(draw, 25, 48), _between(draw, 6, 20), _between(draw, 7, 22)
    middle = first - off
    return (
        f"A bus leaves the station with {first} passengers. At the first stop {off} get off, and {on} get on. How many "
        "passengers are on the bus after that?",
        str(middle + on),
        [
            _step("When some have got off, {} passengers are left.", f"{first} − {off} = {middle}"),
            _step("With those who got on there are {} passengers.", f"{middle} + {on} = {middle + on}"),
        ],
        {},
    )


def _jars(draw: Draw) -> Made:
    rows, each, sold = _between(draw, 4, 9), _between(draw, 11, 19), _between(draw, 12, 30)
    total = rows * each
    return (
        f"A baker has {rows} trays with {each} rolls on each tray. He sells {sold} rolls. How many rolls are left?",
        str(total - sold),
        [
            _step("On all trays there are {} rolls.", f"{rows} × {each} = {total}"),
            _step("After the sale {} rolls are left.", f"{total} − {sold} = {total - sold}"),
        ],
        {},
    )


def _shared(draw: Draw) -> Made:
    people, share, kept = _between(draw, 3, 8), _between(draw, 12, 24), _between(draw, 5, 15)
    total = people * share + kept
    return (
        f"{total} apples were picked. {kept} of them are kept, the rest is shared equally among {people} families. How "
        "many apples does each family get?",
        str(share),
        [
            _step("To be shared are {} apples.", f"{total} − {kept} = {total - kept}"),
            _step("Each family gets {} apples.", f"{total - kept} ÷ {people} = {share}"),
            _step("Check: {} apples.", f"{people} × {share} + {kept} = {total}"),
        ],
        {},
    )


def _discount(draw: Draw) -> Made:
    price, percent = 20 * _between(draw, 4, 30), 5 * _between(draw, 2, 9)
    off = price * percent // 100
    return (
        f"A coat costs {price} euros. In the sale its price is cut by {percent}%. What does it cost then, in euros?",
        str(price - off),
        [
            _step("The reduction is {} euros.", f"{price} × {percent} ÷ 100 = {off}"),
            _step("The new price is {} euros.", f"{price} − {off} = {price - off}"),
        ],
        {},
    )


def _parts(draw: Draw) -> Made:
    below_line, above = (3, 2) if draw() < 0.5 else (5, 3)
    part = _between(draw, 12, 40)
    total = part * below_line
    taken = part * above
    return (
        f"A tank holds {total} litres of water. {above}/{below_line} of the water is used in a day. How many litres "
        "are left?",
        str(total - taken),
        [
            _step("One part is {} litres.", f"{total} ÷ {below_line} = {part}"),
            _step("The water used is {} litres.", f"{part} × {above} = {taken}"),
            _step("Left are {} litres.", f"{total} − {taken} = {total - taken}"),
        ],
        {},
    )


def _linear(draw: Draw) -> Made:
    factor, root, plus = _between(draw, 3, 9), _between(draw, 4, 15), _between(draw, 5, 30)
    total = factor * root + plus
    return (
        f"Solve {factor} × n + {plus} = {total} for n.",
        str(root),
        [
            _step("Subtract the constant on both sides: {}, so {}.", f"{total} − {plus} = {total - plus}",
                  f"{factor} × n = {total - plus}"),
            _step("Divide by the factor: {}, so {}.", f"{total - plus} ÷ {factor} = {root}", f"n = {root}"),
        ],
        {"unknowns": {"n": [str(root)]}},
    )  # fmt: skip


def _both_sides(draw: Draw) -> Made:
    more, root, fewer = _between(draw, 5, 9), _between(draw, 3, 12), _between(draw, 2, 4)
    plus = _between(draw, 4, 20)
    right = (more - fewer) * root + plus
    return (
        f"Solve {more} × n + {plus} = {fewer} × n + {right} for n.",
        str(root),
        [
            _step("Subtract the smaller multiple of n on both sides: {}.", f"{more - fewer} × n + {plus} = {right}"),
            _step("Subtract the constant: {}, so {}.", f"{right} − {plus} = {right - plus}",
                  f"{more - fewer} × n = {right - plus}"),
            _step("Divide: {}.", f"n = {root}"),
        ],
        {"unknowns": {"n": [str(root)]}},
    )  # fmt: skip


def _two_unknowns(draw: Draw) -> Made:
    small, gap = _between(draw, 7, 40), _between(draw, 3, 25)
    large = small + gap
    return (
        f"The sum of two numbers n and m is {large + small}, and their difference n − m is {gap}. What is n × m?",
        str(large * small),
        [
            _step("Adding both equations gives {}.", f"2 × n = {large + small} + {gap} = {2 * large}"),
            _step("So {}.", f"n = {2 * large} ÷ 2 = {large}"),
            _step("Then {}.", f"m = {large + small} − {large} = {small}"),
            _step("The product is {}.", f"{large} × {small} = {large * small}"),
        ],
        {"unknowns": {"n": [str(large)], "m": [str(small)]}},
    )


def _quadratic(draw: Draw) -> Made:
    first = _between(draw, 2, 8)
    second = first + _between(draw, 1, 6)
    return (
        f"What is the larger solution of n × n − {first + second} × n + {first * second} = 0?",
        str(second),
        [
            _step("Look for two numbers with the right sum and product: {} and {}.",
                  f"{first} + {second} = {first + second}", f"{first} × {second} = {first * second}"),
            _step("So {}.",
                  f"n × n − {first + second} × n + {first * second} = (n − {first}) × (n − {second})"),
            _step("The solutions are {} and {}.", f"n = {first}", f"n = {second}"),
            _step("The larger one is found by {}.", f"{second} > {first}"),
        ],
        {"unknowns": {"n": [str(first), str(second)]}, "constants": [str(first), str(second)]},
    )  # fmt: skip


def _series(draw: Draw) -> Made:
    count, first, gap = 2 * _between(draw, 4, 9), _between(draw, 2, 9), _between(draw, 2, 6)
    last = first + (count - 1) * gap
    pairs, pair = count // 2, first + last
    return (
        f"The first row of a theatre has {first} seats, and every row after it has {gap} seats more than the one "
        f"before. There are {count} rows. How many seats are there in all?",
        str(pairs * pair),
        [
            _step("The last row is {} steps after the first.", f"{count} − 1 = {count - 1}"),
            _step("It has {} seats.", f"{first} + {count - 1} × {gap} = {last}"),
            _step("First and last row together have {} seats.", f"{first} + {last} = {pair}"),
            _step("There are {} such pairs.", f"{count} ÷ 2 = {pairs}"),
            _step("In all there are {} seats.", f"{pairs} × {pair} = {pairs * pair}"),
        ],
        {},
    )


def _choices(draw: Draw) -> Made:
    people = _between(draw, 6, 15)
    ordered = people * (people - 1)
    return (
        f"{people} players meet, and each plays once against every other. How many games are played?",
        str(ordered // 2),
        [
            _step("Each player has {} opponents.", f"{people} − 1 = {people - 1}"),
            _step("Counting every game twice there are {}.", f"{people} × {people - 1} = {ordered}"),
            _step("So there are {} games.", f"{ordered} ÷ 2 = {ordered // 2}"),
        ],
        {},
    )


TEMPLATES: Mapping[int, tuple[Callable[[Draw], Made], ...]] = {
    1: (_shelf, _bus),
    2: (_jars, _shared),
    3: (_discount, _parts),
    4: (_linear, _both_sides),
    5: (_two_unknowns, _quadratic, _series, _choices),
}
"""The templates of each level."""
