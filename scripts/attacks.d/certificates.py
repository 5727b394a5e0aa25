"""Attacks with certificates: files that do harm, keys in the open, endpoints and audiences of others."""
import base64
import hashlib
import json
import os
import re
import secrets
import ssl
import subprocess
import time

from bench import NEXT, arrived, attack, finds, forms, never, require
from servers import PATIENCE, page, redirect, status

JSON = "Content-Type: application/json"
TOKEN = '{"access_token":"at","token_type":"Bearer"}'
MEBIBYTE = 1 << 20


def openssl(scene, *arguments):
    subprocess.run(["openssl", *arguments], cwd=scene.folder, stdin=subprocess.DEVNULL, capture_output=True, check=True,
                   timeout=PATIENCE)


def identity(scene, *options):
    """`robot.pem`, `robot.key`, and both as `robot.p12`, which the scene's password opens."""
    openssl(scene, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "robot.key",
            "-out", "robot.pem", "-subj", "/CN=robot", "-days", "2")
    os.chmod(scene.folder / "robot.key", 0o600)
    openssl(scene, "pkcs12", "-export", "-in", "robot.pem", "-inkey", "robot.key", "-out", "robot.p12", "-passout",
            "pass:" + scene.password, *options)
    return (scene.folder / "robot.p12").read_bytes()


def take_in(scene, file, *arguments):
    return scene.httpc("certificates", "import", "robot", file, "--pass", scene.password, *arguments)


# Files (what each asks for is bounded: 5 s, 32 MiB over a good one)


def many_rounds(scene):
    # A hundred thousand become eight millions.
    return identity(scene, "-iter", "100000").replace(b"\x02\x03\x01\x86\xa0", b"\x02\x03\x7f\x86\xa0")


def exact_rounds(scene):
    # Two of its three parts use up what all of them may ask for.
    return identity(scene, "-iter", "100000").replace(b"\x02\x03\x01\x86\xa0", b"\x02\x03\x16\xe3\x60")


def many_rounds_legacy(scene):
    made = identity(scene, "-legacy", "-nomac", "-iter", "100000")
    return made.replace(b"\x02\x03\x01\x86\xa0", b"\x02\x03\x7f\x86\xa0")


def pem(text, label="CERTIFICATE"):
    return f"-----BEGIN {label}-----\n{text}\n-----END {label}-----\n".encode()


def broad(size):
    return b"\x30\x83" + size.to_bytes(3, "big") + b"\x05\x00" * (size // 2)


@attack(NEXT, "a certificate's file asks for no more than a good one", [
    ("many rounds", "x.p12", many_rounds), ("many rounds of the older way", "x.p12", many_rounds_legacy),
    ("as many rounds as there may be", "x.p12", exact_rounds),
    ("a broad encoding", "x.p12", lambda scene: broad(MEBIBYTE)),
    ("a broad encoding within the limit", "x.p12", lambda scene: broad(120 << 10)),
    ("a deep encoding", "x.p12", lambda scene: b"\x30\x80" * (MEBIBYTE // 2)),
    ("header lines", "x.pem", lambda scene: pem("X: y\n" * (MEBIBYTE // 5 - 40))),
    ("empty lines", "x.pem", lambda scene: pem("\n" * (MEBIBYTE - 100))),
    ("many objects", "x.pem", lambda scene: pem("MAA=") * 16_000),
    ("beginnings", "x.pem", lambda scene: b"-----BEGIN CERTIFICATE-----\n" * 37_000),
    ("a broad certificate", "x.pem", lambda scene: pem(base64.b64encode(broad(700 << 10)).decode())),
    ("a large file", "x.pem", lambda scene: None),
])
def hostile_file(scene, name, make):
    identity(scene)
    good = take_in(scene, str(scene.folder / "robot.p12")).ends(0)
    content = make(scene)
    path = scene.file(name, content or b"A")
    if content is None:
        os.truncate(path, 64 * MEBIBYTE)
    # The lesser of two, because the memory of a run's threads differs from run to run.
    runs = [take_in(scene, path).ends(58).hides(scene.password) for _ in range(2)]
    bad = min(runs, key=lambda run: run.memory)
    require(bad.cpu < 5, f"took {bad.cpu:.1f} s")
    require(bad.memory - good.memory < 32 << 10, f"took {(bad.memory - good.memory) >> 10} MiB more than a good one")


@attack(NEXT, "what is no file with a key is none", [
    ("a device", "/dev/zero"), ("a pipe", "pipe.pem"), ("a directory", "folder.pem"), ("nothing", "missing.pem"),
    ("a link to a device", "link.pem")])
def no_file(scene, name):
    os.mkfifo(scene.folder / "pipe.pem")
    (scene.folder / "folder.pem").mkdir()
    (scene.folder / "link.pem").symlink_to("/dev/zero")
    path = name if name.startswith("/") else str(scene.folder / name)
    take_in(scene, path).ends(58)
    identity(scene)
    take_in(scene, str(scene.folder / "robot.pem"), "--key", path).ends(58)


@attack(NEXT, "a private key that everybody can read is told", [("closed", 0o600, False), ("open", 0o644, True)])
def open_key(scene, mode, is_told):
    identity(scene)
    key = scene.folder / "robot.key"
    key.chmod(mode)
    server = scene.server({"/": page("in")})
    outcome = scene.httpc("--cert", str(scene.folder / "robot.pem"), "--key", str(key), server.origin + "/").ends(0)
    require((b"everybody can read" in outcome.err) == is_told, f"said: {outcome.says()}")


@attack(NEXT, "a certificate that is kept shows in no file and no message")
def kept_key(scene):
    identity(scene)
    take_in(scene, str(scene.folder / "robot.p12")).ends(0)
    listed = scene.httpc("certificates", "list").ends(0)
    require(b"CN=robot" in listed.out, "nothing was tested: it is not listed")
    lines = (scene.folder / "robot.key").read_text().splitlines()[1:-1]
    for path in (scene.folder / "state").rglob("*"):
        if path.is_file():
            for secret in (lines[0][8:], "CN=robot", scene.password):
                require(secret.encode() not in path.read_bytes(), f"{path.name} holds it as it is")
            require(path.stat().st_mode & 0o077 == 0, f"others can read {path.name}")
    listed.hides(lines[0])
    scene.httpc("certificates", "remove", "robot").ends(0)
    scene.httpc("certificates", "remove", "robot").ends(2)


# OAuth2 (RFC 8705, RFC 7523)

PROFILE = """[profiles.p]
match = ["{api}/api/"]
cacert = "{ca}"
[profiles.p.cert]
file = "robot.p12"
passphrase-env = "ATTACK_PASSWORD"
[profiles.p.oauth2]
grant = "client-credentials"
client-id = "robot"
client-auth = "{method}"
{rest}
"""


class Client:
    """A profile that authenticates by certificate or key, with servers over TLS and one of somebody else."""

    def __init__(self, scene, method, rest='issuer = "{idp}"', **metadata):
        self.scene = scene
        identity(scene)
        self.api, self.idp, self.other, self.plain = scene.secure(), scene.secure(), scene.secure(), scene.server()
        for server in (self.idp, self.other, self.plain):
            server.answers["*"] = status(200, TOKEN, JSON)
        self.api.answers["*"] = lambda request: (
            page("in") if request.field("Authorization") else status(401, b"", 'WWW-Authenticate: Bearer realm="r"'))
        names = {"idp": self.idp.origin, "other": self.other.origin, "plain": self.plain.origin,
                 "zero": f"http://0.0.0.0:{self.plain.port}", "userinfo": self.other.origin.replace("://", "://u:p@")}
        members = {"issuer": "{idp}", "token_endpoint": "{idp}/token"} | metadata
        text = json.dumps(members)
        for name, origin in names.items():
            text = text.replace("{" + name + "}", origin)
        for path in ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"):
            self.idp.answers[path] = status(200, text, JSON)
        rest = rest.format(**names)
        if method == "private_key_jwt":
            rest += '\nclient-key = "robot.key"\nclient-key-id = "k1"'
        self.profile = scene.profile(PROFILE.format(
            api=self.api.origin, ca=scene.bench.authority.ca, method=method, rest=rest))

    def get(self):
        return self.scene.httpc(*self.profile, "-v", self.api.origin + "/api/x", environment={
            "ATTACK_PASSWORD": self.scene.password})


@attack(NEXT, "an endpoint for certificates speaks TLS, and is the issuer's word", [
    ("plain http", {"mtls_endpoint_aliases": {"token_endpoint": "{plain}/token"}}, 67),
    ("plain http on another machine", {"mtls_endpoint_aliases": {"token_endpoint": "{zero}/token"}}, 67),
    ("with user information", {"mtls_endpoint_aliases": {"token_endpoint": "{userinfo}/token"}}, 67),
    ("of another issuer", {"issuer": "{other}", "mtls_endpoint_aliases": {"token_endpoint": "{other}/token"}}, 67),
])
def alias(scene, metadata, code):
    client = Client(scene, "tls_client_auth", **metadata)
    client.get().ends(code).hides(scene.password)
    require(client.idp.received("/.well-known/oauth-authorization-server"), "nothing was tested: nobody asked for metadata")
    require(not client.plain.connections and not client.other.connections, "somebody else was asked")
    require(not client.idp.received("/token"), "the endpoint for others was asked instead")


@attack(NEXT, "clients without a certificate keep to the endpoint that is theirs")
def no_alias(scene):
    client = Client(scene, "private_key_jwt", mtls_endpoint_aliases={"token_endpoint": "{other}/token"})
    client.get().ends(0)
    arrived(client.idp, "/token")
    require(not client.other.connections, "the endpoint for certificates was asked")


def assertion(request):
    """Header and claims of the assertion in a token request."""
    text = re.search(rb"client_assertion=([^&]+)", request.body)[1].decode()
    return text, *(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in text.split(".")[:2])


@attack(NEXT, "an assertion is for the issuer, whatever endpoint the metadata name", [
    ("its own", "{idp}/token"), ("another server's", "{other}/token")])
def audience(scene, endpoint):
    client = Client(scene, "private_key_jwt", token_endpoint=endpoint)
    outcome = client.get().ends(0)
    seen = set()
    for _ in range(2):
        server = client.other if "other" in endpoint else client.idp
        text, header, claims = assertion(arrived(server, "/token"))
        require(claims["aud"] == client.idp.origin, f"it is for {claims['aud']!r}")
        require(claims["exp"] - claims["iat"] <= 120, f"it is good for {claims['exp'] - claims['iat']} s")
        require(header["kid"] == "k1" and header["alg"] == "ES256", f"its header is {header}")
        require(claims["jti"] not in seen, "it is the same twice")
        require(not finds(outcome.out + outcome.err, text.rsplit(".")[-1]), "it was printed")
        seen.add(claims["jti"])
        # A second login, which does not use the stored tokens.
        outcome = client.scene.httpc("login", *client.profile, "-v", environment={"ATTACK_PASSWORD": scene.password}).ends(0)


@attack(NEXT, "a key that does not fit is named, and nothing of it printed", [
    ("damaged", "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n", 58), ("none", "no key\n", 58)])
def bad_key(scene, text, code):
    client = Client(scene, "private_key_jwt")
    (scene.folder / "robot.key").write_text(text)
    client.get().ends(code, 67)
    require(not client.idp.received("/token"), "the token endpoint was asked without a key")
    never(client.api, scene.password)


# Chains of servers

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def serving(scene, name, *others, issuer=None, extensions="", **options):
    """A server's TLS with a certificate for this machine, and other certificates to send. Without an issuer it signs itself."""
    openssl(scene, "req", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
    issue(scene, name, issuer or name, "subjectAltName=DNS:localhost,IP:127.0.0.1\n" + extensions)
    chain = "".join((scene.folder / f"{other}.pem").read_text() for other in (name, *others))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(scene.file(f"{name}.chain", chain), str(scene.folder / f"{name}.key"))
    return scene.server(tls=context, **options)


def issue(scene, name, issuer, extensions):
    """`name.pem` for `name.csr`, signed by an issuer's key: the scene's, itself, or the bench's authority (None)."""
    by = str(scene.folder / issuer) if issuer else None
    if issuer == name:
        signer = ("-signkey", by + ".key")
    else:
        authority = by + ".pem" if by else scene.bench.authority.ca
        signer = ("-CA", authority, "-CAkey", by + ".key" if by else authority + ".key")
    openssl(scene, "x509", "-req", "-in", f"{name}.csr", *signer, "-set_serial", str(time.time_ns()), "-out", f"{name}.pem",
            "-days", "2", "-extfile", scene.file("extensions", extensions))


def pinned(scene, name):
    """The options that pin the key of `name.pem`: a pin that holds, and makes no bad chain good."""
    public = subprocess.run(["openssl", "x509", "-in", str(scene.folder / f"{name}.pem"), "-pubkey", "-noout"],
                            capture_output=True, check=True, timeout=PATIENCE).stdout
    digest = hashlib.sha256(base64.b64decode(b"".join(public.splitlines()[1:-1]))).digest()
    return ("--pinnedpubkey", "sha256//" + base64.b64encode(digest).decode())


def twins(scene, count):
    """Authorities with one name and key, which differ in what else they are called: each vouches for each."""
    openssl(scene, "req", *KEY, "-keyout", "twin.key", "-out", "twin.csr", "-subj", "/CN=twin")
    names = []
    for number in range(count):
        name = f"twin{number}"
        for end in (".key", ".csr"):
            (scene.folder / (name + end)).write_bytes((scene.folder / ("twin" + end)).read_bytes())
        issue(scene, name, name, f"subjectAltName=DNS:{number}.example\nbasicConstraints=critical,CA:true\n")
        names.append(name)
    return names


def entangled(scene, count, servers=1):
    """Servers whose certificates lead to each other in every order, and to no authority."""
    names = twins(scene, count)
    return [serving(scene, f"server{number}", *names, issuer=names[0]) for number in range(servers)]


LIMIT = 10


def timely(scene, *arguments):
    """A run within the limit for connecting, and without much work."""
    begun = time.monotonic()
    outcome = scene.httpc("--connect-timeout", str(LIMIT), "--cacert", scene.bench.authority.ca, *arguments)
    require(time.monotonic() - begun < LIMIT + 5, f"took {time.monotonic() - begun:.1f} s")
    require(outcome.cpu < 5, f"took {outcome.cpu:.1f} s of processor time")
    return outcome


@attack(NEXT, "a chain that leads in every order ends within the limit for connecting", [
    (f"{count} authorities, {title}", count, has_pin) for count in (8, 20) for title, has_pin in (
        ("plain", False), ("with a pin", True))])
def entangled_chain(scene, count, has_pin):
    [server] = entangled(scene, count)
    options = pinned(scene, "server0") if has_pin else ()
    timely(scene, *options, server.origin + "/").ends(60)
    require(server.connections, "nothing was tested: nobody came")
    require(not server.received(), "it was spoken to")
    timely(scene, scene.secure({"/": page("in")}).origin + "/").ends(0)


@attack(NEXT, "a redirect to a chain that leads in every order ends within the limit for connecting")
def entangled_redirect(scene):
    [server] = entangled(scene, 20)
    first = scene.secure({"/": redirect(server.origin + "/there"), "/in": page("in")})
    timely(scene, first.origin + "/").ends(60)
    require(first.received("/") and server.connections, "nothing was tested: nobody came")
    timely(scene, first.origin + "/in").ends(0)


@attack(NEXT, "chains that lead in every order keep nobody else waiting")
def entangled_beside(scene):
    servers = entangled(scene, 20, servers=4)
    honest = scene.secure({"/": page("in")})
    outcome = timely(scene, "-Z", *(server.origin + "/" for server in servers), honest.origin + "/").ends(60)
    require(all(server.connections for server in servers), "nothing was tested: nobody came")
    arrived(honest, "/")
    require(b"in" in outcome.out, "the honest answer is missing")


def mail_only(scene):
    """A server that a known authority for mail vouches for."""
    openssl(scene, "req", *KEY, "-keyout", "mail.key", "-out", "mail.csr", "-subj", "/CN=mail")
    issue(scene, "mail", None, "basicConstraints=critical,CA:true\nextendedKeyUsage=emailProtection\n")
    return serving(scene, "impostor", "mail", issuer="mail")


@attack(NEXT, "an authority for mail vouches for no server", [
    ("plain", None), ("with a pin", "pin"), ("-k is what it says", "-k"), ("-k with a pin", "both")])
def mail_authority(scene, kind):
    server = mail_only(scene)
    options = (("-k",) if kind in ("-k", "both") else ()) + (pinned(scene, "impostor") if kind in ("pin", "both") else ())
    server.answers["*"] = page("in")
    outcome = scene.httpc("--cacert", scene.bench.authority.ca, *options, "-H", "X-Key: " + scene.password, server.origin + "/")
    if kind in ("-k", "both"):
        outcome.ends(0)
        arrived(server)
    else:
        outcome.ends(60)
        require(server.connections and not server.received(), "it was spoken to, or nobody came")


@attack(NEXT, "a server that a person accepted leads to no impostor", [("an impostor", True), ("a good server", False)])
def accepted_leads_on(scene, is_impostor):
    asking = status(401, b"", 'WWW-Authenticate: Basic realm="r"')
    answer = lambda request: page("in") if request.field("Authorization") else asking
    other = mail_only(scene) if is_impostor else scene.secure()
    other.answers["*"] = answer
    first = serving(scene, "own")
    first.answers["/"] = redirect(f"https://localhost:{other.port}/there")
    first.answers["/in"] = page("in")
    netrc = scene.file("netrc", f"machine localhost login alice password {scene.password}\n")
    arguments = ("--netrc-file", netrc, "--cacert", scene.bench.authority.ca)
    terminal = scene.terminal(*arguments, first.origin + "/in")
    terminal.until(rb"from now on\? \(yes/no\)")
    terminal.type("yes")
    require(terminal.end() == 0, f"it was not accepted: {terminal.tail()}")
    # From now on it is a known server, also without a terminal.
    outcome = scene.httpc(*arguments, first.origin + "/")
    arrived(first, "/")
    require(other.connections, "nothing was tested: the other server was never reached")
    if is_impostor:
        outcome.ends(60)
        require(not other.received(), "the impostor was spoken to")
    else:
        outcome.ends(0)
        require(any(form in request.field("Authorization") for request in other.received() for form in forms("alice:" + scene.password)),
                "nothing was tested: the good server got no password")


@attack(NEXT, "an accepted key is its origin's, and compared exactly", [
    ("another key", "another"), ("another origin", "origin"), ("the same", "same")])
def accepted_key(scene, kind):
    first = serving(scene, "own")
    first.answers["*"] = page("in")
    terminal = scene.terminal(first.origin + "/")
    terminal.until(rb"from now on\? \(yes/no\)")
    terminal.type("yes")
    require(terminal.end() == 0, f"it was not accepted: {terminal.tail()}")
    port = first.port
    if kind == "another":
        first.stop()
        first = serving(scene, "impostor", port=port)
        first.answers["*"] = page("in")
    host = "localhost" if kind == "origin" else "127.0.0.1"
    before = len(first.received())
    scene.httpc(f"https://{host}:{port}/").ends(0 if kind == "same" else 60)
    require((len(first.received()) > before) == (kind == "same"), "the wrong one was spoken to, or the right one was not")


@attack(NEXT, "a wrong pin refuses before our certificate leaves (TLS 1.3)", [("wrong", True), ("right", False)])
def early_pin(scene, is_wrong):
    name = "alice-" + secrets.token_hex(4)
    scene.file("client.pem", scene.bench.authority.client(name))
    context = scene.bench.authority.asking()
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    server = scene.server({"/": page("in")}, tls=context)
    handshakes, talk = [], server.talk
    # The server's handshake ends once the client's last flight has come.
    server.talk = lambda connection, number: (handshakes.append(connection.getpeercert()), talk(connection, number))
    wrong = "sha256//" + "A" * 43 + "="
    arguments = ("--cacert", scene.bench.authority.ca, "--cert", str(scene.folder / "client.pem"), server.origin + "/")
    told = scene.httpc("--pinnedpubkey", wrong, *arguments).ends(90).err.decode()
    require(server.connections and not handshakes, f"it got the client's last flight: {handshakes}")
    if is_wrong:
        return
    pin = next(word.strip("\"'.,;()") for word in told.split() if "sha256//" in word and wrong not in word)
    scene.httpc("--pinnedpubkey", pin, *arguments).ends(0)
    require(arrived(server, "/").certificate == name, "nothing was tested: the certificate never came")
