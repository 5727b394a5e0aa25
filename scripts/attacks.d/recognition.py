"""Login pages that nobody has configured: passed off as the resource, or made to look like a login somebody trusts."""
import base64
import urllib.parse
import zlib

from bench import NEXT, arrived, attack, finds, never, require
from servers import page, redirect, status

FIELDS = '<input name=user><input type=password name=password><button>Log in</button>'
HTML = "Content-Type: text/html"


class Place:
    """A resource, and somebody else's server with a login page."""

    def __init__(self, scene):
        self.scene, self.sp, self.other = scene, scene.server(), scene.server()
        self.other.answers["*"] = page(f"<form method=post action=/take>{FIELDS}</form>")

    def fill(self, text):
        back = urllib.parse.quote(self.sp.origin + "/", safe="")
        return text.format(other=self.other.origin, sp=self.sp.origin, back=back)

    def leads(self, location):
        self.sp.answers["/"] = redirect(self.fill(location))

    def attended(self, *arguments):
        return self.scene.terminal("--web", "terminal", *arguments, self.sp.origin + "/")


# How a server leads to a login at another one. None of them may pass for the resource.
FOREIGN = [
    ("the address to return to", "{other}/login?next={back}"), ("its path", "{other}/login?next=%2F"),
    ("OpenID Connect", "{other}/authorize?response_type=code&client_id=c&redirect_uri={back}cb"),
    ("OpenID Connect without an address to return to", "{other}/authorize?response_type=code&client_id=c"),
    ("a pushed request", "{other}/authorize?client_id=c&request_uri=urn%3Ax"), ("CAS", "{other}/cas/login?service={back}"),
    ("SAML2", "{other}/sso?SAMLRequest=x"), ("SAML2, encoded", "{other}/sso?SAML%52equest=x"),
    ("WS-Federation", "{other}/adfs/ls/?wa=wsignin1.0&wtrealm=x"),
]


@attack(NEXT, "a foreign login page is not the resource", FOREIGN)
def passed_off(scene, location):
    place = Place(scene)
    place.leads(location)
    outcome = scene.httpc(place.sp.origin + "/").ends(67)
    arrived(place.sp, "/")
    require(not outcome.out, "the login page was printed")
    require(place.other.origin.encode() in outcome.err, "the message does not name the other server")


def saml_message(name):
    """A message of SAML2 as it is in a query."""
    packer = zlib.compressobj(wbits=-15)
    text = f'<samlp:{name} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_1" Version="2.0"/>'.encode()
    return urllib.parse.quote(base64.b64encode(packer.compress(text) + packer.flush()), safe="")


@attack(NEXT, "a logout is followed, and a request for a login is not", [
    ("a logout", "LogoutRequest", 0), ("a login", "AuthnRequest", 67), ("a login with a name for it", "LogoutRequestAuthn", 67)])
def logout(scene, name, code):
    place = Place(scene)
    place.leads("{other}/slo?SAMLRequest=" + saml_message(name))
    place.other.answers["*"] = page("<p>You are logged out.</p>")
    scene.httpc(place.sp.origin + "/").ends(code)
    arrived(place.sp, "/")
    require(bool(place.other.received()) == (code == 0), "the redirect was treated as the other kind")


@attack(NEXT, "a login page is not written to a file", FOREIGN)
def written(scene, location):
    place = Place(scene)
    place.leads(location)
    target = scene.folder / "out"
    for options in (("-o", str(target)), ("-o", str(target), "-f"), ("-o", str(target), "-C", "-"), ("-s", "-o", str(target)),
                    ("-o", str(target), "--retry", "2")):
        scene.httpc(*options, place.sp.origin + "/").ends(67)
        require(not target.exists(), f"{' '.join(options)} wrote {target.read_bytes()[:40] if target.exists() else b''!r}")
    arrived(place.sp, "/")


@attack(NEXT, "a file that is there is not replaced by a login page", FOREIGN[:3])
def replaced(scene, location):
    place = Place(scene)
    place.leads(location)
    target = scene.file("out", "kept")
    scene.httpc("-o", target, place.sp.origin + "/").ends(67)
    arrived(place.sp, "/")
    require(open(target).read() == "kept", "the file was replaced")


@attack(NEXT, "nothing is entered at a login that nobody has confirmed", FOREIGN)
def unconfirmed(scene, location):
    place = Place(scene)
    place.leads(location)
    terminal = place.attended("--answer", "user=alice", "--answer", "password=" + scene.password)
    terminal.until(rb"\(yes/no\)")
    require(place.other.origin.encode() in terminal.shown, "the question does not name the other server")
    require(b"Password" not in terminal.shown, "the password was asked for before the origin was confirmed")
    terminal.type("no")
    require(terminal.end() == 67, f"did not end with 67: {terminal.tail()}")
    never(place.other, scene.password)
    require(not any(request.method == "POST" for request in place.other.received()), "something was posted")


# After the confirmation the pages go on to a third server, which nobody has confirmed.
@attack(NEXT, "a login that was confirmed does not go on elsewhere by itself", [
    ("by a redirect", "redirect"), ("by the form's action", "form"), ("by a refresh", "refresh")])
def goes_on(scene, how):
    place = Place(scene)
    third = scene.server({"*": page(f"<form method=post action=/take>{FIELDS}</form>")})
    there = third.origin + "/login"
    place.other.answers["*"] = page(f"<form method=post action=/take>{FIELDS}</form>")
    place.leads("{other}/login?next={back}")
    terminal = place.attended()
    terminal.until(rb"\(yes/no\)")
    place.other.answers["*"] = {
        "redirect": redirect(there), "form": page(f"<form method=post action='{there}'>{FIELDS}</form>"),
        "refresh": page(f"<meta http-equiv=refresh content='0; url={there}'>")}[how]
    terminal.type("yes")
    first = terminal.until(rb"(?s)\(yes/no\).*\(yes/no\)", rb"user: ", rb"User")
    require(first == 0 or third.origin.encode() not in terminal.shown, "a third server was asked for without a question")
    terminal.type("no" if first == 0 else "alice")
    if first:
        terminal.until(rb"[Pp]assword: ")
        terminal.type(scene.password)
        terminal.until(rb"(?s)\(yes/no\).*\(yes/no\)", rb"67", rb"may not", rb"httpc: ")
        terminal.type("no")
    terminal.end()
    never(third, scene.password)


@attack(NEXT, "prepared answers of a profile do not go to a login that it does not name", FOREIGN[:3])
def answers(scene, location):
    place = Place(scene)
    place.leads(location)
    profile = scene.profile(f'[profiles.p]\nmatch = ["{place.sp.origin}/"]\n[profiles.p.answers]\nuser = "alice"\n'
                            'password = { env = "ATTACK_PASSWORD" }\n')
    terminal = scene.terminal(*profile, "--web", "terminal", place.sp.origin + "/",
                              environment={"ATTACK_PASSWORD": scene.password})
    terminal.until(rb"\(yes/no\)")
    terminal.type("yes")
    terminal.until(rb"httpc: .*67", rb"user: ", rb"may not go", rb"[Uu]ser")
    terminal.type("")
    arrived(place.other)
    never(place.other, scene.password)


# Bodies and heads that look like a login, and are to be passed on as they are.
LOOK_ALIKES = [
    ("JSON", "Content-Type: application/json"), ("a problem", "Content-Type: application/problem+json"),
    ("text", "Content-Type: text/plain"), ("no type", "X-Type: none"), ("two types", "Content-Type: application/json\r\nX: text/html"),
    ("a type in a parameter", "Content-Type: application/json; profile=text/html"), ("a longer type", "Content-Type: text/htmlx"),
]


@attack(NEXT, "a look-alike that is no page is not held back", LOOK_ALIKES)
def look_alike(scene, field):
    body = b"<form><input type=hidden name=SAMLRequest value=x><input type=password name=p></form>" * 3
    for code in (200, 401, 403):
        server = scene.server({"/": status(code, body, field, "com.sap.cloud.security.login: x")})
        outcome = scene.httpc(server.origin + "/").ends(0)
        require(outcome.out == body, f"the body of a {code} was held back or changed")
        head = scene.httpc("-I", "-X", "GET", server.origin + "/").ends(0)
        arrived(server, "/")
        require(b"SAMLRequest" not in head.out, "nothing was tested: the body came with the head")


@attack(NEXT, "an answer to HEAD is not held back for its length or type")
def head(scene):
    server = scene.server({"/": lambda request: status(200, b"", HTML) if request.method == "HEAD" else page("resource")})
    outcome = scene.httpc("-I", server.origin + "/").ends(0)
    arrived(server, "/")
    require(b"text/html" in outcome.out, "the head was not printed")


@attack(NEXT, "an issuer that a challenge names gets nothing", [
    ("at the issuer", "{other}/metadata", "{other}"), ("at the resource", "{sp}/metadata", "{other}"),
    ("escape sequences", "{sp}/metadata", "{other}/\x1b[2J\u202ex"), ("very many", "{sp}/metadata", None)])
def issuer(scene, metadata, named):
    place = Place(scene)
    names = [place.fill(named)] if named else [f"{place.other.origin}/{number}" for number in range(2000)]
    listed = ", ".join('"' + name.replace("\x1b", "\\u001b") + '"' for name in names)
    document = '{"resource": "%s/", "authorization_servers": [%s]}' % (place.sp.origin, listed)
    place.sp.answers |= {
        "/": status(401, b"{}", "Content-Type: application/json",
                    f'WWW-Authenticate: Bearer resource_metadata="{place.fill(metadata)}"'),
        "/metadata": status(200, document, "Content-Type: application/json")}
    outcome = scene.httpc("-b", "session=" + scene.password, place.sp.origin + "/").ends(0)
    arrived(place.sp, "/")
    require(not place.other.received(), "the server that a challenge named was asked")
    require(b"\x1b" not in outcome.err and "\u202e".encode() not in outcome.err, "its text acts on the terminal")
    require(len(outcome.err) < 4000, "its text has no end")
    for request in place.sp.received("/metadata"):
        require(not finds(request.raw, scene.password), "the metadata was asked for with the person's cookie")
    if metadata.startswith("{sp}"):
        arrived(place.sp, "/metadata")
        require(b"names the issuer" in outcome.err, f"the issuer is not shown: {outcome.says()}")


@attack(NEXT, "metadata does not lead elsewhere or go on", [
    ("a redirect", "redirect"), ("very long", "long"), ("deep", "deep"), ("of another resource", "other")])
def metadata(scene, kind):
    place = Place(scene)
    answer = {
        "redirect": redirect(place.other.origin + "/metadata"), "long": status(200, b'{"a":"' + b"x" * (1 << 22) + b'"}'),
        "deep": status(200, b"[" * 60000),
        "other": status(200, '{"resource": "%s/", "authorization_servers": ["https://as.example"]}' % place.other.origin)}[kind]
    place.sp.answers |= {
        "/": status(401, b"", f'WWW-Authenticate: Bearer resource_metadata="{place.sp.origin}/metadata"'), "/metadata": answer}
    outcome = scene.httpc(place.sp.origin + "/").ends(0)
    arrived(place.sp, "/metadata")
    require(not place.other.received(), "the metadata led to another server")
    require(b"names the issuer" not in outcome.err, "an issuer was shown that nobody named")


@attack(NEXT, "a page is looked at within bounds", [
    ("no end", b"<form>" + b"<input type=password>" * 200000), ("a tag without an end", b"<form><input " + b"a " * 500000),
    ("nested", b"<form>" + b"<div>" * 200000 + b"password"), ("words without forms", b"<form>" + b"password SAMLRe wresult " * 50000)])
def bounds(scene, body):
    server = scene.server({"/": page(body.decode())})
    outcome = scene.httpc("-o", str(scene.folder / "out"), server.origin + "/").ends(0, 67)
    arrived(server, "/")
    require(outcome.cpu < 5 and outcome.memory < 256 << 10, f"took {outcome.cpu:.1f} s and {outcome.memory} KiB")


@attack(NEXT, "what a login page says is not in the message")
def message(scene):
    place = Place(scene)
    place.sp.answers["/"] = page(
        f"<form action='{place.other.origin}/\x1b]0;x\x07?{scene.password}'><input type=hidden name=SAMLRequest "
        f"value={scene.password}></form>", f"Set-Cookie: _shibstate_{scene.password}=x")
    outcome = scene.httpc(place.sp.origin + "/").ends(67)
    arrived(place.sp, "/")
    outcome.hides(scene.password)
    require(b"\x1b" not in outcome.err and b"\x07" not in outcome.err, "the page's text acts on the terminal")
