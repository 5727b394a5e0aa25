"""Sessions at identity providers (S33) that somebody wants to have, to plant, or to use for something else."""
import secrets
import subprocess

from bench import NEXT, arrived, attack, finds, never, require
from servers import page, redirect, status

PROFILE = """
[profiles.p]
match = ["{sp}/in/"]
web = "terminal"
{keys}
[profiles.p.saml2]
header = "x-login"
finish-endpoint = "{sp}/launch"
finish-parameter = "done"
"""
FORM = "<form method=post action=/go><input name=user><input type=password name=password><button>Log in</button></form>"


class SignOn:
    """A service provider whose sessions a test ends, and an identity provider that keeps one."""

    def __init__(self, scene):
        self.scene, self.sp, self.idp = scene, scene.server(), scene.server(host="127.0.0.2")
        # The identity provider's host, on another port.
        self.other = scene.server({"*": page("not the login")}, host="127.0.0.2")
        self.session, self.round = "sso-" + secrets.token_hex(8), 0
        self.keys = f'answer-origins = ["{self.idp.origin}"]'
        self.way = self.idp.origin + "/sso"
        self.sp.answers |= {
            "/in/a": self.resource, "/out/a": self.resource, "/launch": lambda _: redirect(self.way),
            "/acs": lambda _: redirect("/launch?done=1", f"Set-Cookie: S={self.round}; Path=/")}
        self.idp.answers |= {"/sso": self.sso, "/go": lambda _: self.enter()}

    def resource(self, request):
        if f"S={self.round}".encode() in request.field("cookie"):
            return status(200, b"in")
        return status(200, b"log in", "x-login: 1")

    def sso(self, request):
        known = self.session.encode() in request.field("cookie")
        return redirect(self.sp.origin + "/acs") if known else page(FORM)

    def enter(self):
        return redirect(self.sp.origin + "/acs", f"Set-Cookie: SSO={self.session}; Path=/")

    def run(self, *options, url=None, answers=True, profile=True):
        """A run in which the resource's session has ended."""
        self.round += 1
        named = self.scene.profile(PROFILE.format(sp=self.sp.origin, keys=self.keys)) if profile else ()
        typed = ("--answer", "user=alice", "--answer", "password=" + self.scene.password) if answers else ()
        return self.scene.httpc(*named, *typed, *options, url or self.sp.origin + "/in/a")

    def logged_in(self):
        outcome = self.run().ends(0)
        require(outcome.out == b"in" and self.idp.received("/go"), f"nothing was tested: no login, {outcome.says()}")
        return self

    def clear(self):
        """Forgets what arrived so far."""
        for server in (self.sp, self.idp, self.other):
            with server.lock:
                server.requests.clear()


@attack(NEXT, "a session at an identity provider serves the next login, and is in no file as it is")
def control(scene):
    site = SignOn(scene).logged_in()
    outcome = site.run(answers=False).ends(0)
    require(outcome.out == b"in" and len(site.idp.received("/go")) == 1, f"it asked again: {outcome.says()}")
    require(finds(arrived(site.idp, "/sso").raw, site.session), "the session was not used")
    require(not finds(site.sp.raw, site.session), "the service provider got it")
    outcome.hides(site.session)
    files = [path for path in scene.folder.rglob("*") if path.is_file()]
    require(files and not any(finds(path.read_bytes(), site.session) for path in files), "a file has it in clear")


@attack(NEXT, "a session at an identity provider is sent to its origin alone", [
    ("not to another port", "{other}/hop"), ("not to another host", "{far}/hop"),
    ("not to a host after its name", "http://{authority}@{far_authority}/hop")])
def own_origin(scene, way):
    site = SignOn(scene).logged_in()
    far = scene.server(host="127.0.0.3")
    onward = redirect(site.idp.origin + "/sso")
    for server in (site.other, far):
        server.answers["/hop"] = onward
    site.way = way.format(other=site.other.origin, far=far.origin, far_authority=far.authority,
                          authority=site.idp.authority)
    site.clear()
    site.run(answers=False)
    hops = site.other.received("/hop") + far.received("/hop")
    if "@" not in way:
        require(hops, "nothing was tested: the login did not pass there")
        arrived(site.idp, "/sso", "the request with the session")
        require(finds(site.idp.received("/sso")[-1].raw, site.session), "nothing was tested: the session was not used")
    require(not any(finds(hop.raw, site.session) for hop in hops), "another origin got the session")


@attack(NEXT, "in Chromium a session at an identity provider is sent to its host, and planted by no other port")
def chromium(scene):
    site = SignOn(scene)
    far = scene.server(host="127.0.0.3")
    evil = "evil-" + secrets.token_hex(8)
    # The login passes another port of the host, which plants a cookie, and another host.
    site.other.answers["/hop"] = redirect(far.origin + "/hop", f"Set-Cookie: SSO2={evil}; Path=/")
    far.answers["/hop"] = redirect(site.idp.origin + "/sso")
    site.way = site.other.origin + "/hop"
    outcome = site.run("--headless").ends(0)
    require(outcome.out == b"in" and site.idp.received("/go"), f"nothing was tested: no login, {outcome.says()}")
    require(site.other.received("/hop") and far.received("/hop"), "nothing was tested: the login did not pass there")
    site.clear()
    site.way = far.origin + "/hop"
    site.run("--headless", answers=False).ends(0)
    arrived(far, "/hop")
    require(finds(arrived(site.idp, "/sso").raw, site.session), "nothing was tested: the session was not used")
    never(site.idp, evil)
    never(far, site.session)
    never(site.sp, site.session)


def display(scene):
    """An X server without a screen; what DISPLAY is for it."""
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "800x800x24", "-nolisten", "tcp"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    scene.processes.append(server)
    with server.stdout as lines:
        return ":" + lines.readline().decode().strip()


@attack(NEXT, "after a login in a window a session that nobody named is kept if the person says so, in the terminal", [
    ("yes", "yes", True), ("no", "no", False), ("an empty answer", "", False),
    ("the page answers", None, False)], alone=True)
def window(scene, answer, is_kept):
    site = SignOn(scene)
    site.keys = ""
    far = scene.server(host="127.0.0.3")
    # The login only passes this host, which shows no page and wants to keep a session as well.
    far.answers["/hop"] = redirect(site.idp.origin + "/sso", "Set-Cookie: SSO=evil; Path=/")
    site.way = far.origin + "/hop"
    # The page acts like a person: it imitates the question, and presses its own button.
    plain = f"<script>onload = () => setTimeout(() => location = '{site.sp.origin}/acs', 300)</script>"
    imitation = "<button onclick='document.title=1'>yes</button><script>document.querySelector('button').click()</script>"
    site.idp.answers["/sso"] = lambda _: page(
        plain + ("" if answer is not None else imitation), f"Set-Cookie: SSO={site.session}; Path=/")
    named = scene.profile(PROFILE.format(sp=site.sp.origin, keys=""))
    site.round = 1
    terminal = scene.terminal(
        *named, "--web", "chromium", site.sp.origin + "/in/a", environment={"DISPLAY": display(scene)})
    terminal.until(rb"Keep the session there")
    require(site.idp.origin.encode() in terminal.shown, "the question does not name the origin")
    require(far.received("/hop") and far.origin.encode() not in terminal.shown, "it asks about a host without a page")
    terminal.type("no" if answer is None else answer)
    require(terminal.end() == 0, f"no login: {terminal.tail()}")
    site.clear()
    site.run("--headless", answers=False).ends(0)
    request = arrived(site.idp, "/sso", "the request that would have the session")
    require(finds(request.raw, site.session) == is_kept, "kept" if not is_kept else "nothing was tested: not kept")


@attack(NEXT, "in Chromium a session goes to no host of the resource", alone=True)
def chromium_same_host(scene):
    site = SignOn(scene).logged_in()
    # The same identity provider, for a resource on another port of its host.
    near = scene.server({"*": site.resource, "/launch": lambda _: redirect(site.way)}, host="127.0.0.2")
    site.clear()
    site.sp = near
    site.run("--headless", answers=False).ends(67)
    arrived(site.idp, "/sso", "the request that would have had the session")
    never(site.idp, site.session)


@attack(NEXT, "a session at an identity provider needs a profile that names its origin", [
    ("another origin is named", 'sso-origins = ["https://idp.example.com"]', True),
    ("no origin is named", "", True), ("none is kept", 'answer-origins = ["{idp}"]\nsso = "none"', True),
    ("another store is named", 'answer-origins = ["{idp}"]\nsso = "another"', True),
    ("there is no profile", "", False)])
def named_origin(scene, keys, profile):
    site = SignOn(scene).logged_in()
    site.clear()
    site.keys = keys.format(idp=site.idp.origin)
    site.run(answers=False, profile=profile)
    arrived(site.sp, "/in/a")
    if profile:
        arrived(site.idp, "/sso", "the request that would have had the session")
    never(site.idp, site.session)


@attack(NEXT, "a session at an identity provider is for login pages, not for requests", [
    ("a request to the identity provider", "{idp}/sso", ()),
    ("a redirect to it", "{sp}/out/there", ()),
    ("a request to it without the profile", "{idp}/sso", None)])
def plain_request(scene, url, options):
    site = SignOn(scene).logged_in()
    site.clear()
    # The identity provider is in the match itself.
    text = PROFILE.format(sp=site.sp.origin, keys=site.keys).replace("match = [", f'match = ["{site.idp.origin}/", ')
    site.sp.answers["/out/there"] = redirect(site.idp.origin + "/sso")
    named = () if options is None else scene.profile(text)
    scene.httpc(*named, url.format(idp=site.idp.origin, sp=site.sp.origin))
    arrived(site.idp, "/sso")
    never(site.idp, site.session)


@attack(NEXT, "a session at an identity provider is for requests inside the match", [
    ("a URL outside that leads inside", ()), ("-u ignores what is stored", ("-u", "bob:" + "x" * 8))])
def inside_the_match(scene, options):
    site = SignOn(scene).logged_in()
    site.clear()
    site.sp.answers["/out/a"] = redirect("/in/a")
    site.run(*options, url=site.sp.origin + ("/in/a" if options else "/out/a"))
    arrived(site.idp, "/sso", "the request that would have had the session")
    never(site.idp, site.session)


@attack(NEXT, "a login that failed keeps no session", [
    ("the password was refused", "/go", None), ("the login ended elsewhere", "/go", "/nowhere")])
def failed(scene, path, place):
    site = SignOn(scene)
    cookie = f"Set-Cookie: SSO={site.session}; Path=/"
    honest = site.idp.answers[path]
    site.idp.answers[path] = redirect(site.sp.origin + place, cookie) if place else page(FORM, cookie)
    site.run().ends(67)
    arrived(site.idp, path, "the answers")
    site.clear()
    site.idp.answers[path] = honest
    site.run(answers=False)
    arrived(site.idp, "/sso", "the request that would have had the session")
    never(site.idp, site.session)


@attack(NEXT, "nobody plants a session at an identity provider", [
    ("a page on another port", "{other}/plant", ""),
    ("a page of another host, for a domain", "{far}/plant", "; Domain=127.0.0.2"),
    ("the service provider", "{sp}/plant", "; Domain=127.0.0.2")])
def planted(scene, way, more):
    site = SignOn(scene)
    far = scene.server(host="127.0.0.3")
    evil = "evil-" + secrets.token_hex(8)
    for server in (site.other, far, site.sp):
        server.answers["/plant"] = redirect(site.idp.origin + "/sso", f"Set-Cookie: SSO2={evil}; Path=/{more}")
    site.way = way.format(other=site.other.origin, far=far.origin, sp=site.sp.origin)
    site.logged_in()
    require(any(server.received("/plant") for server in (site.other, far, site.sp)), "nothing was tested")
    site.way = site.idp.origin + "/sso"
    site.clear()
    site.run(answers=False).ends(0)
    require(finds(arrived(site.idp, "/sso").raw, site.session), "nothing was tested: the own session was not used")
    never(site.idp, evil)
    for server in (site.sp, site.other, far):
        never(server, site.session)
