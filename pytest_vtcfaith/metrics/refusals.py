"""Refusals: replies that decline instead of reading (definitions §4 "Outcomes"; FaithC4, appendix C)."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from pytest_vtcfaith.metrics.normalise import normalise

# English, Chinese, Korean: apologies, inability, what the speaker is; matched at the beginning of a casefolded text
_ENGLISH = (
    r"(?:(?:i'm|i am)(?: so| very| really| truly)? sorry|sorry[,.!:]|sorry,? (?:but )?i\b|my apologies|apologies[,.!]"
    r"|i apologi[sz]e|unfortunately,? (?:i|the (?:image|picture|page|text))\b"
    r"|(?:i'm|i am) (?:afraid|unable|not able|not permitted|not allowed|an ai|a (?:large )?language model)\b"
    r"|i (?:could not|couldn't|won't|will not|do not|don't) (?:\w+ )?"
    r"(?:assist|help|transcribe|read|see|view|access|process|provide|comply|have|support|extract|recogni[sz]e)\b"
    r"|i (?:cannot|can't|can not)\b|as an ai\b|as a (?:large )?language model\b)"
)
_CHINESE = (
    r"(?:(?:我)?(?:很|非常|十分|真的|实在|實在)?(?:抱歉|对不起|對不起|遗憾|遺憾)|不好意思|我(?:无法|無法|不能|没办法|沒辦法)"
    r"|(?:无法|無法)(?:识别|識別|读取|讀取|查看|提供|处理|處理|转录|轉錄|协助|協助|完成|回答)|作为(?:一个|一名)?(?:ai|人工智能|语言模型)"
    r"|作為(?:一個|一名)?(?:ai|人工智慧|語言模型))"
)
_KOREAN = (
    r"(?:(?:정말 |대단히 )?(?:죄송(?:합니다|하지만|해요|스럽지만)|미안(?:합니다|하지만|해요))|유감스럽게도|안타깝게도"
    r"|(?:저는 )?(?:이미지|사진|그림|텍스트|내용|요청)[을를은는]? ?(?:\S+ ){0,2}"
    r"(?:볼|읽을|처리할|인식할|도와드릴|제공할) 수 없"
    r"|도와드릴 수 없|저는 (?:ai|인공지능|언어 모델)|(?:ai|인공지능|언어) 모델로서)"
)
_REFUSAL = re.compile(f"{_ENGLISH}|{_CHINESE}|{_KOREAN}")
_LEAD = re.compile(r"^[\W_]+")
_SENTENCE_END = re.compile(r"[.!?。]")
_LOOKED_AT = 2000
_OPENING = 60
_SAME = 80.0


def begins_with_refusal(text: str) -> bool:
    """Whether a text begins with a refusal phrase in English, Chinese or Korean; case, apostrophes and markup aside."""
    return _REFUSAL.match(_plain(text)) is not None


def refuses(page: str, reply: str) -> bool:
    """Whether the reply begins with a refusal phrase that it has not from the page.

    It has it from the page when the page begins with one, or when the reply's first sentence (at most 60 characters) is
    on the page, misread or repaired letters included (80 % similar).
    """
    reply = reply.lstrip()[:_LOOKED_AT]
    if not begins_with_refusal(reply) or begins_with_refusal(page):
        return False
    said, printed = _plain(reply), _plain(page)
    end = _SENTENCE_END.search(said, 0, _OPENING)
    opening = said[: end.end() if end else _OPENING]
    if len(printed) < len(opening):
        return fuzz.ratio(opening, printed) < _SAME
    return fuzz.partial_ratio(opening, printed) < _SAME


def _plain(text: str) -> str:
    text = normalise(text, lang="mixed").casefold()
    return _LEAD.sub("", re.sub("[’‘ʼ`´]", "'", text))
