"""Refusals: replies that decline instead of reading (definitions §4 "Outcomes"; FaithC4, appendix C)."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from pytest_vtcfaith.metrics.normalise import normalise

# English, Chinese, Korean: apologies, inability, a picture that cannot be read, what the speaker is; matched at the
# beginning of a casefolded text
_EN_PICTURE = r"(?:the|this|that|your|an?|any) (?:\w+ )?(?:image|picture|photo|photograph|scan|screenshot)s?"
_EN_READ = (
    r"(?:assist|help|transcribe|read|see|view|access|process|provide|comply|have|support|extract|recogni[sz]e|make out"
    r"|decipher|fulfil|fulfill|complete|interpret|analy[sz]e|identify|detect|find)\b"
)
_EN_UNREADABLE = (
    r"(?:(?:too|not) (?:\w+ )?(?:blur\w*|dark|small|faint|low|noisy|poor|clear|legible|readable|visible|distorted)"
    r"|(?:\w+ly |very |quite )?(?:blurry|blurred|illegible|unreadable|unclear|blank|empty|corrupted|distorted))\b"
)
_ENGLISH = (
    r"(?:(?:i'm|i am)(?: so| very| really| truly)? sorry|sorry[,.!:]|sorry,? (?:but )?i\b|my apologies|apologies[,.!]"
    r"|i (?:\w+ )?apologi[sz]e|i regret\b"
    rf"|(?:unfortunately|regrettably),? (?:i|there (?:is|are) no|{_EN_PICTURE}|the (?:page|text|document))\b"
    r"|(?:i'm|i am) (?:afraid|unable|not able|not permitted|not allowed|having (?:trouble|difficulty)|an ai"
    r"|a (?:large )?language model)\b"
    rf"|i (?:could not|couldn't|won't|will not|do not|don't) (?:\w+ )?{_EN_READ}|i (?:cannot|can't|can not)\b"
    rf"|(?:i (?:wasn't able|was not able|was unable) to|unable to) {_EN_READ}"
    rf"|it(?:'s| is) (?:not possible|impossible) (?:for me )?to {_EN_READ}"
    rf"|{_EN_PICTURE} (?:\w+ ){{0,3}}?(?:is|are|appears?|seems?|looks?)(?: to be)? {_EN_UNREADABLE}"
    rf"|{_EN_PICTURE} (?:\w+ ){{0,3}}?(?:cannot|can't|can not|could not|couldn't) be {_EN_READ}"
    rf"|{_EN_PICTURE} (?:\w+ ){{0,3}}?(?:does not|doesn't) (?:contain|have|show|include|load)\b"
    r"|as an ai\b|as a (?:large )?language model\b)"
)
_ZH_PICTURE = "(?:图片|圖片|图像|圖像|影像|照片|相片|截图|截圖|扫描件|掃描件|图[中里上]|圖[中裡上])"
_ZH_UNABLE = "(?:无法|無法|不能|没办法|沒辦法|没有办法|沒有辦法|难以|難以|未能|看不[清到见見])"
_ZH_READ = (
    "(?:[识辨]别|[識辨]別|辨[认認]|[读讀]取|查看|看清|看到|提供|提取|处理|處理|[转轉][录錄写寫]|[协協]助|完成|回答)"
)
_CHINESE = (
    "(?:(?:我)?(?:很|非常|十分|真的|实在|實在)?(?:抱歉|对不起|對不起|遗憾|遺憾)|不好意思"
    rf"|我(?:现在|現在|目前|暂时|暫時|也|还|還|实在|實在|确实|確實)?{_ZH_UNABLE}|{_ZH_UNABLE}{_ZH_READ}"
    rf"|[^。！？，,.!?]{{0,8}}{_ZH_PICTURE}[^。！？.!?]{{0,12}}(?:我{_ZH_UNABLE}|{_ZH_UNABLE}{_ZH_READ}|看不清"
    "|(?:太|过于|過於)(?:模糊|暗|小|不清)|模糊不清|不够清晰|不夠清晰|不清晰|不清楚|[没沒]有(?:任何|可[识識]别的)?文字)"
    "|作为(?:一个|一名)?(?:ai|人工智能|语言模型)|作為(?:一個|一名)?(?:ai|人工智慧|語言模型))"
)
_KO_WHICH = "(?:(?:이|그|해당|제공된|제공하신|첨부된|첨부하신|올려 ?주신|업로드된|업로드하신|보내 ?주신) )?"
_KO_PICTURE = "(?:이미지|사진|그림|스캔|스크린샷)"
_KO_READ = "(?:볼|읽을|처리할|인식할|식별할|판독할|확인할|알아볼|분석할|추출할|옮겨 적을|도와드릴|제공할|찾을)"
_KOREAN = (
    r"(?:(?:정말 |대단히 )?(?:죄송(?:합니다|하지만|해요|스럽지만)|미안(?:합니다|하지만|해요))"
    r"|유감스럽게도|안타깝게도|아쉽게도"
    rf"|(?:(?:저는|제가|현재|지금은?) ){{0,2}}{_KO_WHICH}(?:{_KO_PICTURE}|문서|텍스트|글자|글씨|내용|요청|파일|페이지)"
    rf"\S{{0,4}} ?(?:[^\s.!?]+ ){{0,4}}?{_KO_READ} 수[가는]? 없"
    rf"|{_KO_WHICH}{_KO_PICTURE}\S{{0,3}} (?:[^\s.!?]+ ){{0,3}}?"
    r"(?:흐릿|흐려|불분명|선명하지 않|보이지 않|(?:알아보기|읽기|판독하기|인식하기)가? (?:어렵|힘들))"
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
