"""An images API on localhost that does what servers do on bad days, by the name of the model asked for."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from email import message_from_bytes
from email.policy import HTTP
from typing import Any

from misbehaving_server import Handler, Server
from PIL import Image


def encoded(image: Image.Image, kind: str = "PNG") -> str:
    """A picture file in base64."""
    file = io.BytesIO()
    image.save(file, kind)
    return base64.b64encode(file.getvalue()).decode("ascii")


def bomb(width: int, height: int) -> bytes:
    """A PNG of some hundred bytes that says it is of this size."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 9)) + chunk(b"IEND", b"")
    )


def fields(content_type: str, body: bytes) -> dict[str, Any]:
    """The fields of a form with files, or of a JSON object."""
    if not content_type.startswith("multipart/"):
        found: dict[str, Any] = json.loads(body)
        return found
    form = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body, policy=HTTP)
    parts = {}
    for part in form.iter_parts():
        content = part.get_payload(decode=True)
        name = part.get_param("name", header="content-disposition")
        parts[name] = content if part.get_filename() else content.decode()
    return parts


class ImagesHandler(Handler):
    """One request for a picture."""

    def do_GET(self) -> None:
        """Files: a good one, one that is not there, one that is elsewhere."""
        self.server.headers.append({name.title(): value for name, value in self.headers.items()})
        if self.path == "/v1/files/drawn.png":
            return self.bytes(base64.b64decode(encoded(self.shade())), Content_Type="image/png")
        if self.path == "/v1/files/elsewhere.png":
            return self.bytes(b"", 302, Location="http://127.0.0.1:9/drawn.png")
        return self.error(404, "no such file")

    def do_POST(self) -> None:
        """Behaves as the model's name says."""
        server = self.server
        body = fields(self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"])))
        body["path"] = self.path
        model = body["model"]
        with server.lock:
            server.calls[model] += 1
            server.bodies.append(body)
            server.headers.append({name.title(): value for name, value in self.headers.items()})
        getattr(self, f"be_{model}", self.be_good)(server.calls[model], body)

    def shade(self) -> Image.Image:
        """The picture that is always drawn."""
        return Image.new("RGB", (24, 16), (10, 200, 30))

    def send(self, *items: dict[str, Any], **more: Any) -> None:
        """An images reply."""
        self.json({"created": 1, "data": list(items), **more})

    def be_good(self, call: int, body: dict[str, Any]) -> None:
        """An edited picture is the given one turned to its negative; a drawn one is of one colour."""
        image = self.shade()
        if "image" in body:
            with Image.open(io.BytesIO(body["image"])) as given:
                image = given.convert("RGB").point(lambda value: 255 - value)
        self.send({"b64_json": encoded(image)})

    def be_busy(self, call: int, body: dict[str, Any]) -> None:
        """429 with Retry-After, then good."""
        if call == 1:
            return self.error(429, "too many requests", Retry_After="0")
        return self.be_good(call, body)

    def be_flaky(self, call: int, body: dict[str, Any]) -> None:
        """500 once, then good."""
        if call == 1:
            return self.error(500, "internal")
        return self.be_good(call, body)

    def be_slow(self, call: int, body: dict[str, Any]) -> None:
        """Answers after a while."""
        time.sleep(0.2)
        self.be_good(call, body)

    def be_jpeg(self, call: int, body: dict[str, Any]) -> None:
        """A JPEG."""
        self.send({"b64_json": encoded(self.shade(), "JPEG")})

    def be_gif(self, call: int, body: dict[str, Any]) -> None:
        """A format that is not read."""
        self.send({"b64_json": encoded(self.shade(), "GIF")})

    def be_file(self, call: int, body: dict[str, Any]) -> None:
        """An address on this server."""
        self.send({"url": self.server.url + "/files/drawn.png"})

    def be_relative(self, call: int, body: dict[str, Any]) -> None:
        """An address without its server."""
        self.send({"b64_json": None, "url": "/v1/files/drawn.png"})

    def be_inline(self, call: int, body: dict[str, Any]) -> None:
        """A data: address."""
        self.send({"url": f"data:image/png;base64,{encoded(self.shade())}"})

    def be_lost(self, call: int, body: dict[str, Any]) -> None:
        """An address of nothing."""
        self.send({"url": self.server.url + "/files/lost.png"})

    def be_moved(self, call: int, body: dict[str, Any]) -> None:
        """An address that leads elsewhere."""
        self.send({"url": self.server.url + "/files/elsewhere.png"})

    def be_abroad(self, call: int, body: dict[str, Any]) -> None:
        """An address on another server."""
        self.send({"url": "http://127.0.0.1:9/drawn.png"})

    def be_local(self, call: int, body: dict[str, Any]) -> None:
        """The address of a file of the client's."""
        self.send({"url": "file:///etc/hostname"})

    def be_broken(self, call: int, body: dict[str, Any]) -> None:
        """Half a picture."""
        whole = base64.b64decode(encoded(Image.effect_noise((64, 64), 90).convert("RGB")))
        self.send({"b64_json": base64.b64encode(whole[: len(whole) // 2]).decode()})

    def be_text(self, call: int, body: dict[str, Any]) -> None:
        """No picture at all."""
        self.send({"b64_json": base64.b64encode(b"I have drawn your picture.").decode()})

    def be_garbled(self, call: int, body: dict[str, Any]) -> None:
        """No base64."""
        self.send({"b64_json": "not base64!"})

    def be_bomb(self, call: int, body: dict[str, Any]) -> None:
        """A small file of a huge picture."""
        self.send({"b64_json": base64.b64encode(bomb(50_000, 50_000)).decode()})

    def be_large(self, call: int, body: dict[str, Any]) -> None:
        """One that Pillow itself would open."""
        self.send({"b64_json": base64.b64encode(bomb(9_000, 9_000)).decode()})

    def be_none(self, call: int, body: dict[str, Any]) -> None:
        """No picture."""
        self.send()

    def be_two(self, call: int, body: dict[str, Any]) -> None:
        """Two pictures."""
        self.send({"b64_json": encoded(self.shade())}, {"b64_json": encoded(self.shade())})

    def be_bare(self, call: int, body: dict[str, Any]) -> None:
        """A picture without a file."""
        self.send({"revised_prompt": "a page"})

    def be_chat(self, call: int, body: dict[str, Any]) -> None:
        """Another API's reply."""
        self.json({"choices": [{"message": {"content": "here you are"}}]})

    def be_wrong(self, call: int, body: dict[str, Any]) -> None:
        """Not JSON."""
        self.bytes(b"<html>")

    def be_policy(self, call: int, body: dict[str, Any]) -> None:
        """A refusal as OpenAI's."""
        said = {"message": "Your request was rejected by the safety system.", "code": "moderation_blocked"}
        self.json({"error": {**said, "type": "image_generation_user_error"}}, 400)

    def be_wrapped(self, call: int, body: dict[str, Any]) -> None:
        """A refusal as Azure's."""
        inner = {"code": "ResponsibleAIPolicyViolation"}
        self.json({"error": {"code": "invalid_request", "message": "filtered", "innererror": inner}}, 400)

    def be_filtered(self, call: int, body: dict[str, Any]) -> None:
        """A refusal under status 200."""
        self.json({"error": {"code": "content_policy_violation", "message": "no"}})

    def be_blocked(self, call: int, body: dict[str, Any]) -> None:
        """A refusal in the place of the picture."""
        self.send({"b64_json": None, "finish_reason": "CONTENT_FILTER"})

    def be_invalid(self, call: int, body: dict[str, Any]) -> None:
        """A 400 that is no refusal."""
        self.error(400, "size must be one of 1024x1024")

    def be_reported(self, call: int, body: dict[str, Any]) -> None:
        """An error under status 200, then good."""
        if call == 1:
            return self.json({"error": {"message": "upstream is busy", "code": 502}})
        return self.be_good(call, body)

    def be_echo(self, call: int, body: dict[str, Any]) -> None:
        """A refusal that repeats the key it was sent."""
        said = f"no, {self.headers['Authorization']}"
        self.json({"error": {"message": said, "code": "content_policy_violation"}}, 400)


class ImagesServer(Server):
    """Counts requests by model, keeps their fields and headers, and answers as the model's name says."""

    def __init__(self) -> None:
        super().__init__()
        self.RequestHandlerClass = ImagesHandler


@contextlib.contextmanager
def images_running() -> Iterator[ImagesServer]:
    """A server for the time of a test."""
    server = ImagesServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
