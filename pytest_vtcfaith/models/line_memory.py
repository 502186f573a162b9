"""Lines of text that were recognised before: pages of one document have most of their lines in common, to the pixel."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import replace
from typing import Any

LINES = 20_000
"""How many lines are remembered; the one not seen for longest is forgotten first."""


class LineMemory:
    """RapidOCR's recogniser of lines, which recognises each picture of a line once.

    It reads every line by itself (`Rec.rec_batch_num` is 1), so that what it reads does not depend on the others.
    """

    def __init__(self, recogniser: Any) -> None:
        self.recogniser = recogniser
        self._known: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    def __call__(self, given: Any) -> Any:
        """The recogniser's output for its input, `given.img` being one array of pixels, or a list of them."""
        lines = given.img if isinstance(given.img, list | tuple) else [given.img]
        keys = [_key(line) for line in lines]
        new = {key: line for key, line in zip(keys, lines, strict=True) if key not in self._known}
        if given.return_word_box or not keys:
            return self.recogniser(given)
        if new:
            found = self.recogniser(replace(given, img=list(new.values())))
            self._known.update(zip(new, zip(found.txts, found.scores, strict=True), strict=True))
            self._output = found
        texts = [self._known[key] for key in keys]
        for key in keys:
            self._known.move_to_end(key)
        while len(self._known) > LINES:
            self._known.popitem(last=False)
        read, scores = zip(*texts, strict=True)
        return replace(self._output, imgs=list(lines), txts=read, scores=scores, word_results=(None,) * len(lines))


def _key(line: Any) -> bytes:
    return hashlib.sha256(repr(line.shape).encode("ascii") + line.tobytes()).digest()
