"""Connections that die or fall silent, in each phase: what waits for them ends at once, or by its limit."""
import socket
import ssl
import struct
import time

from bench import NEXT, arrived, attack, require
from servers import Server, page, status

# The time limit of a run, in seconds. An end of the connection that is noticed at once must not wait for it.
LIMIT = "30"
AT_ONCE = 15
NO_LIMIT = 28


class Dying(Server):
    """A server whose connections die; `moments` says when and how."""

    def __init__(self, die, tls=None):
        self.die = die
        super().__init__({"*": page("in")}, tls=tls)

    def context(self, number):
        return None

    def talk(self, connection, number):
        self.die(connection, self.tls)


def close(connection):
    connection.close()


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def half(connection):
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(1 << 16):
        pass


def silent(connection):
    while connection.recv(1 << 16):
        pass


ENDS = [("a close", close), ("a reset", reset), ("a half-close", half)]


def flight(connection, tls, alert=False):
    """The server's part of a handshake, and the end right behind it: the client is secured and goes on."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = tls.wrap_bio(incoming, outgoing, server_side=True)
    while not outgoing.pending:
        incoming.write(connection.recv(1 << 16))
        try:
            session.do_handshake()
        except ssl.SSLWantReadError:
            pass
    data = outgoing.read()
    if alert:
        incoming.write(b"\x17\x03\x03\0\x20" + b"x" * 32)
        try:
            session.do_handshake()
        except ssl.SSLError:
            pass
        data += outgoing.read()
    # The end comes with the last bytes.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    connection.sendall(data)


def quickly(scene, *arguments):
    """Runs httpc, which has half a minute and must not need it."""
    began = time.monotonic()
    outcome = scene.httpc("-sS", "--connect-timeout", LIMIT, *arguments)
    took = time.monotonic() - began
    require(outcome.code not in (0, NO_LIMIT), f"ended with {outcome.code}: {outcome.says()}")
    require(took < AT_ONCE, f"it took {took:.0f} s to see the end")
    return outcome


def speaking(scene, *protocols):
    """A server's TLS 1.3."""
    tls = scene.bench.authority.asking()
    tls.verify_mode = ssl.CERT_NONE
    tls.minimum_version = ssl.TLSVersion.TLSv1_3
    tls.set_alpn_protocols(list(protocols))
    return tls


def honest(scene):
    """The same request to a server that lives."""
    scene.httpc("--cacert", scene.bench.authority.ca, scene.secure({"*": page("in")}).origin + "/").ends(0)


@attack(NEXT, "a connection that dies between the handshake and the first request is seen to die", [
    (f"{name}, {protocol}", protocol, end, alert)
    for protocol in ("h2", "http/1.1")
    for name, end, alert in (("a close", close, False), ("a half-close", half, False), ("a close with an alert", close, True),
                             ("a half-close with an alert", half, True))])
def before_the_preface(scene, protocol, end, alert):
    def die(connection, tls):
        flight(connection, tls, alert)
        end(connection)
    server = Dying(die, speaking(scene, protocol))
    scene.servers.append(server)
    for _ in range(3):
        quickly(scene, "--cacert", scene.bench.authority.ca, server.origin + "/")
    require(server.connections >= 3, "nothing was tested: nobody came")
    honest(scene)


@attack(NEXT, "a server that demands a certificate says so in time", [("h2", "h2"), ("http/1.1", "http/1.1")])
def demanded(scene, protocol):
    tls = speaking(scene, protocol)
    tls.verify_mode = ssl.CERT_REQUIRED
    server = scene.server({"*": page("in")}, tls=tls)
    for _ in range(3):
        outcome = quickly(scene, "--cacert", scene.bench.authority.ca, server.origin + "/")
        require(outcome.code == 98, f"ended with {outcome.code}: {outcome.says()}")
    # With a certificate it answers.
    shown = scene.file("robot.pem", scene.bench.authority.client("robot"))
    tls = speaking(scene, "http/1.1")
    tls.verify_mode = ssl.CERT_REQUIRED
    good = scene.server({"*": page("in")}, tls=tls)
    scene.httpc("--cacert", scene.bench.authority.ca, "--cert", shown, good.origin + "/").ends(0)


def after(count, answer=b""):
    """Reads once, or so many times, says something and dies by `end`."""
    def phase(end):
        def die(connection, tls):
            for _ in range(count):
                connection.recv(1 << 16)
            if answer:
                connection.sendall(answer)
            end(connection)
        return die
    return phase


def in_tls(count, answer=b""):
    """The same inside of TLS."""
    def phase(end):
        def die(connection, tls):
            secured = tls.wrap_socket(connection, server_side=True)
            for _ in range(count):
                secured.recv(1 << 16)
            if answer:
                secured.sendall(answer)
            # Below TLS, which is not told.
            below = socket.socket(fileno=secured.detach())
            below.setblocking(True)
            end(below)
        return die
    return phase


# The phases of a request: each with the server's scheme, the proxy's, and the moment at which the peer dies.
PHASES = [
    ("TLS", "https", None, after(1)), ("a request", "http", None, after(1)), ("a request over TLS", "https", None, in_tls(1)),
    ("a head", "http", None, after(1, b"HTTP/1.1 200 OK\r\nContent-")),
    ("a body", "http", None, after(1, b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")),
    ("a body over TLS", "https", None, in_tls(1, b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")),
    ("CONNECT", "https", "http", after(1)), ("an answer to CONNECT", "https", "http", after(1, b"HTTP/1.1 200")),
    ("TLS in a tunnel", "https", "http", after(1, b"HTTP/1.1 200 OK\r\n\r\n")),
    ("TLS with a proxy", "http", "https", after(1)), ("CONNECT over TLS", "https", "https", in_tls(1)),
    ("a request to a proxy", "http", "http", after(1)),
    ("the greeting of SOCKS", "http", "socks5h", after(1)), ("a reply of SOCKS", "http", "socks5h", after(1, b"\5\0")),
]


def arguments(scene, server, scheme, proxy):
    if not proxy:
        return ("--cacert", scene.bench.authority.ca, f"{scheme}://127.0.0.1:{server.port}/")
    return ("-x", f"{proxy}://127.0.0.1:{server.port}", "--proxy-cacert", scene.bench.authority.ca, f"{scheme}://localhost:1/")


@attack(NEXT, "a connection that dies is seen to die", [
    (f"{phase}, {end}", scheme, proxy, moment(die))
    for phase, scheme, proxy, moment in PHASES for end, die in ENDS])
def dying(scene, scheme, proxy, die):
    server = Dying(die, speaking(scene, "http/1.1"))
    scene.servers.append(server)
    quickly(scene, *arguments(scene, server, scheme, proxy))
    require(server.connections, "nothing was tested: nobody came")


@attack(NEXT, "a connection that falls silent ends by its limit", [
    (phase, scheme, proxy, moment(silent)) for phase, scheme, proxy, moment in PHASES])
def falling_silent(scene, scheme, proxy, die):
    server = Dying(die, speaking(scene, "http/1.1"))
    scene.servers.append(server)
    began = time.monotonic()
    scene.httpc("-sS", "--connect-timeout", "2", "-m", "4", *arguments(scene, server, scheme, proxy)).ends(NO_LIMIT)
    require(time.monotonic() - began < AT_ONCE, "it took too long")
    honest(scene)


# Heads with fields that go on in the next line (obs-fold, RFC 9112 §5.2)

FOLDED = [
    ("a field", b"X-Long: a\r\n b", b"X-Long: a"), ("a field by a tab", b"X-Long: a\r\n\tb", b"X-Long: a"),
    ("a length in a field", b"X-Long: a\r\n Content-Length: 1", b"X-Long: a"),
    ("an empty line", b"X-Long: a\r\n ", b"X-Long: a"),
]


@attack(NEXT, "a field that goes on in the next line is one field", FOLDED)
def folded(scene, field, shown):
    server = scene.server({"*": status(200, b"in", field)})
    outcome = scene.httpc("-i", server.origin + "/").ends(0)
    arrived(server)
    require(shown in outcome.out and outcome.out.endswith(b"\r\n\r\nin"), f"it was read as {outcome.out!r}")


@attack(NEXT, "what says how long a message is goes on in no other line", [
    ("a length", b"Content-Length: 2\r\n 0"), ("a length behind its name", b"Content-Length:\r\n 2"),
    ("a length before its colon", b"Content-Length\r\n : 2"), ("a coding", b"Transfer-Encoding:\r\n chunked"),
    ("white space before the first field", b" X: y\r\nContent-Length: 2")])
def folded_framing(scene, field):
    server = scene.server({"*": b"HTTP/1.1 200 OK\r\n" + field + b"\r\nConnection: close\r\n\r\n2\r\nin\r\n0\r\n\r\n"})
    scene.httpc(server.origin + "/").ends(8)
    arrived(server)
    good = scene.server({"*": status(200, b"in")})
    scene.httpc(good.origin + "/").ends(0)
