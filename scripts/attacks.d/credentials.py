"""Points 3, 4, 6 and 7: whom a password, a code or a token is for."""
import itertools
import socket
import sys
import threading
import time
import urllib.parse

import free_ports
from bench import NEXT, arrived, attack, never, require
from servers import PATIENCE, page, redirect, status

BASIC = 'WWW-Authenticate: Basic realm="{}"'
DIGEST = 'WWW-Authenticate: Digest realm="{}", qop="auth", algorithm=SHA-256, nonce="n1"'


def asks(*challenges):
    return status(401, b"no", *challenges)


def guarded(challenge, otherwise=None):
    """Answers with the challenge unless the request has a credential for its scheme."""
    kind = challenge.split(": ")[1].split(" ")[0].encode()
    return lambda request: (
        (otherwise or page("resource")) if request.field("Authorization").lower().startswith(kind.lower())
        else asks(challenge))


def basic_logins(server):
    return [request for request in server.received() if request.field("Authorization").lower().startswith(b"basic")]


# Point 3

@attack(3, "-u does not answer where a redirect led", [
    (f"{name}, {kind}", host, challenge) for name, host in (("another port", "127.0.0.1"), ("another name", "localhost"))
    for kind, challenge in (("Basic", BASIC), ("Digest", DIGEST))])
def redirected(scene, host, challenge):
    other = scene.server({"*": asks(challenge.format("same"))})
    there = f"http://{host}:{other.port}/there"
    server = scene.server({"/": guarded(BASIC.format("same"), redirect(there))})
    scene.httpc("-u", "alice:" + scene.password, server.origin + "/")
    arrived(other, "/there")
    never(other, scene.password)
    require(basic_logins(server), "nothing was tested: -u was never used at all")


@attack(3, "a password in the URL does not answer where a redirect led")
def userinfo(scene):
    other = scene.server({"*": asks(BASIC.format("same"))})
    server = scene.server({"/": guarded(BASIC.format("same"), redirect(other.origin + "/there"))})
    scene.httpc(server.origin.replace("//", f"//alice:{scene.password}@") + "/")
    arrived(other, "/there")
    never(other, scene.password)
    require(basic_logins(server), "nothing was tested: the password was never used at all")


@attack(3, "a password that a redirect brings along is not sent")
def userinfo_of_redirect(scene):
    other = scene.server({"*": asks(BASIC.format("r"))})
    server = scene.server({"/": redirect(f"http://alice:{scene.password}@{other.authority}/there"),
                           "/two": redirect(other.origin)})
    scene.httpc(server.origin + "/")
    never(other, scene.password)
    scene.httpc(server.origin + "/two")
    arrived(other)


IDENTITY_PROVIDERS = {
    "one-time code": "[profiles.p.otp]",
    "SAML2": '[profiles.p.saml2]\nheader = "x-login"\nfinish-endpoint = "/launch"\nfinish-parameter = "finished"',
    "OAuth2": '[profiles.p.oauth2]\ngrant = "code"\nclient-id = "c"\nauthorization-endpoint = "{idp}/login"\n'
              'token-endpoint = "{idp}/token"',
}
PASSWORD = '[profiles.p.basic]\nusername = "alice"\npassword-env = "ATTACK_PASSWORD"\n'


@attack(3, "an identity provider that asks gets no password of the server's", [
    (f"{kind}, {whose}, {name}", kind, whose, challenge) for kind in IDENTITY_PROVIDERS for whose in ("-u", "profile")
    for name, challenge in (("Basic", BASIC), ("Digest", DIGEST)) if (kind, whose) != ("OAuth2", "-u")])
def identity_provider(scene, kind, whose, challenge):
    idp = scene.server({"*": asks(challenge.format("same"))})
    first = {"one-time code": redirect(idp.origin + "/login", "x-smp-authentication: otp-challenge"),
             "SAML2": status(200, b"login", "x-login: yes", "Content-Type: text/html"),
             "OAuth2": status(401, b"", 'WWW-Authenticate: Bearer realm="same"')}[kind]
    server = scene.server({"/launch": redirect(idp.origin + "/login"), "*": first})
    login = IDENTITY_PROVIDERS[kind].format(idp=idp.origin)
    if whose == "profile" and kind == "OAuth2":
        login += '\nusername = "alice"\npassword-env = "ATTACK_PASSWORD"'
    elif whose == "profile":
        login += "\n" + PASSWORD
    arguments = ("-u", "alice:" + scene.password) if whose == "-u" else ()
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/"]\n{login}\n'), "--web", "terminal", *arguments,
                server.origin + "/", environment={"ATTACK_PASSWORD": scene.password}).ends(67)
    arrived(idp, "/login")
    never(idp, scene.password)


@attack(3, "a profile's password that is sent ahead goes to no server or path outside its match", [
    ("to where a redirect led", "/", "{server}/", 0), ("a match with a path", "/part", "{server}/part/x", 2),
    ("another server", "/", "{other}/there", 2)])
def profile_ahead(scene, match, url, code):
    other = scene.server({"*": page("in")})
    server = scene.server({"*": redirect(other.origin + "/there")})
    profile = scene.profile(f'[profiles.p]\nmatch = ["{server.origin}{match}"]\n{PASSWORD}')
    scene.httpc("--basic", *profile, url.format(server=server.origin, other=other.origin),
                environment={"ATTACK_PASSWORD": scene.password}).ends(code)
    never(other, scene.password)
    if code:
        never(server, scene.password)
    else:
        arrived(other, "/there")
        require(basic_logins(server), "nothing was tested: the password was never used at all")


@attack(3, "Basic does not go in clear to another machine where a redirect led, --location-trusted or not", [
    (name, arguments) for name, arguments in (("without", ()), ("with", ("--location-trusted",)))])
def clear(scene, arguments):
    # 0.0.0.0 is not a loopback address, but reaches this machine.
    other = scene.server({"*": asks(BASIC.format("r"))}, host="0.0.0.0")
    server = scene.server({"/": redirect(f"http://0.0.0.0:{other.port}/there")})
    scene.httpc(*arguments, "-u", "alice:" + scene.password, server.origin + "/")
    arrived(other, "/there")
    never(other, scene.password)


# Point 4

UNKNOWN = 'WWW-Authenticate: Digest realm="A", algorithm=UNKNOWN, nonce="n"'
DOWNGRADES = [
    ("a redirect to a page with Basic", [guarded(DIGEST.format("A"), redirect("/b")), asks(BASIC.format("B"))]),
    ("a redirect to a page with Basic, same realm", [guarded(DIGEST.format("A"), redirect("/b")), asks(BASIC.format("A"))]),
    ("Basic instead of an answer to Digest", [
        lambda request: asks(BASIC.format("B") if request.field("Authorization") else DIGEST.format("A"))]),
    ("Basic instead of an answer to Digest, same realm", [
        lambda request: asks(BASIC.format("A") if request.field("Authorization") else DIGEST.format("A"))]),
    ("both in one answer, Digest of an unknown algorithm", [asks(UNKNOWN, BASIC.format("A"))]),
    ("both in one answer, other realms, Digest of an unknown algorithm", [asks(BASIC.format("B"), UNKNOWN)]),
    ("both in one field, Digest without a nonce", [asks('WWW-Authenticate: Basic realm="B", Digest realm="A"')]),
    ("Digest of an unknown algorithm in front of a redirect", [
        status(302, b"", "Location: /b", UNKNOWN), asks(UNKNOWN, BASIC.format("B"))]),
    ("digest in small letters", [
        guarded(DIGEST.format("A").replace("Digest", "digest"), redirect("/b")), asks(BASIC.format("B"))]),
    ("Digest that wants auth-conf only",
     [asks('WWW-Authenticate: Digest realm="A", nonce="n", qop="auth-conf"', BASIC.format("B"))]),
    ("stale Digest, then Basic", [lambda request: asks(
        BASIC.format("B") if b"n2" in request.field("Authorization") else
        DIGEST.format("A").replace("n1",
                                   "n2") + ", stale=true" if request.field("Authorization") else DIGEST.format("A"))]),
    ("another realm of Digest, then Basic", [
        guarded(DIGEST.format("A"), redirect("/b")), asks(DIGEST.format("B").replace("SHA-256", "X"), BASIC.format("B"))]),
]


def two_pages(scene, answers):
    # `/b` is the second page, or the first one again.
    return scene.server({"/a": answers[0], "/b": answers[-1]})


@attack(4, "no Basic after Digest with -u", DOWNGRADES)
def downgrade(scene, answers):
    server = two_pages(scene, answers)
    scene.httpc("-u", "alice:" + scene.password, server.origin + "/a")
    arrived(server, "/b" if len(answers) > 1 else "/a", "the request that Basic is asked of")
    require(not basic_logins(server), "the password went out by Basic")


@attack(4, "no Basic after Digest with a profile", DOWNGRADES[:5])
def downgrade_of_profile(scene, answers):
    server = two_pages(scene, answers)
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/"]\n{PASSWORD}'), server.origin + "/a",
                environment={"ATTACK_PASSWORD": scene.password}).ends(67)
    arrived(server, "/b" if len(answers) > 1 else "/a", "the request that Basic is asked of")
    require(not basic_logins(server), "the password went out by Basic")


@attack(4, "--anyauth lets Basic follow", DOWNGRADES[:1] + DOWNGRADES[2:3] + DOWNGRADES[4:5])
def anyauth(scene, answers):
    server = two_pages(scene, answers)
    scene.httpc("--anyauth", "-u", "alice:" + scene.password, server.origin + "/a").ends(0)
    require(basic_logins(server), "no Basic was sent: the setting does nothing, or the attacks above test nothing")


# Point 6

BROWSER = """#!{python}
import sys, urllib.request as u
open({marker!r}, "w").write(sys.argv[1])
u.build_opener(u.ProxyHandler({{}})).open(sys.argv[1], timeout={patience}).read()
"""


class Browsing:
    """A login in the system's browser, which is a script here, with a redirect URI at localhost."""

    def __init__(self, scene, port):
        self.scene, self.marker = scene, scene.folder / "opened"
        self.server = scene.server({"/authorize": self.authorize, "/token": status(
            200, '{"access_token":"t","token_type":"Bearer"}', "Content-Type: application/json")})
        browser = scene.file("browser", BROWSER.format(python=sys.executable, patience=PATIENCE, marker=str(self.marker)), 0o700)
        self.environment = {"BROWSER": browser}
        self.profile = scene.profile(
            f'[profiles.p]\nmatch = ["{self.server.origin}/"]\n[profiles.p.oauth2]\ngrant = "code"\nclient-id = "c"\n'
            f'authorization-endpoint = "{self.server.origin}/authorize"\ntoken-endpoint = "{self.server.origin}/token"\n'
            f'redirect-uri = "http://localhost:{port}/callback"\n')

    def authorize(self, request):
        query = dict(urllib.parse.parse_qsl(request.query))
        return redirect(f"{query['redirect_uri']}?code=CODE&state={query['state']}")

    def log_in(self, **options):
        return self.scene.httpc("login", *self.profile, environment=self.environment, **options)


@attack(6, "an address of localhost that somebody else listens on ends the login", [
    ("::1", "::1"), ("127.0.0.1", "127.0.0.1"), ("every IPv6 address", "::"),
    ("every IPv4 address", "0.0.0.0")], alone=True)
def taken(scene, address):
    [port] = free_ports.find()
    login = Browsing(scene, port)
    # It would have worked.
    login.log_in().ends(0)
    require(login.marker.exists() and login.server.received("/token"), "nothing was tested: no login happens at all")
    login.marker.unlink()
    begun = len(login.server.requests)
    scene.httpc("logout", *login.profile)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    thief = socket.socket(family)
    thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        thief.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    with thief:
        thief.bind((address, port))
        thief.listen(8)
        outcome = login.log_in()
    require(outcome.code not in (0, 70) and outcome.code > 0, f"the login went on: ended with {outcome.code}")
    require(not login.marker.exists(), "the browser was opened")
    require(len(login.server.requests) == begun, "the login went on at the server")
    require(str(port).encode() in outcome.err, f"the error does not name the address: {outcome.says()}")


# Point 7

OUTSIDE = [
    ("/admin", "/admin"), ("a dot segment", "/app/../admin"), ("an encoded dot segment", "/app/%2e%2e/admin"),
    ("an encoded slash", "/app%2f..%2fadmin"), ("an encoded way out", "/app/..%2fadmin"),
    ("an encoded backslash", "/app/..%5cadmin"), ("a longer segment", "/application/x"), ("other case", "/APP/x"),
    ("the root", "/"), ("a sibling by a relative reference", "../admin"),
    # A server that chooses an application by the text of the path takes these for another's.
    ("an encoded way in", "/evil/%2e%2e/app/x"), ("a half encoded way in", "/evil/.%2e/app/x"),
    ("an encoded dot in front", "/%2e/app/x"), ("an empty segment in front", "/.//app/x"),
]


@attack(7, "a profile's password stays inside its match, same realm", [
    (f"{name}, {kind}", target, challenge) for name, target in OUTSIDE for kind, challenge in (("Basic", BASIC),
    ("Digest", DIGEST))
    if not (kind == "Digest" and "encoded" in name)])
def outside(scene, target, challenge):
    challenge = challenge.format("same")
    if "Digest" in challenge:
        # Says that the whole server is one space.
        challenge += ', domain="/"'
    server = scene.server({"/app/": guarded(challenge, redirect(target)), "*": guarded(challenge)})
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/app/"]\n{PASSWORD}'), server.origin + "/app/",
                environment={"ATTACK_PASSWORD": scene.password})
    arrived(server, "/app/")
    require(any(request.field("Authorization") for request in server.received("/app/")), "nothing was tested: no login")
    outside = [request for request in server.received() if request.path != "/app/"]
    require(outside, "nothing was tested: the redirect was not followed")
    for request in outside:
        require(not request.field("Authorization"), f"{request.path} got the password")


@attack(7, "a profile's password stays at its origin, same realm",
        [("another port", "127.0.0.1"), ("another name", "localhost")])
def other_origin(scene, host):
    other = scene.server({"*": asks(BASIC.format("same"))})
    server = scene.server({"/app/": guarded(BASIC.format("same"), redirect(f"http://{host}:{other.port}/app/x"))})
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/app/"]\n{PASSWORD}'), server.origin + "/app/",
                environment={"ATTACK_PASSWORD": scene.password})
    arrived(other, "/app/x")
    never(other, scene.password)
    require(basic_logins(server), "nothing was tested: no login")


@attack(7, "a profile that is named does not answer outside its match")
def named_outside(scene):
    server = scene.server({"*": asks(BASIC.format("same"))})
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/app/"]\n{PASSWORD}'), server.origin + "/admin",
                environment={"ATTACK_PASSWORD": scene.password})
    arrived(server, "/admin")
    never(server, scene.password)


@attack(7, "a login page outside the match is no reason to answer there")
def page_outside(scene):
    """The child conversations of a web login take the same provider."""
    server = scene.server({
        "/app/": guarded(BASIC.format("same"), redirect("/login", "x-smp-authentication: otp-challenge")),
        "/login": asks(BASIC.format("same"))})
    scene.httpc(*scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/app/"]\n{PASSWORD}[profiles.p.otp]\n'), "--web",
                "terminal", server.origin + "/app/", environment={"ATTACK_PASSWORD": scene.password})
    arrived(server, "/login")
    require(not any(request.field("Authorization") for request in server.received("/login")), "/login got the password")


# A password that is wrong, and what brings it back

@attack(3, "a server that did not look has accepted no password: a wrong one is tried once", [
    (str(code), code) for code in (408, 413, 421, 425, 429, 431, 502, 503, 504, 511)])
def not_judged(scene, code):
    first = [code]

    def answer(request):
        if not request.field("Authorization"):
            return asks(BASIC.format("r"))
        try:
            return status(first.pop(), b"later")
        except IndexError:
            return asks(BASIC.format("r"))

    server = scene.server({"*": answer})
    scene.httpc("-Z", "-u", "alice:" + scene.password, *(f"{server.origin}/{number}" for number in range(8)))
    require(not first, "nothing was tested: no password was sent")
    require(len(basic_logins(server)) <= 2, f"it was sent {len(basic_logins(server))} times")


@attack(3, "a proxy that did not look has accepted no password: a wrong one is tried once", [
    (str(code), code) for code in (408, 413, 421, 425, 429, 431, 511)])
def not_judged_by_proxy(scene, code):
    first = [code]

    def answer(request):
        field = BASIC.format("r").replace("WWW-", "Proxy-")
        if not request.field("Proxy-Authorization"):
            return status(407, b"", field)
        try:
            return status(first.pop(), b"later")
        except IndexError:
            return status(407, b"", field)

    proxy = scene.server({"*": answer})
    scene.httpc("-Z", "-x", proxy.origin, "-U", "alice:" + scene.password,
                *(f"http://h.example/{number}" for number in range(8)))
    require(not first, "nothing was tested: no password was sent")
    sent = [request for request in proxy.received() if request.field("Proxy-Authorization")]
    require(len(sent) <= 2, f"it was sent {len(sent)} times")


@attack(3, "a password whose refusal asks for no login, or for another one, is sent once for all URLs", [
    (f"{kind}, then {name}", challenge, then)
    for kind, challenge in (("Basic", BASIC.format("r")), ("Digest", DIGEST.format("r")))
    for name, then in (("nothing", ()), ("Bearer", ("WWW-Authenticate: Bearer",)))])
def refused_otherwise(scene, challenge, then):
    server = scene.server({"*": lambda request: asks(*then) if request.field("Authorization") else asks(challenge)})
    urls = [f"{server.origin}/{number}" for number in range(3)]
    netrc = scene.file("netrc", f"machine 127.0.0.1 login alice password {scene.password}\n")
    for options in (("-u", "alice:" + scene.password), ("--netrc-file", netrc)):
        count = len(server.received())
        scene.httpc(*options, *urls)
        sent = [request for request in server.received()[count:] if request.field("Authorization")]
        require(len(sent) == 1, f"{options[0]}: it was sent {len(sent)} times")
    # The same with a proxy's password.
    field = challenge.replace("WWW-", "Proxy-")
    then = [text.replace("WWW-", "Proxy-") for text in then]
    proxy = scene.server({
        "*": lambda request: status(407, b"", *(then if request.field("Proxy-Authorization") else (field,)))})
    scene.httpc("-x", proxy.origin, "-U", "alice:" + scene.password, *(f"http://h.example/{number}" for number in range(3)))
    sent = [request for request in proxy.received() if request.field("Proxy-Authorization")]
    require(len(sent) == 1, f"the proxy got it {len(sent)} times")


@attack(NEXT, "a realm that changes each time gets no password again and again", [
    ("Basic", BASIC, ()), ("Digest", 'WWW-Authenticate: Digest realm="{}", nonce="n{}", qop="auth"', ()),
    ("two URLs", BASIC, ("/next",))])
def changing(scene, challenge, more):
    numbers = itertools.count()

    def answer(request):
        number = next(numbers)
        return asks(challenge.format(f"r{number}", number))

    server = scene.server({"*": answer})
    scene.httpc("-u", "alice:" + scene.password, *(server.origin + path for path in ("/", *more)))
    sent = [request for path in ("/", *more) for request in server.received(path) if request.field("Authorization")]
    require(1 <= len(sent) <= 2, f"it was sent {len(sent)} times")


@attack(3, "a refused password does not come back by the late answer to an earlier request")
def late_acceptance(scene):
    accepted, pending, refused, answered = (threading.Event() for _ in range(4))

    def first(request):
        if not request.field("Authorization"):
            return asks(BASIC.format("r"))
        accepted.set()
        return page("first")

    def slow(request):
        if not request.field("Authorization"):
            # Else its password would be the first one, and the others would wait for what becomes of it.
            accepted.wait(PATIENCE)
            time.sleep(0.2)
            return asks(BASIC.format("r"))
        pending.set()
        refused.wait(PATIENCE)
        answered.set()
        return page("slow")

    def refusing(request):
        if request.field("Authorization"):
            pending.wait(PATIENCE)
            refused.set()
        return asks(BASIC.format("r"))

    def waiting(request):
        answered.wait(PATIENCE)
        time.sleep(0.5)
        return page("waited")

    server = scene.server({"/first": first, "/slow": slow, "/refusing": refusing,
                           "/waiting": waiting, "/last": guarded(BASIC.format("r"))})
    scene.httpc("-Z", "--parallel-max", "2", "-u", "alice:" + scene.password,
                *(server.origin + path for path in ("/first", "/slow", "/refusing", "/waiting", "/last")))
    require(refused.is_set() and answered.is_set(), "nothing was tested: the requests were answered in another order")
    require(not arrived(server, "/last").field("Authorization"), "the refused password was sent again")


@attack(NEXT, "many challenges in one answer cost no more than a few")
def many_challenges(scene):
    many = asks("WWW-Authenticate: " + ",".join(["Basic"] * 30000))
    few = scene.server({"*": guarded(BASIC.format("r"), asks("WWW-Authenticate: Basic"))})
    server = scene.server({"*": lambda request: many if request.field("Authorization") else asks("WWW-Authenticate: Basic")})
    before = scene.httpc("-f", "-u", "alice:" + scene.password, few.origin).ends(22)
    outcome = scene.httpc("-f", "-m", "20", "-u", "alice:" + scene.password, server.origin).ends(22)
    require(basic_logins(server), "nothing was tested: the password was never used")
    require(outcome.cpu < before.cpu + 2, f"took {outcome.cpu:.1f} s of processor time instead of {before.cpu:.1f}")
