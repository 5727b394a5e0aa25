"""Proxies that are none, servers that play one, and passwords that are for one of both."""
import base64
import re
import socket
import threading
import urllib.parse

import free_ports
from bench import NEXT, arrived, attack, finds, never, require
from credentials import BASIC
from servers import HELD, PATIENCE, Server, page, raw, redirect, status

ASKS = 'Proxy-Authenticate: Basic realm="P"'
SERVERS = "password-of-the-servers-7d1f"
DIGEST = 'Proxy-Authenticate: Digest realm="P", qop="auth", algorithm=SHA-256, nonce="n1"'


class Proxy(Server):
    """An honest proxy on this machine: makes tunnels, and forwards requests in absolute form without the fields for itself."""

    def serve(self, connection, number):
        buffer = connection.makefile("rb")
        try:
            connection.settimeout(HELD)
            request = self.read(buffer, number)
            if not request:
                return
            with self.lock:
                self.requests.append(request)
            answer = self.answers.get("*")
            answer = answer(request) if callable(answer) else answer
            if answer:
                return connection.sendall(answer)
            if request.method == "CONNECT":
                host, _, port = request.target.rpartition(":")
                path = None
            else:
                url = urllib.parse.urlsplit(request.target)
                host, port, path = url.hostname, url.port, url.path or "/"
            with socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE) as server:
                if path is None:
                    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                else:
                    lines = request.raw.split(b"\r\n")
                    lines[0] = f"{request.method} {path} HTTP/1.1".encode()
                    lines = [line for line in lines if not line.lower().startswith(b"proxy-")]
                    server.sendall(b"\r\n".join(lines))
                back = threading.Thread(target=self.pass_on, args=(server, connection), daemon=True)
                back.start()
                self.pass_on(connection, server)
                back.join(PATIENCE)
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                self.open.discard(connection)
            connection.close()

    @staticmethod
    def pass_on(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def proxy(scene, answer=None):
    server = Proxy({"*": answer})
    scene.servers.append(server)
    return server


def through(scene, server, login=True):
    """The arguments that go through a proxy, with a login for it."""
    return ("-x", server.origin.replace("//", f"//alice:{scene.password}@") if login else server.origin,
            "--cacert", scene.bench.authority.ca)


def has_login(request):
    return bool(request.field("Proxy-Authorization"))


@attack(NEXT, "what is for the proxy never reaches the server", [("in a tunnel", True), ("in absolute form", False)])
def inside(scene, is_secure):
    # A connection each: the proxy reads one request of a client.
    answers = {"/": lambda request: page("in", "Connection: close") if request.field("Authorization")
               else status(401, b"", BASIC.format("S"), ASKS, "Connection: close")}
    server = scene.secure(answers) if is_secure else scene.server(answers)
    way = proxy(scene, lambda request: None if has_login(request) else status(407, b"", ASKS, "Connection: close"))
    origin = server.origin.replace("127.0.0.1", "localhost")
    scene.httpc(*through(scene, way), "-u", f"bob:{SERVERS}", origin + "/").ends(0)
    require(any(has_login(request) for request in way.received()), "nothing was tested: the proxy got no login")
    require(len(server.received("/")) == 2, "nothing was tested: the server was not asked twice")
    require(not finds(server.raw, scene.password) and b"proxy-auth" not in server.raw.lower(), "the server got it")
    if is_secure:
        require(not finds(way.raw, SERVERS), "the proxy got what is the server's")


@attack(NEXT, "a 407 of a server's is no challenge", [("in a tunnel", True, True), ("without a proxy", True, False),
                                                      ("without TLS and proxy", False, False)])
def played(scene, is_secure, is_proxied):
    answers = {"*": status(407, b"page", ASKS, BASIC.format("S"))}
    server = scene.secure(answers) if is_secure else scene.server(answers)
    way = proxy(scene)
    # With a proxy for everything else it is not used here.
    around = () if is_proxied else ("--noproxy", "*")
    scene.httpc(*through(scene, way), *around, server.origin + "/").ends(0)
    require(len(server.received()) == 1, "it was answered")
    never(server, scene.password)
    require(bool(way.received()) == is_proxied, "nothing was tested: the wrong way")
    require(not has_login(server.received()[0]), "it got a login")


@attack(NEXT, "nothing that comes instead of a tunnel is the server's", [
    ("a redirect", lambda other: redirect(other.origin + "/there", "Set-Cookie: stolen=1")),
    ("a question for a password", lambda other: status(401, b"login here", BASIC.format("S"), "Set-Cookie: stolen=1")),
    ("a page", lambda other: status(502, b"<form action=/x>", "Content-Type: text/html", "Set-Cookie: stolen=1")),
    ("a tunnel with a page in it", lambda other: status(200, b"welcome", "Set-Cookie: stolen=1")),
    ("a tunnel with an answer in it", lambda other: b"HTTP/1.1 200 OK\r\n\r\n" + page("welcome")),
    ("an escape sequence", lambda other: b"HTTP/1.1 503 \x1b]0;owned\x07\r\nSet-Cookie: stolen=1\r\n\r\n"),
    ("another protocol", lambda other: b"SSH-2.0-x\r\n"), ("nothing", lambda other: b""),
    ("switching protocols", lambda other: raw(101, b"", "Upgrade: x", "Connection: upgrade"))])
def instead(scene, answer):
    other = scene.server({"*": page("there")})
    server = scene.secure({"*": page("secret page")})
    way = scene.server({"*": answer(other) or None})
    jar = str(scene.folder / "jar")
    outcome = scene.httpc("-x", way.origin, "--cacert", scene.bench.authority.ca, "-u", f"bob:{scene.password}", "-c", jar,
                          server.origin + "/")
    outcome.ends(56, 97)
    arrived(way)
    never(way, scene.password)
    require(not outcome.out, "a page was shown as the server's")
    require(b"\x1b" not in outcome.err and b"\x07" not in outcome.err, "the terminal got control characters")
    require(not other.connections and not server.connections, "somebody else was asked")
    try:
        require(b"stolen" not in open(jar, "rb").read(), "its cookie was kept")
    except FileNotFoundError:
        pass


@attack(NEXT, "a proxy that is not there is not gone around", [
    ("http", "http://127.0.0.1:{}"), ("https", "https://127.0.0.1:{}"), ("SOCKS", "socks5h://127.0.0.1:{}")])
def gone(scene, url):
    server = scene.server({"*": page("there")})
    [port] = free_ports.find()
    scene.httpc("-x", url.format(port), server.origin + "/").ends(7)
    require(not server.connections, "it was gone around")


@attack(NEXT, "no password by Basic for a proxy that has offered Digest")
def downgraded(scene):
    way = scene.server({"*": lambda request: status(407, b"", DIGEST if len(way.received()) < 2 else ASKS)})
    scene.httpc(*through(scene, way), "http://h.example/")
    require(any(request.field("Proxy-Authorization").lower().startswith(b"digest") for request in way.received()),
            "nothing was tested: Digest was not answered")
    require(not finds(way.raw, scene.password), "it got the password")


@attack(NEXT, "a server's password is not the proxy's", [("-u", ()), ("in the URL", None)])
def wrong_way(scene, arguments):
    way = scene.server({"*": status(407, b"", ASKS, BASIC.format("S"))})
    url = "http://h.example/"
    if arguments is None:
        url = url.replace("//", f"//bob:{scene.password}@")
    else:
        arguments = ("-u", f"bob:{scene.password}")
    scene.httpc(*through(scene, way, login=False), *(arguments or ()), url)
    arrived(way)
    never(way, scene.password)


@attack(NEXT, "a field for the proxy is not sent to anybody")
def own_field(scene):
    server = scene.server({"*": page("there")})
    scene.httpc("-H", "Proxy-Authorization: Basic " + scene.password, server.origin + "/").ends(2).hides(scene.password)
    require(not server.connections, "something was sent")


@attack(NEXT, "a proxy that refuses a tunnel and repeats its login shows it to nobody", [
    (f"{name}, {words}", answer, options) for words, options in (("without -v", []), ("with -vv", ["-vv"])) for name, answer in [
        ("the reason phrase", lambda pw, pair: f"HTTP/1.1 403 REPEAT {pw}\r\nContent-Length: 0\r\n\r\n".encode()),
        ("the login in base64", lambda pw, pair: f"HTTP/1.1 403 REPEAT {pair}\r\nContent-Length: 0\r\n\r\n".encode()),
        ("a field", lambda pw, pair: status(407, b"", ASKS, f"Server: REPEAT {pw}")),
        ("the realm", lambda pw, pair: status(407, b"", f'Proxy-Authenticate: Basic realm="REPEAT {pw}"'))]])
def repeated_login(scene, answer, options):
    server = scene.secure({"*": status(200)})
    pair = base64.b64encode(b"alice:" + scene.password.encode()).decode()
    proxy = Proxy({"*": lambda request: (
        answer(scene.password, pair) if request.field("Proxy-Authorization") else status(407, b"", ASKS))})
    scene.servers.append(proxy)
    outcome = scene.httpc(
        *options, "--har", "kept.har", "-k", "-x", proxy.origin, "-U", "alice:" + scene.password, server.origin + "/")
    require(outcome.code != 0, "a refused tunnel is a success")
    require(finds(proxy.raw, "alice:" + scene.password), "nothing was tested: no password arrived")
    require(not server.received(), "the server was reached")
    outcome.hides(scene.password, pair)
    text = (scene.folder / "kept.har").read_bytes()
    require(text and not finds(text, scene.password), "the archive has the password")
    if options:
        require(b"REPEAT" in outcome.err, f"nothing was tested: it is not shown: {outcome.says()}")


@attack(NEXT, "nor the field that the tunnel got by Digest", [
    (f"{name}, {words}", answer, options) for words, options in (("without -v", []), ("with -vv", ["-vv"])) for name, answer in [
        ("the reason phrase", lambda text: b"HTTP/1.1 403 REPEAT " + text + b"\r\nContent-Length: 0\r\n\r\n"),
        ("a field", lambda text: status(407, b"", DIGEST, b"Server: REPEAT " + text)),
        ("the realm", lambda text: status(407, b"", b'Proxy-Authenticate: Basic realm="REPEAT ' + text + b'"'))]])
def repeated_digest(scene, answer, options):
    server = scene.secure({"*": status(200)})
    response = lambda request: re.search(rb'response="?([0-9a-f]+)', request.field("Proxy-Authorization"))
    proxy = Proxy({"*": lambda request: (
        answer(response(request)[1]) if response(request) else status(407, b"", DIGEST))})
    scene.servers.append(proxy)
    outcome = scene.httpc(
        *options, "--har", "kept.har", "-k", "-x", proxy.origin, "-U", "alice:" + scene.password, server.origin + "/")
    require(outcome.code != 0, "a refused tunnel is a success")
    # The beginning: a text may be cut.
    sent = [response(request)[1].decode()[:32] for request in proxy.received() if response(request)]
    require(sent, "nothing was tested: Digest was not answered")
    outcome.hides(*sent)
    require(not any(finds((scene.folder / "kept.har").read_bytes(), text) for text in sent), "the archive has it")
    if options:
        require(b"REPEAT" in outcome.err, f"nothing was tested: it is not shown: {outcome.says()}")


@attack(NEXT, "a SOCKS proxy gets a login only where it asks for one", [
    ("none wanted", b"\x05\x00"), ("one that was not offered", b"\x05\x01"), ("another version", b"\x04\x02"),
    ("more than was asked", b"\x05\x02\x01\x00"), ("HTTP", b"HTTP/1.1 200 OK\r\n\r\n")])
def socks(scene, answer):
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(PATIENCE)
    said = []

    def serve():
        connection, _ = listener.accept()
        connection.settimeout(HELD)
        said.append(connection.recv(100))
        connection.sendall(answer)
        try:
            said.append(connection.recv(1000))
        except OSError:
            pass
        connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    url = f"socks5h://alice:{scene.password}@127.0.0.1:{listener.getsockname()[1]}"
    scene.httpc("-x", url, "http://h.example/").ends(97).hides(scene.password)
    thread.join(PATIENCE)
    listener.close()
    require(said, "nothing was tested: the proxy was not asked")
    require(not finds(b"".join(said), scene.password), "it got the password")
