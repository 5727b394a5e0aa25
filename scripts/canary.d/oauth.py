"""Tokens, codes and client secrets of every grant of OAuth2."""
import http.server
import json
import re
import secrets
import sys
import threading
import urllib.parse

from handler import Handler
from keys import add_key, make_key
from search import check, execute, KEPT, kept, problems, Search


class OAuthServer:
    """An authorization and resource server whose secrets are all planted; remembers the requests."""

    def __init__(self):
        self.issued = {}
        self.forms = []
        self.states = []
        self.fails = False
        handler = type("Handler", (OAuthHandler,), {"owner": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def plant(self, kind):
        value = f"canary-{kind}-{secrets.token_hex(8)}"
        self.issued[f"{kind} {len(self.issued)}"] = value
        return value

    def tokens(self):
        return {"access_token": self.plant("access"), "refresh_token": self.plant("refresh"), "token_type": "Bearer",
                "expires_in": 3600}

    def received(self, name):
        return [form[name] for form in self.forms if name in form]


class OAuthHandler(Handler):
    owner = None

    def answer_json(self, members, status=200):
        self.answer(status, json.dumps(members).encode(), Content_Type="application/json")

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/authorize":
            self.owner.states.append(query["state"])
            back = urllib.parse.urlencode({"code": self.owner.plant("code"), "state": query["state"]})
            return self.answer(302, Location=f"{query['redirect_uri']}?{back}")
        token = (self.headers["Authorization"] or "").removeprefix("Bearer ").removeprefix("DPoP ")
        if token in self.owner.issued.values() and url.path != "/api/refused":
            return self.answer(200, b"a resource")
        return self.answer(401, b"no", WWW_Authenticate=f'Bearer realm="canary", error="invalid_token", '
                                                        f'error_description="{token}"')

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        form = dict(urllib.parse.parse_qsl(body)) | {
            "authorization": self.headers["Authorization"] or "", "dpop": self.headers["DPoP"] or ""}
        self.owner.forms.append(form)
        if self.path == "/device":
            return self.answer_json({
                "device_code": self.owner.plant("device-code"), "user_code": "WDJB-MJHT", "expires_in": 60, "interval": 1,
                "verification_uri": self.owner.base + "/login"})
        if self.path == "/revoke":
            return self.answer(200)
        if self.owner.fails:
            # Servers do say such things.
            return self.answer_json({"error": "invalid_grant", "error_description": "refused: " + body}, status=400)
        kind = {"token_type": "DPoP"} if self.headers["DPoP"] else {}
        return self.answer_json(self.owner.tokens() | kind)


PROFILES = """
[profiles.{grant}]
match = ["{base}/api/{grant}", "{base}/api/refused"]
[profiles.{grant}.oauth2]
grant = "{grant}"
authorization-endpoint = "{base}/authorize"
token-endpoint = "{base}/token"
device-authorization-endpoint = "{base}/device"
revocation-endpoint = "{base}/revoke"
client-id = "canary"
client-secret-env = "CANARY_SECRET"
username = "canary"
password-env = "CANARY_PASSWORD"
assertion-env = "CANARY_ASSERTION"
subject-token-env = "CANARY_SUBJECT"
actor-token-env = "CANARY_ACTOR"
"""


ASSERTION_PROFILE = """
[profiles.assertion]
match = ["{base}/api/assertion", "{base}/api/refused"]
[profiles.assertion.oauth2]
grant = "client-credentials"
token-endpoint = "{base}/token"
revocation-endpoint = "{base}/revoke"
client-id = "canary"
client-auth = "private_key_jwt"
client-key = "client.key"
"""


BOUND_PROFILE = """
[profiles.bound]
match = ["{base}/api/bound", "{base}/api/refused"]
[profiles.bound.oauth2]
grant = "password"
token-endpoint = "{base}/token"
revocation-endpoint = "{base}/revoke"
client-id = "canary"
username = "canary"
password-env = "CANARY_PASSWORD"
dpop = "required"
"""


GRANTS = ("client-credentials", "password", "code", "device", "jwt-bearer", "token-exchange", "assertion", "bound")


def tokens(httpc, folder, environment):
    """Every grant, refresh, refusal and log-out of OAuth2, at every level of verbosity."""
    server = OAuthServer()
    config = folder / "oauth2.toml"
    client_key = make_key(folder / "client.key")
    config.write_text("".join(PROFILES.format(grant=grant, base=server.base) for grant in GRANTS[:-2])
                      + ASSERTION_PROFILE.format(base=server.base) + BOUND_PROFILE.format(base=server.base))
    browser = folder / "browser"
    browser.write_text(f"#!{sys.executable}\nimport sys, urllib.request as u\n"
                       "u.build_opener(u.ProxyHandler({})).open(sys.argv[1]).read()\n")
    browser.chmod(0o700)
    planted = {kind: f"canary-{kind}-{secrets.token_hex(8)}" for kind in (
        "client-secret", "oauth-password", "assertion", "subject", "actor")}
    environment = environment | {
        "CANARY_SECRET": planted["client-secret"], "CANARY_PASSWORD": planted["oauth-password"],
        "CANARY_ASSERTION": planted["assertion"], "CANARY_SUBJECT": planted["subject"], "CANARY_ACTOR": planted["actor"],
        "BROWSER": str(browser)}
    outputs = []
    pages = 0

    def run(*arguments, expect=0, gives=False):
        """Runs httpc; if it gives a secret to a program, that is on standard output."""
        nonlocal pages
        outcome = execute(httpc, *arguments, *KEPT, environment=environment, expect=(expect,), cwd=folder)
        transcripts = kept(folder)
        printed = outcome.stderr + ("" if gives else outcome.stdout)
        # The page that somebody is asked to open has the state in it, and nothing else may.
        text, count = re.subn(r"^  http://\S+/authorize\?\S+$", "", printed, flags=re.M)
        pages += count
        outputs.append(text + transcripts)
        return outcome

    given = [use_grant(run, server, config, grant, level) for grant in GRANTS for level in ((), ("-v",), ("-vv",), ("-s",))]
    server.server.shutdown()
    finder, hidden = search_of(server, planted, client_key)
    check_tokens_arrived(server, planted, pages)
    finder.report(outputs)
    stored = b"".join(path.read_bytes() for path in (folder / "state").rglob("vault.*"))
    check(stored, "there is no vault")
    for name in finder.found(stored.decode("latin-1")):
        problems.append(f"in the vault's files: {name}")
    # The control: the search finds tokens that a command was asked to print.
    for token in given:
        check(token is None or any(name.endswith(": raw") for name in finder.found(token)), "a printed access token is not found")
    finder.check_sight()
    print(f"canary: OAuth2, {len(outputs)} runs, {len(finder.needles)} forms of {hidden} secrets")


def use_grant(run, server, config, grant, level):
    """Logs in, sends requests, gives tokens to other programs and logs out. Returns the printed access token; None for a
    grant whose tokens are bound to a key."""
    named = ("--config", str(config), "--profile", grant)
    url = f"{server.base}/api/{grant}"
    # Without tokens that are kept there is nothing to log in for.
    handed = grant in ("jwt-bearer", "token-exchange")
    run("login", *level, *named, expect=2 if handed else 0)
    run(*level, *named, url)
    run(*level, *named, f"{server.base}/api/refused", expect=67)
    # A token that is bound to a key is not for other programs.
    token = run("tokens", "--access-token", *level, *named, expect=67 if grant == "bound" else 0,
                gives=grant != "bound").stdout.strip()
    for words in (("tokens", "--header"), ("credential", "kubernetes"), ("credential", "keyring", "get", url)):
        given = run(*words, *level, *named, expect=67 if grant == "bound" else 0, gives=grant != "bound").stdout
        check(grant == "bound" or any(value in given for value in server.issued.values()),
              f"httpc {' '.join(words)} gave no token of {grant}")
    run("tokens", *level, *named)
    server.fails = True
    run("login", *level, *named, expect=2 if handed else 67)
    run(*level, *named, f"{server.base}/api/refused", expect=67)
    server.fails = False
    run("login", *level, *named, expect=2 if handed else 0)
    run("logout", *level, *named)
    return None if grant == "bound" else token


def search_of(server, planted, client_key):
    """The search for all secrets of OAuth2, and their number."""
    finder = Search()
    hidden = planted | server.issued
    for kind, values in {"state": server.states, "verifier": server.received("code_verifier")}.items():
        hidden |= {f"{kind} {number}": value for number, value in enumerate(values)}
    for number, value in enumerate(server.received("client_assertion")):
        hidden |= {f"assertion {number}": value, f"its signature {number}": value.rsplit(".")[-1]}
    for name, secret in hidden.items():
        finder.add(name, secret)
    for number, value in enumerate(filter(None, server.received("dpop"))):
        finder.add(f"the signature of proof {number}", value.rsplit(".")[-1])
    add_key(finder, "the client's key", client_key)
    for number, value in enumerate(server.received("authorization")):
        if value:
            finder.needles[f"Basic of the client {number}"] = value.removeprefix("Basic ").lower()
    return finder, len(hidden)


def check_tokens_arrived(server, planted, pages):
    """Checks that the secrets did travel.

    pages: how often a page to open was named
    """
    check(any(value in server.received("password") for value in planted.values()), "no password reached the server")
    check(any(server.received("authorization")), "no client secret reached the server")
    for name in ("code", "code_verifier", "refresh_token", "device_code", "token", "client_assertion", "assertion",
                 "subject_token", "actor_token"):
        check(server.received(name), f"no {name} reached the server: nothing was tested")
    check(server.states and pages >= len(server.states), "the page to open is not named")
