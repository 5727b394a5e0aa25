"""Point 18: what httpc has from curl: a Host field, addresses and sockets by option, logins of a .netrc file, and JSON on a
terminal. None of them lets a secret go elsewhere, or a server act."""
import os
import socket

from bench import arrived, attack, finds, never, require
from credentials import BASIC, DIGEST, asks, basic_logins, guarded
from servers import Server, page, redirect, status


class SocketServer(Server):
    """The same at a Unix socket."""

    def __init__(self, answers, path):
        self.answers, self.tls, self.requests, self.connections, self.open = answers, None, [], 0, set()
        import threading
        self.lock = threading.Lock()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen(64)
        self.origin = "http://app.test"
        threading.Thread(target=self.accept, daemon=True).start()


def at_socket(scene, answers):
    path = str(scene.folder / "s")
    server = SocketServer(answers, path)
    scene.servers.append(server)
    return server, path


# Bytes that are not text

@attack(18, "bytes that are not UTF-8 are refused, and not replaced", [
    ("-d", "-d", "a=\udce4"), ("--data-urlencode", "--data-urlencode", "a=\udce4"), ("-b", "-b", "a=\udce4"), ("-H", "-H", "X: \udce4"),
    ("-u", "--basic", "-u", "alice:{pw}\udce4"), ("-o", "-o", "\udce4"), ("another URL", "{url}/\udce4")])
def not_text(scene, *options):
    server = scene.server({"*": page("in")})
    options = [option.replace("{pw}", scene.password).replace("{url}", server.origin) for option in options]
    scene.httpc(*options, server.origin + "/").ends(2).hides(scene.password)
    require(not server.requests, "it was sent")
    scene.httpc(*[option.replace("\udce4", "\u00e4") for option in options], server.origin + "/").ends(0)
    arrived(server)


# A Host of one's own

HOSTS = [
    ("a line end", "a\r\nX-Injected: {pw}"), ("a line feed", "a\nX-Injected: {pw}"), ("a blank", "a {pw}"), ("a NUL's picture", "a\x01{pw}"),
    ("a path", "a/{pw}"), ("a user", "{pw}@a"), ("a query", "a?{pw}"), ("a comma and a blank", "a, {pw}"), ("beyond ASCII", "ä{pw}"),
    ("nothing", ""), ("too long", "{pw}" + "a" * 600),
]


@attack(18, "a Host that is none is refused", [(title, value) for title, value in HOSTS])
def no_host(scene, value):
    server = scene.server({"*": page("in")})
    host = "Host: " + value.replace("{pw}", scene.password)
    scene.httpc("-H", host, server.origin + "/").ends(2).hides(scene.password)
    scene.httpc("-H", "@" + scene.file("fields", host), server.origin + "/").ends(0 if "\n" in value else 2)
    require(all(b"a" == request.field("Host") for request in server.received()), "another one was sent")
    scene.httpc("-H", "Host: a", server.origin + "/").ends(0)
    arrived(server)


@attack(18, "two Hosts are refused")
def two_hosts(scene):
    server = scene.server({"*": page("in")})
    scene.httpc("-H", "Host: a", "-H", "hOST: b", server.origin + "/").ends(2)
    require(not server.requests, "one of both was sent")


@attack(18, "a Host decides nothing", [("a login", "-u", "alice:{pw}"), ("a cookie", "-b", "sid={pw}"), ("a field", "-H", "X-API-Key: {pw}")])
def host_decides(scene, option, value):
    """The server that the Host names, and one that is trusted by that name, get nothing."""
    other = scene.server({"*": asks(BASIC.format("same"))})
    answers = {"/": guarded(BASIC.format("same"), redirect(other.origin + "/there"))} if option == "-u" else {
        "/": redirect(other.origin + "/there")}
    server = scene.server(answers)
    scene.httpc(option, value.format(pw=scene.password), "-H", f"Host: {other.authority}", server.origin + "/")
    require(arrived(server, "/").field("Host").decode() == other.authority, "nothing was tested: the Host was not sent")
    require(arrived(other, "/there").field("Host").decode() == other.authority, "another Host arrived there")
    never(other, scene.password)
    require(finds(server.raw, scene.password), "nothing was tested: the secret was never sent")


@attack(18, "a Host is no profile's match")
def host_and_profile(scene):
    server = scene.server({"*": asks(BASIC.format("r"))})
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["http://intra.test/"]\n[profiles.p.basic]\nusername = "alice"\npassword = "{scene.password}"\n')
    scene.httpc(*profile[:2], "-H", "Host: intra.test", server.origin + "/")
    arrived(server)
    never(server, scene.password)


@attack(18, "a Host is no name in TLS")
def host_and_tls(scene):
    server = scene.secure({"*": page("in")})
    scene.httpc("--cacert", scene.bench.authority.ca, "--resolve", f"evil.test:{server.port}:127.0.0.1", "-H", "Host: localhost",
                f"https://evil.test:{server.port}/").ends(60)
    require(not server.requests, "the certificate of another name was taken")
    scene.httpc("--cacert", scene.bench.authority.ca, "-H", "Host: evil.test", f"https://localhost:{server.port}/").ends(0)
    require(arrived(server).field("Host") == b"evil.test", "the Host was not sent")


# Addresses and sockets

@attack(18, "what is led elsewhere is another server for cookies and logins", [("Basic", BASIC), ("Digest", DIGEST)])
def resolved(scene, challenge):
    """The same address under another name: cookies and passwords of one name are not sent to the other."""
    server = scene.server({"*": guarded(challenge.format("r"), status(
        200, b"in", "Set-Cookie: sid=1"))})
    other = f"http://other.test:{server.port}/there"
    server.answers["/"] = guarded(challenge.format("r"), redirect(other, "Set-Cookie: sid=1"))
    names = [word for name in ("app.test", "other.test") for word in ("--resolve", f"{name}:{server.port}:127.0.0.1")]
    scene.httpc(*names, "-u", "alice:" + scene.password, f"http://app.test:{server.port}/")
    there = arrived(server, "/there")
    require(not there.field("Authorization") and not there.field("Cookie"), "a login or cookie of the other name arrived")
    require(any(request.field("Authorization") for request in server.received("/")), "nothing was tested: -u was never used")


@attack(18, "localhost is led nowhere", [
    (f"{name} to {address}", name, address) for name in ("localhost", "LOCALHOST", "localhost.") for address in ("192.0.2.1", "[2001:db8::1]")])
def localhost(scene, name, address):
    server = scene.server({"*": page("in")})
    scene.httpc("--resolve", f"{name}:{server.port}:{address}", f"http://localhost:{server.port}/").ends(2)
    scene.httpc("--resolve", f"{name}:{server.port}:127.0.0.1", f"http://localhost:{server.port}/").ends(0)
    arrived(server)


@attack(18, "a socket is for what was typed only", [("a redirect", "-L"), ("one back and forth", "-v")])
def socket_only(scene, option):
    other = scene.server({"*": asks(BASIC.format("r"))})
    server, path = at_socket(scene, {"/": redirect(other.origin + "/there"), "*": page("in")})
    if option == "-v":
        other.answers["/there"] = redirect("http://app.test/back")
    scene.httpc(option, "--unix-socket", path, "-H", f"X-API-Key: {scene.password}", "http://app.test/")
    arrived(server, "/")
    arrived(other, "/there")
    never(other, scene.password)
    if option == "-v":
        back = arrived(server, "/back")
        require(not finds(back.raw, scene.password), "what was dropped came back")


@attack(18, "no proxy gets what is for a socket")
def socket_and_proxy(scene):
    proxy = scene.server({"*": page("proxied")})
    server, path = at_socket(scene, {"*": page("in")})
    outcome = scene.httpc("--unix-socket", path, "http://app.test/", environment={"http_proxy": proxy.origin}).ends(0)
    require(outcome.out == b"in" and not proxy.connections, "the proxy was asked")
    scene.httpc("--unix-socket", path, "-x", proxy.origin, "http://app.test/").ends(2)
    require(not proxy.connections, "the proxy was asked")


SOCKETS = [("missing", 7), ("file", 7), ("deaf", 7), ("datagram", 7), ("folder", 7), ("long", 7), ("link", 0)]


@attack(18, "a socket that is none", SOCKETS)
def sockets(scene, code):
    server, path = at_socket(scene, {"*": page("in")})
    os.symlink(path, scene.folder / "link")
    scene.file("file", "x")
    (scene.folder / "folder").mkdir()
    (scene.folder / ("long" * 30)).mkdir()
    kinds = {"deaf": socket.SOCK_STREAM, "datagram": socket.SOCK_DGRAM}
    for name, kind in kinds.items():
        with socket.socket(socket.AF_UNIX, kind) as deaf:
            deaf.bind(str(scene.folder / name))
    names = [name for name, expected in SOCKETS if expected == code]
    for name in names:
        target = name if name != "long" else "long" * 30 + "/s"
        outcome = scene.httpc("--unix-socket", target, "http://app.test/").ends(code)
        require(code == 0 or outcome.err.strip(), "it does not say why")


# .netrc

def netrc(scene, *lines, mode=0o600):
    return ("--netrc-file", scene.file("netrc", "\n".join(lines).replace("{pw}", scene.password), mode))


@attack(18, "a login of the .netrc file is its host's", [
    (f"{title}, {kind}", line, challenge) for kind, challenge in (("Basic", BASIC), ("Digest", DIGEST)) for title, line in (
        ("another host's", "machine other.test login alice password {pw}"), ("a longer name", "machine xlocalhost login alice password {pw}"),
        ("a name below", "machine sub.localhost login alice password {pw}"), ("one with a port", "machine localhost:1 login alice password {pw}"),
        ("an empty name", 'machine "" login alice password {pw}'), ("a pattern", "machine * login alice password {pw}"))])
def netrc_host(scene, line, challenge):
    server = scene.server({"*": asks(challenge.format("r"))})
    scene.httpc(*netrc(scene, line), f"http://localhost:{server.port}/").hides(scene.password)
    arrived(server)
    never(server, scene.password)


@attack(18, "a login of the .netrc file does not answer where a redirect led", [
    (f"{title}, {kind}", host, line, challenge) for kind, challenge in (("Basic", BASIC), ("Digest", DIGEST)) for title, host, line in (
        ("another port", "127.0.0.1", ""), ("a host of its own, without TLS", "localhost", "machine localhost login alice password {pw}"),
        ("the default", "localhost", "default login alice password {pw}"))])
def netrc_redirected(scene, host, line, challenge):
    other = scene.server({"*": asks(challenge.format("r"))})
    server = scene.server({"/": guarded(BASIC.format("r"), redirect(f"http://{host}:{other.port}/there"))})
    scene.httpc(*netrc(scene, "machine 127.0.0.1 login alice password {pw}", line), server.origin + "/").hides(scene.password)
    arrived(other, "/there")
    never(other, scene.password)
    require(basic_logins(server), "nothing was tested: the file was never used at all")


@attack(18, "a .netrc file's other host gets its own login over verified TLS only", [("verified", 1), ("not verified (-k)", 0)])
def netrc_secure(scene, expected):
    other = scene.secure({"*": guarded(BASIC.format("r"))})
    server = scene.server({"/": redirect(f"https://localhost:{other.port}/there")})
    trust = ("--cacert", scene.bench.authority.ca) if expected else ("-k",)
    scene.httpc(*netrc(scene, "machine localhost login alice password {pw}"), *trust, server.origin + "/").hides(scene.password)
    arrived(other, "/there")
    require(len(basic_logins(other)) == expected, "it was sent" if not expected else "nothing was tested: it was not sent")


@attack(18, "logins of the .netrc file are not sent ahead, nor along")
def netrc_ahead(scene):
    server = scene.server({"*": page("in")})
    scene.httpc(*netrc(scene, "machine 127.0.0.1 login alice password {pw}"), server.origin + "/").ends(0)
    arrived(server)
    never(server, scene.password)


MISTAKES = [
    ("a word that is none", "machine 127.0.0.1 login alice {pw} x"), ("an open quote", 'machine 127.0.0.1 password "{pw}'),
    ("the secret first", "{pw}"), ("a control", "machine 127.0.0.1 login alice password {pw}\x1b[2J"), ("a NUL", "machine {pw}\0"),
    ("a login before", "password {pw}"), ("no UTF-8", "machine a login b password {pw}\udcff"), ("a macro alone", "macdef"),
]


@attack(18, "a mistake in a .netrc file is told without it", MISTAKES)
def netrc_mistakes(scene, text):
    server = scene.server({"*": page("in")})
    data = text.replace("{pw}", scene.password).encode(errors="surrogateescape")
    outcome = scene.httpc("-v", "--netrc-file", scene.file("netrc", data), server.origin + "/").hides(scene.password).ends(26)
    require(b"\x1b" not in outcome.err and not server.requests, "it was used, or acts on the terminal")


def others_can_read(path):
    os.chmod(path, 0o640)


def somebody_elses(path):
    os.chown(path, 65534, 65534)


def endless(path):
    os.remove(path)
    os.symlink("/dev/zero", path)


def huge(path):
    with open(path, "ab") as file:
        file.write(b"\n# x" * 100_000)


def terminal(path):
    os.remove(path)
    os.symlink("/dev/tty", path)


def linked_to_others(path):
    os.rename(path, path + ".2")
    os.chmod(path + ".2", 0o644)
    os.symlink(path + ".2", path)


@attack(18, "a .netrc file that is not its owner's alone is not used", [
    (change.__name__, change) for change in (others_can_read, endless, huge, terminal, linked_to_others)
    + ((somebody_elses,) if os.geteuid() == 0 else ())])
def netrc_files(scene, change):
    server = scene.server({"*": asks(BASIC.format("r"))})
    option, path = netrc(scene, "machine 127.0.0.1 login alice password {pw}")
    scene.httpc(option, path, server.origin + "/")
    require(basic_logins(server), "nothing was tested: the file is of no use")
    change(path)
    count = len(server.received())
    for words in ((option, path), (option, path, "--netrc-optional")):
        outcome = scene.httpc(*words, server.origin + "/").ends(26).hides(scene.password)
        require(outcome.memory < 400_000, f"it took {outcome.memory} KiB")
    require(len(server.received()) == count, "it was used, or ignored")


# JSON on a terminal

def json(text, kind="application/json"):
    return status(200, text.encode(), f"Content-Type: {kind}")


@attack(18, "JSON does not act on the terminal", [
    ("DEL", "\x7f"), ("C1", "\x9b31m"), ("OSC of C1", "\x9d0;x\x9c"), ("overrides", "\u202e"), ("isolates", "\u2066"), ("a line separator", "\u2028")])
def json_acts(scene, text):
    server = scene.server({"*": json(f'{{"k{text}": ["{text}"]}}')})
    terminal = scene.terminal("--no-color", server.origin + "/")
    require(terminal.end() == 0, "it failed: " + terminal.tail())
    require(text.encode() not in terminal.shown and b"\\u" in terminal.shown, "it acts: " + terminal.tail())


@attack(18, "JSON costs what its length is", [
    ("depth", lambda: "[" * 500_000), ("depth that ends", lambda: "[" * 50_000 + "]" * 50_000),
    ("depth and breadth", lambda: "[" * 100 + "1," * 200_000 + "1" + "]" * 100), ("a text", lambda: '"' + "a" * 900_000 + '"'),
    ("values", lambda: "1 " * 200_000), ("no end", lambda: '{"a":"' + "\\\\" * 700_000)])
def json_costs(scene, make):
    text = make()
    server = scene.server({"*": json(text)})
    terminal = scene.terminal("--no-color", server.origin + "/")
    require(terminal.end(seconds=60) == 0, "it failed: " + terminal.tail())
    require(len(terminal.shown) < 9 << 20, f"it printed {len(terminal.shown)} bytes")


@attack(18, "invalid JSON is printed as it came")
def json_invalid(scene):
    text = '{"a": 1,\t"b": [1,2,],   }'
    server = scene.server({"*": json(text)})
    terminal = scene.terminal(server.origin + "/")
    require(terminal.end() == 0 and text.encode() in terminal.shown, "it was changed: " + terminal.tail())


@attack(18, "binary answers stay off the terminal", [("at once", [b"a\0b"]), ("in the second piece", [b"text", b"\0"])])
def binary(scene, pieces):
    size = sum(map(len, pieces))
    server = scene.server({"*": [b"HTTP/1.1 200 X\r\nContent-Length: %d\r\n\r\n" % size, *pieces]})
    terminal = scene.terminal(server.origin + "/")
    require(terminal.end() == 23 and b"\0" not in terminal.shown, "it was printed: " + terminal.tail())
    require(b"--output" in terminal.shown, "it does not say what helps")
