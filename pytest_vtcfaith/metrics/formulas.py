"""Formulas in LaTeX and typed ones in one plain spelling, for comparing final answers."""

from __future__ import annotations

import re

_LONGEST = 500  # characters of an answer that is worth spelling anew
_SPACING = re.compile(r"\\(?:left|right|displaystyle|quad|qquad)(?![A-Za-z])|\\[,!;:()\[\]$]|\$")
_SIGNS = {
    r"\\pi": "π", r"\\infty": "∞", r"\\theta": "θ", r"\\alpha": "α", r"\\beta": "β", r"\\sqrt": "√",
    r"\\(?:cdot|times)": "·", r"\\leq?": "≤", r"\\geq?": "≥", r"\\neq?": "≠", r"\\pm": "±",
    r"\\(?:degree|circ)": "°", r"\\[dt]?frac": r"\\frac",
}  # fmt: skip
_FOLDED = str.maketrans({"−": "-", "×": "·", "⋅": "·", "*": "·", "²": "^2", "³": "^3"})
_WORDS = re.compile(r"\\(?:text|mathrm|mathbf|textbf|textrm|mbox)\s*\{([^{}]*)\}")
_FRACTION = re.compile(r"\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ARGUMENT = re.compile(r"([√^_])\s*\{([^{}]*)\}")
_GROUP = re.compile(r"\{([^{}]*)\}")
_ATOM = re.compile(r"-?(?:√?\d+(?:\.\d+)?|√?[^\W\d_]|[∞])")


def plain_formula(text: str) -> str:
    """A formula without LaTeX, so that equal texts mean the same: `\\frac{1}{2x}` is `1/(2x)`, `\\frac{1}{2}x` `1/2x`.

    Compound parts of fractions, roots and exponents get brackets, blanks stay between digits only, and what LaTeX needs
    for the look (`\\left`, `\\,`, `$`) is dropped. `\\pi`, `\\sqrt`, `\\infty`, `^\\circ`, `\\%` are π, √, ∞, °, %.
    It simplifies nothing: `x+1` is not `1+x`. A text of more than 500 characters stays as it is.
    """
    if len(text) > _LONGEST:
        return text
    text = _SPACING.sub("", text.replace(r"\{", "⟅").replace(r"\}", "⟆").replace(r"\%", "%").replace("\\ ", " "))
    for command, sign in _SIGNS.items():
        text = re.sub(rf"{command}(?![A-Za-z])", sign, text)
    text = re.sub(r"\^\s*(?:\{\s*°\s*\}|°)", "°", text).translate(_FOLDED)
    text = re.sub(r"\\frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}", text)
    while True:
        spelled = _ARGUMENT.sub(_argument, _FRACTION.sub(_fraction, _WORDS.sub(r"\1", text)))
        if spelled == text:
            spelled = _GROUP.sub(_group, text, count=1)
        if spelled == text:
            break
        text = spelled
    text = re.sub(r"(?<![\d.])\.(?=\d)", "0.", text)
    return re.sub(r"(?<!\d)\s+|\s+(?!\d)", "", text)


def _fraction(match: re.Match[str]) -> str:
    top, bottom = match[1].strip(), match[2].strip()
    if re.search(r"[-+±/,=<>]", top[1:]):
        top = f"({top})"
    return f" {top}/{_one(bottom)} "


def _argument(match: re.Match[str]) -> str:
    return f"{match[1]}{_one(match[2])} "


def _one(part: str) -> str:
    part = part.strip()
    return part if _ATOM.fullmatch(part) or (part[:1] + part[-1:] == "()" and part.count("(") == 1) else f"({part})"


def _group(match: re.Match[str]) -> str:
    return match[1] if len(match[1]) < 2 else f"⟅{match[1]}⟆"
