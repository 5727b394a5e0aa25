"""Points 9 and 10: hosts that mean another one, and text whose bytes are not what its characters look like."""
import re
import socket

from bench import arrived, attack, finds, require
from servers import page, redirect, status

# Point 9: what C libraries take for 127.0.0.1, and names with empty labels.

HOSTS = [
    "127.1", "127.0.1", "0x7f.1", "0x7f.0.0.1", "2130706433", "017700000001", "0x7f000001", "0177.0.0.1", "127.0.0.01",
    "127.0.0.0x1", "127.0.0.1..", "localhost..", ".localhost", "a..b", "256.1.1.1", "1.2.3.4.5", "example.0x7f",
    "example.1", "127.1.", "0", "0x", "..", ".", "\uff11\uff12\uff17.1", "127\u30020\u30021", "foo.0", "foo.0X7F",
    "%31%32%37.1", "127.0.0.1%00.example", "\u2488\u0660.1", "0X7F.1", "09.1.1.1", "localhost.0x0",
]


@attack(9, "a typed host that is not canonical is refused", [
    (host.encode("unicode_escape").decode(), host) for host in HOSTS])
def typed(scene, host):
    server = scene.server({"*": page("reached")})
    outcome = scene.httpc(f"http://{host}:{server.port}/")
    require(not server.connections, f"{host} was taken for this machine")
    outcome.ends(3)


@attack(9, "a typed host in its canonical form is reached", [
    ("127.0.0.1", "127.0.0.1"), ("with a trailing dot", "127.0.0.1.")])
def typed_well(scene, host):
    """The control for the attacks above: this request arrives."""
    server = scene.server({"*": page("reached")})
    scene.httpc(f"http://{host}:{server.port}/").ends(0)
    arrived(server)


@attack(9, "a host of a Location that is not canonical is not reached", [
    (host.encode("unicode_escape").decode(), host) for host in HOSTS[:12] + HOSTS[-8:]])
def located(scene, host):
    target = scene.server({"*": page("reached")})
    server = scene.server({"/": redirect(f"http://{host}:{target.port}/")})
    outcome = scene.httpc(server.origin + "/")
    arrived(server, "/")
    require(not target.connections, f"{host} was taken for this machine")
    outcome.ends(3)


@attack(9, "a host of a profile's match that is not canonical is refused", [
    (host, host) for host in ("127.1", "0x7f.1", "localhost..", "2130706433")])
def matched(scene, host):
    server = scene.server({"*": page("reached")})
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["http://{host}:{server.port}/"]\n'), server.origin + "/").ends(2, 3)
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/"]\n'), server.origin + "/").ends(0)


@attack(9, "localhost is this machine, whatever the resolver says", [
    (name, name) for name in ("localhost", "LOCALHOST", "localhost.", "LocalHost.")])
def resolver(scene, name):
    real = scene.server({"*": page("real")})
    liar = scene.server({"*": page("liar")}, host="127.0.0.66", port=real.port)
    # The resolver lies only if it can be made to.
    names = {"localhost": "127.0.0.66", "localhost.": "127.0.0.66"}
    outcome = scene.httpc(f"http://{name}:{real.port}/", names=names if scene.bench.namespace else None)
    require(not liar.connections, "the resolver was asked for localhost")
    outcome.ends(0)
    arrived(real)


@attack(9, "localhost in a Location is this machine, whatever the resolver says")
def resolver_located(scene):
    real = scene.server({"*": page("real")})
    liar = scene.server({"*": page("liar")}, host="127.0.0.66", port=real.port)
    first = scene.server({"*": redirect(f"http://localhost:{real.port}/")})
    scene.httpc(first.origin + "/", names={"localhost": "127.0.0.66"})
    arrived(first)
    require(not liar.connections, "the resolver was asked for localhost")
    arrived(real)


@attack(9, "the resolver can be made to lie about other names")
def resolver_control(scene):
    """The control for the attacks on localhost: the false address is used for another name."""
    liar = scene.server({"*": page("liar")}, host="127.0.0.66")
    scene.httpc(f"http://attacks.example:{liar.port}/", names={"attacks.example": "127.0.0.66"}).ends(0)
    arrived(liar)


@attack(9, "localhost is both of its addresses", [("only ::1 listens", "::1"), ("only 127.0.0.1 listens", "127.0.0.1")])
def both(scene, host):
    server = scene.server({"*": page("real")}, host=host)
    with socket.socket(socket.AF_INET if ":" in host else socket.AF_INET6) as closed:
        # Bound and not listening: nobody else can answer there.
        closed.bind(("127.0.0.1" if ":" in host else "::1", server.port))
        scene.httpc(f"http://localhost:{server.port}/",
                    names={"unused.example": "127.0.0.66"} if scene.bench.namespace else None).ends(0)
    arrived(server)


# Point 10

PLAIN = [("no mark", "")]
MARKS = [("combining acute", "\u0301"), ("zero width joiner", "\u200d"), ("variation selector", "\ufe0f")]
DIGEST = 'WWW-Authenticate: Digest realm="{}", qop="auth", algorithm=SHA-256, nonce="n1"'


def digest_server(scene, realm="r"):
    asks = status(401, b"", DIGEST.format(realm))
    return scene.server({"*": lambda request: page("in") if request.field("Authorization") else asks})


def parameters(field):
    """The parameters of a header field as a server reads them: byte by byte (RFC 9110 §5.6.4)."""
    found = re.findall(rb'([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))(?:,|$)', field)
    return {name.lower(): re.sub(rb"\\(.)", rb"\1", quoted) or token for name, quoted, token in found}


@attack(10, "Digest: a user name cannot end its quotes", PLAIN + MARKS)
def digest_name(scene, mark):
    name = f'al"{mark}, uri="/evil", x="\\{mark}ice'
    server = digest_server(scene)
    outcome = scene.httpc("-u", f"{name}:{scene.password}", server.origin + "/")
    sent = arrived(server).field("Authorization")
    if not sent:
        # Refusing such a name is as good, if it is said.
        require(outcome.code and b"name" in outcome.err.lower(), "nothing was tested: no Authorization arrived")
        return
    got = parameters(sent)
    named = got.get(b"username", b"")
    require(named == name.encode() or b"username*" in sent, f"the server reads the name as {named!r}")
    require(got.get(b"uri") == b"/" and sent.count(b"uri=") == (2 if b"username*" not in sent else 1),
            f"the server reads {got.get(b'uri')!r} as uri")


@attack(10, "Digest: a realm comes back with the same bytes", [
    (f"{place}, {name}", text.format(mark)) for name, mark in PLAIN + MARKS
    for place, text in (("quote", 'a\\"{}b'), ("backslash", 'a\\\\{}b'), ("comma", 'a,{} Basic realm=x'))])
def digest_realm(scene, text):
    server = digest_server(scene, text)
    scene.httpc("-u", "alice:" + scene.password, server.origin + "/")
    got = parameters(arrived(server).field("Authorization"))
    require(got, "nothing was tested: no Authorization arrived")
    require(got.get(b"realm") == re.sub(r"\\(.)", r"\1", text).encode(), f"the realm came back as {got.get(b'realm')!r}")


@attack(10, "-u: the first colon ends the name, whatever follows it", PLAIN + MARKS)
def basic_colon(scene, mark):
    server = scene.server({"*": status(401, b"", 'WWW-Authenticate: Basic realm="r", charset="UTF-8"')})
    scene.httpc("-u", f"alice:{mark}{scene.password}", server.origin + "/")
    require(finds(arrived(server).raw, f"alice:{mark}{scene.password}"), "the password was not recognised")


@attack(10, "-b: the first = ends the name, whatever follows it", PLAIN + MARKS)
def cookie_equals(scene, mark):
    server = scene.server({"*": page("in")})
    scene.httpc("-b", f"a={mark}{scene.password}", server.origin + "/").ends(0)
    require(f"a={mark}{scene.password}".encode() in arrived(server).field("Cookie"),
            "the cookie was taken for a file's name")


@attack(10, "--answer: the first = ends the name, whatever follows it", PLAIN + MARKS)
def answer_equals(scene, mark):
    server = scene.server({"/login": page("<form method=post action=/take><input type=password name=p></form>")})
    server.answers["/"] = redirect("/login", "x-smp-authentication: otp-challenge")
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.otp]\n'), "--web", "terminal",
                "--answer", f"p={mark}{scene.password}", server.origin + "/")
    require(finds(arrived(server, "/take").raw, mark + scene.password), "the answer did not arrive whole")


@attack(10, "-H: a colon or a quote stays what it is", PLAIN + MARKS)
def header_colon(scene, mark):
    server = scene.server({"*": page("in")})
    scene.httpc("-H", f"X-Key:{mark}{scene.password}", server.origin + "/").ends(0)
    require(f"{mark}{scene.password}".encode() in arrived(server).field("X-Key"), "the field did not arrive")


PARTS = ("/", "?", "#", "@", ":")


@attack(10, "a mark behind a separator of a URL hides it from nobody", [
    (f"{part!r}, {where}", part, where) for part in PARTS for where in ("typed", "in a Location")])
def separators(scene, part, where):
    evil = scene.server({"*": page("evil")})
    good = scene.server({"*": page("good")})
    if part in "/?#":
        url = f"http://{good.authority}{part}\u0301@{evil.authority}/x"
    elif part == "@":
        # The host is what follows the @, with its mark: no host at all, and not the one before.
        url = f"http://{evil.authority}@\u0301{good.authority}/x"
    else:
        url = f"http://{good.host}:\u0301{good.port}@{evil.authority}/x"
    if where == "typed":
        outcome = scene.httpc(url)
    else:
        first = scene.server({"*": redirect(url)})
        outcome = scene.httpc(first.origin + "/")
        arrived(first)
    if part == ":":
        # Userinfo, then: allowed when typed, never from a redirect.
        return require(not good.connections, "the host was read from the userinfo")
    require(not evil.connections, "the host was read from behind the separator")
    require(good.connections or outcome.code == 3, f"ended with {outcome.code}: {outcome.says()}")


@attack(10, "multipart: a field's name cannot end its quotes", [
    (f"{place}, {name}", text.format(mark)) for name, mark in PLAIN + MARKS[:2] for place, text in (
        ("quote", 'a&quot;{}; filename=&quot;evil'), ("CR", "a&#13;{}X: y"), ("LF", "a&#10;{}X: y"),
        ("CR LF", "a&#13;&#10;{}X: y"))]
    + [("two line ends", "a&#10;&#10;body")])
def multipart(scene, name):
    server = scene.server({"/login": page(
        f'<form method=post action=/take enctype="multipart/form-data"><input type=hidden name="{name}" value=v>'
        "<input type=password name=p></form>"), "/take": page("thanks")})
    server.answers["/"] = redirect("/login", "x-smp-authentication: otp-challenge")
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.otp]\n'), "--web", "terminal",
                "--answer", "p=" + scene.password, server.origin + "/")
    body = arrived(server, "/take", "the form").body
    require(finds(body, scene.password), "nothing was tested: no answer in the form")
    for part in re.split(rb"--form-[0-9A-Fa-f-]+", body)[1:-1]:
        head = part.strip(b"\r\n").split(b"\r\n\r\n")[0]
        require(len(re.split(rb"[\r\n]", head)) == 1, f"a name began a line of its own: {head!r}")
        require(head.count(b'"') == 2 and b'filename="' not in head, f"a name ended its quotes: {head!r}")


@attack(10, "a mark behind a separator of a header field hides it from nobody", [
    ("Set-Cookie: ;", b"Set-Cookie: a=1;\xcc\x81 b; Path=/elsewhere", "a=1", False),
    ("Set-Cookie: =", b"Set-Cookie: a=\xcc\x811", "a=\u03011", True)])
def set_cookie(scene, field, expected, is_sent):
    server = scene.server({"/": redirect("/next", field), "/next": page("in")})
    scene.httpc(server.origin + "/").ends(0)
    sent = arrived(server, "/next").field("Cookie").decode(errors="replace")
    require((expected in sent) == is_sent, f"the cookie was read wrongly: Cookie: {sent!r}")


ENDS = [("CR LF", "\r\n"), ("LF", "\n"), ("CR", "\r"), ("CR LF and a mark", "\r\n\u0301")]
ARGUMENTS = [
    ("-H value", "-H", "X-Key: a{}X-Evil: y"), ("-H name", "-H", "X{}X-Evil: y"), ("-u", "-u", "al{}X-Evil: y:pw"),
    ("-A", "-A", "a{}X-Evil: y"), ("-e", "-e", "http://h/{}X-Evil: y"), ("-b", "-b", "a=b{}X-Evil: y"),
    ("-X", "-X", "GET / HTTP/1.1{}X-Evil: y")]


@attack(10, "a line end in an argument is no line end on the wire", [
    (f"{title}, {name}", option, value.format(end)) for name, end in ENDS for title, option, value in ARGUMENTS
    if name == "CR LF" or option in ("-H", "-u", "-b")])
def lines(scene, option, value):
    server = digest_server(scene)
    outcome = scene.httpc(option, value, server.origin + "/")
    require(not any(request.field("X-Evil") for request in server.received()), "a field was smuggled in")
    require(outcome.code or server.received(), "nothing was tested: neither refused nor sent")
