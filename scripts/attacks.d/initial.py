"""httpc init: servers that try to get into the profile, or past it, and links in place of the configuration."""
import os
import re

from bench import NEXT, arrived, attack, never, require
from servers import page, redirect, status

YES = ("--yes", "-u", "alice", "--password-env", "INIT_PW")
BASIC = 'WWW-Authenticate: Basic realm="{}"'


def config(scene):
    return scene.folder / "new.toml"


def begin(scene, server, *options, path="/"):
    return scene.httpc("init", server.origin + path, "--config", str(config(scene)), *options)


@attack(NEXT, "init writes nothing of a realm, and nothing of it acts", [
    ("a table", 'x\\"]\\n[profiles.evil]'), ("an escape", "\x1b]0;x\x07"), ("a bidirectional control", "\u202egnol"),
    ("an end of the text", 'x\\"\\nmatch = [\\"http://evil/\\"]'), ("long", "r" * 5000)])
def realms(scene, realm):
    answer = f"HTTP/1.1 401 No\r\n{BASIC.format(realm)}\r\nContent-Length: 0\r\n\r\n".encode()
    server = scene.server({"*": answer})
    outcome = begin(scene, server, *YES)
    arrived(server, "/")
    for scalar in outcome.err.decode(errors="replace"):
        require(scalar == "\n" or not (ord(scalar) < 0x20 or 0x7F <= ord(scalar) < 0xA0 or scalar in "\u202e\u2028\u0085"),
                f"U+{ord(scalar):04X} acts on the terminal")
    require(all(len(line) < 600 for line in outcome.err.splitlines()), "a line is endless")
    if config(scene).exists():
        text = config(scene).read_text()
        require("evil" not in text and len(re.findall(r"^\[", text, re.M)) == 2, f"it wrote {text[-200:]!r}")


def metadata(issuer, resource):
    return status(200, f'{{"resource": "{resource}", "authorization_servers": ["{issuer}"]}}'.encode(),
                  "Content-Type: application/json")


@attack(NEXT, "init writes no issuer of another server unasked", [
    ("at the well-known place", False), ("by the challenge", True)])
def issuers(scene, is_named):
    evil = scene.server()
    evil.answers["*"] = status(200, (
        f'{{"issuer": "{evil.origin}", "token_endpoint": "{evil.origin}/t", "authorization_endpoint": "{evil.origin}/a"}}'
    ).encode(), "Content-Type: application/json")
    server = scene.server()
    place = "/.well-known/oauth-protected-resource"
    extra = f', resource_metadata="{server.origin}{place}"' if is_named else ""
    server.answers["/"] = status(401, b"", f'WWW-Authenticate: Bearer realm="x"{extra}')
    server.answers[place] = metadata(evil.origin, server.origin + "/")
    outcome = begin(scene, server, "--yes", "--client-id", "c").ends(2)
    arrived(server, place)
    require(b"--issuer" in outcome.err, "it does not say how the server is named")
    require(not config(scene).exists(), "something was written")
    never(evil)


@attack(NEXT, "init writes no login server of another origin unasked", [
    ("OpenID Connect", "{}/authorize?response_type=code&client_id=c&redirect_uri=x"), ("CAS", "{}/login?service={{back}}"),
    ("WS-Federation", "{}/adfs/ls/?wa=wsignin1.0&wtrealm=x"), ("SAML2", "{}/sso?SAMLRequest=x")])
def providers(scene, location):
    evil = scene.server({"*": page("<form method=post><input name=user><input type=password name=password></form>")})
    server = scene.server()
    server.answers["/"] = redirect(location.format(evil.origin).replace("{back}", server.origin + "/"))
    outcome = begin(scene, server, "--yes", "--answer", "user=alice", "--answer", "password=" + scene.password)
    arrived(server, "/")
    require(outcome.code != 0, "it ended as if all were well")
    require(not config(scene).exists() or evil.origin not in config(scene).read_text(), "the other server was written")
    never(evil, scene.password)
    outcome.hides(scene.password)


@attack(NEXT, "init follows no link in place of the configuration", [("to a file", True), ("to nothing", False)])
def links(scene, is_there):
    target = scene.folder / "victim"
    if is_there:
        target.write_text("# victim\n")
    os.symlink(target, config(scene))
    server = scene.server({"*": status(401, b"", BASIC.format("x"))})
    begin(scene, server, *YES).ends(23)
    require(os.path.islink(config(scene)), "the link was replaced")
    require((target.read_text() if is_there else None) == ("# victim\n" if is_there else None), "the target was written")
    require(is_there or not target.exists(), "it wrote where the link leads")
    config(scene).unlink()
    begin(scene, server, *YES).ends(0)
    require("[profiles." in config(scene).read_text(), "nothing was tested: nothing is ever written")


@attack(NEXT, "init ends with endless metadata", [("a document", False), ("a challenge with many issuers", True)])
def endless(scene, is_list):
    server = scene.server()
    server.answers["*"] = status(404, b"")
    server.answers["/"] = status(401, b"", "WWW-Authenticate: Bearer")
    place = "/.well-known/oauth-protected-resource"
    many = ", ".join(f'"{server.origin}/{number}"' for number in range(20000))
    body = f'{{"resource": "{server.origin}/", "authorization_servers": [{many}]}}' if is_list else "[" * (2 << 20)
    server.answers[place] = status(200, body.encode(), "Content-Type: application/json")
    begin(scene, server, "--yes", "--client-id", "c").ends(2)
    arrived(server, place)
    require(len(server.received()) < 60, f"it asked {len(server.received())} times")
    require(not config(scene).exists(), "something was written")
