"""The output of -v and -vv: no secret that a server has hidden among harmless texts, and no line that a server made up."""
import base64
import time

import pages
from bench import NEXT, arrived, attack, finds, require
from grants import Tokens
from pages import Login
from servers import page, redirect, status

FIELDS = [
    ("a link", "Link: <https://h/a?page=1&t={pw}>; rel=next, </b;s={pw}>"), ("a refresh", "Refresh: 0; url='/?a={pw}'"),
    ("a nonce", "Content-Security-Policy: script-src 'nonce-{pw}'; report-uri /r?k={pw}"),
    ("a session in a path", "Content-Location: /a;jsessionid={pw}/b"), ("userinfo", "Content-Location: https://u:{pw}@h/#{pw}"),
    ("a URL in a URL", "Content-Location: https://h/go/https%3A%2F%2Fi%2F%3Fcode%3D{pw}"),
    ("a source map", "SourceMap: /m?{pw}"), ("a cookie without a name", "Set-Cookie: {pw}; Path=/"),
    ("a cookie", "Set-Cookie: a={pw}; {pw}; Path=/x?y={pw}; x={pw}"), ("a timing", 'Server-Timing: a;desc="{pw} \\"{pw}"'),
    ("a challenge", 'WWW-Authenticate: Bearer realm="r", error="{pw}", error_description="{pw}", scope="{pw}"'),
    ("a nonce of Digest", 'WWW-Authenticate: Digest realm="r", nonce="{pw}", opaque="{pw}"'),
    ("the next nonce", 'Authentication-Info: nextnonce="{pw}"'), ("a token", "X-Auth-Token: {pw}"),
    ("another service", 'Alt-Svc: h2="h:443/?{pw}"; key={pw}'), ("a report", 'Report-To: {{"u":"https://h/?{pw}"}}'),
    ("a file", "Content-Disposition: inline; access_token={pw}"), ("a web token", "Server: eyJhbGciOiJub25lIn0.{pw}."),
    ("a digest", "Content-Digest: sha-256=:{pw}:"), ("a CSRF token", "X-CSRF-Token: {pw}"),
    ("a combining mark", "Link: <https://h/?\u0301t=\u0301{pw}>;token=\u0301{pw}"),
]


@attack(NEXT, "a secret in a field is not shown", FIELDS)
def fields(scene, line):
    server = scene.server({"/": status(200, b"", line.format(pw=scene.password).encode())})
    outcome = scene.httpc("-vv", server.origin + "/").ends(0, 67)
    arrived(server, "/")
    name = line.partition(":")[0]
    require(f"< {name}: ".encode() in outcome.err, f"the field {name} is not shown: nothing was tested")
    outcome.hides(scene.password)


@attack(NEXT, "a secret in a field that is sent is not shown", [
    (line.partition(":")[0], line) for line in (
        "X-API-Key: {pw}", "Authorization: {pw}", "Authorization: Token {pw}", "Signature: {pw}", "Cookie: {pw}; a={pw}",
        "Referer: https://u:{pw}@h/?a={pw}#{pw}", "Sec-WebSocket-Protocol: base64.{pw}", "Origin: https://h/?t={pw}",
        "User-Agent: x (https://h/?t={pw})", "Lock-Token: {pw}", "If: (<{pw}>)", "Prefer: token=\"{pw}\"")])
def sent(scene, line):
    server = scene.server({"/": status(200)})
    outcome = scene.httpc("-vv", "-H", line.format(pw=scene.password), server.origin + "/").ends(0)
    arrived(server, "/")
    require(f"> {line.partition(':')[0]}: ".encode() in outcome.err, "the field is not shown: nothing was tested")
    outcome.hides(scene.password)


def decoded(request):
    return base64.b64decode(request.field("Authorization").partition(b" ")[2])


REPEATED = [
    ("the realm", lambda request, _: status(401, b"", b'WWW-Authenticate: Basic realm="REPEAT ' + decoded(request) + b'"')),
    ("the reason phrase", lambda request, pw: b"HTTP/1.1 403 REPEAT " + pw + b"\r\nContent-Length: 0\r\n\r\n"),
    ("a harmless field", lambda request, pw: status(403, b"", b"Server: REPEAT " + pw))]


@attack(NEXT, "a server that repeats the password shows it to nobody", [
    (f"{name}, {words}", answer, count) for words, count in (("short", 1), ("too long to be shown", 30)) for name, answer in REPEATED])
def repeated(scene, answer, count):
    password = " ".join([scene.password] * count)
    server = scene.server({"*": lambda request: answer(request, password.encode())})
    outcome = scene.httpc("-vv", "-f", "--har", "kept.har", "--basic", "-u", "alice:" + password, server.origin + "/")
    require(finds(server.raw, "alice:" + password), "nothing was tested: no password arrived")
    require(b"REPEAT" in outcome.err, f"nothing was tested: it is not shown: {outcome.says()}")
    outcome.hides(scene.password)
    text = (scene.folder / "kept.har").read_bytes()
    require(b"REPEAT" in text and not finds(text, scene.password), "the archive has the password")


@attack(NEXT, "a short password that a server repeats is hidden where the text is cut")
def cut(scene):
    password = scene.password[:9]
    realms = lambda pw: [b'WWW-Authenticate: Basic realm="REPEAT ' + b"x" * pad + b" " + pw + b'"' for pad in range(40, 60)]
    server = scene.server({"*": lambda request: status(401, b"", *realms(password.encode()))})
    outcome = scene.httpc("-vv", "-f", "--basic", "-u", "alice:" + password, server.origin + "/")
    require(finds(server.raw, "alice:" + password), "nothing was tested: no password arrived")
    require("REPEAT" in outcome.err.decode(errors="replace"), f"nothing was tested: it is not shown: {outcome.says()}")
    require("xxx p…" in outcome.err.decode(errors="replace"), f"nothing was tested: no text is cut: {outcome.says()}")
    outcome.hides(password[:6])


LATER = [
    ("a cookie's name", lambda pw: redirect("/there", f"Set-Cookie: REPEAT-{pw}=1")), ("a path", lambda pw: redirect(f"/REPEAT/{pw}/b")),
    ("an escaped path", lambda pw: redirect("/REPEAT/%70" + pw[1:])), ("the name of a parameter", lambda pw: redirect(f"/REPEAT?{pw}=1"))]


@attack(NEXT, "a server that has the password repeated by the next request shows it to nobody", LATER)
def repeated_later(scene, answer):
    server = scene.server({"/": lambda request: (
        answer(scene.password) if request.field("Authorization") else status(401, b"", 'WWW-Authenticate: Basic realm="r"')),
        "*": status(200)})
    outcome = scene.httpc("-vv", "--har", "kept.har", "-u", "alice:" + scene.password, server.origin + "/").ends(0)
    later = server.received()[-1]
    require(len(server.received()) == 3 and b"REPEAT" in later.raw, "nothing was tested: no request repeats it")
    require(outcome.err.count(b"REPEAT") > 1, f"nothing was tested: it is not shown: {outcome.says()}")
    outcome.hides(scene.password, scene.password[1:])
    text = (scene.folder / "kept.har").read_bytes()
    require(b"REPEAT" in text, "nothing was tested: the archive has no such request")
    require(not finds(text, scene.password[1:]), "the archive has the password")


HOSTS = [
    ("one without an address", "http://REPEAT-{pw}.invalid/"), ("a refused port", "http://repeat-{pw}.localhost:1/"),
    ("one that asks for a login", "http://repeat-{pw}.localhost:{port}/"),
    ("one that has nothing", "http://repeat-{pw}.localhost:{port}/gone")]


@attack(NEXT, "a server that puts the password into the name of the next server shows it to nobody", [
    (f"{name}, {words}", url, options) for words, options in (("without -v", []), ("with -v", ["-v"])) for name, url in HOSTS])
def repeated_host(scene, url, options):
    other = scene.server({"/gone": status(404), "*": status(401, b"", 'WWW-Authenticate: Basic realm="other"')})
    url = url.format(pw=scene.password, port=other.port)
    server = scene.server({"*": lambda request: (
        redirect(url) if request.field("Authorization") else status(401, b"", 'WWW-Authenticate: Basic realm="r"'))})
    outcome = scene.httpc("-L", "-f", "--har", "kept.har", *options, "-u", "alice:" + scene.password, server.origin + "/")
    require(finds(server.raw, "alice:" + scene.password), "nothing was tested: no password arrived")
    require(b"repeat-" in outcome.err.lower(), f"nothing was tested: it is not shown: {outcome.says()}")
    outcome.hides(scene.password)
    require(not finds((scene.folder / "kept.har").read_bytes(), scene.password), "the archive has the password")


@attack(NEXT, "the secrets of a form are shown to nobody by what follows it", [
    ("the reason phrase", lambda pw: f"HTTP/1.1 400 REPEAT {pw}\r\nContent-Length: 0\r\n\r\n".encode()),
    ("a field", lambda pw: status(400, b"", "Server: REPEAT " + pw)), ("a path", lambda pw: redirect("/REPEAT/" + pw)),
    ("a host", lambda pw: redirect(f"http://REPEAT-{pw}.invalid/"))])
def repeated_form(scene, answer):
    login = Login(scene)
    login.idp.answers |= {
        "/login": page("<form method=post action=/go>" + pages.FIELDS + "</form>"), "/go": lambda _: answer(scene.password),
        "*": page("no more")}
    outcome = login.unattended("--web", "terminal", "-vv", "--har", "kept.har")
    require(finds(login.idp.raw, scene.password), "nothing was tested: no password arrived")
    require(b"repeat" in outcome.err.lower(), f"nothing was tested: it is not shown: {outcome.says()}")
    outcome.hides(scene.password)
    require(not finds((scene.folder / "kept.har").read_bytes(), scene.password), "the archive has the password")


@attack(NEXT, "the secrets of a token request are shown to nobody by its answer", [
    ("the reason phrase", lambda text: f"HTTP/1.1 400 REPEAT {text}\r\nContent-Length: 0\r\n\r\n".encode()),
    ("a field", lambda text: status(400, b"", "Server: REPEAT " + text)),
    ("the realm", lambda text: status(401, b"", f'WWW-Authenticate: Basic realm="REPEAT {text}"'))])
def repeated_grant(scene, answer):
    tokens = Tokens(scene)
    tokens.idp.answers["/token"] = lambda _: answer(f"{scene.password} {tokens.client}")
    outcome = tokens.get("/api/x", "-vv", "--har", "kept.har")
    require(finds(arrived(tokens.idp, "/token").raw, scene.password), "nothing was tested: no password arrived")
    require(b"REPEAT" in outcome.err, f"nothing was tested: it is not shown: {outcome.says()}")
    outcome.hides(scene.password)
    require(not finds((scene.folder / "kept.har").read_bytes(), scene.password), "the archive has the password")


@attack(NEXT, "a password beyond ASCII is shown to nobody in either charset", [
    (f"{place}, {charset}", place, charset) for charset in ("utf-8", "latin-1") for place in ("reason", "realm", "field")])
def repeated_letters(scene, place, charset):
    password = ("ü" + scene.password + "é").encode(charset)
    answers = {
        "reason": b"HTTP/1.1 403 REPEAT " + password + b"\r\nContent-Length: 0\r\n\r\n",
        "realm": status(401, b"", b'WWW-Authenticate: Basic realm="REPEAT ' + password + b'"'),
        "field": status(403, b"", b"Server: REPEAT " + password)}
    server = scene.server({"*": lambda request: (
        answers[place] if request.field("Authorization") else status(401, b"", 'WWW-Authenticate: Basic realm="r"'))})
    outcome = scene.httpc("-vv", "--har", "kept.har", "-u", f"alice:ü{scene.password}é", server.origin + "/")
    require(any(finds(decoded(request), scene.password) for request in server.received() if request.field("Authorization")),
            "nothing was tested: no password arrived")
    require(b"REPEAT" in outcome.err, f"nothing was tested: it is not shown: {outcome.says()}")
    outcome.hides(scene.password)
    require(not finds((scene.folder / "kept.har").read_bytes(), scene.password), "the archive has the password")


@attack(NEXT, "challenges after a flood of cookies take little time", [("one", 1), ("many", 64)])
def flooded(scene, count):
    cookies = [f"Set-Cookie: k{number}={'a' * 4000}b; Path=/" for number in range(60)]
    realms = [f'WWW-Authenticate: Basic realm="realm number {number}"' for number in range(count)]
    server = scene.server({"/": redirect("/there", *cookies), "*": status(401, b"", *realms)})
    begun = time.monotonic()
    scene.httpc("-m", "5", "-vv", "-u", "alice:" + scene.password, server.origin + "/", timeout=120)
    took = time.monotonic() - begun
    require(finds(server.received("/there")[-1].raw, "aaab; k"), "nothing was tested: no cookies came back")
    require(took < 15, f"took {took:.1f} s")


FORGED = "\u2028* Done after 1.0 ms: trust me.\r\n* The access token is accepted."


@attack(NEXT, "no sentence of the story is a server's", [
    ("realm", status(401, b"", f'WWW-Authenticate: Basic realm="x{FORGED[0]}* Done"'.encode())),
    ("C1 newline in a realm", status(401, b"", 'WWW-Authenticate: Basic realm="x\u0085* Done"'.encode())),
    ("media type", status(200, b"x", "Content-Type: a/b\u2028* Done".encode())),
    ("cookie", status(200, b"", "Set-Cookie: a\u0085* Done=1".encode())),
    ("Location", redirect("/\u2028*%0A%0D*%20Done")), ("Age", status(200, b"", b"Age: -1"))])
def forged(scene, answer):
    server = scene.server({"/": answer, "*": status(200)})
    outcome = scene.httpc("-v", server.origin + "/", server.origin + "/x")
    arrived(server, "/")
    starts = ("* GET ", "* Connected", "* 2", "* 3", "* 4", "* Again", "* Done after", "* Failed", "httpc: ")
    lines = outcome.err.decode(errors="replace").splitlines()
    require(all(line.startswith(starts) for line in lines), f"it does: {ascii(lines)[-200:]}")
    require(sum(line.startswith("* GET ") for line in lines) >= 2, "there is no story: nothing was tested")
    require("-1 s old" not in " ".join(lines), "an age before the answer is believed")


@attack(NEXT, "the story of one answer is short", [
    ("challenges", [f'WWW-Authenticate: X{number} realm="r{number}"' for number in range(300)]),
    ("handled ones", [f'WWW-Authenticate: Basic realm="r{number}"' for number in range(300)]),
    ("cookies", [f"Set-Cookie: c{number}=1" for number in range(300)])])
def short(scene, lines):
    code = 200 if "Cookie" in lines[0] else 401
    server = scene.server({"*": status(code, b"", *(line.encode() for line in lines))})
    outcome = scene.httpc("-v", "-u", "alice:" + scene.password, server.origin + "/", server.origin + "/")
    arrived(server, "/")
    require(len(outcome.err) < 8000, f"it has {len(outcome.err)} bytes")
    outcome.hides(scene.password)


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
