"""Servers that answer an upload before they have read it: nothing is cut in silence, and nothing waits without an end."""
import time

from bench import NEXT, arrived, attack, require
from http2 import DATA, RESET, WINDOW, answer, frame, head, httpc, multiplexed
from servers import HELD, Request, Server, page, status

SIZE = 20_000_000
# The place of the answer.
BEFORE = [("behind 100 Continue", True), ("in place of 100 Continue", False)]


class Early(Server):
    """Answers at the head of a request. A function of the server decides how much of the body is read."""

    def __init__(self, scene, answer, then, continues):
        self.answer = b"HTTP/1.1 100 Continue\r\n\r\n" * continues + answer
        self.then, self.got = then, 0
        super().__init__({})
        scene.servers.append(self)

    def talk(self, connection, number):
        buffer = connection.makefile("rb")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = buffer.readline(1 << 16)
            if not line:
                return
            head += line
        with self.lock:
            self.requests.append(Request(head, b"", number))
        connection.sendall(self.answer)
        self.then(self, buffer)


def reads(server, buffer):
    while data := buffer.read1(1 << 16):
        server.got += len(data)


def stalls(server, buffer):
    time.sleep(HELD)


def upload(scene, server, *arguments):
    outcome = scene.httpc("-sS", *arguments, "-T", scene.file("big", bytes(SIZE)), server.origin + "/x")
    require(arrived(server).field("Expect") == b"100-continue", "nothing was tested: the body did not wait")
    return outcome


@attack(NEXT, "an upload that is answered early arrives whole", BEFORE)
def early(scene, continues):
    server = Early(scene, status(200, b"ok"), reads, continues)
    outcome = upload(scene, server).ends(0)
    require(outcome.out == b"ok", f"the answer is {outcome.out!r}")
    scene.until(lambda: server.got >= SIZE, "the upload was cut, and counts as a success", seconds=10)
    require(server.got == SIZE, f"{server.got} bytes arrived")


@attack(NEXT, "an upload that is answered early, and then not read, ends by its limit", BEFORE)
def unread(scene, continues):
    server = Early(scene, status(200, b"ok"), stalls, continues)
    upload(scene, server, "-m", "4").ends(28)


@attack(NEXT, "an upload ends at a whole page, which may be that of a login", BEFORE)
def ends_at_a_page(scene, continues):
    server = Early(scene, page("<p>in</p>"), stalls, continues)
    began = time.monotonic()
    outcome = upload(scene, server).ends(0)
    require(outcome.out == b"<p>in</p>", f"the answer is {outcome.out!r}")
    require(time.monotonic() - began < 20, "it took too long")


def window(stream, count):
    return frame(WINDOW, count.to_bytes(4), stream=stream)


class Streams:
    """Streams that are answered at their heads, and the treatment of their bodies."""

    def __init__(self, continues):
        self.continues, self.got = continues, 0

    def answer(self, stream):
        return head(stream, b"100") * self.continues + answer(stream)

    def read(self, peer, stream):
        peer.send(self.answer(stream))
        flags = 0
        while not flags & 1:
            kind, flags, _, payload = peer.read()
            flags = flags if kind == DATA else 0
            if kind == DATA and payload:
                self.got += len(payload)
                peer.send(window(0, len(payload)) + window(stream, len(payload)))

    def stall(self, peer, stream):
        peer.send(self.answer(stream))
        while True:
            peer.read()

    def stop(self, peer, stream):
        """The answer is whole, and the rest of the request is not wanted (RFC 9113 §8.1)."""
        peer.send(self.answer(stream) + frame(RESET, bytes(4), stream=stream))
        while True:
            peer.read()


def upload_by_stream(scene, script, *arguments):
    server = multiplexed(scene, script)
    outcome = httpc(scene, server, "-sS", *arguments, "-T", scene.file("big", bytes(SIZE)))
    require(server.streams, "nothing was tested: no request arrived")
    return outcome


@attack(15, "an upload that is answered early arrives whole", BEFORE)
def early_stream(scene, continues):
    streams = Streams(continues)
    upload_by_stream(scene, streams.read).ends(0)
    scene.until(lambda: streams.got >= SIZE, "the upload was cut, and counts as a success", seconds=10)
    require(streams.got == SIZE, f"{streams.got} bytes arrived")


@attack(15, "an upload that is answered early, and then not read, ends by its limit", BEFORE)
def unread_stream(scene, continues):
    upload_by_stream(scene, Streams(continues).stall, "-m", "4").ends(28)


@attack(15, "an upload that is answered and not wanted any more ends at once", BEFORE)
def unwanted_stream(scene, continues):
    began = time.monotonic()
    upload_by_stream(scene, Streams(continues).stop).ends(0)
    require(time.monotonic() - began < 20, "it took too long")
