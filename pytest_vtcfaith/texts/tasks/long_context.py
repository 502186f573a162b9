"""Questions about a passage: counting, coreference, addition. The passages are built from scenes written here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_vtcfaith.texts.draws import Draw, below, shuffled

WOMEN = ("Anna", "Clara", "Ruth", "Nora", "Edith", "Helen")
MEN = ("Ben", "Tom", "Paul", "Karl", "Simon", "Oscar")


@dataclass(frozen=True, slots=True)
class Scene:
    """An occasion: its `opening`; what people `do` (past tense `done`) to which of the `kinds` of things; what they
    `gather`, in numbers of a `unit`; the `things` of which a pair takes two; and `asides` that no question is about."""

    name: str
    opening: str
    do: str
    done: str
    kinds: tuple[str, ...]
    gather: str
    gathered: str
    unit: str
    things: tuple[str, ...]
    asides: tuple[str, ...]


SCENES: tuple[Scene, ...] = (
    Scene(
        "orchard", "On the first dry Saturday of October the neighbours met in the old orchard behind the mill.",
        "bring", "brought", ("bread", "cheese", "soup"), "fill", "filled", "baskets", ("lantern", "ladder", "rope"),
        ("The grass was still wet, and the dog slept under the cart.",
         "Around noon the church bell rang, and everybody sat down on the wall."),
    ),
    Scene(
        "harbour", "The boat club spent the last evening of the season cleaning the sheds at the harbour.",
        "bring", "brought", ("brushes", "paint", "gloves"), "mend", "mended", "nets", ("anchor", "flag", "bucket"),
        ("A cold wind came in from the sea and slammed the door twice.",
         "The harbour master looked in, shook his head, and went home."),
    ),
    Scene(
        "library", "The village library moved across the street, and its readers came to help with the shelves.",
        "bring", "brought", ("tea", "biscuits", "plums"), "carry", "carried", "boxes", ("globe", "clock", "portrait"),
        ("The stairs creaked so loudly that the pigeons left the roof.",
         "Nobody could say who had borrowed the key of the cellar."),
    ),
    Scene(
        "market", "Before the winter market opened, the stallholders put up their tables in the square.",
        "sell", "sold", ("candles", "honey", "mittens"), "sew", "sewed", "cushions", ("drum", "banner", "kettle"),
        ("Snow began to fall before the lamps were lit.",
         "A brass band was tuning up in front of the town hall."),
    ),
    Scene(
        "camp", "The hiking group pitched its tents beside the lake and planned the next three days.",
        "choose", "chose", ("fishing", "climbing", "rowing"), "gather", "gathered", "logs", ("compass", "map", "axe"),
        ("A heron stood in the shallow water and watched them.",
         "The fire smoked for a long time before it burned."),
    ),
    Scene(
        "school", "On the last day before the holidays the evening class tidied its room and gave a small party.",
        "play", "played", ("chess", "cards", "dominoes"), "fold", "folded", "stars", ("vase", "radio", "mirror"),
        ("The heating had failed again, so all of them kept their coats on.",
         "The caretaker promised to close the windows himself."),
    ),
    Scene(
        "garden", "In spring the allotment society cleared the overgrown plot next to the railway.",
        "plant", "planted", ("beans", "onions", "roses"), "dig", "dug", "holes", ("rake", "barrow", "hose"),
        ("Two trains went by, and the drivers waved at them.",
         "Under the nettles they found a rusty sign from the old station."),
    ),
)  # fmt: skip
"""All scenes; each gives a passage with six questions."""


@dataclass(frozen=True, slots=True)
class _Story:
    scene: Scene
    people: tuple[str, ...]
    kinds: dict[str, str]
    numbers: dict[str, int]
    woman: str
    man: str
    carried: dict[str, str]
    text: str


def long_context_tasks(draw_of: Any) -> Iterator[dict[str, Any]]:
    """Rows of kind `long-context`: for each scene two questions of each skill, all about one passage."""
    for scene in SCENES:
        draw: Draw = draw_of(f"scene-{scene.name}")
        story = _story(scene, draw)
        kinds = shuffled(sorted(set(story.kinds.values())), draw)[:2]
        pairs = shuffled(range(len(story.people) - 1), draw)[:2]
        questions = [
            *(_counting(story, kind) for kind in kinds),
            *(_coreference(story, person) for person in (story.woman, story.man)),
            *(_addition(story, pair) for pair in pairs),
        ]
        counts: dict[str, int] = {}
        for question in questions:
            skill = question["skill"]
            counts[skill] = counts.get(skill, 0) + 1
            yield {
                "case": f"long-context-{scene.name}-{skill}-{counts[skill]}",
                "document": f"long-context-{scene.name}",
                "lang": "en",
                "kind": "long-context",
                "context": story.text,
                **question,
            }


def _story(scene: Scene, draw: Draw) -> _Story:
    women, men = shuffled(WOMEN, draw)[:3], shuffled(MEN, draw)[:3]
    people = tuple(shuffled([*women, *men], draw))
    first = shuffled(scene.kinds, draw)
    kinds = dict(zip(people, [*first, *(first[below(draw, len(first))] for _ in range(3))], strict=True))
    numbers = dict(zip(people, shuffled(range(11, 60), draw), strict=False))
    things = shuffled(scene.things, draw)
    woman, man = women[below(draw, 3)], men[below(draw, 3)]
    sentences = [scene.opening]
    sentences += [f"{person} {scene.done} {kinds[person]}." for person in people[:3]]
    sentences.append(scene.asides[0])
    sentences += [f"{person} {scene.done} {kinds[person]}." for person in people[3:]]
    pair = f"{woman} came together with {man}. She took the {things[0]}, and he took the {things[1]}."
    sentences += [pair, scene.asides[1]]
    sentences += [f"By evening {person} had {scene.gathered} {numbers[person]} {scene.unit}." for person in people]
    return _Story(scene, people, kinds, numbers, woman, man, {woman: things[0], man: things[1]}, " ".join(sentences))


def _counting(story: _Story, kind: str) -> dict[str, Any]:
    scene, count, steps = story.scene, 0, []
    for person in story.people:
        own = story.kinds[person]
        fact = ["kinds", person, own]
        if own == kind:
            relation = f"{count} + 1 = {count + 1}"
            count += 1
            text = f"{person} {scene.done} {own}, so the count is {relation}."
            steps.append({"text": text, "relations": [relation], "facts": [fact]})
        else:
            steps.append({"text": f"{person} {scene.done} {own}, not {kind}.", "facts": [fact]})
    facts = {"kinds": {"subjects": {p: [k] for p, k in story.kinds.items()}, "values": list(scene.kinds)}}
    return {
        "skill": "counting",
        "question": f"How many of the six people {scene.done} {kind}?",
        "answer": {"kind": "number", "text": str(count)},
        "steps": steps,
        "record": {"facts": facts},
    }


def _coreference(story: _Story, person: str) -> dict[str, Any]:
    pronoun = "she" if person == story.woman else "he"
    thing = story.carried[person]
    steps = [
        {
            "text": f"{story.woman} came together with {story.man}, so {pronoun} is {person}.",
            "facts": [["pronoun", pronoun, person]],
        },
        {
            "text": f"The passage says that {pronoun} took the {thing}, so {person} took the {thing}.",
            "facts": [["thing", pronoun, thing], ["thing", person, thing]],
        },
    ]
    names = [*story.people]
    holders = {name: [story.carried[name]] if name in story.carried else [] for name in names}
    holders |= {"she": [story.carried[story.woman]], "he": [story.carried[story.man]]}
    return {
        "skill": "coreference",
        "question": f"Who took the {thing}?",
        "answer": {"kind": "name", "text": person, "choices": names},
        "steps": steps,
        "record": {
            "facts": {
                "pronoun": {"subjects": {"she": [story.woman], "he": [story.man]}, "values": names},
                "thing": {"subjects": holders, "values": list(story.scene.things)},
            }
        },
    }


def _addition(story: _Story, place: int) -> dict[str, Any]:
    scene, people = story.scene, story.people[place : place + 2]
    first, second = (story.numbers[person] for person in people)
    relation = f"{first} + {second} = {first + second}"
    steps: list[dict[str, Any]] = [
        {
            "text": f"{person} {scene.gathered} {story.numbers[person]} {scene.unit}.",
            "facts": [["number", person, str(story.numbers[person])]],
        }
        for person in people
    ]
    steps.append({"text": f"Together that makes {relation} {scene.unit}.", "relations": [relation]})
    numbers = {person: [str(number)] for person, number in story.numbers.items()}
    values = sorted(str(number) for number in story.numbers.values())
    return {
        "skill": "addition",
        "question": f"How many {scene.unit} did {people[0]} and {people[1]} {scene.gather} together?",
        "answer": {"kind": "number", "text": str(first + second)},
        "steps": steps,
        "record": {"facts": {"number": {"subjects": numbers, "values": values, "numeric": True}}},
    }
