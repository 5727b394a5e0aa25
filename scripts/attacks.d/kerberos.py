"""Kerberos tickets: the servers that get one, and attacks by a server's messages. The tickets are made up here: the client cannot
read them, so it sends them like real ones, and no realm is needed."""
import base64
import time

from bench import NEXT, arrived, attack, never, require
from servers import page, redirect, status

REALM = "TEST.EXAMPLE"


def der(tag, content):
    length = len(content)
    size = bytes([length]) if length < 128 else bytes([0x82]) + length.to_bytes(2, "big")
    return bytes([tag]) + size + content


def ticket(names, secret):
    """A ticket whose encrypted part is our secret, which can be looked for."""
    name = der(0x30, der(0xa0, b"\x02\x01\x02") + der(0xa1, der(0x30, b"".join(der(0x1b, part.encode()) for part in names))))
    encrypted = der(0x30, der(0xa0, b"\x02\x01\x12") + der(0xa2, der(0x04, secret)))
    return der(0x61, der(0x30, der(0xa0, b"\x02\x01\x05") + der(0xa1, der(0x1b, REALM.encode())) + der(0xa2, name) + der(0xa3, encrypted)))


def counted(data):
    return len(data).to_bytes(4, "big") + data


def principal(names):
    return (1).to_bytes(4, "big") + len(names).to_bytes(4, "big") + counted(REALM.encode()) + b"".join(counted(name.encode()) for name in names)


def cache(services, secret):
    """A file of tickets in MIT's format, version 4."""
    now = int(time.time())
    times = b"".join(number.to_bytes(4, "big") for number in (now - 60, now - 60, now + 36000, 0))
    data = b"\x05\x04\x00\x00" + principal(["alice"])
    for names in services:
        data += principal(["alice"]) + principal(names) + b"\x00\x12" + counted(bytes(range(32))) + times
        data += b"\x00" + b"\x00\x20\x00\x00" + b"\x00" * 8 + counted(ticket(names, secret)) + b"\x00" * 4
    return data


class Person:
    """Somebody with tickets for the services of this machine."""

    def __init__(self, scene):
        self.scene = scene
        self.secret = b"<encrypted part of the ticket " + scene.password.encode() + b">"
        services = [["HTTP", host] for host in ("127.0.0.1", "localhost", "127.0.0.2")]
        self.cache = scene.file("tickets", cache(services, self.secret))
        conf = scene.file("krb5.conf", f"[libdefaults]\n default_realm = {REALM}\n dns_lookup_kdc = false\n rdns = false\n")
        self.environment = {"KRB5CCNAME": f"FILE:{self.cache}", "KRB5_CONFIG": conf}

    def httpc(self, *arguments, **options):
        return self.scene.httpc(*arguments, environment=self.environment, **options)

    def sent(self, request):
        field = request.field("Authorization") or request.field("Proxy-Authorization")
        if not field.lower().startswith(b"negotiate "):
            return False
        return self.secret in base64.b64decode(field.split(b" ", 1)[1])

    def tickets(self, server):
        return [request for request in server.received() if self.sent(request)]


def asks(*more):
    return status(401, b"no", "WWW-Authenticate: Negotiate", *more)


def proof(token):
    return "WWW-Authenticate: Negotiate " + base64.b64encode(token).decode()


# Servers that get a ticket

@attack(NEXT, "no server that was not named gets a Kerberos ticket", [
    ("another port", "http://127.0.0.1:{port}/there"), ("another name", "http://localhost:{port}/there"),
    ("another address", "http://127.0.0.2:{port}/there")])
def not_named(scene, there):
    person = Person(scene)
    other = scene.server({"*": asks()}, host="0.0.0.0")
    url = there.format(port=other.port)
    server = scene.server({"*": lambda request: redirect(url) if person.sent(request) else asks()})
    outcome = person.httpc("--negotiate", server.origin + "/")
    # The redirect is the answer to a ticket, and without a proof it is not even followed.
    require(person.tickets(server), "nothing was tested: no ticket was sent at all")
    outcome.hides(scene.password)
    open_server = scene.server({"*": redirect(url)})
    person.httpc("--negotiate", open_server.origin + "/")
    arrived(other, "/there")
    never(other, scene.password)
    require(not person.tickets(other), "it gets one")


@attack(NEXT, "without --negotiate nobody gets a Kerberos ticket", [
    ("plain", ()), ("with a password", ("-u", "alice:x")), ("with --anyauth", ("--anyauth",)),
    ("with --location-trusted", ("--location-trusted", "-u", "alice:x"))])
def unasked(scene, options):
    person = Person(scene)
    server = scene.server({"*": asks()})
    person.httpc(*options, server.origin + "/")
    arrived(server, "/")
    require(not person.tickets(server), "it does")


@attack(NEXT, "over plain http no other machine gets a Kerberos ticket", [
    ("--negotiate", False), ("a profile", False), ("a profile that allows it", True)])
def plain(scene, allowed):
    person = Person(scene)
    server = scene.server({"*": asks()}, host="0.0.0.0")
    url = f"http://intra.example:{server.port}/"
    # A name beyond this machine for the client, whose address is here.
    person.environment["KRB5CCNAME"] = "FILE:" + scene.file(
        "more", cache([["HTTP", "intra.example"], ["HTTP", "127.0.0.1"]], person.secret))
    names = {"intra.example": "127.0.0.66"}
    text = f'[profiles.p]\nmatch = ["{url}"]\n[profiles.p.kerberos]\n' + ("plain-http = true\n" if allowed else "")
    outcome = person.httpc(*scene.profile(text), *(() if allowed else ("--negotiate",)), url, names=names)
    arrived(server, "/")
    require(bool(person.tickets(server)) == allowed, f"it is {'not sent' if allowed else 'sent'}: {outcome.says()[-300:]}")


@attack(NEXT, "a profile's Kerberos tickets stay inside its match", [
    ("beside", "/appendix"), ("above", "/"), ("dots", "/app/../secret"), ("encoded dots", "/app/%2e%2e/secret")])
def outside(scene, path):
    person = Person(scene)
    server = scene.server({"*": asks()})
    profile = scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/app/"]\n[profiles.p.kerberos]\n')
    person.httpc(*profile, server.origin + path)
    require(server.received(), "nothing was tested: the request never arrived")
    require(not person.tickets(server), "they do not")
    person.httpc(*profile, server.origin + "/app/x")
    require(person.tickets(server), "nothing was tested: no ticket was sent at all")


@attack(NEXT, "a proxy gets no Kerberos ticket that is for a server")
def proxies(scene):
    person = Person(scene)
    proxy = scene.server({"*": status(407, b"no", "Proxy-Authenticate: Negotiate", "WWW-Authenticate: Negotiate")})
    for url in ("http://127.0.0.1:9/", "https://127.0.0.1:9/"):
        person.httpc("--negotiate", "-x", proxy.origin, url)
    require(len(proxy.received()) >= 2, "nothing was tested: the requests never arrived")
    require(not person.tickets(proxy), "it does")
    person.httpc("--proxy-negotiate", "-x", proxy.origin, "http://127.0.0.1:9/")
    require(person.tickets(proxy), "nothing was tested: no ticket was sent at all")


@attack(NEXT, "a server that plays a proxy gets no Kerberos ticket for one")
def played(scene):
    person = Person(scene)
    server = scene.server({"*": status(407, b"no", "Proxy-Authenticate: Negotiate")})
    person.httpc("--proxy-negotiate", "--negotiate", server.origin + "/")
    arrived(server, "/")
    require(not person.tickets(server), "it does")


# Messages of a server

TOKENS = [
    ("nothing", b""), ("garbage", b"\x00\xff" * 50), ("a cut header", b"\xa1\x82"), ("a long length", b"\xa1\x84\xff\xff\xff\xff\x30"),
    ("accept-completed", b"\xa1\x07\x30\x05\xa0\x03\x0a\x01\x00"), ("reject", b"\xa1\x07\x30\x05\xa0\x03\x0a\x01\x02"),
    ("accept-incomplete", b"\xa1\x07\x30\x05\xa0\x03\x0a\x01\x01"), ("request-mic", b"\xa1\x07\x30\x05\xa0\x03\x0a\x01\x03"),
    ("NTLM", b"\xa1\x15\x30\x13\xa0\x03\x0a\x01\x01\xa1\x0c\x06\x0a\x2b\x06\x01\x04\x01\x82\x37\x02\x02\x0a"),
    ("deep", b"\xa1\x82\x7f\xff" + b"\x30\x80" * 16000), ("60 KiB", b"\xa1" + bytes(60 << 10)), ("180 KiB", b"\xa1" + bytes(180 << 10)),
]


@attack(NEXT, "a server without the key gets nothing of its answer used", TOKENS)
def unproved(scene, token):
    person = Person(scene)
    answer = status(200, b"believed", proof(token), "Set-Cookie: planted=1")
    server = scene.server({"*": lambda request: answer if person.sent(request) else asks()})
    outcome = person.httpc("--negotiate", "-c", "jar", server.origin + "/").ends(67)
    require(person.tickets(server), "nothing was tested: no ticket was sent at all")
    require(b"believed" not in outcome.out, "its page is printed")
    outcome.hides(scene.password)
    jar = scene.folder / "jar"
    require(not jar.exists() or b"planted" not in jar.read_bytes(), "its cookie is kept")


@attack(NEXT, "a server without the key leads nowhere", [("302", 302), ("303", 303), ("307", 307)])
def unproved_redirect(scene, code):
    person = Person(scene)
    other = scene.server({"*": page("x")})
    server = scene.server({"*": lambda request: redirect(other.origin + "/", code=code) if person.sent(request) else asks()})
    person.httpc("--negotiate", server.origin + "/").ends(67)
    require(person.tickets(server), "nothing was tested: no ticket was sent at all")
    require(not other.received(), "its redirect is followed")


@attack(NEXT, "a login of endless messages ends", TOKENS)
def endless(scene, token):
    person = Person(scene)
    server = scene.server({"*": lambda request: asks(proof(token)) if person.sent(request) else asks()})
    outcome = person.httpc("--negotiate", server.origin + "/").ends(0)
    require(person.tickets(server), "nothing was tested: no ticket was sent at all")
    require(len(server.received()) <= 10, f"it takes {len(server.received())} requests")
    outcome.hides(scene.password)


@attack(NEXT, "a password is not sent where a server spoils the Kerberos login")
def no_password(scene):
    person = Person(scene)
    server = scene.server({"*": lambda request: asks(proof(b"\x00garbage")) if person.sent(request) else asks()})
    other = scene.server({"*": status(401, b"no", "WWW-Authenticate: Negotiate", 'WWW-Authenticate: Basic realm="r"')})
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.kerberos]\n[profiles.p.basic]\nusername = "alice"\n'
        'password-env = "ATTACK_PASSWORD"\n')
    person.environment["ATTACK_PASSWORD"] = scene.password
    person.httpc(*profile, server.origin + "/")
    person.httpc(*profile, other.origin + "/")
    arrived(other, "/")
    require(person.tickets(server), "nothing was tested: no ticket was sent at all")
    passwords = [request for one in (server, other) for request in one.received()
                 if request.field("Authorization").lower().startswith(b"basic")]
    require(not passwords, "it is sent")
