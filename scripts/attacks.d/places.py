"""Where bodies go that were asked for in part or by another name, what is shown of a realm, and https pages that lead to http."""
import os

from bench import arrived, attack, finds, never, require
from pages import FIELDS, TEXTS, Login
from servers import page, redirect, status

# -C with a number

REST = b"0123456789"
WRONG_RESTS = [
    ("the whole", status(200, REST * 10)), ("another beginning", status(206, REST, "Content-Range: bytes 80-89/100")),
    ("no range named", status(206, REST)), ("two ranges named", status(206, REST, "Content-Range: bytes 90-99/100", "Content-Range: bytes 0-9/100")),
    ("a range of another unit", status(206, REST, "Content-Range: lines 90-99/100")),
    ("a number too large", status(206, REST, f"Content-Range: bytes {2 ** 64 + 90}-{2 ** 64 + 99}/*")),
    ("packed", status(206, REST, "Content-Range: bytes 90-99/100", "Content-Encoding: br")),
    ("an error", status(500, b"an error's page")), ("an error with a range", status(404, REST, "Content-Range: bytes 90-99/100")),
    ("several parts", status(206, b"--b\r\n\r\nx\r\n--b--\r\n", "Content-Type: multipart/byteranges; boundary=b")),
]


@attack(12, "what is no rest is not appended", WRONG_RESTS)
def wrong_rest(scene, answer):
    file = scene.file("mine", "mine")
    server = scene.server({"/good": status(206, REST, "Content-Range: bytes 90-99/100"), "*": answer})
    scene.httpc("-C", "90", "-o", file, server.origin + "/").ends(33)
    require(arrived(server, "/").field("Range") == b"bytes=90-", "nothing was tested: no rest was asked for")
    require(open(file, "rb").read() == b"mine", "the file was changed")
    scene.httpc("-C", "90", "-o", file, server.origin + "/good").ends(0)
    require(open(file, "rb").read() == b"mine" + REST, "nothing was tested: an honest rest is not appended")


@attack(12, "a rest goes through no link that leads nowhere")
def rest_at_link(scene):
    target = scene.folder / "elsewhere"
    os.symlink(target, scene.folder / "link")
    server = scene.server({"*": status(206, REST, "Content-Range: bytes 90-99/100")})
    scene.httpc("-C", "90", "-o", str(scene.folder / "link"), server.origin + "/").ends(23)
    require(not target.exists(), "it wrote where the link leads")
    target.write_bytes(b"")
    scene.httpc("-C", "90", "-o", str(scene.folder / "link"), server.origin + "/").ends(0)
    require(target.read_bytes() == REST, "nothing was tested: no link is followed at all")


# -J with -o

@attack(12, "with -o no name of a server's counts", [
    ("a path", "../../evil"), ("another file", "victim"), ("the vault", "state/httpc/p/vault.key"), ("an option", "-rf"),
    ("an escape", "\\\x1b]0;x\x07"), ("the name of the next", "second")])
def name_beside_name(scene, name):
    named = status(200, b"theirs", f'Content-Disposition: attachment; filename="{name}"')
    # A control character in a field is no answer at all.
    server = scene.server({"/honest": status(200, b"ours", "Content-Disposition: attachment; filename=good"), "*": named})
    scene.file("victim", "mine")
    before = set(scene.folder.rglob("*"))
    scene.httpc("-J", "-o", str(scene.folder / "first"), server.origin + "/x").ends(0, 8)
    arrived(server, "/x")
    new = {path.name for path in set(scene.folder.rglob("*")) - before}
    require(new <= {"first", "out-1", "err-1"}, f"it wrote {new}")
    require((scene.folder / "victim").read_bytes() == b"mine", "it replaced a file")
    (scene.folder / "in").mkdir()
    scene.httpc("-OJ", "--output-dir", str(scene.folder / "in"), server.origin + "/honest").ends(0)
    require((scene.folder / "in" / "good").read_bytes() == b"ours", "nothing was tested: no server's name is ever taken")


# Realms in -vv

HOSTILE_REALMS = [
    ("an escape", "\x1b[2J"), ("C1", "\u009b2J"), ("a bidirectional control", "\u202egnol"), ("a line separator", "a\u2028< HTTP/1.1 200 OK"),
    ("a quote that ends nothing", '\\", nonce=\\"{pw}\\", x=\\"'), ("a backslash and a control", "\\\u0085x"), ("a combining mark after a quote", '\\"\u0301'),
    ("long", "r" * 5000), ("another header", "x\\\"\r\n< Set-Cookie"),
]


@attack(21, "-vv shows a realm as it was sent, and nothing acts", HOSTILE_REALMS)
def realms(scene, realm):
    challenge = 'WWW-Authenticate: Basic realm="' + realm.replace("{pw}", "x") + '"'
    answer = f"HTTP/1.1 401 No\r\n{challenge}\r\nContent-Length: 0\r\n\r\n".encode()
    server = scene.server({"*": answer, "/honest": status(401, b"", 'WWW-Authenticate: Basic realm="a \\"b\\" \\\\ c"')})
    outcome = scene.httpc("-vv", "-u", "alice:" + scene.password, server.origin + "/")
    arrived(server)
    outcome.hides(scene.password)
    shown = outcome.err.decode()
    for scalar in shown:
        require(scalar == "\n" or not (ord(scalar) < 0x20 or 0x7F <= ord(scalar) < 0xA0 or scalar in "\u202e\u2028\u0085"),
                f"U+{ord(scalar):04X} acts on the terminal")
    require(all(len(line) < 400 for line in shown.splitlines()), "a line is endless")
    lines = [line for line in shown.splitlines() if line.startswith("< WWW-Authenticate: ")]
    require(all(line.endswith('"') or "…" in line for line in lines), f"the quotes do not end: {lines}")
    honest = scene.httpc("-vv", server.origin + "/honest").err.decode()
    require('< WWW-Authenticate: Basic realm="a \\"b\\" \\\\ c"\n' in honest, "nothing was tested: an honest realm is not shown")


@attack(21, "-vv shows no value of a challenge that may be a secret", [
    ("a nonce", 'Digest realm="r", nonce="{pw}"'), ("a second realm", 'Basic realm="r", realm="{pw}"'),
    ("an unknown one", 'Bearer realm="r", x="{pw}"'), ("a known name with another value", 'Digest realm="r", qop="{pw}"'),
    ("an error's words", 'Bearer realm="r", error="invalid_token", error_description="{pw}"'), ("token68", "Negotiate {pw}")])
def challenge_values(scene, challenge):
    server = scene.server({"*": status(401, b"", "WWW-Authenticate: " + challenge.format(pw=scene.password))})
    outcome = scene.httpc("-vv", server.origin + "/").hides(scene.password)
    arrived(server)
    require(b"< WWW-Authenticate: " + challenge.split(" ")[0].encode() in outcome.err, "nothing was tested: it is not shown at all")


# From https to http

NAMES = {"other.test": "127.0.0.1", "127.0.0.1.test": "127.0.0.1", "localhost.test": "127.0.0.1"}
MESSAGE = "<form method=post action='http://{place}/take'><input type=hidden name=SAMLResponse value=message></form>"
REFRESH = "<meta http-equiv=refresh content='0; url=http://{place}/take'>"
WAYS = [
    ("a SAML message", lambda place: page(MESSAGE.format(place=place))),
    ("a refresh", lambda place: page(REFRESH.format(place=place))),
    ("a redirect", lambda place: redirect(f"http://{place}/take")),
]


@attack(21, "an https page leads to http on this machine only", [
    (f"{title}, {host}", host, answer) for host in NAMES for title, answer in WAYS])
def downgrade(scene, host, answer):
    for place, is_fine in ((host, False), ("127.0.0.1", True), ("localhost", True)):
        login = Login(scene, tls=True)
        where = f"{place}:{login.other.port}"
        login.idp.answers["/login"] = answer(where)
        login.other.answers["/take"] = redirect(login.sp.origin + "/?finished=true")
        outcome = scene.httpc(
            *login.profile, "--web", "terminal", "--cacert", scene.bench.authority.ca, "--answer", "user=alice", "--answer",
            "password=" + scene.password, login.sp.origin + "/", names=NAMES)
        arrived(login.idp, "/login")
        if is_fine:
            arrived(login.other, "/take", "what may go to this machine")
        else:
            outcome.ends(67)
            require(not login.other.requests, f"it went to {where}")


@attack(21, "answers do not go from https to http on another machine, though both are listed", [
    (f"{host}, {method}", host, method) for host in NAMES for method in ("post", "get")])
def answers_downgrade(scene, host, method):
    login = Login(scene, tls=True)
    place = f"http://{host}:{login.other.port}"
    login.profile = scene.profile(
        f'[profiles.p]\nmatch = ["{login.sp.origin}/"]\nanswer-origins = ["{login.idp.origin}", "{place}"]\n[profiles.p.otp]\n')
    login.idp.answers["/login"] = page(f"<form method={method} action='{place}/take'>" + (FIELDS if method == "post" else TEXTS) + "</form>")

    def run():
        return scene.httpc(
            *login.profile, "--web", "terminal", "--cacert", scene.bench.authority.ca, "--answer", "user=alice", "--answer",
            "password=" + scene.password, "--answer", "word=" + scene.password, login.sp.origin + "/", names=NAMES)
    run().ends(67)
    arrived(login.idp, "/login")
    never(login.other, scene.password)
    login.idp.answers |= {"/login": page("<form method=post action='/take'>" + FIELDS + "</form>"), "/take": page("")}
    run()
    require(finds(login.idp.raw, scene.password), "nothing was tested: the answers go nowhere")
