"""The relay (S32): users that it must refuse, requests that it must not pass on, and servers that it must not lead to."""
import os
import re
import socket
import subprocess
import threading
import time

from bench import NEXT, arrived, attack, finds, require
from servers import PATIENCE, page, redirect, status

PROFILE = """
[profiles.p]
match = ["{origin}/"]
[profiles.p.basic]
username = "alice"
password = "{password}"
"""


class Relay:
    """A relay before a server that asks for a password."""

    def __init__(self, scene, *options, path="/app/", answers=None, profile=PROFILE):
        self.scene, self.server = scene, scene.server(answers)
        self.server.answers.setdefault("*", self.resource)
        self.profile = scene.profile(profile.format(origin=self.server.origin, password=scene.password))
        self.process = scene.start("relay", *self.profile, *options, self.server.origin + path)
        self.url = scene.until(self.printed, "the relay printed no URL")
        if self.url.startswith("http"):
            self.port, self.secret = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{48})", self.url).groups()
            self.port, self.host = int(self.port), f"127.0.0.1:{self.port}"

    def printed(self):
        text = (self.scene.folder / f"out-{self.scene.runs}").read_text()
        return text.strip() if text.endswith("\n") else None

    @staticmethod
    def resource(request):
        if not request.field("Authorization"):
            return status(401, b"", 'WWW-Authenticate: Basic realm="x"')
        return status(200, b"the resource", "Set-Cookie: S=target")

    # A request, byte by byte.

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def exchange(self, data):
        """All that comes before the connection's end."""
        with self.connect() as connection:
            connection.sendall(data if isinstance(data, bytes) else data.encode())
            return drain(connection)

    def get(self, path=None, *fields, method="GET", host=None, body=b""):
        lines = [f"{method} {path or f'/{self.secret}/x'} HTTP/1.1", f"Host: {host or self.host}", "Connection: close"]
        return self.exchange("\r\n".join([*lines, *fields, "", ""]).encode() + body)

    def works(self):
        """The control: the owner gets in."""
        answer = self.get()
        require(b"the resource" in answer, f"nothing was tested: the owner got {answer[:80]!r}")
        return self

    def refuses(self, answer, *codes):
        code = int(answer.split(b" ")[1]) if answer.startswith(b"HTTP/1.1 ") else 0
        require(b"the resource" not in answer and code in codes, f"answered {answer[:120]!r}")


def drain(connection):
    data = b""
    try:
        while piece := connection.recv(1 << 16):
            data += piece
    except ConnectionResetError:
        pass
    return data


@attack(NEXT, "only the owner's secret lets into a relay", [
    ("none", lambda relay: relay.get("/x")),
    ("a wrong one", lambda relay: relay.get(f"/{'0' * 48}/x")),
    ("the start of it", lambda relay: relay.get(f"/{relay.secret[:-1]}/x")),
    ("in capitals", lambda relay: relay.get(f"/{relay.secret.upper()}/x")),
    ("percent-encoded", lambda relay: relay.get(f"/%{ord(relay.secret[0]):02x}{relay.secret[1:]}/x")),
    ("in a query", lambda relay: relay.get(f"/x?{relay.secret}")),
    ("a made-up cookie", lambda relay: relay.get("/x", "Cookie: httpc-relay=1", "Sec-Fetch-Site: none")),
    ("as a password", lambda relay: relay.get("/x", f"Authorization: Bearer {relay.secret}")),
])
def secret(scene, try_it):
    relay = Relay(scene).works()
    count = len(relay.server.received())
    relay.refuses(try_it(relay), 403)
    require(len(relay.server.received()) == count, "the target was asked")


GRANT = """
[profiles.p]
match = ["{{origin}}/"]
[profiles.p.oauth2]
grant = "password"
client-id = "c"
token-endpoint = "{idp}/token"
username = "alice"
password = "{{password}}"
"""


@attack(NEXT, "a page with five resources sends a refused password once, and does not lock the account", [
    ("by the password grant", True), ("ahead, by Basic", False)])
def refused_password(scene, is_grant):
    idp = scene.server({"*": status(400, '{"error":"invalid_grant"}', "Content-Type: application/json")})
    refusal = status(401, b"", "WWW-Authenticate: " + ("Bearer" if is_grant else 'Basic realm="x"'))
    if is_grant:
        relay = Relay(scene, answers={"*": refusal}, profile=GRANT.format(idp=idp.origin))
    else:
        relay = Relay(scene, "--basic", "-u", "alice:" + scene.password, answers={"*": refusal})
    for _ in range(2):
        resources = [threading.Thread(target=relay.get, args=(f"/{relay.secret}/{number}",)) for number in range(5)]
        for resource in resources:
            resource.start()
        for resource in resources:
            resource.join()
    require(len(relay.server.received()) == 10, "nothing was tested: the target was not asked ten times")
    tries = idp.received("/token") if is_grant else [r for r in relay.server.received() if r.field("Authorization")]
    require(len(tries) == 1, f"it was sent {len(tries)} times")


@attack(NEXT, "a password whose refusal asks for no login is sent once for five requests of a relay")
def refused_silently(scene):
    relay = Relay(scene, answers={"*": lambda request: status(
        401, b"", *(() if request.field("Authorization") else ('WWW-Authenticate: Basic realm="x"',)))})
    for number in range(5):
        relay.get(f"/{relay.secret}/{number}")
    sent = [bool(request.field("Authorization")) for request in relay.server.received()]
    require(sent == [False, True, False, False, False, False], f"the target got passwords so: {sent}")


@attack(NEXT, "another user of the machine cannot use a relay")
def another_user(scene):
    """With the secret, as it is in a program's arguments."""
    require(os.geteuid() == 0, "nothing was tested: another user needs root")
    relay = Relay(scene).works()
    count = len(relay.server.received())
    for options in ([], ["--ipv6", "--resolve", f"relay.test:{relay.port}:[::ffff:127.0.0.1]"]):
        url = relay.url if not options else f"http://relay.test:{relay.port}/{relay.secret}/x"
        run = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "curl", "-sS", "--noproxy", "*", *options,
             "-H", f"Host: {relay.host}", url], capture_output=True, timeout=PATIENCE)
        require(b"the resource" not in run.stdout and run.returncode, f"got {run.stdout[:80]!r}")
        told = (scene.folder / f"err-{scene.runs}").read_text()
        require(told.count("A program of the user 65534 was refused") == 1, f"the owner was told {told[-200:]!r}")
        mine = subprocess.run(
            ["curl", "-sS", "--noproxy", "*", *options, "-H", f"Host: {relay.host}", url], capture_output=True, timeout=PATIENCE)
        require(b"the resource" in mine.stdout, f"nothing was tested: the owner got {mine.stderr[-80:]!r}")
    require(len(relay.server.received()) == count + 2, "the target was asked")


@attack(NEXT, "another user cannot open a relay's socket")
def socket_of_another(scene):
    require(os.geteuid() == 0, "nothing was tested: another user needs root")
    path = str(scene.folder / "relay.sock")
    scene.folder.chmod(0o755)
    scene.folder.parent.chmod(0o755)
    relay = Relay(scene, "--socket", path)
    require(os.stat(path).st_mode & 0o777 == 0o600, f"its mode is {os.stat(path).st_mode:o}")
    command = ["curl", "-sS", "--noproxy", "*", "--unix-socket", path, "http://localhost/x"]
    mine = subprocess.run(command, capture_output=True, timeout=PATIENCE)
    require(mine.stdout == b"the resource", f"nothing was tested: the owner got {mine.stderr[-80:]!r}")
    other = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command], capture_output=True, timeout=PATIENCE)
    require(other.returncode == 7 and not other.stdout, f"got {other.stdout[:80]!r}")
    names = sorted(name.name for name in scene.folder.iterdir() if name.name.startswith(".httpc-"))
    require(not names, f"left {names}")


@attack(NEXT, "no name but its own leads to a relay (rebinding)", [
    (host, host) for host in ("evil.example", "localhost:{port}", "127.0.0.1", "127.0.0.1:{port}.evil.example",
                              "evil.example:{port}", "[::1]:{port}", "127.0.0.1:{port}, evil.example")])
def rebinding(scene, host):
    relay = Relay(scene).works()
    count = len(relay.server.received())
    relay.refuses(relay.get(host=host.format(port=relay.port)), 421)
    relay.refuses(relay.exchange(f"GET /{relay.secret}/x HTTP/1.1\r\nConnection: close\r\n\r\n"), 421)
    relay.refuses(
        relay.exchange(f"GET /{relay.secret}/x HTTP/1.1\r\nHost: {relay.host}\r\nHost: evil.example\r\n\r\n"), 421)
    require(len(relay.server.received()) == count, "the target was asked")


@attack(NEXT, "no page of another server can use a relay", [
    ("a simple request", "POST", ["Origin: https://evil.example", "Content-Type: text/plain"]),
    ("a form of a sandbox", "POST", ["Origin: null", "Sec-Fetch-Site: cross-site"]),
    ("a form in an old browser", "POST", ["Origin: null"]),
    ("a preflight", "OPTIONS", ["Origin: https://evil.example", "Access-Control-Request-Method: PUT"]),
    ("an image", "GET", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"]),
    ("a link", "GET", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]),
    ("another port of this machine", "GET", ["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: navigate"]),
    ("a script of another port", "GET", ["Origin: http://127.0.0.1:1", "Sec-Fetch-Site: same-site"]),
    ("a WebSocket", "GET", ["Origin: https://evil.example", "Upgrade: websocket", "Connection: Upgrade"]),
    ("a service worker", "GET", ["Service-Worker: script", "Sec-Fetch-Site: same-origin"]),
])
def pages(scene, method, fields):
    relay = Relay(scene).works()
    entry = relay.get(f"/{relay.secret}/", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate")
    require(entry.startswith(b"HTTP/1.1 303 "), f"nothing was tested: no way in, {entry[:80]!r}")
    cookie = re.search(rb"(?i)set-cookie: ([^;]+); Path=/; HttpOnly; SameSite=Strict\r\n", entry)[1].decode()
    inside = relay.get("/x", f"Cookie: {cookie}", "Sec-Fetch-Site: same-origin")
    require(b"the resource" in inside, f"nothing was tested: the browser got {inside[:80]!r}")
    count = len(relay.server.received())
    for path in ("/x", f"/{relay.secret}/x"):
        answer = relay.get(path, f"Cookie: {cookie}", *fields, method=method)
        relay.refuses(answer, 403)
        require(b"access-control-" not in answer.lower(), "CORS was answered")
    require(len(relay.server.received()) == count, "the target was asked")


HANDSHAKE = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
SWITCHING = b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nConnection: close\r\n\r\n"


@attack(NEXT, "no page of another server opens a WebSocket through a relay", [
    ("of another site", "Origin: https://evil.example"), ("of another port", "Origin: http://127.0.0.1:1"),
    ("of localhost", "Origin: http://localhost:{port}"), ("of the target's own name", "Origin: {target}"),
    ("of a sandbox", "Origin: null"), ("of nobody", "X: y"), ("of two", "Origin: {own}\r\nOrigin: https://evil.example")])
def sockets(scene, origin):
    relay = Relay(scene, answers={"/app/x": answers_of(SWITCHING + b"inside")})
    entry = relay.get(f"/{relay.secret}/", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate")
    cookie = "Cookie: " + re.search(rb"(?i)set-cookie: ([^;]+);", entry)[1].decode()
    own = f"Origin: http://{relay.host}"
    inside = relay.get("/x", cookie, own, *HANDSHAKE)
    require(b"inside" in inside, f"nothing was tested: the relay's own page got {inside[:120]!r}")
    count = len(relay.server.received())
    relay.refuses(relay.get("/x", own, *HANDSHAKE), 403)
    field = origin.format(port=relay.port, target=relay.server.origin, own=f"http://{relay.host}")
    for more in ([], ["Sec-Fetch-Site: same-origin"]) if origin != "X: y" else ([],):
        relay.refuses(relay.get("/x", cookie, field, *more, *HANDSHAKE), 403)
    require(len(relay.server.received()) == count, "the target was asked")


@attack(NEXT, "no request and no answer is smuggled in a WebSocket's handshake", [
    ("a target that declines", b"HTTP/1.1 426 X\r\nContent-Length: 0\r\n\r\n"),
    ("a target that answers", b"HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n"),
    ("another protocol", b"HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nforged"),
    ("no protocol", b"HTTP/1.1 101 X\r\n\r\nforged"),
    ("two protocols", b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nforged"),
    ("a 101 after a 101", b"HTTP/1.1 101 X\r\nConnection: x\r\n\r\n" + SWITCHING + b"forged"),
])
def smuggled_in_a_handshake(scene, bytes_of_answer):
    relay = Relay(scene, answers={"/app/socket": answers_of(bytes_of_answer)}).works()
    hidden = f"GET /{relay.secret}/smuggled HTTP/1.1\r\nHost: {relay.host}\r\nConnection: close\r\n\r\n"
    handshake = "\r\n".join([f"GET /{relay.secret}/socket HTTP/1.1", f"Host: {relay.host}", *HANDSHAKE, "", ""])
    answer = relay.exchange(handshake + hidden)
    arrived(relay.server, "/app/socket")
    require(answer.count(b"HTTP/1.1 ") == 1 and b"forged" not in answer and not answer.startswith(b"HTTP/1.1 101"),
            f"the client got {answer[:200]!r}")
    require(b"smuggled" not in relay.server.raw, "the target got the second request")


@attack(NEXT, "a request for another protocol is not passed on", [
    (name, fields) for name, fields in (
        ("HTTP/2", ["Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"]),
        ("TLS", ["Upgrade: TLS/1.0", "Connection: Upgrade"]))])
def other_protocols(scene, fields):
    relay = Relay(scene).works()
    hidden = f"GET /{relay.secret}/smuggled HTTP/1.1\r\nHost: {relay.host}\r\n\r\n"
    answer = relay.get(None, *fields, body=hidden.encode())
    require(b"the resource" in answer and answer.count(b"HTTP/1.1 ") == 1, f"the client got {answer[:200]!r}")
    require(not any(request.field("Upgrade") for request in relay.server.received()), "the target was asked for it")
    require(b"smuggled" not in relay.server.raw, "the target got the second request")


@attack(NEXT, "no path leaves a relay's target", [
    (path, path) for path in (
        "/../out", "/x/../../out", "/%2e%2e/out", "/..%2fout", "/..%5cout", "/..;/out", "/%252e%252e/out", "/.%2e/out",
        "//evil.example/out", "/\\evil.example/out", "/x%2f..%2f..%2fout", "/./../out")])
def leaving(scene, path):
    relay = Relay(scene).works()
    relay.refuses(relay.get(f"/{relay.secret}{path}"), 400)
    relay.refuses(relay.get(f"/{relay.secret}{path}", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"), 400)
    require(all(request.target == "/app/x" for request in relay.server.received()), f"the target was asked for {path}")


@attack(NEXT, "a relay takes no whole URL", [
    (form, form) for form in ("http://evil.example/x", "http://{host}/{secret}/x", "{target}/app/x", "evil.example:443", "*")])
def absolute(scene, form):
    relay = Relay(scene).works()
    count = len(relay.server.received())
    line = form.format(host=relay.host, secret=relay.secret, target=relay.server.origin)
    method = "OPTIONS" if form == "*" else "CONNECT" if form.endswith(":443") else "GET"
    relay.refuses(relay.get(line, f"Httpc-Relay-Secret: {relay.secret}", method=method), 400, 405)
    require(len(relay.server.received()) == count, "the target was asked")


@attack(NEXT, "no request is smuggled through a relay", [
    ("a length and chunks", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("two lengths", "Content-Length: 0\r\nContent-Length: 60\r\n\r\n"),
    ("a list of lengths", "Content-Length: 0, 60\r\n\r\n"),
    ("a signed length", "Content-Length: +0\r\n\r\n"),
    ("a space before the colon", "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
    ("a hidden coding", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    ("two codings", "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    ("a folded field", "X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("a bare CR", "X: y\rTransfer-Encoding: chunked\r\n\r\n"),
    ("a chunk's size that overflows", "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n"),
    ("a chunk's size in decimals", "Transfer-Encoding: chunked\r\n\r\n0x4\r\nabcd\r\n0\r\n\r\n"),
])
def smuggling(scene, rest):
    relay = Relay(scene).works()
    hidden = f"GET /{relay.secret}/smuggled HTTP/1.1\r\nHost: {relay.host}\r\nConnection: close\r\n\r\n"
    answer = relay.exchange(f"POST /{relay.secret}/x HTTP/1.1\r\nHost: {relay.host}\r\n{rest}{hidden}")
    # A request that breaks off within its body gets no answer.
    relay.refuses(answer, 400, 502, 0)
    require(answer.count(b"HTTP/1.1 ") <= 1, f"answered twice: {answer[:200]!r}")
    require(not [r for r in relay.server.received() if "smuggled" in r.target], "the target got the second request")


@attack(NEXT, "a body that looks like requests is a body")
def quoted(scene):
    relay = Relay(scene).works()
    hidden = f"0\r\n\r\nGET /{relay.secret}/smuggled HTTP/1.1\r\nHost: {relay.host}\r\n\r\n".encode()
    for fields, body in ((f"Content-Length: {len(hidden)}", hidden),
                         ("Transfer-Encoding: chunked", b"%x\r\n%s\r\n0\r\n\r\n" % (len(hidden), hidden))):
        answer = relay.get(None, fields, method="POST", body=body)
        require(b"the resource" in answer, f"nothing was tested: got {answer[:80]!r}")
    posts = [request for request in relay.server.received() if request.method == "POST"]
    require(posts and all(request.body in (hidden, b"") for request in posts), "the body was changed")
    require(not [r for r in relay.server.received() if "smuggled" in r.target], "the target got the second request")


def answers_of(*pieces):
    return lambda request: Relay.resource(request) if not request.field("Authorization") else list(pieces)


@attack(NEXT, "no answer is smuggled through a relay", [
    ("a length and chunks", b"HTTP/1.1 200 X\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("two lengths", b"HTTP/1.1 200 X\r\nContent-Length: 0\r\nContent-Length: 50\r\n\r\n"),
    ("a second answer", b"HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 X\r\nContent-Length: 3\r\n\r\nbad"),
    ("a body where none may be", b"HTTP/1.1 204 X\r\n\r\nHTTP/1.1 200 X\r\nContent-Length: 3\r\n\r\nbad"),
    ("a split field", b"HTTP/1.1 200 X\r\nX: a\rSet-Cookie: evil=1\r\nContent-Length: 0\r\n\r\n"),
    ("an upgrade that nobody asked for", b"HTTP/1.1 101 X\r\nUpgrade: evil\r\nConnection: Upgrade\r\n\r\nHTTP/1.1 200 X\r\nContent-Length: 3\r\n\r\nbad"),
])
def answers(scene, bytes_of_answer):
    relay = Relay(scene, answers={"/app/evil": answers_of(bytes_of_answer)}).works()
    request = f"GET /{relay.secret}/evil HTTP/1.1\r\nHost: {relay.host}\r\n\r\n"
    answer = relay.exchange(request + request.replace("/evil", "/x").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))
    arrived(relay.server, "/app/evil")
    require(b"bad" not in answer and b"evil=1" not in answer, f"the client got {answer[:200]!r}")
    first, *others = answer.split(b"HTTP/1.1 ")[1:]
    require(len(others) <= 1 and (not others or b"the resource" in others[0]), f"the client got {answer[:300]!r}")


@attack(NEXT, "what belongs to the target's origin stays with the relay")
def fields(scene):
    evil = ["Set-Cookie: httpc-relay=evil; Domain=127.0.0.1", "Set-Cookie: S=1", "Strict-Transport-Security: max-age=9",
            "Access-Control-Allow-Origin: *", "Access-Control-Allow-Credentials: true", 'Clear-Site-Data: "*"',
            'Alt-Svc: h2="evil.example:443"', "Service-Worker-Allowed: /", "Referrer-Policy: unsafe-url", "Refresh: 0; url=//evil.example"]
    relay = Relay(scene, answers={"/app/evil": lambda r: Relay.resource(r) if not r.field("Authorization") else status(200, b"x", *evil)}).works()
    answer = relay.get(f"/{relay.secret}/evil").lower()
    arrived(relay.server, "/app/evil")
    for name in (b"set-cookie", b"strict-transport", b"access-control", b"clear-site-data", b"alt-svc", b"service-worker", b"refresh:", b"unsafe-url"):
        require(name not in answer, f"the client got {name.decode()}")
    require(b"referrer-policy: no-referrer" in answer, "the page may tell its URL")


@attack(NEXT, "the target gets neither a relay's secret nor the client's cookies and credentials")
def kept(scene):
    relay = Relay(scene).works()
    canary = scene.password + "-own"
    answer = relay.get(None, f"Httpc-Relay-Secret: {relay.secret}", f"Cookie: a={canary}", f"Authorization: Bearer {canary}",
                       f"Proxy-Authorization: Basic {canary}", f"Referer: http://{relay.host}/{relay.secret}/page", "Sec-Fetch-Site: same-origin",
                       "X-Mine: yes")
    require(b"the resource" in answer, f"nothing was tested: got {answer[:80]!r}")
    last = arrived(relay.server, "/app/x")
    require(last.field("X-Mine") == b"yes", "nothing was tested: the field did not arrive")
    require(last.field("Referer") == f"{relay.server.origin}/app/page".encode(), f"Referer: {last.field('Referer')!r}")
    local = f"http://{relay.host}/{relay.secret}"
    answer = relay.get(f"/{relay.secret}/x", f"Destination: {local}/new", f"If: <{local}/x> (<urn:uuid:1>)", method="MOVE")
    require(b"the resource" in answer, f"nothing was tested: got {answer[:80]!r}")
    last = arrived(relay.server, "/app/x")
    require(last.field("Destination") == f"{relay.server.origin}/app/new".encode(), f"Destination: {last.field('Destination')!r}")
    require(last.field("If") == f"<{relay.server.origin}/app/x> (<urn:uuid:1>)".encode(), f"If: {last.field('If')!r}")
    relay.refuses(relay.get(None, f"X-Original-Uri: {local}/x"), 400)
    relay.refuses(relay.get(f"/{relay.secret}/x?next={local}/y"), 400)
    relay.refuses(relay.get(f"/{relay.secret}/x?next=%{ord(relay.secret[0]):02x}{relay.secret[1:]}"), 400)
    require(not finds(relay.server.raw, relay.secret), "the target got the secret")
    require(not finds(relay.server.raw, canary), "the target got the client's credentials")


@attack(NEXT, "a page elsewhere is not served at a relay's address", [
    ("of another server", lambda relay, other: other.origin + "/page"),
    ("of the same host, outside the target", lambda relay, other: relay.server.origin + "/out"),
])
def elsewhere(scene, where):
    other = scene.server({"*": page("<script>evil</script>")})
    relay = Relay(scene, answers={"/out": page("<script>evil</script>")}).works()
    place = where(relay, other)
    relay.server.answers["/app/away"] = redirect(place)
    answer = relay.get(f"/{relay.secret}/away")
    arrived(relay.server, "/app/away")
    require(answer.startswith(b"HTTP/1.1 302 ") and f"\r\nLocation: {place}\r\n".encode() in answer and b"evil" not in answer,
            f"the client got {answer[:200]!r}")
    relay.server.answers["/app/take"] = lambda _: redirect(place, code=307)
    before = [len(server.received()) for server in (other, relay.server)]
    answer = relay.get(f"/{relay.secret}/take", "Content-Length: 6", method="POST", body=b"canary")
    require(answer.startswith(b"HTTP/1.1 307 "), f"the client got {answer[:200]!r}")
    require(len(other.received()) == before[0], "the other server got the request")
    require(len(relay.server.received()) == before[1] + 1, "the body went on")


@attack(NEXT, "ten thousand connections to a relay keep its owner out only while they last", alone=True)
def many(scene):
    relay = Relay(scene).works()
    crowd = []
    for _ in range(10_000):
        crowd.append(relay.connect())
        # Descriptors are few: the first ones are let go. The relay has closed most of them before.
        if len(crowd) > 700:
            crowd.pop(0).close()
    for connection in crowd:
        connection.close()
    scene.until(lambda: b"the resource" in relay.get(), "the owner never got in again")
    scene.until(lambda: len(os.listdir(f"/proc/{relay.process.pid}/fd")) < 100, "the relay kept their descriptors")


@attack(NEXT, "a head that never ends does not keep a relay's connection", [
    ("nothing", ""), ("a start", "GET /"), ("half a head", "GET /{secret}/x HTTP/1.1\r\nHost: "), ("empty lines", "\r\n" * 50)])
def slow(scene, begin):
    relay = Relay(scene).works()
    began = time.monotonic()
    with relay.connect() as connection:
        connection.sendall(begin.format(secret=relay.secret).encode())
        require(drain(connection) == b"", "a head that never ended was answered")
    took = time.monotonic() - began
    require(25 < took < PATIENCE, f"its connection stayed {took:.0f} s")


@attack(NEXT, "long heads end at their limit", [
    ("a field", lambda relay: relay.get(None, "X: " + "x" * 70_000)),
    ("a path", lambda relay: relay.get(f"/{relay.secret}/" + "x" * 70_000)),
    ("many fields", lambda relay: relay.get(None, *[f"X-{n}: y" for n in range(1000)])),
    ("a megabyte", lambda relay: relay.get(None, *["X: " + "x" * 1000] * 1000)),
])
def heads(scene, try_it):
    relay = Relay(scene).works()
    count = len(relay.server.received())
    relay.refuses(try_it(relay), 431, 0)
    require(len(relay.server.received()) == count, "the target was asked")
    relay.works()


@attack(NEXT, "a relay says its secret on standard output alone")
def said(scene):
    relay = Relay(scene, "-vv").works()
    relay.get("/x")
    relay.process.terminate()
    require(relay.process.wait(PATIENCE) == 143, f"ended with {relay.process.returncode}")
    told = (scene.folder / f"err-{scene.runs}").read_bytes()
    require(b"Relaying" in told, "nothing was tested: it told nothing")
    require(not finds(told, relay.secret) and not finds(told, scene.password), "it told a secret")
    state = b"".join(path.read_bytes() for path in scene.folder.rglob("*") if path.is_file() and path.name != f"out-{scene.runs}")
    require(not finds(state, relay.secret), "a file has the secret")


@attack(NEXT, "a relay in the background keeps its secret to its owner, and ends no other program")
def background(scene):
    server = scene.server({"*": Relay.resource})
    profile = scene.profile(PROFILE.format(origin=server.origin, password=scene.password))
    other = subprocess.Popen(["sleep", "600"])
    started = scene.httpc("relay", "start", *profile, "-u", f"alice:{scene.password}", server.origin).ends(0)
    try:
        url = started.out.decode().strip()
        port, secret = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{48})", url).groups()
        mine = subprocess.run(["curl", "-sS", "--noproxy", "*", url + "/x"], capture_output=True, timeout=PATIENCE)
        require(mine.stdout == b"the resource", f"nothing was tested: the owner got {mine.stderr[-80:]!r}")
        record, = scene.folder.rglob(".relays/*.json")
        require(secret in record.read_text(), "nothing was tested: the record has no URL")
        modes = [path.stat().st_mode & 0o777 for path in (record, record.parent)]
        require(modes == [0o600, 0o700], f"the modes are {modes}")
        number = record.name.split(".")[0]
        shown = open(f"/proc/{number}/cmdline", "rb").read()
        require(b"serve" in shown and not finds(shown, scene.password) and not finds(shown, secret), f"its arguments are {shown!r}")
        for path in scene.folder.rglob("*"):
            if path.is_file() and path != record and not path.name.startswith("out-"):
                require(not finds(path.read_bytes(), secret), f"{path.name} has the secret")
        # A record of a number that another program has by now; a link to another file.
        (record.parent / f"{other.pid}.json").write_text(record.read_text().replace(f":{number},", f":{other.pid},"))
        (record.parent / "7.json").symlink_to(record)
        scene.httpc("relay", "stop").ends(0)
        require(other.poll() is None, "another program was ended")
        require(not list(record.parent.iterdir()), "records are left")
        gone = subprocess.run(["curl", "-sS", "--noproxy", "*", url + "/x"], capture_output=True, timeout=PATIENCE)
        require(gone.returncode == 7, f"the relay goes on: {gone.returncode}")
    finally:
        scene.httpc("relay", "stop")
        other.kill()
        other.wait()


@attack(NEXT, "a program gets a relay's URL only where others cannot use it")
def placeholder(scene):
    server = scene.server({"*": Relay.resource})
    profile = scene.profile(PROFILE.format(origin=server.origin, password=scene.password))
    outcome = scene.httpc("relay", *profile, server.origin, "--", "curl", "-sS", "--noproxy", "*", "{url}/x").ends(0)
    require(outcome.out == b"the resource", f"nothing was tested: got {outcome.out[:80]!r}")
    # Without the kernel's table nobody knows whose a connection is.
    require(scene.bench.namespace, "nothing was tested: this needs a mount namespace")
    hidden = subprocess.run(
        ["unshare", *scene.bench.namespace, "sh", "-c", 'mount -t tmpfs none /proc/$$/net && exec "$@"', "-", scene.bench.httpc, "relay",
         *profile, server.origin, "--", "curl", "{url}"], capture_output=True, timeout=PATIENCE, env=scene.environment)
    require(hidden.returncode == 2 and b"process list" in hidden.stderr, f"ended with {hidden.returncode}: {hidden.stderr[-100:]!r}")
    scene.httpc("relay", *profile, "--socket", str(scene.folder / "s"), server.origin, "--", "echo", "{url}").ends(2)


EVIL = """<body><form method=post target=frame action="{relay}/stolen-form"></form><iframe name=frame></iframe>
<iframe src="{relay}/stolen-frame"></iframe><img src="{relay}/stolen-image"><script src="{relay}/stolen-script"></script><script>
document.forms[0].submit();
const tries = [fetch("{relay}/stolen-simple", {{mode: "no-cors", credentials: "include", method: "POST", body: "x"}}),
    fetch("{relay}/stolen-read", {{credentials: "include"}}), fetch("{relay}/stolen-put", {{method: "PUT", credentials: "include"}}),
    new Promise(done => {{ const socket = new WebSocket("{relay}/stolen-socket".replace("http", "ws")); socket.onerror = socket.onopen = done }})];
Promise.allSettled(tries).then(() => setTimeout(() => fetch("/over"), 500));
</script>"""


@attack(NEXT, "no page of another port can use a relay in a browser that was let in")
def browser(scene):
    evil = scene.server()
    relay = Relay(scene, answers={
        "/app/": page('<script>fetch("own", {method: "POST", body: "x"}).then(() => fetch("next")).then(() => document.forms[0].submit())'
                      '</script><form method=post action=form></form>'),
        "/app/own": status(200, b"own"), "/app/next": status(200, b"next"),
        "/app/form": lambda _: redirect(evil.origin + "/", code=303)})
    evil.answers |= {"/": page(EVIL.format(relay=f"http://{relay.host}")), "/over": status(200, b"over")}
    command = ["chromium", "--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={scene.folder}/chromium", relay.url]
    if os.geteuid() == 0:
        command.insert(1, "--no-sandbox")
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=scene.environment,
        start_new_session=True)
    scene.processes.append(process)
    scene.until(lambda: evil.received("/over"), "nothing was tested: the evil page never came to its end")
    # The target's own page is the control: with the same cookie, its requests arrive.
    for path in ("/app/own", "/app/next", "/app/form"):
        request = arrived(relay.server, path)
        require(request.field("Origin") in (b"", relay.server.origin.encode()), f"Origin: {request.field('Origin')!r}")
    stolen = [request.target for request in relay.server.received() if "stolen" in request.target]
    require(not stolen, f"the target got {stolen}")
    require(not finds(relay.server.raw + evil.raw, relay.secret), "a server got the secret")


@attack(NEXT, "a client that leaves ends the exchange with a target that never finishes", [
    ("a page", "text/html"), ("a text", "text/plain")])
def abandoned(scene, kind):
    begun, ended = threading.Event(), threading.Event()

    def pieces():
        begun.set()
        try:
            yield f"HTTP/1.1 200 X\r\nContent-Type: {kind}\r\nContent-Length: 100000\r\n\r\n<p>".encode()
            for _ in range(5 * PATIENCE):
                time.sleep(0.2)
                yield b"x"
        finally:
            ended.set()

    relay = Relay(scene, answers={
        "/app/long": lambda request: pieces() if request.field("Authorization") else Relay.resource(request)}).works()
    with relay.connect() as connection:
        connection.sendall(f"GET /{relay.secret}/long HTTP/1.1\r\nHost: {relay.host}\r\n\r\n".encode())
        require(begun.wait(PATIENCE), "nothing was tested: the target was not asked")
    require(ended.wait(10), "the exchange goes on without its client")
