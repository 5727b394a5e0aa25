"""Posts that somebody wants sent twice or elsewhere, and waits that somebody wants to be long and silent."""
import re
import time
import urllib.parse

from bench import NEXT, arrived, attack, finds, never, require
from pages import FIELDS, Login
from servers import page, redirect, status

SAML = """
[profiles.p]
match = ["{sp}/"]
web = "terminal"
answer-origins = ["{idp}"]
[profiles.p.saml2]
finish-endpoint = "{sp}/launch"
finish-parameter = "done"
"""


class Site:
    """A service provider that sends requests without a session where `way` says, and an identity provider."""

    def __init__(self, scene, way, code=303):
        self.scene, self.idp, self.sp = scene, scene.server(), scene.server()
        self.way = way.format(named=urllib.parse.quote(self.sp.origin + "/orders?list=1", safe=""), idp=self.idp.origin)
        self.code = code
        self.request = self.idp.origin + "/sso?SAMLRequest=x&RelayState=7"
        self.sp.answers |= {
            "/orders": self.orders, "/login": redirect(self.request), "/receipt": redirect(self.request),
            "/launch": redirect(self.request),
            "/acs": redirect("/launch?done=1", "Set-Cookie: S=1; Path=/")}
        self.idp.answers |= {
            "/sso": page(f"<form method=post action=/go>{FIELDS}</form>"), "/go": redirect(self.sp.origin + "/acs")}

    def orders(self, request):
        if b"S=1" in request.field("cookie") and self.way.startswith(("/login", self.idp.origin)):
            return status(200, b"ordered")
        return redirect(self.way, code=self.code)

    def run(self, method="POST"):
        return self.scene.httpc(
            *self.scene.profile(SAML.format(sp=self.sp.origin, idp=self.idp.origin)), "-X", method, "-d", self.body,
            "--answer", "user=alice", "--answer", "password=" + self.scene.password, self.sp.origin + "/orders?list=1")

    @property
    def body(self):
        return "body-" + self.scene.password

    def posts(self, method="POST"):
        return [request for request in self.sp.received("/orders") if request.method == method]


@attack(NEXT, "a modifying request that is sent to a login gets in by itself, whole", [
    (f"{method}, {code}, {name}", way, method, code)
    for (name, way), code in zip([("ReturnTo", "/login?ReturnTo={named}"), ("a path", "/login?next=/orders%3Flist=1"),
                                  ("the Redirect binding", "{idp}/sso?SAMLRequest=x&RelayState=7")] * 2,
                                 [303, 302, 303, 301, 307, 308])
    for method in (["POST", "PUT"] if code == 303 else ["POST"])])
def gets_in(scene, way, method, code):
    site = Site(scene, way, code)
    outcome = site.run(method).ends(0)
    require(outcome.out == b"ordered", f"it is not what was asked for: {outcome.says()}")
    posts = site.posts(method)
    require([post.body for post in posts] == [site.body.encode()] * 2, f"{len(posts)} arrived, or not whole")
    require(len(site.idp.received("/go")) == 1, "nobody logged in, or twice")
    require(not finds(site.idp.raw, site.body), "the identity provider got the body")


@attack(NEXT, "a processed POST is not sent twice, whatever its redirect names", [
    ("a receipt", "/receipt"), ("a way back", "/receipt?back=/home"),
    ("the same path at another server", "/receipt?back=https%3A%2F%2Fother.example.com%2Forders%3Flist%3D1"),
    ("the same path and no query", "/receipt?back=/orders"),
    ("something like its URL", "/receipt?back=/orders%3Flist=1%26x=1")])
def processed(scene, way):
    site = Site(scene, way)
    outcome = site.run().ends(67)
    require(b"Send a GET to the same service first" in outcome.err, f"it does not say what to do: {outcome.says()}")
    require(len(site.idp.received("/go")) == 1, "nothing was tested: nobody logged in")
    require(len(site.posts()) == 1, f"it was sent {len(site.posts())} times")


@attack(NEXT, "a login that is demanded again and again has a POST sent twice and no more")
def again_and_again(scene):
    site = Site(scene, "/login?ReturnTo={named}")
    site.sp.answers["/acs"] = redirect("/launch?done=1")
    site.run().ends(67)
    require(len(site.idp.received("/go")) == 1, "nothing was tested: nobody logged in")
    require(len(site.posts()) == 2, f"it was sent {len(site.posts())} times")


@attack(NEXT, "a POST's body goes to no other server by way of a login", [
    (str(code), code) for code in (301, 302, 303, 307, 308)])
def body_elsewhere(scene, code):
    site = Site(scene, "/login?ReturnTo={named}", code)
    other = scene.server({"*": page("there")})
    # The login page names another server's page of the same path as the place to return to.
    site.sp.answers["/login"] = redirect(other.origin + "/orders?list=1")
    site.run()
    require(site.posts(), "nothing was tested: no POST arrived")
    if code in (301, 302, 303):
        arrived(other)
        never(other, site.body)
    require(len(site.posts()) == 1, "it was sent again without a login")



@attack(NEXT, "a second one-time code is waited for, and said so", [("told", []), ("silent with -s", ["-s"])], alone=True)
def one_time_code(scene, options):
    login = Login(scene)
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{login.sp.origin}/"]\nweb = "terminal"\nanswer-origins = ["{login.idp.origin}"]\n'
        '[profiles.p.otp]\n[profiles.p.answers]\npasscode = { totp-env = "SECRET" }\n')
    login.idp.answers["/login"] = page("<form method=post action=/go><input name=passcode></form>")
    login.idp.answers["/go"] = redirect(login.sp.origin + "/?finished=true")
    # Both logins begin while one code is valid: after it, the second login has a new one and need not wait.
    left = 30 - time.time() % 30
    if left < 15:
        time.sleep(left)
    outcomes = [scene.httpc(*profile, *options, login.sp.origin + "/", environment={"SECRET": "JBSWY3DPEHPK3PXP" * 2})
                for _ in range(2)]
    codes = [request.body for request in login.idp.received("/go")]
    require(len(codes) == 2 and codes[0] != codes[1], f"nothing was tested: {codes} {outcomes[1].says()}")
    said = [re.search(rb"Waiting \d+ s for the next one-time code", outcome.err) for outcome in outcomes]
    require(not said[0], "the first waited")
    require(bool(said[1]) == (not options), f"it says: {outcomes[1].says()}")


@attack(NEXT, "a device login whose server sets no end ends by --max-time, and says what it waits for", [
    ("a long interval", '"interval": 300, "expires_in": 3600'), ("more than any number", '"interval": 1e300, "expires_in": 1e300'),
    ("a negative interval", '"interval": -5, "expires_in": 60'), ("none", '"expires_in": 60')])
def device(scene, times):
    server = scene.server()
    server.answers |= {
        "/": status(401, b"", "WWW-Authenticate: Bearer"),
        "/device": lambda request: status(
            200, '{"device_code": "d", "user_code": "U-1", "verification_uri": "%s/go", %s}' % (server.origin, times),
            "Content-Type: application/json"),
        "/token": status(400, '{"error": "authorization_pending"}', "Content-Type: application/json")}
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.oauth2]\ngrant = "device"\nclient-id = "c"\n'
        f'device-authorization-endpoint = "{server.origin}/device"\ntoken-endpoint = "{server.origin}/token"\n')
    outcome = scene.httpc(*profile, "--max-time", "4", server.origin + "/").ends(28)
    arrived(server, "/device")
    require(b"U-1" in outcome.err, f"nothing was tested: {outcome.says()}")
    require(b"Waiting for the login with another device" in outcome.err, f"it waits without a word: {outcome.says()}")
    require(len(server.received("/token")) <= 4, "it asks more often than once a second")


@attack(NEXT, "Retry-After is waited for as far as it was allowed, and said so")
def told_retry(scene):
    server = scene.server()
    server.answers["/"] = lambda request: status(
        503, b"busy", "Retry-After: 2") if len(server.received("/")) == 1 else page("there")
    outcome = scene.httpc("-f", "--retry", "1", server.origin + "/").ends(0)
    require(b"retrying in 2 s" in outcome.err, f"it waits without a word: {outcome.says()}")
    require(len(server.received("/")) == 2, "it was not asked twice")
