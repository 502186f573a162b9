from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import FAILURES, OUTCOMES, Reply, outcome
from pytest_vtcfaith.metrics.outcomes import answer_outcome, picture_outcome

PAGE = (
    "The harbour office is closed on Monday. Boats leave the north pier at seven, the tide table hangs beside the door."
)
ZH = "海边的小镇每天早晨都有渔船出港，孩子们在沙滩上捡贝壳。"
KO = "오늘은 바람이 강하게 불어서 배가 출항하지 못했습니다."
HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("fields", "expect"),
    [
        ({"error": "timeout", "text": PAGE}, "infrastructure_error"),
        ({"error": "", "text": PAGE}, "infrastructure_error"),
        ({"error": "", "text": None}, "infrastructure_error"),
        ({"error": "503", "image_tokens": 256, "budget_tokens": 64}, "infrastructure_error"),
        ({"text": PAGE, "image_tokens": 65, "budget_tokens": 64}, "budget_not_applied"),
        ({"text": PAGE, "image_tokens": 64, "budget_tokens": 64}, "complete"),
        ({"text": PAGE, "image_tokens": 64}, "complete"),
        ({"text": "", "refusal": "no", "image_tokens": 65, "budget_tokens": 64}, "budget_not_applied"),
        ({"text": PAGE, "refusal": "policy"}, "refused"),
        ({}, "empty"),
        ({"text": None, "finish_reason": "length"}, "empty"),
        ({"text": "", "reasoning_content": PAGE}, "empty"),
        ({"text": " \n\u200b"}, "empty"),
        ({"text": PAGE[:19]}, "empty"),
        ({"text": PAGE[:20]}, "complete"),
        ({"text": PAGE[:37], "finish_reason": "length"}, "truncated"),
        ({"text": PAGE[:37], "finish_reason": "MAX_TOKENS"}, "truncated"),
        ({"text": PAGE[:37], "finish_reason": "cut_off"}, "truncated"),
        ({"text": PAGE[:37], "completion_tokens": 9, "max_tokens": 9}, "truncated"),
        ({"text": PAGE, "finish_reason": "stop", "completion_tokens": 8, "max_tokens": 9}, "complete"),
        ({"text": HASH}, "hex_dump"),
        ({"text": "\\u6d77 \\u8fb9 \\u7684 \\u5c0f"}, "escaped_text"),
        ({"text": "!" * 200}, "degenerate"),
        ({"text": "!" * 49}, "script_mismatch"),
        ({"text": "0" * 200}, "hex_dump"),
        ({"text": "7 " * 40 + PAGE}, "complete"),
    ],
)
def test_an_english_page(fields: dict[str, Any], expect: str) -> None:
    assert outcome(PAGE, fields, lang="en") == expect


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, I can't help with that image.",
        "  **I’m sorry**, but I cannot read this.",
        "I cannot transcribe the text because the picture is too blurry.",
        "I am unable to view images.",
        "Sorry, I can't do that.",
        "I apologize, but this document seems to hold private data.",
        "As an AI language model I have no access to pictures.",
        "Unfortunately, I cannot see any text here.",
        "Unfortunately, this image is too blurry for me to transcribe.",
        "Unfortunately, the text in the picture cannot be read.",
        "The image you provided is too dark.",
        "This photo appears to be completely illegible.",
        "The image provided does not contain any readable text.",
        "The scan cannot be read.",
        "I was unable to read the text.",
        "I wasn't able to extract any text from this image.",
        "I am having difficulty making out the text.",
        "Unable to transcribe: the scan is illegible.",
        "It is not possible to read this image.",
        "I sincerely apologize, but I can't read this.",
        "I don't see any text in the image.",
        "抱歉，我无法识别这张图片中的文字内容。",
        "对不起，我不能提供这项帮助，请谅解。",
        "很抱歉,图片太模糊了,看不清楚。",
        "我無法查看這張圖片，請重新上傳。",
        "这张图片我无法识别，请重新上传。",
        "图片太模糊，无法识别其中的文字。",
        "由于图片分辨率太低，无法识别其中的文字。",
        "您提供的图片过于模糊，我看不清。",
        "該圖片過於模糊，無法辨認任何文字。",
        "我看不清图片中的文字，请换一张。",
        "图片中没有任何文字，请重新上传。",
        "作为一个人工智能，我看不到图片。",
        "죄송합니다. 이미지를 볼 수 없습니다.",
        "죄송하지만 이 요청은 도와드릴 수 없습니다.",
        "저는 이미지를 직접 볼 수 없습니다.",
        "이 이미지를 읽을 수 없습니다.",
        "이 이미지는 너무 흐릿해서 읽을 수 없습니다.",
        "제공된 이미지의 텍스트를 인식할 수 없습니다.",
        "해당 이미지에서 텍스트를 찾을 수 없습니다.",
        "제가 이 사진을 판독할 수 없습니다.",
        "이미지가 너무 흐려서 내용을 확인하기 어렵습니다.",
        "\u110c\u116c\u1109\u1169\u11bc\u1112\u1161\u11b8\u1102\u1175\u1103\u1161, 읽을 수 없습니다.",
    ],
)
def test_refusals(text: str) -> None:
    for page, lang in ((PAGE, "en"), (ZH, "zh"), (KO, "ko"), ("", "en"), ("tide", "en")):
        assert outcome(page, {"text": text}, lang=lang) == "refused"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("I'm sorry, I cannot attend the meeting.", "I’m sorry, I cannot attend the meeting."),
        ("Dear Ann, I'm sorry, I cannot attend the meeting.", "I'm sorry, I cannot attend the meeting."),
        ("I cnaont raed the letter that you sent", "I cannot read the letter that you sent"),
        ("Sorry, closed on Monday. See the notice.", "Sorry, c1osed on Monday. See the notice."),
        (PAGE, PAGE + " I'm sorry, I can't help with that image."),
        (PAGE, "Sorrel and thyme grow beside the door of the office."),
        ("抱歉，本店今日休息，明天照常营业。", "抱歉，本店今日休息，明天照常营业。"),
        ("죄송합니다. 오늘은 문을 닫습니다.", "죄송합니다. 오늘은 문을 닫습니다."),
        ("이 이미지를 읽을 수 없습니다. 다시 보내 주세요.", "이 이미지를 읽을 수 없습니다. 다시 보내 주세요."),
        (PAGE, "The text of the treaty is not clear on this point."),
        (PAGE, "The photo shows the harbour at dusk."),
        (PAGE, "It is not possible to enter the pier after dark."),
        (PAGE, "I was able to see the pier from my window."),
        (ZH, "图片展览将于三月开幕，免费参观，欢迎市民前来。"),
        (ZH, "这张照片拍摄于1904年，当时码头刚刚建成。"),
        (KO, "이 사진은 1904년에 찍은 것입니다."),
        (KO, "문서는 월요일까지 제출해야 합니다."),
    ],
)
def test_no_refusals(page: str, text: str) -> None:
    assert outcome(page, {"text": text}, lang="mixed") != "refused"


FIVE = "red lamp gate hill road "
LITANY = "Lord have mercy upon us\n"
ROWS = "0.00\n" * 40


@pytest.mark.parametrize(
    ("page", "text", "lang", "expect"),
    [
        (PAGE, "march " * 400, "en", "repetition"),
        (PAGE, FIVE * 20, "en", "complete"),  # 5 unique words per 100 are not under 5
        (PAGE, "red " * 96 + "lamp gate hill road", "en", "complete"),
        (PAGE, FIVE * 21, "en", "repetition"),
        (PAGE, "red lamp " * 49 + "red", "en", "complete"),  # 99 words
        (PAGE, "red lamp " * 50, "en", "repetition"),
        (PAGE, PAGE + " and so on" * 60, "en", "complete"),
        (PAGE, "o" * 300, "en", "complete"),  # English is judged on words and lines
        (ZH, ZH + "，" + "一样的话" * 40, "zh", "complete"),
        (ZH, "天地人和水" * 20, "zh", "complete"),
        (ZH, "天地人和水" * 21, "zh", "repetition"),
        (PAGE, "Harbour Office\nTide Table\nPage 1\n" * 15, "en", "repetition"),
        (PAGE, "Harbour Office Tide Table Page 1 " * 14, "en", "complete"),  # the same block on one line
        (PAGE, "Harbour Office\nTide Table\nPage 1\n" * 9, "en", "complete"),
        (PAGE, PAGE + "\n" + "Harbour Office\nTide Table\nPage 1\n" * 12 + "Harbour Off", "en", "repetition"),
        (PAGE, "Harbour Office closed\n" * 15, "en", "complete"),  # a block of one line has its own count
        ("Harbour Office Tide Table Page 1 " * 15, "Harbour Office\nTide Table\nPage 1\n" * 15, "en", "complete"),
        ("Harbour Offlce Tide Table Page 1 " * 15, "Harbour Office\nTide Table\nPage 1\n" * 15, "en", "complete"),
        (PAGE, "".join(f"{word}\n\n" for word in PAGE.split()[:3]) * 100, "en", "repetition"),
        (PAGE, "\n".join(["row of the table that never ends"] * 4 * 30), "en", "repetition"),
        (ZH, "海" * 300, "zh", "repetition"),
        (ZH, "今天天气很好我们去海边" * 80, "zh", "repetition"),
        ("Litany\n" + LITANY * 12, "Litany\n" + LITANY * 12, "en", "complete"),
        ("Litany\n" + LITANY * 12, LITANY * 12 + "Litany\n", "en", "complete"),
        ("Litany\n" + LITANY * 12, LITANY * 100, "en", "repetition"),
        ("Evening prayer\n" * 3 + LITANY * 12 + PAGE * 9, LITANY * 12, "en", "complete"),
        (PAGE, (LITANY * 5) + PAGE, "en", "complete"),
        (ROWS, ROWS, "en", "complete"),
        (ROWS, ROWS.replace(".", " . "), "en", "complete"),
        ("Chapter one " + "." * 60 + " 7", "Chapter one " + ". " * 59 + " 7", "en", "complete"),
        ("XXXXXXXXXXXXXXXX name", "XXXXXXXXXXXXXXXX name", "en", "complete"),
        ("march " * 200, "march " * 200, "en", "complete"),
        ("海" * 200, "海" * 200, "zh", "complete"),
        ("." * 200, "." * 200, "en", "complete"),
    ],
)
def test_loops(page: str, text: str, lang: str, expect: str) -> None:
    assert outcome(page, {"text": text}, lang=lang) == expect


@pytest.mark.parametrize(
    ("page", "text", "lang", "expect"),
    [
        (KO, "Today the wind was so strong that no boat left.", "ko", "script_mismatch"),
        (ZH, "Fishing boats leave the harbour each morning.", "zh", "script_mismatch"),
        (PAGE, ZH, "en", "script_mismatch"),
        (PAGE, ZH, "mixed", "complete"),
        (ZH, "渔船 " + "Fishing boats leave the harbour each morning. ", "zh", "complete"),
        ("iPhone 15 Pro 256GB", "iPhone 15 Pro 256GB", "zh", "complete"),
        (KO + "漢字ＡＢＣ", KO + "漢字ＡＢＣ", "ko", "complete"),
        (ZH, "e6b5b7 e8bebe e79a84 e5b08f e99587 e6af8f e5a4a9", "zh", "hex_dump"),
        ("sum " + HASH, "sum " + HASH, "en", "complete"),
        ("", "", "en", "complete"),
        (" \u200b\n", "\x0c", "en", "complete"),
        ("", "a", "en", "spurious_text"),
        ("7", "", "en", "empty"),
        ("7", "7", "en", "complete"),
        (PAGE, PAGE + "\ud83d", "en", "complete"),
    ],
)
def test_scripts_and_blank_pages(page: str, text: str, lang: str, expect: str) -> None:
    assert outcome(page, {"text": text}, lang=lang) == expect


@given(
    st.text(st.characters(categories=None, exclude_categories=[]), max_size=200),
    st.sampled_from(["en", "zh", "ko", "mixed"]),
)
def test_the_page_itself_is_always_complete(page: str, lang: str) -> None:
    assert outcome(page, {"text": page, "finish_reason": "stop"}, lang=lang) == "complete"


@pytest.mark.parametrize(
    ("block", "expect"),
    [("march ", "complete"), ("march\n", "repetition"), ("o", "complete"), ("pier\nseven\nis\nclosed\n", "repetition")],
)
def test_megabytes(block: str, expect: str) -> None:
    draw = random.Random(0)
    runaway = "".join(draw.choice("stuvwxyz ") for _ in range(300_000)) + "\n" + block * (700_000 // len(block))
    assert outcome(PAGE, {"text": runaway}, lang="en") == expect


def test_megabytes_of_lines_that_end_in_a_loop() -> None:
    lines = "".join(f"row {number} of the tide table\n" for number in range(20_000))
    block = "Harbour Office\nTide Table\nPage 1\nSheet 2\n"
    assert outcome(PAGE, {"text": lines + block * 5_100}, lang="en") == "repetition"
    assert outcome(PAGE, {"text": lines + block * 4_900}, lang="en") == "complete"  # under half of the lines


@pytest.mark.parametrize("hundreds", range(1, 40))
def test_hex_dumps_have_more_than_seven_tenths(hundreds: int) -> None:
    """In whole numbers: 0.7 x 90 is 62.99… in floating point."""
    at_seven_tenths = "a1" * 35 * hundreds + "xyzwvu" * 5 * hundreds
    assert outcome(PAGE, {"text": at_seven_tenths}, lang="en") == "complete"
    assert outcome(PAGE, {"text": "a" + at_seven_tenths}, lang="en") == "hex_dump"


def test_hex_digits_at_63_of_90() -> None:
    text = "abcdef0 " * 9 + "xyzwvut " * 3 + "zzzzqq"
    assert outcome(PAGE, {"text": text}, lang="en") == "complete"
    assert outcome(PAGE, {"text": text + " a"}, lang="en") == "hex_dump"


@pytest.mark.parametrize(
    ("fields", "expect"),
    [
        ({"text": "7"}, "complete"),
        ({"text": "x" * 300}, "complete"),  # of a page this would be a loop
        ({"text": HASH}, "complete"),
        ({"text": ""}, "empty"),
        ({"text": None}, "empty"),
        ({"text": " \n\u3000"}, "empty"),
        ({"text": "7", "finish_reason": "length"}, "truncated"),
        ({"text": "7", "completion_tokens": 8, "max_tokens": 8}, "truncated"),
        ({"text": "", "finish_reason": "length"}, "empty"),
        ({"text": "7", "refusal": "no"}, "refused"),
        ({"text": "I'm sorry, I can't help with that image."}, "refused"),
        ({"text": "7", "error": ""}, "infrastructure_error"),
        ({"text": None, "refusal": "no", "error": "503"}, "infrastructure_error"),
    ],
)
def test_answers(fields: dict[str, Any], expect: str) -> None:
    assert answer_outcome(Reply(**fields)) == expect


@pytest.mark.parametrize(
    ("fields", "expect"),
    [
        ({"text": None, "picture": "AAAA"}, "complete"),
        ({"text": "Here it is.", "picture": "AAAA"}, "complete"),
        ({"text": "I'm sorry, I can't help with that.", "picture": "AAAA"}, "complete"),
        ({"text": None}, "empty"),
        ({"text": "Here it is."}, "empty"),
        ({"text": "", "finish_reason": "length"}, "empty"),
        ({"text": None, "refusal": "no"}, "refused"),
        ({"text": "I'm sorry, I can't help with that."}, "refused"),
        ({"text": None, "picture": "AAAA", "error": "503"}, "infrastructure_error"),
        ({"text": None, "refusal": "no", "error": ""}, "infrastructure_error"),
    ],
)
def test_pictures(fields: dict[str, Any], expect: str) -> None:
    assert picture_outcome(Reply(**fields)) == expect
    assert expect in OUTCOMES


def test_names() -> None:
    assert ("infrastructure_error", *FAILURES, "complete") == OUTCOMES
    assert len(set(OUTCOMES)) == 12


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"text": 5}, "reply field 'text' is 5: give a string or null"),
        ({"text": "a", "max_tokens": "64"}, "reply field 'max_tokens' is '64': give an integer or null"),
        ({"text": "a", "image_tokens": True}, "reply field 'image_tokens' is True"),
    ],
)
def test_malformed_replies(mapping: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        outcome("a", mapping, lang="en")


def test_reply_object() -> None:
    assert Reply.from_mapping({"text": "a", "unknown": 1}) == Reply("a")
    assert outcome(PAGE, Reply(PAGE), lang="en") == "complete"
    with pytest.raises(ValueError, match="lang 'xx' is unknown"):
        outcome(PAGE, Reply(PAGE), lang="xx")
