"""Settings that decide which server is spoken to, on each path to a server: the table, and an attack for each of its cells.

`scripts/settings-table` prints the table out of CELLS, so a cell without its attack cannot stand there.
"""
import base64
import hashlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import threading

import free_ports
from bench import NEXT, attack, finds, require
from proxies import Proxy
from servers import HELD, Authority, Server, page, redirect, status

SETTINGS = {
    "pin": "pin (`--pinnedpubkey`, `PublicKeyPinFilter`)", "cacert": "only these authorities (`--cacert`)",
    "capath": "only these authorities (`--capath`)", "resolve": "given address (`--resolve`)",
    "socket": "Unix socket (`--unix-socket`)", "family": "kind of address (`-4`, `-6`)", "proxy": "proxy (`-x`, environment)",
    "insecure": "no verification (`-k`)",
}
PATHS = {
    "direct": "direct request", "child": "child request", "foreign": "page elsewhere (OData)", "terminal": "terminal login",
    "chromium": "Chromium", "own": "system's browser", "proxied": "through a proxy",
    "tokens": "`login`, `tokens`, `logout`", "logon": "`logon`, `settings`, `unregister`", "odata": "`odata`",
}
HELD_BY_US = "held"
SENT_BY_US = "held: the conversation sends"
REFUSED = "refused"
THEIRS = "the person's own, one line says so"
OF_THE_PROXY = "held: of the proxy"
# A trusted origin's page is the library's alone: the command refuses it whatever is set.
FOREIGN = "held; `httpc` reads none"

# The effect of a setting on a path: HELD_BY_US, with the exceptions below.
CELLS = {(setting, path): HELD_BY_US for setting in SETTINGS for path in PATHS}
CELLS |= {(setting, "foreign"): FOREIGN for setting in SETTINGS}
CELLS |= {(setting, "chromium"): SENT_BY_US for setting in ("pin", "cacert", "capath", "resolve", "socket", "family")}
CELLS |= {(setting, "own"): REFUSED for setting in ("pin", "resolve", "socket")}
CELLS |= {(setting, "own"): THEIRS for setting in ("cacert", "capath", "family", "proxy")}
CELLS |= {("insecure", "chromium"): "verifies all the same", ("insecure", "own"): "verifies all the same",
          ("resolve", "proxied"): OF_THE_PROXY, ("family", "proxied"): OF_THE_PROXY, ("socket", "proxied"): REFUSED,
          ("proxy", "proxied"): "the command line's, not the environment's"}

WRONG_PIN = "sha256//" + "A" * 43 + "="
JSON = "Content-Type: application/json"
FORM = '<form method=post action=/form><input name=user><input type=password name=password><button>Log in</button></form>'
BROWSER = "#!{python}\nimport sys\nopen({marker!r}, 'w').write(sys.argv[1])\n"


class PlayingProxy(Server):
    """A proxy that answers requests in absolute form by itself, by their paths."""

    def read(self, *arguments):
        request = super().read(*arguments)
        if request and "://" in request.path:
            request.path = "/" + request.path.split("/", 3)[3]
        return request


class Site:
    """The servers of one cell: the right one, and one that must not be spoken to. Both answer alike.

    `wrong` are arguments with which nothing may arrive at either; nil where only the impostor counts.
    """

    def __init__(self, scene, setting, path):
        self.scene, self.answers, self.names, self.wrong = scene, {}, None, None
        self.impostor = self.home = None
        authority = scene.bench.authority
        getattr(self, "make_" + setting)(scene, authority, path)
        # Where a login begins: a server that the setting says nothing about, unless it is for typed servers or all.
        if self.home is None:
            self.home = scene.server({}) if path in ("child", "terminal", "chromium", "own") else self.server
        self.start = self.url if self.home is self.server else self.home.origin
        for server in {self.server, self.impostor, self.home} - {None}:
            server.answers = self.answers

    def pinned(self, authority):
        key = subprocess.run(["openssl", "x509", "-in", str(authority.folder / "server.pem"), "-noout", "-pubkey"],
                             capture_output=True, check=True).stdout
        der = base64.b64decode(b"".join(key.splitlines()[1:-1]))
        return "sha256//" + base64.b64encode(hashlib.sha256(der).digest()).decode()

    def make_pin(self, scene, authority, path):
        self.server = scene.secure()
        self.url = self.server.origin
        self.right = ("--cacert", authority.ca, "--pinnedpubkey", self.pinned(authority))
        self.wrong = ("--cacert", authority.ca, "--pinnedpubkey", WRONG_PIN)

    def make_cacert(self, scene, authority, path):
        own = scene.folder / "authority"
        own.mkdir()
        other = Authority(own)
        self.server = scene.server(tls=other.context)
        self.url = self.server.origin
        self.right, self.wrong = ("--cacert", other.ca), ("--cacert", authority.ca)

    def make_capath(self, scene, authority, path):
        self.make_cacert(scene, authority, path)
        for name, file in [("right", self.right[1]), ("wrong", self.wrong[1])]:
            (scene.folder / name).mkdir()
            (scene.folder / name / "ca.pem").write_text(pathlib.Path(file).read_text())
        self.right, self.wrong = (("--capath", str(scene.folder / name)) for name in ("right", "wrong"))

    def make_insecure(self, scene, authority, path):
        self.server = scene.secure()
        self.url, self.right, self.wrong = self.server.origin, ("-k",), ()

    def make_resolve(self, scene, authority, path):
        # Two servers on one port, at two addresses of this machine.
        self.server = scene.secure()
        self.impostor = scene.server(host="127.0.0.66", port=self.server.port, tls=authority.context)
        self.names = {"www.example.com": "127.0.0.66"}
        self.url = f"https://www.example.com:{self.server.port}"
        self.right = ("--cacert", authority.ca, "--resolve", f"www.example.com:{self.server.port}:127.0.0.1")

    def make_socket(self, scene, authority, path):
        # The URL leads to the impostor. Only the setting leads to the right server.
        self.server, self.impostor = scene.server(), scene.server()
        self.url, self.home = f"http://localhost:{self.impostor.port}", self.server
        place = str(scene.folder / "socket")
        self.right = ("--unix-socket", place)
        bridge(scene, place, self.server)

    def make_family(self, scene, authority, path):
        [port] = free_ports.find()
        # The other kind is what programs try first.
        self.server, self.impostor = scene.server(port=port), scene.server(host="::1", port=port)
        self.url, self.home, self.right = f"http://localhost:{port}", self.server, ("-4",)

    def make_proxy(self, scene, authority, path):
        # Answers by itself; the server that the URL names must not be asked.
        self.server, self.impostor = PlayingProxy({}), scene.server()
        scene.servers.append(self.server)
        self.url, self.home, self.right = self.impostor.origin, self.server, ("-x", self.server.origin)

    # Runs

    def run(self, arguments, *more, environment=None):
        return self.scene.httpc(*arguments, *more, names=self.names, environment=environment, timeout=90)

    def reached(self, place):
        return self.server.received(place)

    def prepare(self, *words, environment=None):
        """Runs a command that has to come before, with the right server, and forgets its requests."""
        before = self.server.received()
        self.run(words, *self.right, environment=environment).ends(0)
        self.server.requests[:] = before

    def forget(self):
        shutil.rmtree(self.scene.folder / "state", ignore_errors=True)


def bridge(scene, place, server):
    """A Unix socket that leads to a server."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen(16)

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.settimeout(HELD)
            threading.Thread(target=server.serve, args=(connection, 0), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener


# The paths. Each runs with arguments, and returns whether the login or request succeeded.

def direct(site, arguments):
    site.answers["/"] = page("in")
    outcome = site.run(arguments, site.url + "/")
    return outcome, "/", outcome.code == 0


def child(site, arguments):
    """A token request, with a client's secret."""
    secret = site.scene.password
    site.answers["/token"] = status(200, '{"access_token":"t","token_type":"Bearer"}', JSON)
    site.answers["/api"] = lambda request: (
        page("in") if request.field("Authorization") else status(401, b"", 'WWW-Authenticate: Bearer realm="r"'))
    profile = site.scene.profile(
        f'[profiles.p]\nmatch = ["{site.start}/"]\n[profiles.p.oauth2]\ngrant = "client-credentials"\nclient-id = "c"\n'
        f'client-secret-env = "ATTACK_SECRET"\ntoken-endpoint = "{site.url}/token"\n')
    outcome = site.run(arguments, *profile, site.start + "/api", environment={"ATTACK_SECRET": secret})
    return outcome, "/token", outcome.code == 0 and any(finds(r.raw, secret) for r in site.reached("/token"))


def login(site, arguments, *options):
    """A login page, with a person's password."""
    def form(request):
        return redirect(site.start + "/?finished=true", "Set-Cookie: done=1; Path=/")

    def home(request):
        if b"done=1" in request.field("Cookie") or "finished" in request.query:
            return page("in", "Set-Cookie: done=1; Path=/")
        return redirect(site.url + "/login", "x-smp-authentication: otp-challenge")

    site.answers |= {"/": home, "/login": page(FORM), "/form": form}
    profile = site.scene.profile(
        f'[profiles.p]\nmatch = ["{site.start}/"]\nanswer-origins = ["{site.url}"]\n[profiles.p.otp]\n')
    outcome = site.run(arguments, *profile, *options, "--answer", "user=alice", "--answer",
                       "password=" + site.scene.password, site.start + "/")
    return outcome, "/login", any(finds(r.body, site.scene.password) for r in site.reached("/form"))


def terminal(site, arguments):
    return login(site, arguments, "--web", "terminal")


def chromium(site, arguments):
    return login(site, arguments, "--headless")


def own(site, arguments):
    """A login that the system's browser would show: it is opened, or not."""
    scene, marker = site.scene, site.scene.folder / "opened"
    marker.unlink(missing_ok=True)
    site.answers["/api"] = status(401, b"", 'WWW-Authenticate: Bearer realm="r"')
    browser = scene.file("browser", BROWSER.format(python=sys.executable, marker=str(marker)), 0o700)
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{site.start}/"]\n[profiles.p.oauth2]\ngrant = "code"\nclient-id = "c"\n'
        f'authorization-endpoint = "{site.url}/authorize"\ntoken-endpoint = "{site.url}/token"\n')
    outcome = site.run(arguments, *profile, "-m", "6", site.start + "/api", environment={"BROWSER": browser})
    return outcome, "/authorize", marker.exists()


def proxied(site, arguments):
    site.answers["/"] = page("in")
    proxy = Proxy({})
    site.scene.servers.append(proxy)
    outcome = site.run(arguments, "-x", proxy.origin, site.url + "/")
    require(proxy.received(), "nothing was tested: the proxy was not asked")
    return outcome, "/", outcome.code == 0


def worst(outcomes):
    """One that went on, where there is one."""
    return next((outcome for outcome in outcomes if outcome.code == 0), outcomes[-1])


def tokens(site, arguments):
    """The commands that ask for tokens, with a client's secret."""
    secret = site.scene.password
    site.answers |= {"/token": status(200, '{"access_token":"t","token_type":"Bearer","expires_in":3600}', JSON),
                     "/revoke": status(200)}
    profile = site.scene.profile(
        f'[profiles.p]\nmatch = ["{site.url}/"]\n[profiles.p.oauth2]\ngrant = "client-credentials"\nclient-id = "c"\n'
        f'client-secret-env = "ATTACK_SECRET"\ntoken-endpoint = "{site.url}/token"\nrevocation-endpoint = "{site.url}/revoke"\n')
    environment = {"ATTACK_SECRET": secret}
    outcomes = []
    for words in (("tokens", "--access-token"), ("login",), ("logout",)):
        site.forget()
        if words == ("logout",):
            site.prepare("login", *profile, environment=environment)
        outcomes.append(site.run((*words, *profile), *arguments, environment=environment))
    sent = all(any(finds(request.raw, secret) for request in site.reached(place)) for place in ("/token", "/revoke"))
    return worst(outcomes), "/token", sent and all(outcome.code == 0 for outcome in outcomes)


def logon(site, arguments):
    """The commands that ask a mobile server, with a person's password."""
    secret = site.scene.password
    fields = ("X-SMP-APPCID: id-1", JSON)
    entity = json.dumps({"d": {"__metadata": {"type": "applications.Connection"}, "ApplicationConnectionId": "id-1",
                               "PasswordPolicyEnabled": True}})

    def mobile(request):
        if not request.field("Authorization"):
            return status(401, b"", 'WWW-Authenticate: Basic realm="mobile"', "X-SMP-SESSID: 1")
        if request.method == "POST":
            return status(201, entity, f"Location: {site.url}/odata/Connections('id-1')", *fields)
        return status(200, entity, *fields)

    site.answers["*"] = mobile
    profile = site.scene.profile(
        f'[profiles.p]\nmatch = ["{site.url}/"]\n[profiles.p.basic]\nusername = "alice"\npassword-env = "PW"\n'
        '[profiles.p.logon]\napplication = "com.example.app"\n')
    environment = {"PW": secret, "CODE": "abcd1234"}
    outcomes = []
    for command in ("logon", "settings", "unregister"):
        site.forget()
        words = (*profile, "--passcode-env", "CODE")
        if command != "logon":
            site.prepare("logon", *words, environment=environment)
        outcomes.append(site.run((command, *words), *arguments, environment=environment))
    sent = any(finds(request.raw, "alice:" + secret) for request in site.reached(None))
    return worst(outcomes), "/", sent and all(outcome.code == 0 for outcome in outcomes)


def odata(site, arguments):
    """Rows behind a password."""
    secret = site.scene.password
    metadata = ('<?xml version="1.0"?><edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">'
                '<edmx:DataServices/></edmx:Edmx>')
    asking = status(401, b"", 'WWW-Authenticate: Basic realm="r"')

    def behind(answer):
        return lambda request: answer if request.field("Authorization") else asking

    site.answers |= {
        "/s/": behind(status(200, '{"@odata.context":"$metadata","value":[]}', JSON, "OData-Version: 4.0")),
        "/s/$metadata": behind(status(200, metadata, "Content-Type: application/xml", "OData-Version: 4.0")),
        "/s/P": behind(status(200, '{"@odata.context":"$metadata#P","value":[{"ID":1}]}', JSON, "OData-Version: 4.0"))}
    outcome = site.run(("odata", *arguments), "-u", "alice:" + secret, site.url + "/s/", "P")
    sent = any(finds(request.raw, "alice:" + secret) for request in site.reached("/s/P"))
    return outcome, "/s/P", sent and outcome.code == 0


WAYS = {"direct": direct, "child": child, "terminal": terminal, "chromium": chromium, "own": own, "proxied": proxied,
        "tokens": tokens, "logon": logon, "odata": odata}


def hold(scene, setting, path):
    """With the right setting only the right server is reached, and with a wrong one no server."""
    site, way = Site(scene, setting, path), WAYS[path]
    if site.wrong is not None:
        outcome, place, done = way(site, site.wrong)
        require(outcome.code != 0 and not done, f"went on: {outcome.says()}")
        require(not site.reached(None), f"{place} arrived at a server that is to be refused: {outcome.says()}")
    outcome, place, done = way(site, site.right)
    require(done, f"nothing was tested: the right server was not reached: ended with {outcome.code}: {outcome.says()}")
    require(not site.impostor or not site.impostor.received(), "the impostor was spoken to")
    return site


def refuse_browser(scene, setting, path):
    """The person's own browser is not opened; it would be without the setting."""
    site = Site(scene, setting, path)
    outcome, _, opened = own(site, site.right)
    require(not opened, "the browser was opened")
    outcome.ends(67)
    require(b"cannot apply" in outcome.err, f"does not say why: {outcome.says()}")
    plain = Site(scene, "insecure", path)
    _, _, opened = own(plain, ("-k",))
    require(opened, "nothing was tested: the browser is never opened")


def leave_to_browser(scene, setting, path):
    site = Site(scene, setting, path)
    outcome, _, opened = own(site, site.right)
    require(opened, f"the browser was not opened: {outcome.says()}")
    require((b"your browser shows" in outcome.err) == (setting != "insecure"), f"the line is wrong: {outcome.says()}")


def verifies(scene, setting, path):
    """Chromium verifies the server all the same."""
    site = Site(scene, setting, path)
    outcome, place, done = chromium(site, site.right)
    require(outcome.code != 0 and not done and not site.reached(place), "the browser did not verify the server")
    _, _, done = terminal(site, site.right)
    require(done, "nothing was tested: the login works nowhere")


def of_the_proxy(scene, setting, path):
    """The setting applies to the proxy, because the connection is to the proxy."""
    target = scene.server({"/": page("in")})
    site = Site(scene, setting, path)
    if setting == "resolve":
        site.url = f"http://www.example.com:{site.server.port}"
        site.server.tls = site.impostor.tls = None
    site.answers["*"] = page("proxied")
    outcome = site.run(site.right, "-x", site.url, target.origin + "/").ends(0)
    require(outcome.out == b"proxied" and site.server.received(), "nothing was tested: the proxy was not asked")
    require(not site.impostor.received() and not target.received(), "somebody else was spoken to")


def refuse_usage(scene, setting, path):
    site = Site(scene, setting, path)
    site.answers["*"] = page("in")
    site.run(site.right, "-x", site.impostor.origin, site.url + "/").ends(2)
    require(not site.server.received() and not site.impostor.received(), "something was sent")
    site.run(site.right, site.url + "/").ends(0)


def before_environment(scene, setting, path):
    site = Site(scene, setting, path)
    site.answers["*"] = page("in")
    other = scene.server({"*": page("other")})
    # Not at this machine, for which the environment's proxies are not used.
    outcome = site.run(site.right, "http://www.example.com/", environment={"http_proxy": other.origin}).ends(0)
    require(outcome.out == b"in" and not other.received(), "the environment's proxy was asked")


def foreign(scene, setting, path):
    """A service's page that leads to another origin: the command reads none, with its settings or without."""
    site, other = Site(scene, setting, "direct"), scene.server({"*": page("elsewhere")})
    rows = '{{"@odata.context":"$metadata#P","value":[{{"ID":1}}],"@odata.nextLink":"{}"}}'
    metadata = ('<?xml version="1.0"?><edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">'
                '<edmx:DataServices/></edmx:Edmx>')
    site.answers |= {"/s/": status(200, '{"@odata.context":"$metadata","value":[]}', JSON, "OData-Version: 4.0"),
                     "/s/$metadata": status(200, metadata, "Content-Type: application/xml", "OData-Version: 4.0"),
                     "/s/P": status(200, rows.format(other.origin + "/x"), JSON, "OData-Version: 4.0")}
    outcome = site.run(("odata", "read", "--all", *site.right), site.url + "/s/", "P")
    require(site.reached("/s/P"), f"nothing was tested: no row was asked for: {outcome.says()}")
    require(outcome.code != 0 and not other.received(), "a page of another origin was read")
    require(not site.impostor or not site.impostor.received(), "the impostor was spoken to")


# Ways in which a page sends requests to another server, also such that the browser cannot hold.
UNHELD = [
    ("a WebSocket", "new WebSocket('ws://{place}/unheld')"),
    ("a frame", "document.documentElement.append(Object.assign(document.createElement('iframe'), {{src: 'http://{place}/unheld'}}))"),
    ("a beacon", "navigator.sendBeacon('http://{place}/unheld', 'x')"),
    ("an image", "new Image().src = 'http://{place}/unheld'"),
    ("a preload", "document.head.innerHTML += '<link rel=preload as=fetch href=http://{place}/unheld>'"),
]


@attack(NEXT, "Chromium has no way of its own to a server with a setting", UNHELD, alone=True)
def unheld(scene, script):
    def start(request):
        if b"done=1" in request.field("Cookie") or "finished" in request.query:
            return page("in", "Set-Cookie: done=1; Path=/")
        return redirect(pages.origin + "/login", "x-smp-authentication: otp-challenge")

    # The page is of a server without a setting; it goes on after a while.
    home, pages, network = scene.server({"/": start}), scene.server(), scene.server({"*": page("")})
    script = script.format(place=f"localhost:{network.port}")
    pages.answers["/login"] = page(
        f"<script>{script}; setTimeout(() => location = '{home.origin}/?finished=true', 1500)</script>")
    profile = scene.profile(f'[profiles.p]\nmatch = ["{home.origin}/"]\n[profiles.p.otp]\n')
    for words, is_held in [((), False), (("--resolve", f"localhost:{network.port}:127.0.0.66"), True)]:
        network.requests.clear()
        pages.requests.clear()
        scene.httpc(*words, *profile, "--headless", home.origin + "/", timeout=90)
        require(pages.received("/login"), "nothing was tested: the page never came")
        found = network.received("/unheld")
        require(bool(found) != is_held, "went there" if is_held else "nothing was tested: it never goes there")


ATTACKS = {HELD_BY_US: hold, SENT_BY_US: hold, FOREIGN: foreign, THEIRS: leave_to_browser, OF_THE_PROXY: of_the_proxy}
ATTACKS_OF_CELLS = {
    ("pin", "own"): refuse_browser, ("resolve", "own"): refuse_browser, ("socket", "own"): refuse_browser,
    ("insecure", "own"): leave_to_browser, ("insecure", "chromium"): verifies, ("socket", "proxied"): refuse_usage,
    ("proxy", "proxied"): before_environment,
}

for (setting, way), word in CELLS.items():
    work = ATTACKS_OF_CELLS.get((setting, way)) or ATTACKS[word]
    attack(NEXT, f"a setting holds on each path: {setting}, {way}", [("", setting, way)], alone=way == "chromium")(work)


def table():
    """The table as Markdown."""
    lines = ["| setting | " + " | ".join(PATHS.values()) + " |", "|---" * (len(PATHS) + 1) + "|"]
    for setting, name in SETTINGS.items():
        lines.append("| " + " | ".join([name] + [CELLS[setting, path] for path in PATHS]) + " |")
    return "\n".join(lines) + "\n"
