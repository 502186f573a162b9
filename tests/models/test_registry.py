"""Names become models: order of look-up, errors that help, nothing loaded on the way."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from pytest_vtcfaith.models import ModelSpec, UnknownModel, known_models, register_model, registry, resolve


class Reader:
    def transcribe(self, images, prompt):
        return ["" for _ in images]


@pytest.fixture(autouse=True)
def own_registrations(monkeypatch):
    monkeypatch.setattr(registry, "REGISTERED", {})


def offer(monkeypatch, **points: str) -> None:
    offered = [EntryPoint(name, value, "vtcfaith.models") for name, value in points.items()]

    def entry_points(*, group, name=None):
        return [point for point in offered if point.group == group and name in (None, point.name)]

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_registered_model_says_what_was_declared():
    decorated = register_model(
        "my-ocr", languages=["en", "zh"], visual_tokens="qwen2.5-vl", prompts=False, revision="7"
    )(Reader)
    assert decorated is Reader
    spec = resolve("my-ocr")
    assert (spec.name, spec.languages, spec.visual_tokens, spec.prompts) == (
        "my-ocr",
        {"en", "zh"},
        "qwen2.5-vl",
        False,
    )
    assert spec.identity["revision"] == "7"
    assert isinstance(spec.load(), Reader)
    assert "my-ocr" in known_models()


@pytest.mark.parametrize("name", ["", " a", "a ", "a\nb", "a\x00", None, 3])
def test_bad_names_are_refused(name):
    with pytest.raises(ValueError, match="printable text"):
        register_model(name)


def test_a_language_given_as_text_is_refused():
    with pytest.raises(ValueError, match=r"\['en'\], or None for all, got 'en'"):
        register_model("m", languages="en")


@pytest.mark.parametrize("languages", [[], ["en", ""], ["en", None], [["en"]], 3])
def test_languages_that_are_no_names_are_refused(languages):
    with pytest.raises(ValueError, match="model 'm': languages must be a collection of names"):
        register_model("m", languages=languages)


def test_an_unknown_family_is_refused_with_the_nearest_first():
    with pytest.raises(ValueError, match=r"model 'm': unknown visual-token family 'qwen2-vi'; known, .*: qwen2-vl, "):
        register_model("m", visual_tokens="qwen2-vi")
    with pytest.raises(ValueError, match="model 'm': visual_tokens must name a family"):
        register_model("m", visual_tokens=None)
    register_model("m", visual_tokens="nominal-48")(Reader)


def test_a_spec_of_an_entry_point_is_checked_as_a_registered_model():
    for wrong in ({"visual_tokens": "nope"}, {"languages": frozenset({""})}, {"languages": "en"}):
        with pytest.raises(ValueError, match="model 'm': "):
            ModelSpec(**{"name": "m", "load": Reader, "languages": None} | wrong)


def test_something_uncallable_is_refused():
    with pytest.raises(ValueError, match="decorates a class or a function"):
        register_model("m")(Reader())


def conftest(folder: Path, body: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "conftest.py"
    file.write_text(
        f"from pytest_vtcfaith.models import register_model\n@register_model('mine')\n{body}\n", encoding="utf-8"
    )
    return file


def run(file: Path) -> None:
    namespace = {"__name__": "conftest", "__file__": str(file)}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), namespace)


def test_the_same_file_may_be_imported_again_other_code_not(tmp_path):
    first = conftest(tmp_path / "a", "def make(): return 1")
    second = conftest(tmp_path / "b", "def make(): return 2")
    run(first)
    run(first)
    with pytest.raises(ValueError, match="registered twice") as caught:
        run(second)
    assert str(first) in str(caught.value)
    assert str(second) in str(caught.value)
    assert resolve("mine").load() == 1


def test_a_model_without_a_revision_has_none_so_that_its_replies_are_never_stored(tmp_path):
    run(conftest(tmp_path, "def make(): return 1"))
    assert resolve("mine").revision == ""


def test_order_of_look_up(monkeypatch, tmp_path):
    answers = tmp_path / "a.jsonl"
    answers.write_bytes(b"")
    offer(monkeypatch, rapidocr="somewhere:thing")
    table = {"rapidocr": {"adapter": "replay", "model": str(answers)}}
    register_model("rapidocr", revision="own")(Reader)
    assert resolve("rapidocr", table).revision == "own"
    registry.REGISTERED.clear()
    assert resolve("rapidocr", table).adapter == "replay"
    with pytest.raises(ModuleNotFoundError, match="somewhere"):
        resolve("rapidocr")
    offer(monkeypatch)
    assert resolve("rapidocr").adapter == "rapidocr"


def test_unknown_model_lists_all_nearest_first(monkeypatch):
    offer(monkeypatch, parcel="x:y")
    register_model("my-ocr")(Reader)
    with pytest.raises(UnknownModel) as caught:
        resolve("tesserract", {"house-vlm": {"adapter": "replay", "model": "f"}})
    message = str(caught.value)
    assert message.startswith("unknown model 'tesserract'")
    listed = message.partition("nearest first: ")[2].split(", ")
    assert listed[0] == "tesseract"
    assert {"tesseract", "rapidocr", "replay:FILE", "openai:NAME@URL", "my-ocr", "house-vlm", "parcel"} <= set(listed)


@pytest.mark.parametrize("name", ["", "replay", "replay:", "rapidocr:", "nothing:x", "Rapidocr", ":x"])
def test_names_that_mean_nothing(name):
    with pytest.raises(UnknownModel):
        resolve(name)


@pytest.mark.parametrize(
    ("name", "table", "message"),
    [
        ("m", {}, r"\[tool.vtcfaith.models.m\]: adapter = None is not one of the known adapters: .*rapidocr, replay"),
        ("m", {"adapter": "rapid"}, "adapter = 'rapid' is not one"),
        ("m", {"adapter": ["rapidocr"]}, "is not one"),
        ("m", "rapidocr", "must be a table"),
        ("m", {"adapter": "rapidocr", "threads": 4}, r"model 'm': unknown option 'threads'; known options: none"),
        ("m", {"adapter": "rapidocr", "model": "big"}, "takes no model, got 'big'"),
        ("m", {"adapter": "tesseract", "pms": 3}, r"unknown option 'pms'; known options: psm"),
        ("m", {"adapter": "tesseract", "psm": "6"}, r"psm = '6' must be a whole number from 0 to 13"),
        ("m", {"adapter": "tesseract", "psm": 14}, "from 0 to 13"),
        ("m", {"adapter": "tesseract", "psm": True}, "from 0 to 13"),
        ("m", {"adapter": "replay"}, "no replay file"),
        ("m", {"adapter": "replay", "model": 3}, "model = 3 must be text"),
    ],
)
def test_bad_tables_name_the_field_and_the_value(name, table, message):
    with pytest.raises(ValueError, match=message):
        resolve(name, {name: table})


def test_a_table_sets_options_and_they_are_part_of_the_identity():
    table = {"column": {"adapter": "tesseract", "psm": 4}}
    assert resolve("column", table).options == {"psm": 4}
    assert resolve("column", table).identity != resolve("tesseract").identity


def test_entry_points_are_loaded_only_when_named(monkeypatch):
    offer(
        monkeypatch,
        broken="no_such_module:thing",
        good="tests_entry:make",
        spec="tests_entry:SPEC",
        bad="tests_entry:X",
    )
    module = type(sys)("tests_entry")
    module.make, module.SPEC, module.X = Reader, ModelSpec("s", Reader, frozenset({"ko"})), 5
    monkeypatch.setitem(sys.modules, "tests_entry", module)
    assert {"broken", "good", "spec"} <= set(known_models())
    assert isinstance(resolve("good").load(), Reader)
    assert resolve("spec").languages == {"ko"}
    with pytest.raises(ValueError, match="must be a ModelSpec, a class or a function"):
        resolve("bad")


def test_one_name_from_two_packages_is_refused(monkeypatch):
    points = [EntryPoint("m", value, "vtcfaith.models") for value in ("a:x", "b:x")]
    monkeypatch.setattr(registry, "entry_points", lambda *, group, name=None: points)
    with pytest.raises(ValueError, match="several packages"):
        resolve("m")


def test_languages_of_the_bundled_engines():
    assert resolve("rapidocr").languages == {"en", "zh"}
    assert resolve("tesseract").languages == {"en", "zh", "ko"}
    assert not resolve("rapidocr").prompts
    assert "PP-OCRv6_rec_small" in resolve("rapidocr").revision


def test_resolving_imports_no_engine_and_no_numpy():
    code = (
        "import sys; from pytest_vtcfaith.models import resolve; resolve('rapidocr'); resolve('tesseract');"
        "heavy = ('numpy', 'rapidocr', 'onnxruntime', 'cv2', 'tesserocr', 'torch', 'pytest');"
        "print([module for module in heavy if module in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "place"), [("m", "m"), ("last-night_2", "last-night_2"), ("a.b", '"a.b"'), ('a "b"', '"a \\"b\\""')]
)
def test_what_is_wrong_in_a_table_names_it(name: str, place: str) -> None:
    for table in ({"adapter": "rapidocr", "threads": 4}, {"adapter": "tesseract", "psm": 16**5000}, {"adapter": "x"}):
        with pytest.raises(ValueError, match=r"adapter|option|psm") as caught:
            resolve(name, {name: table})
        assert str(caught.value).startswith(f"[tool.vtcfaith.models.{place}]: ")


def test_languages_that_no_case_has_are_refused() -> None:
    with pytest.raises(ValueError, match="none is a language of any case"):
        register_model("m", languages=["fr", "xx"])
    register_model("other-languages-too", languages=["en", "fr"])


def test_what_may_tell_boxes():
    @registry.register_model("seeing")
    class Seeing:
        def read_boxes(self, image):
            return []

    @registry.register_model("plain")
    class Plain:
        def transcribe(self, images, prompt):
            return []

    registry.register_model("maker")(lambda: Seeing())
    registry.register_model("painter", tasks=["edit"])(lambda: Seeing())
    configured = {"mine": {"adapter": "tesseract"}, "far": {"adapter": "openai", "model": "m@http://localhost/v1"}}
    known = registry.known_readers(configured)
    assert {"doctr", "rapidocr", "tesseract", "seeing", "maker", "mine"} <= set(known)
    assert not {"plain", "painter", "far", "editor:NAME", "replay:FILE", "diffusers"} & set(known)
    assert set(known) - {"mine"} <= set(registry.known_models())


@pytest.mark.parametrize("name", registry.BOXED)
def test_adapters_that_tell_boxes_have_the_method(name):
    module = importlib.import_module(registry.ADAPTERS[name])
    assert any(hasattr(found, "read_boxes") for found in vars(module).values() if isinstance(found, type))


def test_a_user_imports_what_engines_give():
    import pytest_vtcfaith

    assert pytest_vtcfaith.TextBox is importlib.import_module("pytest_vtcfaith.models.rapidocr").TextBox
