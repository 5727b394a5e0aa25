"""Combinations of redirects, credentials, cookies, certificates and pages, beyond the fourteen points."""
import os
import stat

from bench import NEXT, arrived, attack, finds, never, require
from credentials import BASIC, DIGEST, PASSWORD, asks, guarded
from cookies import NAMES, returned
from pages import FIELDS, Login
from servers import page, raw, redirect, status

# Redirects

FIELDS_OF_CALLER = ["Authorization: Bearer {}", "Cookie: sid={}", "X-API-Key: {}", "X-Whatever: {}"]
WAYS = [
    ("another port", "http://127.0.0.1:{port}/there"), ("no scheme", "//127.0.0.1:{port}/there"),
    ("another name", "http://localhost:{port}/there"),
    ("userinfo like the first host", "http://{first}@127.0.0.1:{port}/there"),
    ("capitals", "HTTP://127.0.0.1:{port}/there"),
    ("spaces around", "   http://127.0.0.1:{port}/there   "), ("a trailing dot", "http://localhost.:{port}/there"),
]


@attack(NEXT, "fields of the caller's do not go along to another origin", [
    (f"{name}, {code}", location, code) for (name, location), code in zip(WAYS, [302, 307] * 4)])
def own_fields(scene, location, code):
    other = scene.server({"*": page("there")})
    server = scene.server()
    server.answers["/"] = redirect(location.format(port=other.port, first=server.authority), code=code)
    arguments = [word for field in FIELDS_OF_CALLER for word in ("-H", field.format(scene.password))]
    outcome = scene.httpc(*arguments, "-b", "mine=" + scene.password, server.origin + "/")
    require(finds(arrived(server, "/").raw, scene.password), "nothing was tested: the first server got nothing")
    require(other.received("/there") or outcome.code in (1, 3), f"nothing was tested: {outcome.says()}")
    never(other, scene.password)


@attack(NEXT, "what was dropped stays dropped when the chain comes back")
def back(scene):
    server, other = scene.server({"/end": page("end")}), scene.server()
    server.answers["/"] = redirect(other.origin + "/")
    other.answers["/"] = redirect(server.origin + "/end")
    scene.httpc("-H", "X-API-Key: " + scene.password, "-b", "a=" + scene.password, server.origin + "/")
    require(not finds(arrived(server, "/end").raw, scene.password), "it came back")
    never(other, scene.password)


@attack(NEXT, "two places at once lead nowhere", [
    ("two fields", ["Location: {other}/", "Location: {other}/two"]),
    ("own and other", ["Location: /own", "Location: {other}/"])])
def two_locations(scene, fields):
    other = scene.server({"*": page("there")})
    server = scene.server({"/": status(302, b"", *[field.format(other=other.origin) for field in fields]),
                           "/own": page("own")})
    scene.httpc(server.origin + "/").ends(0, 3)
    arrived(server, "/")
    require(not other.connections and not server.received("/own"), "one of them was followed")


@attack(NEXT, "a Location that is not UTF-8 leads to no other URL")
def not_utf8(scene):
    server = scene.server({"/": redirect(b"/caf\xe9?x=\xfc")})
    scene.httpc(server.origin + "/").ends(3)
    arrived(server, "/")
    require(len(server.received()) == 1, "a URL was made of it, and asked for")


@attack(NEXT, "a Location with white space inside leads nowhere else", [
    (name, text) for name, text in (("a tab in //", "/\t/{authority}/"),
    ("a tab in the host", "http://127.0\t.0.1:{port}/"),
                                    ("a tab in the scheme", "ht\ttp://{authority}/"),
                                    ("a space in the host", "http://127.0.0.1 .x:{port}/"))])
def location_tabs(scene, text):
    other = scene.server({"*": page("there")})
    server = scene.server({"/": redirect(text.format(authority=other.authority, port=other.port)), "*": page("own")})
    scene.httpc(server.origin + "/")
    arrived(server, "/")
    require(not other.connections, "it was read without the white space")


@attack(NEXT, "https does not lead to http, not even on its way back to https")
def downgrade(scene):
    other = scene.server()
    server = scene.secure({"/end": page("end")})
    server.answers["/"] = redirect(other.origin + "/")
    other.answers["/"] = redirect(server.origin + "/end")
    scene.httpc("--cacert", scene.bench.authority.ca, server.origin + "/").ends(1)
    arrived(server, "/")
    require(not other.connections, "it was followed")


# Certificates

# Whom the certificate is for, how it says so, and how it is asked.
CERTIFICATES = [
    ("another name", "DNS:www.example.com", "localhost"), ("another address", "IP:127.0.0.66", "127.0.0.1"),
    ("the address that a name leads to", "IP:127.0.0.1,IP:::1", "localhost"),
    ("an address, as a name", "DNS:127.0.0.1", "127.0.0.1"),
    ("a name in the subject only", "", "localhost"),
    ("a name in the subject, another one in the list", "DNS:www.example.com", "localhost"),
    ("every name", "DNS:*", "localhost"), ("a part of a name", "DNS:local*", "localhost"),
    ("a mail address", "email:a@localhost", "localhost"), ("a URI", "URI:https://localhost/", "localhost"),
]


@attack(NEXT, "a certificate for another host is refused", CERTIFICATES)
def certificate(scene, names, host):
    context = scene.bench.authority.issue(scene.folder.name, names, "/CN=localhost")
    server = scene.server({"*": page("in")}, tls=context)
    outcome = scene.httpc("--cacert", scene.bench.authority.ca, "-u", "alice:" + scene.password,
                          f"https://{host}:{server.port}/")
    require(server.connections, "nothing was tested: no connection came")
    require(not server.received(), "a request was sent")
    outcome.ends(60)


@attack(NEXT, "a certificate of an unknown authority is refused")
def authority(scene):
    server = scene.secure({"*": page("in")})
    scene.httpc(server.origin + "/").ends(60)
    require(server.connections and not server.received(), "a request was sent")
    scene.httpc("--cacert", scene.bench.authority.ca, server.origin + "/").ends(0)


# Credentials

@attack(NEXT, "Digest's domain names no other origin")
def digest_domain(scene):
    other = scene.server({"*": page("there")})
    challenge = DIGEST.format("same") + f', domain="/ {other.origin}/ {other.origin}"'
    server = scene.server({"/": guarded(challenge, redirect(other.origin + "/there"))})
    scene.httpc("-u", "alice:" + scene.password, server.origin + "/")
    arrived(other, "/there")
    require(server.received()[-1].field("Authorization"), "nothing was tested: no login")
    never(other, scene.password)


@attack(NEXT, "Basic is sent ahead below its directory only")
def directory(scene):
    server = scene.server({"/a/b": guarded(BASIC.format("r"), redirect("/ab/c")), "/ab/c": page("in")})
    scene.httpc("-u", "alice:" + scene.password, server.origin + "/a/b")
    arrived(server, "/ab/c")
    require(server.received()[1].field("Authorization"), "nothing was tested: no login")
    require(not server.received("/ab/c")[0].field("Authorization"), "the password was sent ahead")


@attack(NEXT, "a 407 of a server is no question of a proxy's")
def proxy_challenge(scene):
    server = scene.server({"*": status(407, b"", 'Proxy-Authenticate: Basic realm="r"')})
    scene.httpc("-u", "alice:" + scene.password, server.origin + "/")
    arrived(server)
    never(server, scene.password)


@attack(NEXT, "HTTP_PROXY in capitals is no proxy")
def proxy_variable(scene):
    proxy, server = scene.server({"*": page("proxy")}), scene.server({"*": page("in")})
    scene.httpc("-H", "X-API-Key: " + scene.password, server.origin + "/", environment={"HTTP_PROXY": proxy.origin}).ends(0)
    arrived(server)
    require(not proxy.connections, "it was used")


# Login pages

@attack(NEXT, "an answer is sent once")
def once(scene):
    login = Login(scene)
    login.idp.answers["*"] = page("<form method=post action=''>" + FIELDS + "</form>")
    login.unattended().ends(67)
    posts = [request for request in login.idp.received() if finds(request.raw, scene.password)]
    require(len(posts) == 1, f"it was sent {len(posts)} times")


@attack(NEXT, "only hidden SAML messages cross origins unasked", [
    ("with a password", "<input type=hidden name=SAMLResponse value=x>" + FIELDS),
    ("with a text", "<input type=hidden name=SAMLRequest value=x><input name=user>"),
    ("with a hidden answer's name", "<input type=text name=SAMLResponse value=x><input type=password name=password>")])
def saml_form(scene, fields):
    login = Login(scene)
    login.idp.answers["/login"] = page(f"<form method=post action='{login.other.origin}/take'>{fields}</form>")
    login.unattended().ends(67)
    arrived(login.idp, "/login")
    never(login.other, scene.password)


@attack(NEXT, "a page that never ends, or is never done", [
    ("64 MiB", b"<form>" + b"<input name=a>" * 5_000_000),
    ("100,000 attributes", b"<form><input " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">"),
    ("deep", b"<div>" * 200_000 + b"<form><input name=user>"),
    ("a refresh to itself", b"<meta http-equiv=refresh content=0>")])
def endless(scene, html):
    login = Login(scene)
    login.idp.answers["*"] = page(html)
    outcome = login.unattended("--web", "terminal")
    arrived(login.idp, "/login")
    require(outcome.code > 0 and outcome.code != 28, f"ended with {outcome.code}: {outcome.says()}")
    require(outcome.cpu < 8, f"it took {outcome.cpu:.1f} s of CPU")


# Cookies

@attack(NEXT, "cookies do not cross a public suffix", [
    ("github.io", "one.github.io", "Domain=github.io"), ("com", "www.bank.com", "Domain=com")])
def public_suffix(scene, host, attribute):
    to = {"one.github.io": "two.github.io", "www.bank.com": "www.example.com"}[host]
    require(returned(scene, [f"evil=1; {attribute}", "good=1"], host=host, then=to) == "", f"{to} got a cookie")
    require("good=1" in returned(scene, ["good=1"], host=host, then=host),
            "nothing was tested: no cookie comes back at all")


@attack(NEXT, "a flood of cookies", [
    ("5,000 of one answer", [f"c{n}=1" for n in range(5000)]),
    ("5,000 with domains", [f"c{n}=1; Domain=example.com; Path=/{n}" for n in range(5000)]),
    ("300 of 4 KiB", [f"c{n}=" + "x" * 4096 for n in range(300)]), ("attributes", ["a=1" + "; x" * 2000] * 50)])
def flood(scene, cookies):
    server = scene.server({"/set": status(302, b"", "Location: /next",
                                          *[f"Set-Cookie: {cookie}" for cookie in cookies]), "*": page("in")})
    outcome = scene.httpc("-c", "cookies", f"http://www.example.com:{server.port}/set", names=NAMES)
    arrived(server, "/set")
    require(outcome.cpu < 4, f"it took {outcome.cpu:.1f} s of CPU")
    require(outcome.code in (0, 8, 63), f"ended with {outcome.code}: {outcome.says()}")


@attack(NEXT, "plain http changes no Secure cookie", [
    ("the same name", ["sid=evil"]), ("for the parent", ["sid=evil; Domain=example.com"]),
    ("a flood", [f"c{n}=evil" for n in range(400)]), ("a deletion", ["sid=; Max-Age=0"])])
def secure_cookie(scene, cookies):
    authority = ("--cacert", scene.bench.authority.ca)
    safe = scene.secure({"/set": status(200, b"", "Set-Cookie: sid=true; Secure; Path=/"), "*": page("in")})
    plain = scene.server({"*": status(200, b"", *[f"Set-Cookie: {cookie}; Path=/" for cookie in cookies])})
    files = ("-b", "cookies", "-c", "cookies")
    scene.httpc(*authority, *files, f"https://www.example.com:{safe.port}/set", names=NAMES).ends(0)
    scene.httpc(*files, f"http://www.example.com:{plain.port}/", names=NAMES)
    scene.httpc(*authority, *files, f"https://www.example.com:{safe.port}/get", names=NAMES)
    arrived(plain)
    sent = arrived(safe, "/get").field("Cookie").decode().split("; ")
    require("sid=true" in sent and "sid=evil" not in sent, f"Cookie: {sent}")


# Files and terminals

@attack(NEXT, "-o to what is no file writes in place", [("a FIFO", False), ("a link to a FIFO", True)])
def fifo(scene, linked):
    server = scene.server({"*": page("body")})
    path = scene.folder / "fifo"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if linked:
        (scene.folder / "link").symlink_to("fifo")
    outcome = scene.httpc("-o", "link" if linked else "fifo", server.origin + "/")
    try:
        require(os.read(reader, 100) == b"body", "nothing came")
    finally:
        os.close(reader)
    require(stat.S_ISFIFO(path.stat().st_mode), "it was replaced by a file")
    outcome.ends(0)


@attack(NEXT, "-v shows no control characters of a server's", [
    ("reason", b"HTTP/1.1 200 \x1b[31mX\x9b2J\xe2\x80\xae\r\nContent-Length: 0\r\n\r\n"),
    ("field", raw(200, b"", b"Content-Length: 0", b"Server: \xc2\x9b2J\xe2\x80\xaex")),
    ("realm", asks(b'WWW-Authenticate: Basic realm="\xc2\x9b2J\xe2\x80\xae\xe2\x81\xa6"')),
    ("scheme", asks(b"WWW-Authenticate: X\xc2\x9b2J realm=x")),
    ("cookie", status(200, b"", b"Set-Cookie: a\xc2\x9b=\xe2\x80\xae")), ("Location", redirect(b"/\xc2\x9b2J\xe2\x80\xae")),
    ("Content-Encoding", status(200, b"x", b"Content-Encoding: \xc2\x9b2J\xe2\x80\xae"))])
def verbose(scene, answer):
    server = scene.server({"/": answer, "*": page("in")})
    outcome = scene.httpc("-v", "-c", "cookies", "-o", "out", server.origin + "/")
    arrived(server, "/")
    shown = outcome.err.decode(errors="replace")
    require(not any(character in shown for character in "\x1b\x9b\u202e\u2066\x07"), f"it does: {ascii(shown[-200:])}")


@attack(NEXT, "a profile's own password stays out of plain http elsewhere")
def profile_clear(scene):
    server = scene.server({"*": asks(BASIC.format("r"))}, host="0.0.0.0")
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["http://0.0.0.0:{server.port}/"]\n{PASSWORD}'),
                f"http://0.0.0.0:{server.port}/",
                environment={"ATTACK_PASSWORD": scene.password}).ends(67)
    arrived(server)
    never(server, scene.password)


# Heads without an end

MIB = 1 << 20


CHUNKED = b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
END = b"\r\nx\r\n0\r\n\r\n"


@attack(NEXT, "a head has an end", [
    ("one line of 16 MiB", b"HTTP/1.1 200 X\r\nX: " + b"x" * (16 * MIB) + b"\r\n\r\n", [8, 63]),
    ("a reason of 16 MiB", b"HTTP/1.1 200 " + b"x" * (16 * MIB) + b"\r\n\r\n", [8, 63]),
    ("a million fields", b"HTTP/1.1 200 X\r\n" + b"X: y\r\n" * 1_000_000 + b"\r\n", [8, 63]),
    ("trailers", CHUNKED + b"1\r\nx\r\n0\r\n" + b"X: y\r\n" * 1_000_000 + b"\r\n", [8, 63]),
    # Parts that are not kept may be long.
    ("a chunk's extension", CHUNKED + b"1;" + b"x" * (16 * MIB) + END, [0, 8, 63]),
    ("a chunk's size", CHUNKED + b"0" * (16 * MIB) + b"1" + END, [0, 8, 63])])
def endless_head(scene, answer, codes):
    server = scene.server({"*": answer})
    outcome = scene.httpc(server.origin + "/")
    arrived(server)
    outcome.ends(*codes)
    require(outcome.code or outcome.out == b"x", f"the body is {outcome.out[:40]!r}")
    require(outcome.cpu < 4, f"it took {outcome.cpu:.1f} s of CPU")


# CSRF tokens

@attack(NEXT, "a token against forged requests is fetched without secrets where a redirect led")
def csrf(scene):
    other = scene.server({"*": status(403, b"", "X-CSRF-Token: Required")})
    server = scene.server({"*": redirect(other.origin + "/service/x", code=307)})
    scene.httpc("-H", "X-API-Key: " + scene.password, "-b", "sid=" + scene.password, "-u", "alice:" + scene.password,
                "-d", "x=y",
                server.origin + "/service/x")
    arrived(other, "/service/x")
    never(other, scene.password)


@attack(NEXT, "a token against forged requests stays at its origin")
def csrf_travels(scene):
    other = scene.server({"*": page("there")})
    server = scene.server()
    server.answers["*"] = lambda request: (
        status(200, b"", "X-CSRF-Token: ct-" + scene.password) if request.field("X-CSRF-Token").lower() == b"fetch" else
        redirect(other.origin + "/there", code=307) if scene.password.encode() in request.field("X-CSRF-Token") else
        status(403, b"", "X-CSRF-Token: Required"))
    scene.httpc("-d", "x=y", server.origin + "/service/x")
    arrived(other, "/there")
    never(other, "ct-" + scene.password)
