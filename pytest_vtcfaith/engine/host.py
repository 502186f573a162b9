"""What runs in a host process: one model on one device, asked in full batches by everybody who waits for it.

Three threads work for the model: one takes in the cases, one lays out, draws and looks them up in the store, one
judges replies and writes them down. The model has the main thread to itself, and waits for none of them that keeps up.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.engine.answers import answer_line, answers_file, append, no_answer
from pytest_vtcfaith.engine.failures import breaks_device, kept_alive, out_of_memory, shortened
from pytest_vtcfaith.engine.joined import join
from pytest_vtcfaith.engine.run import Question, batch_of, error_reply, judged, look_up, put, upright
from pytest_vtcfaith.engine.secrets import MASK, mask_secrets
from pytest_vtcfaith.engine.store import ResponseStore
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.models.protocols import Prompt
from pytest_vtcfaith.models.spec import ModelSpec

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.metrics.outcomes import Reply

BATCH_SIZE = 16
"""Pages per call where neither the command line nor the model says otherwise."""
READY_BATCHES = 2
LONELY_SECONDS = 0.03
"""How long a batch that is not full waits for more cases where more may come."""
PARENT_SECONDS = 1.0
BROKEN = 70
"""Exit status of a host whose device or engine can do nothing more."""
SECRET_SETTINGS = ("api_key", "apikey", "api-key", "access_token", "auth_token", "secret", "password")
ENGINES = ("torch", "transformers", "diffusers", "vllm", "onnxruntime", "openai")
Batch = tuple[str, Prompt | None]


@dataclass(slots=True)
class _Case:
    """A case that is being answered: what is known of each of its pages."""

    name: str
    pages: list[Transcript | None]

    def line(self) -> bytes | None:
        """The line of its answer, None as long as a page lacks."""
        found = [page for page in self.pages if page is not None]
        if len(found) < len(self.pages):
            return None
        return answer_line(self.name, found[0] if len(found) == 1 else join(found))


@dataclass(frozen=True, slots=True)
class _Page:
    """A page that the model is to read: the `number`-th of its case, its picture, and where its reply is stored."""

    case: _Case
    number: int
    question: Question
    picture: Image.Image | None
    key: str | None


class Host:
    """Serves one model until it is told to end; dies with the process that started it.

    `questions` makes the questions of a case, one for each page; what it raises becomes the `infrastructure_error` of
    the case. `incoming` is a file descriptor of lines of JSON: `{"ask": [case, …], "alone": bool, "more": bool}`
    (`more`: other cases may follow) and `{"end": true}`. Answers go to the files of `folder`, events to the file
    `events`. `batch_size` is what the user asked for, None for the model's own. With a `store` complete replies are
    stored.
    """

    def __init__(
        self,
        spec: ModelSpec,
        questions: Callable[[str], Sequence[Question]],
        incoming: int,
        *,
        folder: Path,
        events: Path,
        batch_size: int | None,
        store: ResponseStore | None,
    ) -> None:
        self.spec = spec
        self._questions = questions
        self._incoming = incoming
        self._answers = answers_file(folder)
        self._events = events
        self._given_size = batch_size
        self._batch_size = batch_size or BATCH_SIZE
        self._store = store
        self._more = True
        self._lock = threading.Lock()
        self._held = 0  # pages that wait for the model or are being read
        self._loaded = threading.Event()
        self._inbox: queue.Queue[tuple[str, bool] | None] = queue.Queue()
        self._ready: queue.Queue[list[_Page] | None] = queue.Queue(READY_BATCHES)
        self._read: queue.Queue[tuple[list[_Page], list[Reply], float] | None] = queue.Queue()

    def serve(self) -> None:
        """Loads the model and answers until the end. What loading raises is told in the event `unloadable`."""
        for work in (self._listen, self._prepare, _die_with_parent):
            threading.Thread(target=_or_die, args=(work,), daemon=True).start()
        self._tell(event="ready", pid=os.getpid())
        started = time.perf_counter()
        try:
            with kept_alive():
                model = self.spec.load()
        except Exception as error:
            self._tell(event="unloadable", error=error_reply(error).error)
            raise
        own = self.spec.options.get("batch_size") or getattr(model, "batch_size", None)
        self._batch_size = self._given_size or (own if isinstance(own, int) and own > 0 else BATCH_SIZE)
        seconds = round(time.perf_counter() - started, 3)
        told = getattr(model, "settings", None)
        settings = _settings(told) if isinstance(told, Mapping) else {}
        size, versions = self._batch_size, _versions()
        self._tell(event="loaded", seconds=seconds, batch_size=size, versions=versions, settings=settings)
        self._loaded.set()
        booker = threading.Thread(target=_or_die, args=(self._book,), daemon=True)
        booker.start()
        while (batch := self._ready.get()) is not None:
            self._put(model, batch)
        self._read.put(None)
        booker.join()

    # --- the model, in the main thread --------------------------------------------------------------------

    def _put(self, model: Any, batch: Sequence[_Page]) -> None:
        """Asks in pieces of the current batch size, which running out of memory halves."""
        left = list(batch)
        while left:
            piece = left[: self._batch_size]
            error = self._call(model, piece)
            if error is None:
                del left[: len(piece)]
            elif out_of_memory(error) and len(piece) > 1:
                self._batch_size = len(piece) // 2
                self._tell(event="halved", batch_size=self._batch_size)
                error = None  # with the error go the tensors that its traceback holds
                _free_memory()
            else:
                del left[: len(piece)]
                if len(piece) > 1:
                    self._singly(model, piece)
                else:
                    self._read.put((piece, [error_reply(error)], 0.0))

    def _singly(self, model: Any, pages: Sequence[_Page]) -> None:
        """A batch failed: whose fault was it?"""
        for page in pages:
            error = self._call(model, [page])
            if error is not None:
                self._read.put(([page], [error_reply(error)], 0.0))

    def _call(self, model: Any, pages: list[_Page]) -> Exception | None:
        """One call of the model. Returns what it raised; what leaves no hope for further calls ends the process."""
        self._tell(event="begin", cases=list({page.case.name: None for page in pages}))
        started = time.perf_counter()
        try:
            with kept_alive():
                replies = put(model, [page.question for page in pages], [page.picture for page in pages])
        except Exception as error:
            if breaks_device(error):
                print(error_reply(error).error, file=sys.stderr, flush=True)
                os._exit(BROKEN)
            return error
        seconds = time.perf_counter() - started
        self._tell(event="end", pages=len(pages), seconds=round(seconds, 4))
        self._read.put((pages, replies, seconds / len(pages)))
        return None

    # --- what goes in -------------------------------------------------------------------------------------

    def _listen(self) -> None:
        for line in _lines(self._incoming):
            message: dict[str, Any] = json.loads(line)
            if message.get("end"):
                self._more = False
                self._inbox.put(None)
                return
            for case in message["ask"]:
                self._inbox.put((case, message["alone"]))
            self._more = message["more"]
        _die()  # without a last message: the other side is dead

    def _prepare(self) -> None:
        """Makes batches of pages that may be asked together; one that is not full goes out when nothing else can fill
        it.
        """
        waiting: dict[Batch, list[_Page]] = {}
        while True:
            if self._loaded.is_set():
                self._send_full(waiting)
            elif any(len(group) >= 2 * self._batch_size for group in waiting.values()):
                self._loaded.wait()  # the batch size is not known yet, and pictures take memory
                continue
            ready = bool(waiting) and self._loaded.is_set()
            try:
                asked = self._inbox.get(timeout=LONELY_SECONDS if self._more or not ready else 0)
            except queue.Empty:
                if ready and (not self._more or sum(map(len, waiting.values())) == self._held):  # no more will be sent
                    self._ready.put(waiting.pop(max(waiting, key=lambda batch: len(waiting[batch]))))
                continue
            if asked is None:
                break
            case, alone = asked
            for page in self._open(case):
                if alone:
                    self._ready.put([page])
                else:
                    waiting.setdefault(batch_of(page.question), []).append(page)
        for group in waiting.values():
            self._ready.put(group)
        self._ready.put(None)

    def _send_full(self, waiting: dict[Batch, list[_Page]]) -> None:
        for batch, group in list(waiting.items()):
            while len(group) >= self._batch_size:
                full = group[: self._batch_size]
                del group[: len(full)]
                if not group:
                    del waiting[batch]
                self._ready.put(full)

    def _open(self, name: str) -> list[_Page]:
        """The pages to ask. There are none when the answer is there already: stored, or that the case has no page."""
        found: list[_Page] = []
        try:
            questions = self._questions(name)
            case = _Case(name, [None] * len(questions))
            for number, question in enumerate(questions):
                stored = look_up(self.spec, question, self._store) if self._store is not None else None
                if stored is not None and stored.transcript is not None:
                    case.pages[number] = stored.transcript
                    continue
                picture = upright(question.image) if stored is None or stored.picture is None else stored.picture
                found.append(_Page(case, number, question, picture, None if stored is None else stored.key))
        except Exception as error:
            append(self._answers, [answer_line(name, no_answer(error_reply(error).error or ""))])
            return []
        if (line := case.line()) is not None:
            append(self._answers, [line])
        with self._lock:
            self._held += len(found)
        return found

    # --- what comes out -----------------------------------------------------------------------------------

    def _book(self) -> None:
        while (found := self._read.get()) is not None:
            pages, replies, seconds = found
            lines: list[bytes] = []
            for page, reply in zip(pages, replies, strict=True):
                page.case.pages[page.number] = judged(page.question, reply, seconds)
                if (line := page.case.line()) is not None:
                    lines.append(line)
            append(self._answers, lines)
            with self._lock:
                self._held -= len(pages)
            for page, reply in zip(pages, replies, strict=True):
                transcript = page.case.pages[page.number]
                complete = transcript is not None and transcript.outcome == "complete"
                if self._store is not None and page.key is not None and complete:
                    self._store.put(page.key, reply)

    def _tell(self, **event: object) -> None:
        append(self._events, [json.dumps(event).encode("ascii")])


def _lines(file: int) -> Iterator[bytes]:
    """Lines of a pipe until it ends. Not by a buffered file: Python aborts at exit when a thread still reads one."""
    rest = b""
    while chunk := os.read(file, 65536):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines


def _or_die(work: Callable[[], None]) -> None:
    """A thread that ends by an error ends the process: nothing that waits for it would ever learn of it."""
    try:
        work()
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(BROKEN)


def _die_with_parent() -> None:
    """Besides the end of `incoming`: a child that the parent forked may hold the other end of it open."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    _die()


def _die() -> None:
    """Ends this process and those it started; nobody waits for anything they could still do."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(BROKEN)


def _free_memory() -> None:
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def _settings(told: Mapping[Any, Any]) -> dict[str, str]:
    """What a model tells of itself, without secrets."""
    found = {}
    for key, value in told.items():
        name = mask_secrets(str(key))
        secret = any(part in name.lower() for part in SECRET_SETTINGS)
        found[name] = MASK if secret else shortened(mask_secrets(str(value)))
    return found


def _versions() -> dict[str, str]:
    """Versions of Python, of this program, and of the engines that the model has imported."""
    found = {"python": sys.version.split()[0]}
    for name in ("pytest-vtcfaith", "pillow", *(name for name in ENGINES if name in sys.modules)):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
