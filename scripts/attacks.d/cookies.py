"""Points 2 and 14: cookies, in the cookie file and on the wire."""
import json

from bench import NEXT, arrived, attack, require
from servers import page, status

@attack(14, "a cookie that is not UTF-8 does not go back with other bytes")
def not_text(scene):
    server = scene.server({"/": status(302, b"", "Location: /next", b"Set-Cookie: a=\xe4", "Set-Cookie: b=\u00e4"),
                           "/next": page("in")})
    scene.httpc(server.origin + "/").ends(0)
    require(arrived(server, "/next").field("Cookie") == "b=\u00e4".encode(), f"it sent {arrived(server, '/next').field('Cookie')!r}")


# Point 2: cookies by which a server tries to get a line of its own into the cookie file.

SEPARATORS = [
    ("tab", b"\t"), ("U+0085", "\u0085".encode()), ("U+2028", "\u2028".encode()), ("U+2029", "\u2029".encode()),
    ("vertical tab", b"\x0b"), ("form feed", b"\x0c"), ("the byte 85", b"\x85"), ("U+001E", b"\x1e"), ("DEL", b"\x7f"),
]
LINE = b"localhost\tFALSE\t/\t%s\t0\t%s\tevil"
PLACES = [b"x=1%b%b", b"x%b%b=1", b"x=1; Path=/%b%b", b"1%b%b", b"x=1; Expires=%b%b"]


@attack(2, "a cookie is one line of the cookie file", SEPARATORS)
def written(scene, separator):
    lines = [LINE % (b"FALSE", b"sid"), LINE % (b"TRUE", b"__Host-sid"), b"short"]
    # In the short one there is no tab but the one under attack.
    injected = [form % (separator, text) for form in PLACES for text in lines]
    server = scene.server({"/set": status(200, b"", b"Set-Cookie: good=1",
                                          *[b"Set-Cookie: " + value for value in injected])})
    scene.httpc("-c", "cookies", server.origin + "/set")
    arrived(server, "/set")
    file = (scene.folder / "cookies").read_bytes() if (scene.folder / "cookies").exists() else b""
    if b"good\t1" not in file:
        # A head with such bytes may be refused as a whole.
        require(separator in (b"\x0b", b"\x0c", b"\x1e", b"\x7f"), "nothing was tested: the other cookie is not in the cookie file")
    text = file.decode("utf-8", errors="replace")
    for line in text.splitlines():
        require(not line or line.startswith(("# ", "127.0.0.1\t")), f"the cookie file has the line {line!r}")
        require(not line.startswith("127.") or line.count("\t") == 6, f"the cookie file has the line {line!r}")
    victims = [scene.server({"*": page("in")}), scene.secure({"*": page("in")})]
    for victim in victims:
        scene.httpc("-b", "cookies", "--cacert", scene.bench.authority.ca,
                    f"{victim.scheme}://localhost:{victim.port}/").ends(0)
        require(not arrived(victim).field("Cookie"), f"{victim.scheme} localhost got {arrived(victim).field('Cookie')!r}")


@attack(2, "a profile's cookies are one cookie each", [(kind, separator) for kind, separator in SEPARATORS[:4]])
def kept(scene, separator):
    server = scene.server({"/set": status(200, b"", b"Set-Cookie: good=1",
                                          b"Set-Cookie: x=1" + separator + LINE % (b"FALSE", b"sid"))})
    victim = scene.server({"*": page("in")})
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{server.origin}/", "http://localhost:{victim.port}/"]\n[profiles.p.otp]\n')
    scene.httpc(*profile, server.origin + "/set").ends(0)
    scene.httpc(*profile, server.origin + "/set").ends(0)
    require(b"good=1" in arrived(server).field("Cookie"), "nothing was tested: no cookie is kept")
    require(separator not in arrived(server).field("Cookie"), "the cookie went back")
    scene.httpc(*profile, f"http://localhost:{victim.port}/").ends(0)
    require(not arrived(victim).field("Cookie"), "localhost got the cookie")


def line(domain, subdomains, path, secure, name, value="evil", expires="0"):
    return "\t".join([domain, subdomains, path, secure, expires, name, value])


HOSTILE = [
    (f"{kind} in a value", line("127.0.0.1", "FALSE", "/", "FALSE", "x",
                                "1" + character + line("localhost", "FALSE", "/", "FALSE", "sid")))
    for kind, character in (("U+0085", "\u0085"), ("U+2028", "\u2028"), ("U+2029", "\u2029"), ("vertical tab", "\x0b"),
                            ("form feed", "\x0c"), ("CR", "\r"), ("NUL", "\0"), ("U+001D", "\x1d"))
] + [
    ("a __Host- cookie for subdomains", line("localhost", "TRUE", "/", "TRUE", "__Host-sid")),
    ("a __Host- cookie with a dot", line(".localhost", "TRUE", "/", "TRUE", "__Host-sid")),
    ("a __Host- cookie below a path", line("localhost", "FALSE", "/in", "TRUE", "__Host-sid")),
    ("a __Host- cookie that is not Secure", line("localhost", "FALSE", "/", "FALSE", "__Host-sid")),
    ("a __Secure- cookie that is not Secure", line("localhost", "FALSE", "/", "FALSE", "__Secure-sid")),
    ("a __host- cookie in small letters", line("localhost", "TRUE", "/", "FALSE", "__host-sid")),
    ("a nameless __Host- cookie", line("localhost", "FALSE", "/", "FALSE", "", "__Host-sid=evil")),
    ("eight columns", line("localhost", "FALSE", "/", "FALSE", "sid", "evil\tmore")),
    ("a trailing dot", line("localhost.", "TRUE", "/", "FALSE", "sid")),
    ("a name with =", line("localhost", "FALSE", "/", "FALSE", "a=b; sid")),
    ("a semicolon in the value", line("localhost", "FALSE", "/", "FALSE", "a", "b; sid=evil")),
]


@attack(2, "a cookie file is read as strictly as an answer", HOSTILE)
def read(scene, text):
    file = scene.file("cookies", "# Netscape HTTP Cookie File\n" + text + "\n" + line("localhost", "FALSE", "/", "FALSE",
        "good", "1") + "\n")
    for victim in (scene.server({"*": page("in")}), scene.secure({"*": page("in")})):
        scene.httpc("-b", file, "--cacert", scene.bench.authority.ca,
                    f"{victim.scheme}://localhost:{victim.port}/in").ends(0)
        sent = arrived(victim).field("Cookie")
        require(b"good=1" in sent, "nothing was tested: the good cookie was not sent")
        require(sent == b"good=1", f"{victim.scheme} localhost got {sent!r}")


NAMES = {name: "127.0.0.1" for name in (
    "www.example.com", "example.com", "shop.example.com", "a.www.example.com", "bank.com", "www.bank.com",
    "one.github.io", "two.github.io")}


@attack(2, "a cookie file cannot name a public suffix", [
    (f"{domain} to {host}", domain, host) for domain, host in (("com", "bank.com"), (".com", "bank.com"),
    ("github.io", "two.github.io"), (".co.uk", "bank.com"))])
def suffix(scene, domain, host):
    file = scene.file("cookies", line(domain, "TRUE", "/", "FALSE", "sid") + "\n" + line(host, "FALSE", "/", "FALSE", "good",
        "1") + "\n")
    victim = scene.server({"*": page("in")})
    scene.httpc("-b", file, f"http://{host}:{victim.port}/", names=NAMES).ends(0)
    require(arrived(victim).field("Cookie") == b"good=1", f"{host} got {arrived(victim).field('Cookie')!r}")


@attack(2, "a snapshot is read as strictly as an answer", [
    ("a public suffix", {"domain": "com", "isHostOnly": False, "name": "sid", "value": "evil"}),
    ("a __Host- cookie for subdomains", {"domain": "bank.com", "isHostOnly": False, "name": "__Host-sid", "value": "evil"}),
    ("a line end", {"domain": "bank.com", "isHostOnly": True, "name": "sid", "value": "evil\r\nX-Evil: y"}),
    ("a separator", {"domain": "bank.com", "isHostOnly": True, "name": "sid", "value": "evil\u2028x"})])
def snapshot(scene, cookie):
    """The form in which the library's CookieStore.Snapshot is encoded, which -b reads as well."""
    server = scene.server({"*": status(200, b"")})
    good = {"name": "good", "value": "1", "domain": "bank.com", "isHostOnly": True, "path": "/", "isSecure": False,
            "isHttpOnly": False, "created": 1700000000}
    file = scene.file("cookies.json", json.dumps({"cookies": [good, good | cookie]}))
    scene.httpc("-b", file, f"http://bank.com:{server.port}/", names=NAMES)
    sent = arrived(server)
    require(b"good=1" in sent.field("Cookie"), "nothing was tested: the good cookie was not sent")
    require(b"evil" not in sent.field("Cookie") and not sent.field("X-Evil"), f"bank.com got {sent.field('Cookie')!r}")


@attack(NEXT, "a login over http replaces no Secure cookie")
def login_over_http(scene):
    keeps = "Path=/; Max-Age=9999"
    safe = scene.secure({"/login": page("in", f"Set-Cookie: sid=good; Secure; {keeps}"), "*": page("in")})
    # Another port of the host: cookies have none.
    plain = scene.server()
    challenges = iter([status(401)])
    plain.answers["*"] = lambda request: (
        page("in") if b"sid=evil" in request.field("Cookie")
        else next(challenges, page("in", f"Set-Cookie: sid=evil; {keeps}")))
    options = (*scene.profile(
        f'[profiles.p]\nmatch = ["{safe.origin}/", "{plain.origin}/"]\nweb = "terminal"\n'
        '[profiles.p.web-login]\nstatus = "401"\n'), "--cacert", scene.bench.authority.ca)
    scene.httpc(*options, safe.origin + "/login").ends(0)
    scene.httpc(*options, plain.origin + "/r").ends(0)
    require(b"sid=evil" in plain.raw, "nothing was tested: there was no login with the cookie")
    scene.httpc(*options, safe.origin + "/next").ends(0)
    sent = arrived(safe, "/next").field("Cookie")
    require(sent == b"sid=good", f"https got {sent!r}")


@attack(NEXT, "many hosts in turn set many cookies each")
def many(scene):
    hosts = [f"h{number}.example.com" for number in range(10)]
    server = scene.server()

    def answer(request):
        number = int(request.path[1:])
        then = f"Location: http://{hosts[(number + 1) % 10]}:{server.port}/{number + 1}"
        cookies = [f"Set-Cookie: c{name}={'x' * 200}; Path=/{number}/{name}" for name in range(900)]
        return status(302 if number < 9 else 200, b"", then, *cookies)

    server.answers["*"] = answer
    outcome = scene.httpc(f"http://{hosts[0]}:{server.port}/0", names={host: "127.0.0.1" for host in hosts})
    arrived(server, "/9")
    outcome.ends(0)
    require(outcome.cpu < 4, f"it took {outcome.cpu:.1f} s of CPU")


# Point 14: as the public http-state suite has it.

def returned(scene, cookies, host="www.example.com", then="www.example.com", path="/next"):
    """The cookies that one answer of a host sets, and the cookies that another request sends."""
    server = scene.server({"/set": status(302, b"", "Location: http://{}:{}{}".format(then, "PORT", path),
                                          *[f"Set-Cookie: {cookie}" for cookie in cookies]), "*": page("in")})
    server.answers["/set"] = server.answers["/set"].replace(b":PORT", f":{server.port}".encode())
    scene.httpc(f"http://{host}:{server.port}/set", names=NAMES).ends(0)
    return arrived(server, path).field("Cookie").decode("utf-8", "replace")


ORDER = [
    ("parent first", ["a=1; Domain=example.com", "b=2", "c=3; Domain=example.com", "d=4"], "a=1; b=2; c=3; d=4"),
    ("own first", ["a=1", "b=2; Domain=example.com", "c=3"], "a=1; b=2; c=3"),
    ("three domains", ["z=1; Domain=example.com", "y=2; Domain=www.example.com", "x=3", "w=4; Domain=.example.com"],
     "z=1; y=2; x=3; w=4"),
    ("longer paths first", ["a=1; Path=/", "b=2; Path=/next", "c=3; Domain=example.com; Path=/",
                            "d=4; Domain=example.com; Path=/next"], "b=2; d=4; a=1; c=3"),
    ("a cookie that is set again keeps its place", ["a=1; Domain=example.com", "b=2", "a=3; Domain=example.com"],
     "a=3; b=2"),
    ("a cookie that is deleted and set again does not", ["a=1", "b=2", "a=; Max-Age=0", "a=3"], "b=2; a=3"),
    ("the same name for two domains", ["a=1; Domain=example.com", "a=2"], "a=1; a=2"),
    ("names against the alphabet", [f"{name}=1" for name in "zyxwv"], "z=1; y=1; x=1; w=1; v=1"),
    ("thirty of them", [f"c{n}={n}" + ("; Domain=example.com" if n % 2 else "") for n in range(30)],
     "; ".join(f"c{n}={n}" for n in range(30))),
]


@attack(14, "cookies are sent in the order in which they were set", ORDER)
def order(scene, cookies, expected):
    sent = returned(scene, cookies)
    require(sent == expected, f"Cookie: {sent}")


@attack(NEXT, "cookies keep their order in the cookie file", ORDER[:3])
def order_in_file(scene, cookies, expected):
    server = scene.server({"/set": status(200, b"", *[f"Set-Cookie: {cookie}" for cookie in cookies]), "*": page("in")})
    scene.httpc("-c", "cookies", f"http://www.example.com:{server.port}/set", names=NAMES).ends(0)
    scene.httpc("-b", "cookies", f"http://www.example.com:{server.port}/next", names=NAMES).ends(0)
    sent = arrived(server, "/next").field("Cookie").decode()
    require(sent == expected, f"Cookie: {sent}")


DOMAINS = [
    ("a trailing dot", "evil=1; Domain=example.com.", "good"), ("both dots", "evil=1; Domain=.example.com.", "good"),
    ("its own name with a trailing dot", "evil=1; Domain=www.example.com.", "good"),
    ("only dots", "evil=1; Domain=..", "good"),
    ("a public suffix", "evil=1; Domain=com", "good"), ("another name", "evil=1; Domain=bank.com", "good"),
    ("a subdomain", "evil=1; Domain=a.www.example.com", "good"), ("a part of a label", "evil=1; Domain=ample.com", "good"),
    ("two dots in front", "evil=1; Domain=..example.com", "good"), ("a port", "evil=1; Domain=example.com:80", "good"),
    ("an empty one", "kept=1; Domain=", "good; kept"), ("one dot", "kept=1; Domain=.", None),
    ("spaces and letters", "kept=1; Domain=  .EXAMPLE.com ", "good; kept"),
    ("the last one counts", "evil=1; Domain=example.com; Domain=bank.com", "good"),
    ("the last one counts, with a trailing dot", "evil=1; Domain=example.com; Domain=example.com.", "good"),
    ("an address", "evil=1; Domain=127.0.0.1", "good"),
]


@attack(14, "a Domain attribute", DOMAINS)
def domains(scene, cookie, expected):
    sent = returned(scene, ["good=1", cookie])
    require("good=1" in sent, "nothing was tested: the good cookie was not sent")
    if expected is None:
        # Host-only or ignored: implementations differ, and both are safe.
        require("kept" not in returned(scene, [cookie], then="shop.example.com"), "it went to a sibling")
        return
    names = "; ".join(pair.split("=")[0] for pair in sent.split("; "))
    require(names == expected, f"Cookie: {sent}")


@attack(14, "a cookie for a Domain with a trailing dot goes nowhere else either",
        [(host, host) for host in ("example.com", "shop.example.com", "a.www.example.com")])
def trailing_dot(scene, then):
    sent = returned(scene, ["evil=1; Domain=example.com.", "good=1; Domain=example.com"], then=then)
    require(sent == "good=1", f"Cookie: {sent}")


@attack(14, "a host with a trailing dot is the host",
        [("it sets", "www.example.com.", "www.example.com"), ("it gets", "www.example.com", "www.example.com.")])
def host_with_dot(scene, host, then):
    require(returned(scene, ["good=1"], host=host, then=then) == "good=1", "the cookie was lost")


# A tab is part of a cookie, and of no line of a file (RFC 6265bis §5.6).

TABS = [
    ("in a value", "x=1\t2", "x=1\t2", False), ("in a name", "x\ty=1", "x\ty=1", False),
    ("around the pair", "\tx\t=\t1\t;\tPath=/\t", "x=1", True), ("in a line of its own",
     "x=1\tlocalhost\tFALSE\t/\tFALSE\t0\tsid\tevil", "x=1\tlocalhost\tFALSE\t/\tFALSE\t0\tsid\tevil", False),
    ("beside another control character", "x=1\t\x0b2", None, False), ("beside U+0085", "x=1\t\u0085", None, False),
]


@attack(NEXT, "a tab in a cookie goes back and into no file", TABS)
def tabs(scene, cookie, expected, is_kept):
    # A head with such a byte may be refused as a whole.
    if "\x0b" not in cookie:
        sent = returned(scene, ["good=1", cookie])
        require(sent == ("good=1" if expected is None else f"good=1; {expected}"), f"Cookie: {sent!r}")
    server = scene.server({"/set": status(200, b"", b"Set-Cookie: good=1", b"Set-Cookie: " + cookie.encode())})
    scene.httpc("-c", "cookies", server.origin + "/set")
    arrived(server, "/set")
    text = (scene.folder / "cookies").read_text() if (scene.folder / "cookies").exists() else ""
    require("good\t1" in text or "\x0b" in cookie, "nothing was tested: the other cookie is not in the cookie file")
    require(("\tx\t1\n" in text) == is_kept, f"the cookie file is {text!r}")
    require("sid" not in text, "the cookie wrote a line of its own")
