"""Attacks with OAuth2: token requests, tokens, metadata, codes and the loopback listener."""
import base64
import json
import os
import sys
import threading
import time
import urllib.parse

from bench import NEXT, arrived, attack, finds, never, require
from servers import PATIENCE, page, redirect, status

TOKENS = """[profiles.p]
match = ["{api}/api/"]
[profiles.p.oauth2]
grant = "{grant}"
client-id = "c"
client-secret-env = "ATTACK_SECRET"
username = "alice"
password-env = "ATTACK_PASSWORD"
{endpoints}
"""
TOKEN = '{{"access_token":"{}","refresh_token":"{}r","token_type":"Bearer"}}'
JSON = "Content-Type: application/json"


class Tokens:
    """A profile with OAuth2, its servers, and one of somebody else."""

    def __init__(self, scene, grant="password", endpoints=None):
        self.scene, self.client = scene, "cs-" + scene.password
        self.api, self.idp, self.other = (scene.server() for _ in range(3))
        self.other.answers["*"] = status(200, TOKEN.format("t", "t"), JSON)
        self.idp.answers["/token"] = status(200, TOKEN.format("at-" + scene.password, "rt-" + scene.password), JSON)
        self.api.answers["*"] = lambda request: (
            page("in") if request.field("Authorization") else status(401, b"", 'WWW-Authenticate: Bearer realm="r"'))
        endpoints = endpoints or 'token-endpoint = "{idp}/token"'
        self.profile = scene.profile(TOKENS.format(api=self.api.origin, grant=grant, endpoints=endpoints.format(
            idp=self.idp.origin, other=self.other.origin, port=self.other.port)))

    def get(self, path="/api/x", *arguments):
        return self.scene.httpc(*self.profile, *arguments, self.api.origin + path, environment={
            "ATTACK_PASSWORD": self.scene.password, "ATTACK_SECRET": self.client})


@attack(NEXT, "a token request is not redirected", [(str(code), code) for code in (301, 302, 303, 307, 308)])
def token_redirect(scene, code):
    tokens = Tokens(scene)
    tokens.idp.answers["/token"] = redirect(tokens.other.origin + "/token", code=code)
    tokens.get().ends(67)
    require(finds(arrived(tokens.idp, "/token").raw, scene.password), "nothing was tested: no password was sent")
    never(tokens.other, scene.password)


@attack(NEXT, "an access token stays at its origins", [
    ("a redirect", "{other}/api/x"), ("a redirect to another name", "http://localhost:{port}/api/x")])
def token_travels(scene, location):
    tokens = Tokens(scene)
    plain = tokens.api.answers["*"]
    to = location.format(other=tokens.other.origin, port=tokens.other.port)
    tokens.api.answers["/api/x"] = lambda request: redirect(to) if request.field("Authorization") else plain(request)
    tokens.other.answers["*"] = status(401, b"", 'WWW-Authenticate: Bearer realm="r"')
    tokens.get()
    require(finds(tokens.api.raw, "at-" + scene.password), "nothing was tested: no token was used")
    arrived(tokens.other, "/api/x")
    never(tokens.other, scene.password)


@attack(NEXT, "secrets of OAuth2 go over https or stay on this machine")
def token_clear(scene):
    tokens = Tokens(scene, endpoints='token-endpoint = "http://0.0.0.0:{port}/token"')
    outcome = tokens.get()
    require(not tokens.other.connections, "they went out in clear")
    require(outcome.code in (2, 67), f"ended with {outcome.code}: {outcome.says()}")
    good = Tokens(scene)
    good.get().ends(0)
    arrived(good.idp, "/token")


OWN = '{{"access_token":"own-{}","token_type":"Bearer","expires_in":3600}}'
PAIR = '{{"access_token":"at-{0}","refresh_token":"rt-{0}","token_type":"Bearer","expires_in":{1}}}'


@attack(NEXT, "a log-out holds although a refresh is on its way")
def log_out_overtakes(scene):
    tokens = Tokens(scene, endpoints='token-endpoint = "{idp}/token"\nrevocation-endpoint = "{idp}/revoke"')
    secrets = {"ATTACK_PASSWORD": scene.password, "ATTACK_SECRET": tokens.client}
    refreshing, released = threading.Event(), threading.Event()

    def token(request):
        if b"grant_type=refresh_token" not in request.body:
            return status(200, PAIR.format("old", 1), JSON)
        refreshing.set()
        released.wait(PATIENCE)
        return status(200, PAIR.format("new", 3600), JSON)

    tokens.idp.answers |= {"/token": token, "/revoke": status(200, b"")}
    tokens.get().ends(0)
    time.sleep(1.1)
    late = scene.start(*tokens.profile, tokens.api.origin + "/api/x", environment=secrets)
    require(refreshing.wait(PATIENCE), "nothing was tested: there was no refresh")
    scene.httpc("logout", *tokens.profile, environment=secrets).ends(0)
    released.set()
    scene.finish(late)
    stored = scene.httpc("tokens", "--access-token", *tokens.profile, environment=secrets)
    require(b"at-new" not in stored.out, "tokens came back after the log-out")
    revoked = b"".join(request.body for request in tokens.idp.received("/revoke"))
    require(b"rt-old" in revoked and b"rt-new" in revoked, f"only these were revoked: {revoked}")


METADATA = '{{"issuer":"{issuer}","authorization_endpoint":"{at}/authorize","token_endpoint":"{at}/token"}}'


@attack(NEXT, "discovery names no other issuer, and a challenge no new one", [
    ("another issuer", "other", "idp", 67), ("the same with a slash", "slash", "idp", 67),
    ("a challenge's metadata", "idp", "idp", 0)])
def discovery(scene, issuer, at, code):
    tokens = Tokens(scene, endpoints='issuer = "{idp}"')
    names = {"other": tokens.other.origin, "idp": tokens.idp.origin, "slash": tokens.idp.origin + "/"}
    document = status(200, METADATA.format(issuer=names[issuer], at=tokens.idp.origin), JSON)
    tokens.idp.answers |= {path: document for path in ("/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration")}
    evil = status(200, METADATA.format(issuer=tokens.other.origin, at=tokens.other.origin), JSON)
    protected = status(200, f'{{"resource":"{tokens.api.origin}","authorization_servers":["{tokens.other.origin}"]}}', JSON)
    tokens.other.answers |= {"/metadata": protected, "/.well-known/oauth-authorization-server": evil,
                             "/.well-known/openid-configuration": evil}
    asks = status(401, b"", f'WWW-Authenticate: Bearer realm="r", resource_metadata="{tokens.other.origin}/metadata"')
    tokens.api.answers["*"] = lambda request: page("in") if request.field("Authorization") else asks
    tokens.get()
    require(any(".well-known" in request.path for request in tokens.idp.received()),
            "nothing was tested: nobody asked for the metadata")
    never(tokens.other, scene.password)
    if code:
        require(not finds(tokens.idp.raw, scene.password), "the password went by metadata that do not fit")


@attack(NEXT, "an issuer elsewhere has nobody ask this machine", [
    (f"{name}, {host}", name, host) for name in ("token_endpoint", "revocation_endpoint", "jwks_uri")
    for host in ("127.0.0.1", "localhost")])
def local_endpoint(scene, name, host):
    idp = scene.secure({"/token": status(200, TOKEN.format("at", "rt"), JSON)})
    issuer = f"https://www.example.com:{idp.port}"
    tokens = Tokens(scene, endpoints=f'issuer = "{issuer}"')

    def run(place):
        members = {"issuer": issuer, "token_endpoint": issuer + "/token"} | {name: place}
        for path in ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"):
            idp.answers[path] = status(200, json.dumps(members), JSON)
        return scene.httpc(
            *tokens.profile, "--cacert", scene.bench.authority.ca, tokens.api.origin + "/api/x",
            names={"www.example.com": "127.0.0.1"},
            environment={"ATTACK_PASSWORD": scene.password, "ATTACK_SECRET": tokens.client})
    run(f"http://{host}:{tokens.other.port}/_shutdown?x").ends(67)
    require(any(".well-known" in request.path for request in idp.received()), "nothing was tested: nobody asked for the metadata")
    require(not tokens.other.received(), "this machine was asked")
    require(not finds(idp.raw, scene.password), "the password went by metadata that are refused")
    run(issuer + "/token")
    require(finds(idp.raw, scene.password), "nothing was tested: the issuer gets no password at all")


# The listener that a browser comes back to (S19), and what comes back

VISITOR = """#!{python}
import http.client, json, socket, sys, urllib.parse as p
url = p.urlsplit(sys.argv[1])
query = dict(p.parse_qsl(url.query))
back, state = p.urlsplit(query["redirect_uri"]), query["state"]
idle = socket.create_connection((back.hostname, back.port))
seen = []
def visit(method, target, **fields):
    connection = http.client.HTTPConnection(back.hostname, back.port, timeout={patience})
    connection.putrequest(method, target, skip_host="Host" in fields)
    for name, value in fields.items():
        connection.putheader(name, value)
    connection.endheaders()
    try:
        answer = connection.getresponse()
        seen.append([answer.status, answer.read().decode(errors="replace"), answer.getheader("Cache-Control") or ""])
    except (OSError, http.client.HTTPException):
        seen.append([0, "", ""])
for visitor in {visits!r}:
    visit(*[word.format(path=back.path, state=state) for word in visitor[:2]], **(visitor[2] if len(visitor) > 2 else {{}}))
visit("GET", back.path + "?" + p.urlencode({{"code": "GOOD", "state": state}}))
json.dump(seen, open({log!r}, "w"))
"""
VISITS = [
    ("another state", ["GET", "{path}?code=EVIL&state=x{state}"]), ("no state", ["GET", "{path}?code=EVIL"]),
    ("the state in capitals", ["GET", "{path}?code=EVIL&STATE={state}"]),
    ("two states", ["GET", "{path}?code=EVIL&state=x&state={state}"]),
    ("a longer path", ["GET", "{path}/x?code=EVIL&state={state}"]), ("another path", ["GET", "/?code=EVIL&state={state}"]),
    ("a dot segment", ["GET", "/x/..{path}?code=EVIL&state={state}"]),
    ("another Host", ["GET", "{path}?code=EVIL&state={state}", {"Host": "evil.example"}]),
    ("a Host without its port", ["GET", "{path}?code=EVIL&state={state}", {"Host": "127.0.0.1"}]),
    ("POST", ["POST", "{path}?code=EVIL&state={state}", {"Content-Length": "0"}]),
    ("HEAD", ["HEAD", "{path}?code=EVIL&state={state}"]),
    ("an error of another state", ["GET", "{path}?error=access_denied&state=x"]),
    ("an absolute target", ["GET", "http://evil.example{path}?code=EVIL&state={state}"]),
    ("favicon", ["GET", "/favicon.ico"]),
]


@attack(NEXT, "a visitor of the listener does not end the login", VISITS, alone=True)
def visitors(scene, visit):
    server = scene.server({"/token": status(200, TOKEN.format("t", "t"), JSON)})
    log = scene.folder / "visits"
    browser = scene.file("browser", VISITOR.format(python=sys.executable, patience=PATIENCE, visits=[visit], log=str(log)), 0o700)
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.oauth2]\ngrant = "code"\nclient-id = "c"\n'
        f'authorization-endpoint = "{server.origin}/authorize"\ntoken-endpoint = "{server.origin}/token"\n')
    outcome = scene.httpc("login", *profile, environment={"BROWSER": browser})
    form = arrived(server, "/token").body
    require(b"code=GOOD" in form and b"EVIL" not in server.raw, f"the token request has {form!r}")
    outcome.ends(0)
    answers = scene.until(lambda: log.exists() and log.read_text(), "the browser never ended")
    code, body, _ = json.loads(answers)[0]
    require(code == 404 or code == 0, f"it was answered with {code}")
    require("EVIL" not in body and "evil.example" not in body, "the page repeats what it was asked")
    require("no-store" in json.loads(answers)[1][2], "the last page may be stored")


STRANGER = """#!{python}
import json, subprocess, sys, urllib.parse as p, urllib.request
query = dict(p.parse_qsl(p.urlsplit(sys.argv[1]).query))
def back(code):
    return query["redirect_uri"] + "?" + p.urlencode({{"code": code, "state": query["state"]}})
run = subprocess.run(
    ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "curl", "-sS", "-g", "--noproxy", "*", "-m", "{patience}",
     back("EVIL")], capture_output=True, text=True)
with open({log!r}, "w") as log:
    json.dump([run.returncode, run.stdout], log)
urllib.request.urlopen(back("GOOD"), timeout={patience}).read()
"""


@attack(NEXT, "another user, who sees the login's URL, does not bring it an answer of his own", [
    (host, host) for host in ("127.0.0.1", "[::1]", "localhost")])
def another_user(scene, host):
    require(os.geteuid() == 0, "nothing was tested: another user needs root")
    server = scene.server({"/token": status(200, TOKEN.format("t", "t"), JSON)})
    log = scene.folder / "stranger"
    browser = scene.file("browser", STRANGER.format(python=sys.executable, patience=PATIENCE, log=str(log)), 0o700)
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.oauth2]\ngrant = "code"\nclient-id = "c"\n'
        f'authorization-endpoint = "{server.origin}/authorize"\ntoken-endpoint = "{server.origin}/token"\n'
        f'redirect-uri = "http://{host}:0/callback"\n')
    scene.httpc("login", *profile, environment={"BROWSER": browser}).ends(0)
    code, answer = json.loads(log.read_text())
    require(code in (52, 56) and not answer, f"the other user's curl ended with {code}: {answer[:80]!r}")
    form = arrived(server, "/token").body
    require(b"code=GOOD" in form and b"EVIL" not in server.raw, f"the token request has {form!r}")


ANSWERS = [
    ("another state", "code=EVIL&state=x{state}"), ("no state", "code=EVIL"),
    ("two states", "code=EVIL&state={state}&state=x"),
    ("two codes", "code=EVIL&code=GOOD&state={state}"),
    ("another issuer", "code=EVIL&state={state}&iss=https://evil.example"),
]


@attack(NEXT, "a code that does not fit is not redeemed", ANSWERS)
def codes(scene, answer):
    server = scene.server({"/token": status(200, TOKEN.format("t", "t"), JSON)})

    def authorize(request):
        query = dict(urllib.parse.parse_qsl(request.query))
        return redirect(query["redirect_uri"] + "?" + answer.format(state=query["state"]))

    server.answers["/authorize"] = authorize
    metadata = status(200, METADATA.format(issuer=server.origin, at=server.origin), JSON)
    server.answers |= {path: metadata for path in ("/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration")}
    profile = scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.oauth2]\ngrant = "code"\n'
                            'client-id = "c"\n'
                            f'issuer = "{server.origin}"\n')
    scene.httpc("login", *profile, "--web", "terminal").ends(67)
    arrived(server, "/authorize")
    require(not server.received("/token"), "it was redeemed")


@attack(NEXT, "an error of a token endpoint writes nothing to the terminal")
def token_error(scene):
    tokens = Tokens(scene)
    evil = "\\u001b[31m\\u009b2J\\u202ehttps://bank.example\\r\\n"
    tokens.idp.answers["/token"] = status(400,
                                          '{"error":"invalid_grant","error_description":"%s","error_uri":"%s"}' % (evil,
                                              evil), JSON)
    outcome = tokens.get("/api/x", "-v").ends(67)
    arrived(tokens.idp, "/token")
    shown = outcome.err.decode(errors="replace")
    require(not any(character in shown for character in "\x1b\x9b\u202e\r"), f"it does: {ascii(shown[-200:])}")
    outcome.hides(scene.password, tokens.client)


TIMES = [(str(value), value) for value in (
    "nan", "NaN", "inf", "-inf", "-nan", "1e999", "0x1p9999", 1e300, -1e300, -5, "", None, {}, 10**30, 30)]


@attack(NEXT, "a time of a device login does not end the process", TIMES)
def device_times(scene, value):
    tokens = Tokens(scene, "device", 'token-endpoint = "{idp}/token"\ndevice-authorization-endpoint = "{idp}/device"')
    started = {"device_code": "d-" + scene.password, "user_code": "ABCD", "verification_uri": tokens.idp.origin + "/page",
               "expires_in": value, "interval": 1}
    tokens.idp.answers["/device"] = status(200, json.dumps(started).encode(), JSON)
    lifetime = {"access_token": "at-" + scene.password, "token_type": "Bearer", "expires_in": value}
    tokens.idp.answers["/token"] = status(200, json.dumps(lifetime).encode(), JSON)
    tokens.get().ends(0).hides(scene.password)
    arrived(tokens.idp, "/device")
    arrived(tokens.idp, "/token")


@attack(NEXT, "an interval or a pause of a device login does not end the process", [
    ("not a number", "nan", "nan"), ("endless", "-inf", "inf"), ("hexadecimal", "0x0p9999", "0x7fffffff"),
    ("less than none", -1e300, "-9223372036854775808")])
def device_pauses(scene, interval, pause):
    tokens = Tokens(scene, "device", 'token-endpoint = "{idp}/token"\ndevice-authorization-endpoint = "{idp}/device"')
    started = {"device_code": "d", "user_code": "ABCD", "verification_uri": tokens.idp.origin + "/page",
               "expires_in": 60, "interval": interval}
    turns = iter([status(503, b"", "Retry-After: " + pause)])
    done = status(200, TOKEN.format("at-" + scene.password, "rt").encode(), JSON)
    tokens.idp.answers["/device"] = status(200, json.dumps(started).encode(), JSON)
    tokens.idp.answers["/token"] = lambda request: next(turns, done)
    tokens.get().ends(0).hides(scene.password)
    arrived(tokens.idp, "/token")


@attack(NEXT, "a 401 without a Bearer challenge sends a password once and asks nobody", [
    ("no challenge", []), ("Token", ["WWW-Authenticate: Token"]), ("Basic", ['WWW-Authenticate: Basic realm="r"']),
    ("what cannot be read", ["WWW-Authenticate: ="])])
def bare(scene, fields):
    tokens = Tokens(scene)
    plain = tokens.api.answers["*"]
    tokens.api.answers["*"] = lambda request: (
        status(401, b"no", *fields) if request.field("Authorization") else plain(request))
    outcome = tokens.get("/api/1", tokens.api.origin + "/api/2", tokens.api.origin + "/api/3")
    forms = [request.body for request in tokens.idp.received("/token")]
    require(finds(tokens.api.raw, "at-" + scene.password), "nothing was tested: no token was used")
    require(sum(b"grant_type=password" in form for form in forms) == 1, f"the password was sent again: {len(forms)} requests")
    require(len(forms) == 2, f"{len(forms)} requests for tokens")
    require(all(len(tokens.api.received(path)) >= 1 for path in ("/api/1", "/api/2", "/api/3")), "not all were asked")
    require(b"httpc --config" in outcome.err and b" login --profile p" in outcome.err, f"no advice: {outcome.says()}")


@attack(NEXT, "a server that refuses each token leads to one login")
def refuses_all(scene):
    server = scene.server({"*": status(401, b"no", 'WWW-Authenticate: Bearer error="invalid_token"')})
    turns = iter(range(100))

    def authorize(request):
        query = dict(urllib.parse.parse_qsl(request.query))
        return redirect(query["redirect_uri"] + "?" + urllib.parse.urlencode({"code": "c", "state": query["state"]}))

    server.answers |= {"/authorize": authorize, "/token": lambda request: status(
        200, PAIR.format(next(turns), 3600), JSON)}
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.oauth2]\ngrant = "code"\nclient-id = "c"\n'
        f'authorization-endpoint = "{server.origin}/authorize"\ntoken-endpoint = "{server.origin}/token"\n')
    scene.httpc(*profile, "--web", "terminal", *(f"{server.origin}/api/{number}" for number in range(4)))
    logins = len(server.received("/authorize"))
    require(logins > 0, "nothing was tested: there was no login")
    require(logins == 1, f"{logins} logins for four requests")


@attack(NEXT, "a server that refuses a client's own tokens gets few of them, and another one soon")
def refuses_clients(scene):
    asks = status(401, b"no", 'WWW-Authenticate: Bearer error="invalid_token"')
    tokens = Tokens(scene, "client-credentials")
    turns = iter(range(100))
    tokens.idp.answers["/token"] = lambda request: status(200, OWN.format(next(turns)), JSON)

    def resource(request):
        if request.path == "/api/rest" and request.field("Authorization") == b"Bearer own-0":
            time.sleep(6)
        return page("in") if request.field("Authorization") == b"Bearer own-1" else asks

    tokens.api.answers["*"] = resource
    urls = [f"{tokens.api.origin}/api/{name}" for name in ("b", "c", "d", "rest")]
    tokens.get("/api/e", *urls)
    count = len(tokens.idp.received("/token"))
    require(count > 0, "nothing was tested: no token was requested")
    require(count == 2, f"{count} requests for tokens")
    require(any(request.field("Authorization") == b"Bearer own-1" for request in tokens.api.received("/api/rest")),
            "after six seconds there was no other token")


@attack(NEXT, "a server that refuses each token does not end the login at another server of the profile")
def refuses_for_another(scene):
    asks = status(401, b"no", 'WWW-Authenticate: Bearer error="invalid_token"')
    turns = iter(range(100))
    server = scene.server({"*": asks, "/token": lambda request: status(200, PAIR.format(next(turns), 3600), JSON)})
    good = scene.server({"*": lambda request: asks if request.field("Authorization") in (b"", b"Bearer at-0") else page("in")})
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{server.origin}/", "{good.origin}/"]\n[profiles.p.oauth2]\ngrant = "password"\n'
        f'client-id = "c"\nusername = "alice"\npassword-env = "ATTACK_PASSWORD"\ntoken-endpoint = "{server.origin}/token"\n')
    scene.httpc(*profile, server.origin + "/api", good.origin + "/api", environment={"ATTACK_PASSWORD": scene.password})
    require(any(request.field("Authorization") == b"Bearer at-0" for request in server.received("/api")),
            "nothing was tested: no new token was refused")
    require(arrived(good, "/api").field("Authorization") == b"Bearer at-1", "the other server got no new token")


# Tokens that are bound to a key (DPoP), and what services hand in

BOUND = '{{"access_token":"{}","refresh_token":"{}r","token_type":"{}","expires_in":3600}}'
ASKS = [
    ("a bearer challenge", 'Bearer realm="r"', ""),
    ("a bearer challenge beside the other", 'DPoP error="invalid_token", Bearer realm="r"', ""),
    ("a refused proof", 'DPoP error="invalid_dpop_proof"', ""),
    ("a nonce after each nonce", 'DPoP error="use_dpop_nonce"', "DPoP-Nonce: n"),
    ("a nonce that is missing", 'DPoP error="use_dpop_nonce"', ""),
    ("a nonce that is long", 'DPoP error="use_dpop_nonce"', "DPoP-Nonce: " + "n" * 9000),
    ("a nonce that ends a text", 'DPoP error="use_dpop_nonce"', 'DPoP-Nonce: n","htu":"x'),
    ("Basic", 'Basic realm="r"', ""),
]


def claims(proof):
    part = proof.decode().split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@attack(NEXT, "a token that is bound to a key is never a bearer token", ASKS)
def bound(scene, challenge, nonce):
    tokens = Tokens(scene, endpoints='token-endpoint = "{idp}/token"\ndpop = "required"')
    good = "at-" + scene.password
    tokens.idp.answers["/token"] = status(200, BOUND.format(good, good, "DPoP"), JSON)
    turns = iter([page("in")])
    asks = status(401, b"", "WWW-Authenticate: " + challenge, *[nonce] * bool(nonce))
    tokens.api.answers["*"] = lambda request: (
        next(turns, asks) if request.field("Authorization") else status(401, b"", "WWW-Authenticate: DPoP"))
    tokens.get().ends(0)
    tokens.get("/api/y")
    with_tokens = [request for request in tokens.api.received() if request.field("Authorization")]
    require(len(with_tokens) >= 2, "nothing was tested: no token was used twice")
    require(len(with_tokens) <= 12, f"{len(with_tokens)} requests: it goes on and on")
    for request in with_tokens:
        sent = request.field("Authorization")
        require(sent.startswith(b"DPoP "), f"it was sent as {sent[:12]}")
        proof = claims(request.field("DPoP") or b"..")
        require(proof["htm"] == "GET" and proof["htu"] == tokens.api.origin + request.path, f"the proof is for {proof}")
        require(len(proof.get("nonce", "")) < 2000, "a nonce without bounds")
    require(len({claims(request.field("DPoP"))["jti"] for request in with_tokens}) == len(with_tokens), "a proof came twice")


@attack(NEXT, "a token endpoint cannot undo the key", [
    ("Bearer", "Bearer", 67), ("no type", "", 67), ("N_A", "N_A", 67), ("as asked", "DPoP", 0)])
def unbound(scene, kind, code):
    tokens = Tokens(scene, endpoints='token-endpoint = "{idp}/token"\ndpop = "required"')
    tokens.idp.answers["/token"] = status(200, BOUND.format("at-" + scene.password, "r", kind), JSON)
    tokens.get().ends(code)
    require(arrived(tokens.idp, "/token").field("DPoP"), "there was no proof")
    if code:
        never(tokens.api, scene.password) if tokens.api.received() else require(False, "nothing was tested")


@attack(NEXT, "a proof and a token stay at their server", [
    ("a redirect", "{other}/api/x"), ("a redirect to another name", "http://localhost:{port}/api/x")])
def proof_travels(scene, location):
    tokens = Tokens(scene, endpoints='token-endpoint = "{idp}/token"\ndpop = "required"')
    tokens.idp.answers["/token"] = status(200, BOUND.format("at-" + scene.password, "r", "DPoP"), JSON)
    to = location.format(other=tokens.other.origin, port=tokens.other.port)
    tokens.api.answers["/api/x"] = lambda request: (
        redirect(to) if request.field("Authorization") else status(401, b"", "WWW-Authenticate: DPoP"))
    tokens.other.answers["*"] = status(401, b"", 'WWW-Authenticate: DPoP error="use_dpop_nonce"', "DPoP-Nonce: n")
    tokens.get()
    require(finds(tokens.api.raw, "at-" + scene.password), "nothing was tested: no token was used")
    require(not arrived(tokens.other, "/api/x").field("DPoP"), "the proof came along")
    never(tokens.other, scene.password)


def jwt(audience, expiry=4102444800):
    parts = [{"alg": "ES256"}, {"iss": "i", "sub": "alice", "aud": audience, "exp": expiry}]
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


@attack(NEXT, "an assertion goes to the configured endpoint only", [
    ("as configured", "", "/token", 0), ("for another server", "https://elsewhere.example", "", 67),
    ("expired", "old", "", 67), ("a redirect of the endpoint", "redirect", "/token", 67),
    ("metadata of another issuer", "metadata", "/.well-known/oauth-authorization-server", 67)])
def assertion(scene, what, reached, code):
    tokens = Tokens(scene, "jwt-bearer", ('issuer = "{idp}"' if what == "metadata" else 'token-endpoint = "{idp}/token"')
                    + '\nassertion-env = "ATTACK_ASSERTION"\nassertion-audience = "{idp}"')
    if what == "redirect":
        tokens.idp.answers["/token"] = redirect(tokens.other.origin + "/token", code=307)
    evil = status(200, METADATA.format(issuer=tokens.other.origin, at=tokens.other.origin), JSON)
    tokens.idp.answers |= {path: evil for path in ("/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration")}
    audience = what if what.startswith("https") else tokens.idp.origin
    text = jwt(audience, 1 if what == "old" else 4102444800) + "." + scene.password
    outcome = scene.httpc(*tokens.profile, tokens.api.origin + "/api/x", "-v", environment={
        "ATTACK_ASSERTION": text, "ATTACK_SECRET": tokens.client, "ATTACK_PASSWORD": "unused"})
    outcome.ends(code).hides(scene.password)
    if reached:
        arrived(tokens.idp, reached)
    else:
        require(not tokens.idp.received("/token"), "it was sent")
    if what in ("redirect", ""):
        require(finds(tokens.idp.raw, scene.password), "nothing was tested: no assertion was sent")
    else:
        require(not finds(tokens.idp.raw, scene.password), "it was sent")
    arrived(tokens.api, "/api/x")
    require(not finds(tokens.other.raw, scene.password), "another server has it")
