"""Point 15: servers that abuse HTTP/2, and the handshakes before it."""
import queue
import socket
import ssl
import subprocess
import threading
import time

import free_ports
from bench import arrived, attack, require
from servers import PATIENCE, Server, status

MIB = 1 << 20
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
REFUSED, CALM, OLD = 7, 11, 13
PAGE = (b"<!DOCTYPE HTML><html><head><title>403 Forbidden</title></head><body><h1>Forbidden</h1><p>You don't have "
        b"permission to access this resource.Reason: Cannot perform Post-Handshake Authentication.<br /></p></body></html>")


def frame(kind, payload=b"", flags=0, stream=0):
    return len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + payload


def block(*fields):
    """Literals without indexing (RFC 7541 6.2.2), each shorter than 127 bytes."""
    return b"".join(b"\0" + bytes([len(text)]) + text if number == 0 else bytes([len(text)]) + text
                    for field in fields for number, text in enumerate(field))


def head(stream, code=b"200", *fields, flags=4):
    return frame(HEADERS, block((b":status", code), *fields), flags, stream)


def answer(stream, body=b"ok"):
    return head(stream) + frame(DATA, body, 1, stream)


class Peer:
    """One connection of HTTP/2, with the frames that were read from it."""

    def __init__(self, connection, number, settings):
        self.connection, self.number = connection, number
        self.buffer = connection.makefile("rb")
        self.buffer.read(24)
        self.send(frame(SETTINGS, settings))

    def send(self, data):
        self.connection.sendall(data)

    def read(self):
        start = self.buffer.read(9)
        if len(start) < 9:
            raise OSError("the end")
        payload = self.buffer.read(int.from_bytes(start[:3]))
        kind, flags, stream = start[3], start[4], int.from_bytes(start[5:])
        if kind == SETTINGS and not flags & 1:
            self.send(frame(SETTINGS, flags=1))
        return kind, flags, stream, payload

    def request(self):
        """The stream of the next one."""
        while True:
            kind, _, stream, _ = self.read()
            if kind == HEADERS:
                return stream


class FrameServer(Server):
    """Speaks HTTP/2 by a script if the client chooses it, else HTTP/1.1 by a table.

    The script gets the connection and the stream of each request. Contexts: of the first, second … connection; the last one
    is that of all others.
    """

    settings = b""

    def __init__(self, script, contexts, answers=None):
        self.script, self.contexts, self.streams = script, contexts, 0
        super().__init__(answers or {"*": status(200, b"old")}, tls=contexts[0])

    def context(self, number):
        return self.contexts[min(number, len(self.contexts)) - 1]

    def talk(self, connection, number):
        if connection.selected_alpn_protocol() != "h2":
            return super().talk(connection, number)
        peer = Peer(connection, number, self.settings)
        while True:
            stream = peer.request()
            with self.lock:
                self.streams += 1
            self.script(peer, stream)


def speaking(scene, *protocols, file="frames", latest=None):
    context = scene.bench.authority.issue(f"{file}-{id(scene)}", scene.bench.authority.NAMES)
    if protocols:
        context.set_alpn_protocols(list(protocols))
    if latest:
        context.maximum_version = latest
    return context


def multiplexed(scene, script, *contexts, **options):
    server = FrameServer(script, contexts or (speaking(scene, "h2", "http/1.1"),), **options)
    scene.servers.append(server)
    return server


def httpc(scene, server, *arguments, **options):
    return scene.httpc("--cacert", scene.bench.authority.ca, *arguments, server.origin + "/", **options)


# Floods

def endless(piece):
    def script(peer, stream):
        data = piece(stream) if callable(piece) else piece
        data *= max(1, (1 << 18) // len(data))
        while True:
            peer.send(data)
    return script


def after(start, piece):
    def script(peer, stream):
        peer.send(start(stream))
        endless(piece)(peer, stream)
    return script


def bomb(peer, stream):
    """One large field in the table, named again by one byte each."""
    entry = b"\x40\x01a" + b"\x7f\x81\x1e" + b"x" * 4000
    peer.send(frame(HEADERS, b"\x88" + entry + b"\xbe" * 12000, 4, stream))
    while True:
        peer.read()


FLOODS = [
    ("SETTINGS", endless(frame(SETTINGS)), (16,)),
    ("SETTINGS with a thousand values", endless(frame(SETTINGS, b"\0\3\0\0\0\1" * 1000)), (16,)),
    ("PING", endless(frame(PING, bytes(8))), (16,)),
    ("WINDOW_UPDATE", endless(frame(WINDOW, b"\0\0\0\1")), (16,)),
    ("PRIORITY", endless(lambda stream: frame(PRIORITY, b"\0\0\0\0\1", stream=stream)), (16,)),
    ("empty DATA", after(head, lambda stream: frame(DATA, stream=stream)), (16,)),
    ("padded empty DATA", after(head, lambda stream: frame(DATA, b"\1\0", 8, stream)), (16, 28)),
    ("CONTINUATION", after(lambda stream: frame(HEADERS, block((b":status", b"200")), stream=stream),
                           lambda stream: frame(CONTINUATION, stream=stream)), (16,)),
    ("CONTINUATION with fields", after(
        lambda stream: frame(HEADERS, block((b":status", b"200")), stream=stream),
        lambda stream: frame(CONTINUATION, block((b"a", b"b" * 100)) * 100, stream=stream)), (16, 63)),
    ("interim responses", endless(lambda stream: head(stream, b"103")), (8, 16)),
    ("trailers", after(head, lambda stream: frame(HEADERS, block((b"a", b"b")), 4, stream)), (8, 16)),
    ("RST_STREAM", endless(lambda stream: frame(RESET, b"\0\0\0\2", stream=stream)), (16, 92)),
    ("pushes", endless(lambda stream: frame(PUSH, b"\0\0\0\2" + block((b":method", b"GET")), 4, stream)), (16,)),
    ("GOAWAY", endless(frame(GOAWAY, b"\x7f\xff\xff\xff\0\0\0\0")), (16,)),
    ("a head that unpacks to much", bomb, (16, 63)),
    ("bytes of no frame", endless(b"\xff" * 1000), (16,)),
    ("unknown frames", endless(frame(0xAA, bytes(1000))), (16,)),
    ("ALTSVC", endless(frame(0xA, b"\0\1a" + bytes(1000))), (16,)),
    ("ORIGIN", endless(frame(0xC, b"\0\x11http://a.example/")), (16,)),
]


def slowly(peer, stream):
    """Waits long enough to measure the memory at rest, then answers."""
    time.sleep(0.3)
    peer.send(answer(stream))


UNKNOWN = frame(WINDOW, b"\0\0\0\1") + frame(0xAA, bytes(16_000)) * 60


def cut(frames):
    """Writes that end 4 bytes into a frame's header."""
    return after(lambda stream: frames[:4], frames[4:] + frames[:4])


def shifted(peer, stream):
    """A body of 60 MB, within the window, whose writes end 4 bytes into a frame's header."""
    peer.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    part = frame(DATA, bytes(12_000), 0, stream)
    peer.send(head(stream) + part[:4])
    window = (56 << 10) - 12_000
    for _ in range(5000):
        peer.send(part[4:] + part[:4])
        window -= 12_000
        while window < 0:
            kind, _, number, payload = peer.read()
            if kind == WINDOW and number == stream:
                window += int.from_bytes(payload)
    peer.send(part[4:] + frame(DATA, b"", 1, stream))


FLOODS += [("unknown frames between window updates", cut(UNKNOWN), (16, 28)), ("a body, cut in headers", shifted, (0,))]


@attack(15, "a flood ends, and holds no memory", FLOODS)
def flood(scene, script, codes):
    plain = multiplexed(scene, slowly)
    rest = httpc(scene, plain).ends(0).memory
    server = multiplexed(scene, script)
    outcome = httpc(scene, server, "--max-time", "30" if 0 in codes else "10", "-o", "/dev/null").ends(*codes)
    require(server.streams, "nothing was tested: no request arrived")
    require(outcome.memory - rest < 32 * 1024, f"it held {(outcome.memory - rest) // 1024} MiB more than at rest")


# Answers without a body that have one

@attack(15, "a body of an answer that has none", [
    ("HEAD", ["-I"], b"200"), ("204", [], b"204"), ("304", [], b"304"), ("205, whose body is delivered", [], b"205")])
def bodiless(scene, arguments, code):
    server = multiplexed(scene, lambda peer, stream: peer.send(head(stream, code) + frame(DATA, b"forged", 1, stream)))
    outcome = httpc(scene, server, *arguments)
    require(server.streams, "nothing was tested: no request arrived")
    require((b"forged" in outcome.out) == (code == b"205"), f"the output is {outcome.out[:40]!r}")
    outcome.ends(0 if code == b"205" else 8)


# Servers that always want the request again

def refusing(code):
    return lambda peer, stream: peer.send(frame(RESET, code.to_bytes(4), stream=stream))


def leaving(peer, stream):
    peer.send(frame(GOAWAY, bytes(8)))
    # A socket that is closed with unread bytes discards the bytes that it has sent.
    while True:
        peer.read()


@attack(15, "a request is not sent again for ever", [
    ("streams that are refused", refusing(REFUSED), (92,), 6),
    ("connections that end before it", leaving, (16,), 6),
    ("too many requests", refusing(CALM), (92,), 1),
    ("HTTP/1.1 is wanted, and gets frames", refusing(OLD), (8,), 2),
    ("misdirected", lambda peer, stream: peer.send(head(stream, b"421", flags=5)), (0,), 2)])
def again(scene, script, codes, most):
    frames = {"*": frame(SETTINGS) + answer(1)}
    server = multiplexed(scene, script, answers=frames)
    httpc(scene, server, "-d", "body").ends(*codes)
    count = server.streams + len(server.requests)
    require(1 <= count <= most, f"the request came {count} times")


@attack(15, "misdirected for ever, over HTTP/1.1")
def misdirected(scene):
    server = scene.secure({"*": status(421, b"elsewhere")})
    outcome = httpc(scene, server, "--http1.1")
    require(outcome.code == 0 and outcome.out == b"elsewhere", outcome.says())
    require(len(arrived(server) and server.received()) == 2, f"the request came {len(server.received())} times")


@attack(15, "a request that is answered too late for ever is sent twice at most")
def late(scene):
    server = scene.server({"/kept": status(200, b"ok"), "*": status(408, b"late", "Connection: close")})
    outcome = scene.httpc(server.origin + "/kept", server.origin + "/page")
    require(outcome.code == 0 and b"late" in outcome.out, outcome.says())
    arrived(server, "/page")
    require(len(server.received("/page")) == 2, f"the request came {len(server.received('/page'))} times")


@attack(15, "a server that calls all requests misdirected gets two connections")
def misdirecting(scene):
    server = multiplexed(scene, lambda peer, stream: peer.send(head(stream, b"421", flags=5)))
    httpc(scene, server, *[server.origin + "/"] * 7).ends(0)
    require(server.streams == 9, f"the 8 requests came {server.streams} times")
    require(server.connections == 2, f"there were {server.connections} connections")


# Another connection in the place of the first

@attack(15, "a key that is pinned holds for the connection that takes another's place", [
    ("HTTP/1.1 is wanted", refusing(OLD)), ("a stream is refused and the connection ends", leaving),
    ("misdirected", lambda peer, stream: peer.send(head(stream, b"421", flags=5)))])
def pinned(scene, script):
    first, second = speaking(scene, "h2", file="one"), speaking(scene, "http/1.1", file="two")
    learning = multiplexed(scene, lambda peer, stream: peer.send(answer(stream)), first)
    wrong = "sha256//" + "A" * 43 + "="
    told = httpc(scene, learning, "--pinnedpubkey", wrong).ends(90).err.decode()
    pin = next(word.strip("\"'.,;()") for word in told.split() if "sha256//" in word and wrong not in word)
    httpc(scene, learning, "--pinnedpubkey", pin).ends(0)
    server = multiplexed(scene, script, first, second)
    outcome = httpc(scene, server, "--pinnedpubkey", pin, "-H", f"Authorization: Bearer {scene.password}").ends(90)
    require(server.streams == 1 and server.connections >= 2, "nothing was tested: there was no other connection")
    require(not server.requests, "the request went to a server with another key")
    outcome.hides(scene.password)


@attack(15, "a server may go back to HTTP/1.1 for the next connection")
def lowered(scene):
    contexts = speaking(scene, "h2", file="one"), speaking(scene, "http/1.1", file="two")
    server = multiplexed(scene, leaving, *contexts)
    outcome = httpc(scene, server, "-d", "body").ends(0)
    require(outcome.out == b"old" and arrived(server).body == b"body", "the request did not arrive whole")


# Handshakes

class SlowServer(Server):
    """Says so much of nothing before TLS, one byte a second."""

    def __init__(self, data):
        self.data = data
        super().__init__({}, tls=None)
        self.origin = f"https://{self.authority}"

    def talk(self, connection, number):
        connection.recv(1 << 16)
        for byte in self.data:
            connection.sendall(bytes([byte]))
            time.sleep(1)
        connection.recv(1 << 16)


@attack(15, "a handshake that never ends is given up", [
    ("nothing comes", b""), ("a record that never fills", b"\x16\x03\x03\x40\x00" + b"\x02" * 60),
    ("alerts that warn", b"\x15\x03\x03\x00\x02\x01\x5a" * 20)])
def slow(scene, data):
    server = SlowServer(data)
    scene.servers.append(server)
    outcome = httpc(scene, server, "--connect-timeout", "3").ends(28, 35)
    require(outcome.code == 35 or b"within 3.0 seconds" in outcome.err, f"it was not this time that was over: {outcome.says()}")
    require(server.connections, "nothing was tested: nobody connected")


class HangingServer(FrameServer):
    """Says nothing on its first connections, and completes the handshakes of the others."""

    def __init__(self, scene, count, protocol):
        self.count = count
        super().__init__(lambda peer, stream: peer.send(answer(stream)), (speaking(scene, protocol),))
        scene.servers.append(self)

    def context(self, number):
        return None if number <= self.count else super().context(number)

    def talk(self, connection, number):
        if number > self.count:
            return super().talk(connection, number)
        while connection.recv(1 << 16):
            pass


@attack(15, "handshakes that hang do not make a server unreachable", [
    (f"{count} of them, {protocol}", count, protocol) for count in (1, 2) for protocol in ("h2", "http/1.1")])
def hanging(scene, count, protocol):
    server = HangingServer(scene, count, protocol)
    outcome = httpc(scene, server, "-Z", "--connect-timeout", "30", server.origin + "/2", server.origin + "/3").ends(0)
    require(server.connections > count, "nothing was tested: no handshake hung")
    require(len(outcome.out) == 3 * len(b"old" if protocol == "http/1.1" else b"ok"), f"not all were answered: {outcome.says()}")


class NarrowServer(FrameServer):
    """Allows one stream on a connection. That of its first connection never ends."""

    settings = b"\0\3\0\0\0\1"

    def __init__(self, scene):
        super().__init__(self.say, (speaking(scene, "h2"),))
        scene.servers.append(self)

    def say(self, peer, stream):
        peer.send(answer(stream) if peer.number > 1 else head(stream) + frame(DATA, b"endless", 0, stream))


@attack(15, "a stream without an end does not hold up the requests behind it")
def endless_stream(scene):
    server = NarrowServer(scene)
    outcome = httpc(scene, server, "-Z", "-m", "15", server.origin + "/2", server.origin + "/3").ends(28)
    require(server.streams == 3 and server.connections > 1, f"{server.streams} of 3 requests arrived: {outcome.says()}")
    require(outcome.out.count(b"ok") == 2, f"not all others were answered: {outcome.out!r}")


def identity(scene):
    """A client's certificate and key, in files."""
    authority = scene.bench.authority
    authority.issue(f"client-{id(scene)}", "")
    certificate = authority.folder / f"client-{id(scene)}.pem"
    return ("--cert", str(certificate), "--key", str(certificate.with_suffix(".key")))


@attack(15, "a page that asks for TLS 1.2 gets one more request", [("TLS 1.3", None), ("TLS 1.2", "1.2")])
def page(scene, version):
    latest = ssl.TLSVersion.TLSv1_2 if version else None
    forbidden = status(403, PAGE, "Content-Type: text/html; charset=iso-8859-1")
    server = multiplexed(scene, None, speaking(scene, "http/1.1", latest=latest), answers={"*": forbidden})
    outcome = httpc(scene, server, *identity(scene)).ends(0)
    require(outcome.out == PAGE, "the answer is another one")
    require(len(server.requests) == 2, f"the request came {len(server.requests)} times")


class Renegotiating:
    """openssl's server, which begins another handshake whenever a request has come."""

    def __init__(self, scene, times):
        context = scene.bench.authority
        context.issue(f"reneg-{id(scene)}", context.NAMES)
        certificate = str(context.folder / f"reneg-{id(scene)}.pem")
        [self.port] = free_ports.find()
        self.requests, self.times, self.lines = 0, times, queue.Queue()
        self.process = subprocess.Popen(
            ["openssl", "s_server", "-accept", f"127.0.0.1:{self.port}", "-tls1_2", "-cert", certificate, "-key",
             certificate.replace(".pem", ".key"), "-CAfile", context.ca],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0, start_new_session=True)
        scene.processes.append(self.process)
        self.origin = f"https://127.0.0.1:{self.port}"
        self.ready = threading.Event()
        threading.Thread(target=self.watch, daemon=True).start()
        require(self.ready.wait(PATIENCE), "nothing was tested: openssl's server does not start")

    def watch(self):
        asked = 0
        for line in self.process.stdout:
            if line.startswith(b"ACCEPT"):
                self.ready.set()
            if line.startswith(b"GET "):
                self.requests += 1
                asked = 0
            # The end of a head, and of another handshake.
            if line in (b"\r\n", b"\n") and self.requests and asked == 0 or b"Read BLOCK" in line and asked < self.times:
                asked += 1
                try:
                    self.process.stdin.write(b"R\n")
                except OSError:
                    return


@attack(15, "handshakes one after the other on a connection end it", [("without end", 50)])
def renegotiation(scene, times):
    server = Renegotiating(scene, times)
    outcome = httpc(scene, server, "--http1.1", *identity(scene))
    require(server.requests, "nothing was tested: no request arrived")
    require(outcome.code != 0 and server.requests <= 3, f"ended with {outcome.code} after {server.requests} requests")
    outcome.ends(35)
