"""Programs that ask httpc for credentials by the protocols of git, Docker, Kubernetes and keyring. A link, a server or a file of a
project may make them ask for others."""
import json

from bench import NEXT, attack, finds, require
from servers import status

PROFILES = """
[profiles.p]
match = ["{api}/team/"]
[profiles.p.oauth2]
grant = "client-credentials"
client-id = "c"
client-secret-env = "ATTACK_SECRET"
token-endpoint = "{idp}/token"
[profiles.evil]
match = ["{evil}/"]
[profiles.evil.oauth2]
grant = "client-credentials"
client-id = "{secret}"
client-secret-env = "EVIL_SECRET"
token-endpoint = "{evil}/token"
{more}
"""
PASSWORDS = """
[profiles.p]
match = ["{api}/team/"]
[profiles.p.basic]
username = "alice"
password-env = "ATTACK_SECRET"
"""


def tokens(value, **more):
    body = json.dumps({"access_token": value, "refresh_token": "r" + value, "token_type": "Bearer", **more})
    return status(200, body.encode(), "Content-Type: application/json")


class Helpers:
    """A profile for a server, one for a server of the attacker's, and the programs that ask for their credentials."""

    def __init__(self, scene, text=PROFILES, more=""):
        self.scene = scene
        self.token = "at-" + scene.password
        self.api, self.idp, self.evil = (scene.server() for _ in range(3))
        self.idp.answers["/token"] = tokens(self.token)
        self.evil.answers["/token"] = tokens("evil-token")
        self.config = ("--config", scene.file("config.toml", text.format(
            api=self.api.origin, idp=self.idp.origin, evil=self.evil.origin, secret="c", more=more)))
        self.secrets = {"ATTACK_SECRET": "cs-" + scene.password, "EVIL_SECRET": "the attacker's own"}

    def ask(self, *arguments, given=b"", environment=None):
        outcome = self.scene.httpc(
            *arguments, *self.config, given=given, environment=self.secrets | (environment or {}))
        require(not finds(outcome.err, self.token) and not finds(outcome.err, "cs-" + self.scene.password),
                f"printed a secret on standard error: {outcome.says()}")
        return outcome

    def git(self, *lines, action="get"):
        given = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines) + b"\n"
        return self.ask("credential", "git", action, given=given)

    def gives(self, outcome):
        return finds(outcome.out, self.token) or finds(outcome.out, "cs-" + self.scene.password)

    def refuses(self, outcome):
        require(not self.gives(outcome), "gave the credential away")
        require(outcome.code >= 0 and outcome.code < 128, f"ended by a signal: {outcome.code}")

    def still_works(self):
        """Without this, nothing was tested."""
        outcome = self.git("protocol=http", f"host={self.api.authority}", "path=team/repo.git")
        require(self.gives(outcome), f"nothing was tested: the right URL gets nothing: {outcome.says()}")


SCHEME, HOST, PATH = "protocol=http", "host={api}", "path=team/repo.git"
OUTSIDE = [
    ("a host that no profile names", [SCHEME, "host=evil.example", PATH]),
    ("another port", [SCHEME, "host=127.0.0.1:1", PATH]), ("no port", [SCHEME, "host=127.0.0.1", PATH]),
    ("another scheme", ["protocol=https", HOST, PATH]), ("no scheme", [HOST, PATH]), ("no host", [SCHEME, PATH]),
    ("another name of the machine", [SCHEME, "host=localhost:{port}", PATH]),
    ("another address of the machine", [SCHEME, "host=127.0.0.2:{port}", PATH]),
    ("the address as a number", [SCHEME, "host=2130706433:{port}", PATH]),
    ("no path", [SCHEME, HOST]), ("a longer segment", [SCHEME, HOST, "path=teams/repo.git"]),
    ("a path that leaves", [SCHEME, HOST, "path=team/../repo.git"]),
    ("one that leaves by escapes", [SCHEME, HOST, "path=team/%2e%2e/repo.git"]),
    ("one that leaves by escapes twice", [SCHEME, HOST, "path=team/%252e%252e/../../repo.git"]),
    ("one that leaves behind a separator", [SCHEME, HOST, "path=team/..%2frepo.git"]),
    ("one that leaves behind a backslash", [SCHEME, HOST, "path=team/..\\repo.git"]),
    ("one that leaves with a parameter", [SCHEME, HOST, "path=team/..;x/repo.git"]),
    ("one that comes in from another", [SCHEME, HOST, "path=evil/../team/repo.git"]),
    ("one that comes in by escapes", [SCHEME, HOST, "path=evil/%2e%2e/team/repo.git"]),
    ("one with an empty segment in front", [SCHEME, HOST, "path=/team/repo.git"]),
    ("the match in the query", [SCHEME, HOST, "path=x?/team/"]), ("the match in the fragment", [SCHEME, HOST, "path=x#/team/"]),
    ("a whole URL as the path", [SCHEME, "host=evil.example", "path=http://{api}/team/"]),
    ("a user in front", [SCHEME, "host=evil.example@{api}", PATH]),
    ("the host as a user", [SCHEME, "host={api}@evil.example", PATH]),
    ("the host as a user's password", [SCHEME, "host=x:{api}@evil.example", PATH]),
    ("a path in the host", [SCHEME, "host=evil.example/{api}", PATH]),
    ("a backslash in the host", [SCHEME, "host=evil.example\\@{api}", PATH]),
    ("a query in the host", [SCHEME, "host=evil.example?{api}", PATH]),
    ("a fragment in the host", [SCHEME, "host={api}#.evil.example", PATH]),
    ("an escaped line end in the host", [SCHEME, "host={api}%0a", PATH]),
    ("an escaped line end and another host", [SCHEME, "host=evil.example%0ahost={api}", PATH]),
    ("a space in the host", [SCHEME, "host={api} evil.example", PATH]),
    ("a second host", [SCHEME, "host=evil.example", HOST, PATH]), ("a second host behind", [SCHEME, HOST, "host=evil.example", PATH]),
    ("a second scheme", ["protocol=https", SCHEME, HOST, PATH]), ("a second path", [SCHEME, HOST, "path=x", PATH]),
    ("a carriage return", [SCHEME, HOST + "\r", PATH]), ("a carriage return and a host", [SCHEME, "host=evil.example\rhost={api}", PATH]),
    ("a NUL", [SCHEME, HOST + "\0.evil.example", PATH]), ("no equals sign", ["protocol", SCHEME, HOST, PATH]),
    ("a scheme with the host", ["protocol=http://{api}/team/", "host=evil.example", PATH]),
    ("another protocol", ["protocol=smtp", HOST, PATH]), ("a host of 100,000 bytes", [SCHEME, "host=" + "a" * 100_000, PATH]),
    ("1 MiB of other lines", ["x=" + "y" * 1000] * 1000 + [SCHEME, HOST, PATH]), ("bytes that are no text", [b"\xff\xfe=\xff", SCHEME, HOST, PATH]),
]


@attack(NEXT, "git's question gets nothing", OUTSIDE)
def outside(scene, lines):
    helpers = Helpers(scene)
    fill = lambda line: line if isinstance(line, bytes) else (
        line.replace("{api}", helpers.api.authority).replace("{port}", str(helpers.api.port)))
    helpers.refuses(helpers.git("capability[]=authtype", *map(fill, lines)))
    require(not helpers.idp.received(), "a token was fetched")
    helpers.still_works()


@attack(NEXT, "a server of the match that token-origins leave out gets no token", [
    ("git", ("credential", "git", "get"), "protocol=http\nhost={api}\npath=team/x\n\n"),
    ("Docker", ("credential", "docker", "get"), "http://{api}/team/"),
    ("keyring", ("credential", "keyring", "get", "http://{api}/team/", "oauth2"), ""),
    ("Kubernetes", ("credential", "kubernetes", "http://{api}/team/"), ""),
    ("tokens", ("tokens", "--header", "http://{api}/team/"), ""),
])
def left_out(scene, words, given):
    fill = lambda helpers, text: text.replace("{api}", helpers.api.authority)
    for text in (PROFILES, PROFILES.replace('token-endpoint = "{idp}/token"',
                                            'token-endpoint = "{idp}/token"\ntoken-origins = ["{idp}"]', 1)):
        helpers = Helpers(scene, text)
        outcome = helpers.ask(*(fill(helpers, word) for word in words), given=fill(helpers, given).encode())
        if text is PROFILES:
            require(helpers.gives(outcome), f"nothing was tested: {outcome.says()}")
            continue
        helpers.refuses(outcome)
        require(not helpers.idp.received(), "a token was fetched")


HOSTS = [
    ("another host", "evil.example"), ("a host without the path of the match", "{api}"), ("another port", "127.0.0.1:1"),
    ("a user in front", "evil.example@{api}/team/"), ("a user in a URL", "http://evil@{api}/team/"),
    ("the host as a user", "http://{api}@evil.example/team/"), ("another scheme", "https://{api}/team/"),
    ("a second line", "evil.example\n{api}/team/"), ("an escaped line end", "{api}%0a/team/"),
    ("a path that leaves", "http://{api}/team/../x"), ("one that leaves by escapes", "http://{api}/team/%2e%2e/x"),
    ("a path that comes in from another", "http://{api}/evil/../team/x"),
    ("one that comes in by escapes", "http://{api}/evil/%2e%2e/team/x"), ("an empty segment in front", "http://{api}//team/x"),
    ("the match in the query", "http://{api}/x?/team/"), ("another protocol", "file:///team/"),
    ("a scheme twice", "http://http://{api}/team/"), ("nothing", ""), ("100,000 bytes", "{api}/team/" + "a" * 100_000),
]


@attack(NEXT, "Docker's and keyring's question gets nothing", HOSTS)
def hosts(scene, text):
    helpers = Helpers(scene, PASSWORDS)
    text = text.replace("{api}", helpers.api.authority)
    helpers.refuses(helpers.ask("credential", "docker", "get", given=text.encode()))
    helpers.refuses(helpers.ask("credential", "keyring", "get", text, "alice"))
    right = f"http://{helpers.api.authority}/team/"
    require(helpers.gives(helpers.ask("credential", "docker", "get", given=right.encode())), "nothing was tested: Docker")
    require(helpers.gives(helpers.ask("credential", "keyring", "get", right, "alice")), "nothing was tested: keyring")


@attack(NEXT, "keyring's question for another machine names no scheme, so the program may go there in clear", [
    ("a host", "pypi.example.com"), ("a host and port", "pypi.example.com:443"), ("a path", "pypi.example.com/simple/")])
def in_clear(scene, text):
    helpers = Helpers(scene, PASSWORDS.replace("{api}/team/", "https://pypi.example.com/"))
    helpers.refuses(helpers.ask("credential", "keyring", "get", text, "alice"))
    right = helpers.ask("credential", "keyring", "get", "https://pypi.example.com/simple/", "alice")
    require(helpers.gives(right), f"nothing was tested: {right.says()}")


@attack(NEXT, "a cluster whose client checks no certificate gets nothing")
def unchecked(scene):
    helpers = Helpers(scene)
    right = helpers.api.origin + "/team/"

    def question(**more):
        return {"KUBERNETES_EXEC_INFO": json.dumps({
            "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
            "spec": {"cluster": {"server": right, **more}}})}

    words = ("credential", "kubernetes", right)
    helpers.refuses(helpers.ask(*words, environment=question(**{"insecure-skip-tls-verify": True})))
    require(helpers.gives(helpers.ask(*words, environment=question())), "nothing was tested")


CLUSTERS = [
    ("another server", "https://evil.example"), ("a host without a scheme", "evil.example"),
    ("another port", "http://127.0.0.1:1/team/"), ("another path", "http://{api}/x"),
    ("another profile's server", "{evil}/"), ("a user", "http://evil@{api}/team/"), ("a number", 7), ("a list", ["http://{api}/team/"]),
    ("a line end", "http://{api}/team/\nhttps://evil.example"),
]


@attack(NEXT, "a cluster that is not the profile's gets nothing", CLUSTERS)
def clusters(scene, server):
    helpers = Helpers(scene)
    fill = lambda text: text.replace("{api}", helpers.api.authority).replace("{evil}", helpers.evil.origin)
    server = fill(server) if isinstance(server, str) else server
    right = helpers.api.origin + "/team/"

    def question(server):
        return {"KUBERNETES_EXEC_INFO": json.dumps({
            "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "spec": {"cluster": {"server": server}}})}

    words = ("credential", "kubernetes")
    # A server that cannot be read is none; then the URL of the configuration counts, which is the person's.
    if isinstance(server, str):
        helpers.refuses(helpers.ask(*words, right, environment=question(server)))
    helpers.refuses(helpers.ask(*words, environment=question(server)))
    require(helpers.gives(helpers.ask(*words, right, environment=question(right))), "nothing was tested")


@attack(NEXT, "a server's answer gets no other profile's token", [
    ("its token endpoint redirects there", lambda helpers: status(307, b"", f"Location: {helpers.idp.origin}/token")),
    ("it names the other as its issuer", lambda helpers: status(
        401, b'{"error":"invalid_client"}', f'WWW-Authenticate: Bearer resource_metadata="{helpers.idp.origin}/"')),
])
def other_profile(scene, answer):
    helpers = Helpers(scene)
    helpers.evil.answers["/token"] = answer(helpers)
    helpers.still_works()
    for lines in ([], ["username=alice"], [f'wwwauth[]=Bearer realm="r", resource_metadata="{helpers.api.origin}/team/"']):
        helpers.refuses(helpers.git("capability[]=authtype", SCHEME, f"host={helpers.evil.authority}", "path=team/x", *lines))
    require(helpers.evil.received("/token"), "nothing was tested: the attacker's token endpoint was not asked")
    require(not finds(helpers.evil.raw, "cs-" + scene.password), "the attacker's server got the other client's secret")
    require(len(helpers.idp.received("/token")) == 1, "the other token endpoint was asked")


@attack(NEXT, "a token with a line end adds nothing to an answer", [
    (name, token) for name, token in (
        ("LF", "t\npassword=evil"), ("CR LF", "t\r\nX-Evil: 1"), ("NUL", "t\0x"), ("an empty line", "t\n\nquit=1"))])
def line_ends(scene, token):
    helpers = Helpers(scene)
    helpers.idp.answers["/token"] = tokens(token)
    place = (SCHEME, f"host={helpers.api.authority}", "path=team/x")
    for lines in ([], ["capability[]=authtype"]):
        outcome = helpers.git(*lines, *place)
        require(b"evil" not in outcome.out.lower() and b"\0" not in outcome.out and b"\n\n" not in outcome.out,
                f"the token wrote its own lines: {outcome.out!r}")
    outcome = helpers.ask("tokens", "--header", "--profile", "p")
    require(outcome.out.count(b"\n") <= 1 and b"\r" not in outcome.out and b"\0" not in outcome.out,
            f"the token wrote its own field: {outcome.out!r}")
    require(helpers.idp.received("/token"), "nothing was tested: no token was fetched")


@attack(NEXT, "only the owner of a token ends it")
def erased(scene):
    helpers = Helpers(scene)
    place = (SCHEME, f"host={helpers.api.authority}", "path=team/x")
    helpers.still_works()
    helpers.git(SCHEME, f"host={helpers.evil.authority}", f"password={helpers.token}", action="erase")
    helpers.git(SCHEME, "host=evil.example", f"password={helpers.token}", action="erase")
    helpers.git(*place, "password=another", action="erase")
    helpers.git(SCHEME, f"host={helpers.api.authority}", "path=other/x", action="erase")
    helpers.still_works()
    require(len(helpers.idp.received("/token")) == 1, "the token was ended from outside")
    helpers.git(*place, f"password={helpers.token}", action="erase")
    helpers.still_works()
    require(len(helpers.idp.received("/token")) == 2, "nothing was tested: erase does nothing at all")


WORDS = [
    ("git", ("credential", "git", "get")), ("Kubernetes", ("credential", "kubernetes", "--profile", "p")),
    ("keyring", ("credential", "keyring", "get", "{url}", "alice")), ("the line of a field", ("tokens", "--header", "--profile", "p")),
]


@attack(NEXT, "a helper shows no secret on a terminal", WORDS)
def terminals(scene, words):
    helpers = Helpers(scene)
    words = [word.replace("{url}", helpers.api.origin + "/team/") for word in words]
    terminal = scene.terminal(*words, *helpers.config, environment=helpers.secrets)
    require(terminal.end() == 2, f"ended well, shows {terminal.tail()}")
    require(b"terminal" in terminal.shown and not finds(terminal.shown, helpers.token), f"shows {terminal.tail()}")
    helpers.still_works()


@attack(NEXT, "a helper's secret is in no message and no transcript", [
    (f"{name}, {level}", words, level) for name, words in WORDS for level in ("-v", "-vv")])
def verbosely(scene, words, level):
    helpers = Helpers(scene)
    words = [word.replace("{url}", helpers.api.origin + "/team/") for word in words]
    given = f"protocol=http\nhost={helpers.api.authority}\npath=team/x\n\n".encode()
    outcome = helpers.ask(*words, level, "--har", "kept.har", "--trace", "kept.html", given=given)
    require(helpers.gives(outcome), f"nothing was tested: {outcome.says()}")
    require(b"/token" in outcome.err, "nothing was tested: it told nothing")
    for name in ("kept.har", "kept.html"):
        text = (scene.folder / name).read_bytes()
        require(text and not finds(text, helpers.token) and not finds(text, "cs-" + scene.password), f"{name} has the secret")


@attack(NEXT, "a credential does not go in clear to another machine", [
    ("git", "credential", "git", "get"), ("keyring", "credential", "keyring", "get", "http://10.0.0.1/team/", "alice")])
def clear(scene, *words):
    helpers = Helpers(scene, PASSWORDS)
    text = PASSWORDS.format(api="http://10.0.0.1")
    helpers.config = ("--config", scene.file("clear.toml", text))
    outcome = helpers.ask(*words, given=b"protocol=http\nhost=10.0.0.1\npath=team/x\n\n")
    helpers.refuses(outcome)
    require(b"https only" in outcome.err, f"nothing was tested: {outcome.says()}")


WEB = """
[profiles.p]
match = ["{server}/"]
"""


def jar_scene(scene):
    """A server whose answer has a session of its own and cookies of others."""
    server = scene.server()
    server.answers["*"] = status(200, b"in", f"Set-Cookie: session={scene.password}; Path=/; Max-Age=600")
    return server, scene.profile(WEB.format(server=server.origin))


@attack(NEXT, "exported cookies are for their owner and their server", [("a new file", None), ("a file that others can read", 0o644)])
def jars(scene, mode):
    server, profile = jar_scene(scene)
    if mode:
        scene.file("jar", "old", mode)
    scene.httpc("cookies", "--netscape", "--output", "jar", *profile).ends(0).hides(scene.password)
    jar = scene.folder / "jar"
    require(jar.stat().st_mode & 0o777 == 0o600, "others can read the cookies")
    require(finds(jar.read_bytes(), scene.password), "nothing was tested: there is no cookie")
    outcome = scene.httpc("cookies", "--netscape", "--output", "other", *profile, server.origin.replace("127.0.0.1", "localhost"))
    require(outcome.code == 2 and not (scene.folder / "other").exists(), "wrote the cookies of another server")


@attack(NEXT, "cookies go to no descriptor that is not meant for them", [
    (str(number), number) for number in (0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20, -1, 2147483647, 99999999999)])
def descriptors(scene, number):
    _, profile = jar_scene(scene)
    outcome = scene.httpc("cookies", "--netscape", f"--fd={number}", *profile).hides(scene.password)
    require(outcome.code == 2, f"ended with {outcome.code}: {outcome.says()}")
    outcome = scene.httpc("cookies", "--netscape", "--fd=1", *profile)
    require(finds(outcome.out, scene.password), f"nothing was tested: {outcome.says()}")
