"""The registration of a device, and the keys that open its vault for other processes: a hostile mobile server, files of
others in the vault's place, keys of others in the keyring."""
import contextlib
import ctypes
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time

from bench import NEXT, Broken, arrived, attack, finds, never, require
from servers import PATIENCE, page, redirect, status

CODE = "abcd1234"
WRONG = "efgh5678"
NEW = "ijkl9012"


class Mobile:
    """A mobile server that accepts the password, and sends the answers of an attack."""

    def __init__(self, scene, connection=None, register=None, policy=None, tls=False):
        self.scene, self.register = scene, register
        self.properties = {"ApplicationConnectionId": "id-1", "PasswordPolicyEnabled": True, **(policy or {})}
        self.connection = connection
        make = scene.secure if tls else scene.server
        self.server = make({"*": self.answer})
        self.config = scene.file("config.toml", self.profile("p"))

    def profile(self, name, more=""):
        trust = f'cacert = "{self.scene.bench.authority.ca}"\n' if self.server.tls else ""
        return (f'[profiles.{name}]\nmatch = ["{self.server.origin}/"]\n{trust}'
                f'[profiles.{name}.basic]\nusername = "alice"\npassword-env = "PW"\n'
                f'[profiles.{name}.logon]\napplication = "com.example.app"\n{more}')

    def entity(self):
        return json.dumps({"d": {"__metadata": {"type": "applications.Connection"}, **self.properties}}).encode()

    def answer(self, request):
        fields = ("X-SMP-APPCID: id-1", "Content-Type: application/json")
        if not request.field("Authorization"):
            return status(401, b"", 'WWW-Authenticate: Basic realm="mobile"', "X-SMP-SESSID: 1")
        if request.method == "POST" and "Connections" in request.path:
            if self.register:
                return self.register(request)
            return status(201, self.entity(), f"Location: {self.server.origin}/odata/Connections('id-1')", *fields)
        if "Connections" in request.path:
            return self.connection(request) if self.connection else status(200, self.entity(), *fields)
        return page("a resource", "X-SMP-APPCID: id-1")

    @property
    def environment(self):
        return {"PW": self.scene.password, "CODE": CODE, "WRONG": WRONG, "NEW": NEW}

    def run(self, *words, **options):
        return self.scene.httpc(*words, environment=self.environment, **options)

    def command(self, name, *words):
        return self.run(name, "--config", self.config, "--profile", "p", *words)

    def log_on(self):
        return self.command("logon", "--passcode-env", "CODE")

    def get(self):
        return self.run("--config", self.config, "--profile", "p", self.server.origin + "/com.example.app/x")

    @property
    def vault(self):
        return self.scene.folder / "state" / "httpc" / "p" / "logon"


# Answers of the server.

@attack(NEXT, "a mobile server's redirect of a registration takes no password along", [
    (str(code), code) for code in (301, 302, 303, 307, 308)])
def redirected(scene, code):
    thief = scene.server({"*": status(401, b"", 'WWW-Authenticate: Basic realm="mobile"', "X-SMP-SESSID: 1")})
    mobile = Mobile(scene, register=lambda request: redirect(thief.origin + request.target, code=code))
    require(mobile.log_on().hides(scene.password, CODE).code != 0, "registered with the thief")
    posts = [request for request in mobile.server.received() if request.method == "POST"]
    require(posts, "nothing was tested: no registration arrived")
    never(thief, scene.password, CODE)
    require(not mobile.vault.exists(), "a vault was made of nothing")


ELSEWHERE = [
    ("an address", lambda other: {}, lambda other: [f"Location: {other}/odata/Connections('id-2')"]),
    ("an address without a scheme", lambda other: {}, lambda other: [f"Location: //{other[7:]}/odata/Connections('id-2')"]),
    ("properties", lambda other: {
        "ProxyApplicationEndpoint": other + "/", "ProxyPushEndpoint": other + "/push", "MpnsChannelURI": other + "/channel",
        "CustomizationBundleId": other + "/bundle", "ApplicationSettingsLink": other + "/x", "CertificatePins": [],
        "__metadata": {"type": "applications.Connection", "uri": other + "/odata/Connections('id-1')"},
        "Capability": {"__deferred": {"uri": other + "/capability"}}}, lambda other: []),
    ("a policy", lambda other: {"FeatureVectorPolicy": {"results": [
        {"Id": "1", "Name": "x", "PluginName": other + "/plugin", "WhiteList": other, "JSModule": other + "/x.js"}]}}, lambda other: [])]


@attack(NEXT, "a registration that names another server sends nothing there", ELSEWHERE)
def named(scene, properties, fields):
    other = scene.server({"*": page("mine")})
    mobile = Mobile(scene, policy=properties(other.origin))
    mobile.register = lambda request: status(
        201, mobile.entity(), "X-SMP-APPCID: id-1", "Content-Type: application/json", *fields(other.origin))
    mobile.log_on().ends(0).hides(scene.password, CODE)
    mobile.get()
    arrived(mobile.server, "/com.example.app/x")
    mobile.command("settings", "--json", "--passcode-env", "CODE").ends(0).hides(scene.password, CODE)
    mobile.command("unregister", "--passcode-env", "CODE").hides(scene.password, CODE)
    require(not other.connections, "it was asked")


IDS = [
    ("a field", "id-1\r\nX-Evil: 1"), ("a line end", "id-1\nX-Evil: 1"), ("NUL", "id\0-1"), ("nothing", ""),
    ("white space", "id 1"), ("letters beyond ASCII", "id-\u0131"), ("a million bytes", "x" * 1_000_000),
    ("another path", "../../admin"), ("another key", "x')/../Admin('y"), ("a query", "x?evil=1#y"), ("encoded dots", "%2e%2e%2fadmin"),
    ("a second cookie", "id-1; evil=1")]


@attack(NEXT, "the id of a registration stays one key of one path and one field", IDS)
def ids(scene, text):
    mobile = Mobile(scene, policy={"ApplicationConnectionId": text})
    mobile.register = lambda request: status(201, mobile.entity(), "Content-Type: application/json")
    outcome = mobile.log_on().ends(0, 8, 63, 67).hides(scene.password, CODE)
    require(any(request.method == "POST" for request in mobile.server.received()), "nothing was tested: no registration")
    require(len(outcome.err) < 2000 and b"Evil" not in outcome.err, outcome.says())
    if outcome.code == 0:
        mobile.get()
    for request in mobile.server.received():
        require(not any(name.lower() == b"x-evil" for name, _ in request.fields), f"a field was added: {request.target}")
        require("evil" not in request.query and "/../" not in request.path and "2e%2e" not in request.path.replace("%252e", "")
                and not request.path.startswith("/admin"), f"asked for {request.target}")
        require(len(request.raw) < 100_000, "the id was sent as it is")


@attack(NEXT, "what a mobile server is asked for after the logon takes nothing to another server", [
    (f"{what}, {code}", words, path, code) for what, words, path in (
        ("the settings", ("settings", "--passcode-env", "CODE"), "/odata/"),
        ("the end of the registration", ("unregister", "--passcode-env", "CODE"), "/odata/")) for code in (302, 307, 308)])
def later(scene, words, path, code):
    thief = scene.server({"*": status(401, b"", 'WWW-Authenticate: Basic realm="mobile"', "X-SMP-SESSID: 1")})
    mobile = Mobile(scene, policy={"ApplicationConnectionId": "id-canary-4711"})
    mobile.log_on().ends(0)
    answer, count = mobile.answer, len(mobile.server.received())
    mobile.server.answers["*"] = lambda request: (
        redirect(thief.origin + request.target, code=code) if "Connections" in request.path and request.field("Authorization")
        else answer(request))
    outcome = mobile.command(*words).hides(scene.password, CODE)
    require(any("Connections" in request.path and request.field("Authorization") for request in mobile.server.received()[count:]),
            f"nothing was tested: it was not asked: {outcome.says()}")
    require(outcome.code != 0 or words[0] == "settings", "it ended as if the registration were gone")
    for request in thief.received():
        require(not request.field("Authorization"), "the password went there")
        require(not request.field("X-SMP-APPCID") and not finds(request.field("Cookie"), "id-canary-4711"), "the id went there")
    never(thief, scene.password, CODE)


@attack(NEXT, "a resource's redirect takes the registration's id to no other server, and to no other path of it", [
    ("another origin", True), ("another path", False)])
def id_elsewhere(scene, is_foreign):
    thief = scene.server({"*": page("mine")})
    mobile = Mobile(scene, policy={"ApplicationConnectionId": "id-canary-4711"})
    answer = mobile.answer
    mobile.server.answers["*"] = lambda request: answer(request).replace(b"X-SMP-APPCID: id-1", b"X-Nothing: 1")
    text = mobile.profile("p").replace(f'{mobile.server.origin}/"', f'{mobile.server.origin}/farm/"')
    mobile.config = scene.file("config.toml", text)
    mobile.log_on().ends(0)
    target = thief.origin + "/there" if is_foreign else "/other-farm/there"
    mobile.server.answers["/farm/com.example.app/go"] = redirect(target)
    mobile.run("--config", mobile.config, "--profile", "p", "-L", mobile.server.origin + "/farm/com.example.app/go")
    first = arrived(mobile.server, "/farm/com.example.app/go")
    require(first.field("X-SMP-APPCID") == b"id-canary-4711", "nothing was tested: the id was not sent at all")
    there = arrived(thief, "/there") if is_foreign else arrived(mobile.server, "/other-farm/there")
    require(not finds(there.raw, "id-canary-4711"), "the id went there")


@attack(NEXT, "a mobile server that repeats the password shows it to nobody", [
    (f"{name}, {words}", make, options) for name, make in (
        ("an error", lambda pw, port: status(403, json.dumps(
            {"error": {"code": "", "message": {"lang": "en", "value": "REPEAT " + pw}}}), "Content-Type: application/json")),
        ("an error with a status of redirects", lambda pw, port: status(300, json.dumps(
            {"error": {"code": "", "message": {"lang": "en", "value": "REPEAT " + pw}}}), "Content-Type: application/json")),
        ("an error in XML", lambda pw, port: status(
            500, f"<error><code>{pw}</code><message>REPEAT {pw}</message></error>", "Content-Type: application/xml")),
        ("the reason phrase", lambda pw, port: f"HTTP/1.1 403 REPEAT {pw}\r\nContent-Length: 0\r\n\r\n".encode()),
        ("the host of a redirect", lambda pw, port: redirect(f"http://repeat-{pw}.localhost:{port}/x", code=303)),
        ("a host without an address", lambda pw, port: redirect(f"http://repeat-{pw}.invalid/x", code=303)),
        ("a property of another type", lambda pw, port: status(
            201, json.dumps({"d": {"ApplicationConnectionId": "id-1", "PasswordPolicyMinLength": pw, "PasswordPolicyEnabled": True}}),
            "Content-Type: application/json")))
    for words, options in (("without -v", []), ("with -vv", ["-vv", "--har", "kept.har"]))])
def repeated(scene, make, options):
    other = scene.server({"*": status(200, b"{}", "Content-Type: application/json")})
    mobile = Mobile(scene, register=lambda request: make(scene.password, other.port))
    outcome = mobile.command("logon", *options, "--passcode-env", "CODE")
    require(outcome.code != 2, f"nothing was tested: {outcome.says()}")
    require(any(request.method == "POST" and request.field("Authorization") for request in mobile.server.received()),
            "nothing was tested: no registration")
    outcome.hides(scene.password, CODE)
    archive = scene.folder / "kept.har"
    require(not archive.exists() or not finds(archive.read_bytes(), scene.password), "the archive has the password")


POLICIES = [
    ("more tries than there are numbers", {"PasswordPolicyRetryLimit": 10**30}, (8, 67)),
    ("a length that nobody can type", {"PasswordPolicyMinLength": 2**31 - 1}, (8, 67)),
    ("less than no tries", {"PasswordPolicyRetryLimit": -1}, (8, 67)),
    ("no tries", {"PasswordPolicyRetryLimit": 0}, (8, 67)),
    ("more different characters than there may be", {"PasswordPolicyMinUniqueChars": 300}, (8, 67)),
    ("digits only, and letters", {"PasswordPolicyIsDigitsOnly": True, "PasswordPolicyUpperRequired": True}, (8, 67)),
    ("text for numbers", {"PasswordPolicyMinLength": "\x1b]0;owned\x07"}, (8, 67)),
    ("an object for a number", {"PasswordPolicyLockTimeout": {"a": [1] * 1000}}, (8, 67)),
    ("a time that overflows", {"PasswordPolicyLockTimeout": 2**63 - 1}, (0, 8, 67)),
    ("a time less than none", {"PasswordPolicyLockTimeout": -5}, (8, 67)),
    ("no passcode at all", {"PasswordPolicyEnabled": False, "PasswordPolicyDefaultPasswordAllowed": True}, (0,)),
]


@attack(NEXT, "a mobile server's policy that nobody can keep ends the logon in words", POLICIES)
def policy(scene, properties, codes):
    mobile = Mobile(scene, policy=properties)
    outcome = mobile.log_on().ends(*codes).hides(scene.password, CODE)
    arrived(mobile.server)
    require(b"\x1b" not in outcome.err, "the policy's text reached the terminal")
    require(outcome.cpu < 20 and outcome.memory < 400 << 10, f"{outcome.cpu:.1f} s, {outcome.memory} KiB")
    require(outcome.code == 0 or not mobile.vault.exists(), "a vault was made by a policy that was refused")


@attack(NEXT, "a registration whose vault is not made is given back to the mobile server", [
    ("it is removed", 200), ("the server refuses", 500)])
def unfinished(scene, code):
    mobile = Mobile(scene, policy={"PasswordPolicyMinLength": 20})
    answer = mobile.answer
    mobile.server.answers["*"] = lambda request: status(code) if request.method == "DELETE" else answer(request)
    outcome = mobile.log_on().ends(67).hides(scene.password, CODE)
    methods = [request.method for request in mobile.server.received() if "Connections" in request.path]
    require("POST" in methods, "nothing was tested: no registration")
    require(methods[-1] == "DELETE", "the registration stays at the server")
    require((b"still has the registration" in outcome.err) == (code != 200), outcome.says())
    require(not mobile.vault.exists(), "a vault was made of nothing")


ANSWERS = [
    ("an entity that never ends", lambda mobile: b"{\"d\":{\"x\":\"" + b"A" * (40 << 20) + b"\"}}"),
    ("too deep", lambda mobile: b"[" * 100_000),
    ("HTML of a portal", lambda mobile: b"<html><body>please pay</body></html>"),
    ("nothing", lambda mobile: b""),
    ("no id", lambda mobile: b'{"d":{"PasswordPolicyEnabled":true}}'),
]


@attack(NEXT, "a mobile server's answer that is none makes no vault", ANSWERS)
def nonsense(scene, body):
    mobile = Mobile(scene, connection=lambda request: status(
        200, body(None), "Content-Type: application/json", "X-SMP-APPCID: id-1"))
    mobile.register = lambda request: status(201, body(None), "Content-Type: application/json")
    outcome = mobile.log_on().hides(scene.password, CODE)
    require(outcome.code not in (0, 70), f"ended with {outcome.code}")
    require(any(request.method == "POST" for request in mobile.server.received()), "nothing was tested: no registration")
    require(outcome.memory < 400 << 10, f"{outcome.memory} KiB")
    require(not mobile.vault.exists(), "a vault was made of nothing")


@attack(NEXT, "settings of a mobile server do not act on the terminal")
def settings(scene):
    mobile = Mobile(scene, policy={"ConnectionLogLevel": "\x1b[2Jowned\x9b31m\u202e"})
    mobile.log_on().ends(0)
    shown = mobile.command("settings", "--passcode-env", "CODE").ends(0).out
    require(b"owned" in shown, "nothing was tested: the level is not shown")
    require(not any(mark in shown for mark in (b"\x1b", b"\xc2\x9b", "\u202e".encode())), "it acts on the terminal")


@attack(NEXT, "settings of a mobile server as JSON do not act on the terminal, and stay JSON", [
    ("controls", "owned\x9b31m\u202e\u2066\x85\u2028\x7f", False), ("an honest one", "DEBUG \u65e5", True)])
def settings_json(scene, level, is_shown):
    mobile = Mobile(scene, policy={"ConnectionLogLevel": level})
    mobile.log_on().ends(0)
    shown = mobile.command("settings", "--json", "--passcode-env", "CODE").ends(0).out
    require(json.loads(shown)["log"]["level"] == level, "nothing was tested: the level is not what the server said")
    if is_shown:
        return require(level.encode() in shown, "not as it is")
    require(not any(mark.encode() in shown for mark in level[5:] if not mark.isalnum()), "it acts on the terminal")


DATES = [
    ("the least offset", "/Date(0+-9223372036854775808)/"), ("the least time", "/Date(-9223372036854775808)/"),
    ("the largest time", "/Date(9223372036854775807+0840)/"), ("no date", "/Date(nan)/"), ("an honest one", "/Date(1484028633406+0060)/")]


@attack(NEXT, "a date of a registration does not end the process", DATES)
def dates(scene, text):
    mobile = Mobile(scene, policy={"CreatedAt": text, "PasswordPolicyEnabled": True})
    outcome = mobile.log_on()
    require(any(request.method == "POST" for request in mobile.server.received()), "nothing was tested: no registration")
    # A text that is not a date is an error with a message; the honest date is accepted.
    outcome.ends(0 if text == DATES[-1][1] else 8).hides(scene.password, CODE)


@attack(NEXT, "the registered password goes to the registered server only, over a redirect of a resource")
def elsewhere(scene):
    thief = scene.server({"*": status(401, b"", 'WWW-Authenticate: Basic realm="mobile"')})
    mobile = Mobile(scene)
    mobile.log_on().ends(0)
    answer = mobile.answer
    mobile.server.answers["/go"] = lambda request: (
        redirect(thief.origin + "/x") if request.field("Authorization") else answer(request))
    mobile.run("--config", mobile.config, "--profile", "p", mobile.server.origin + "/go")
    arrived(thief, "/x")
    never(thief, scene.password)


@attack(NEXT, "a profile's password registers over https or on this machine only, and at the profile's servers only", [
    ("plain http on another machine", True), ("a typed server that the profile does not name", False)])
def named_servers(scene, is_plain):
    # The profile names the server that was made last.
    other, mobile = Mobile(scene), Mobile(scene)
    words = [other.server.origin + "/"]
    if is_plain:
        mobile.config = scene.file("config.toml", mobile.profile("p").replace("127.0.0.1", "mobile.example"))
        words = ["--resolve", f"mobile.example:{mobile.server.port}:127.0.0.1"]
    mobile.command("logon", "--passcode-env", "CODE", *words).ends(2).hides(scene.password, CODE)
    require(not mobile.server.received() and not other.server.received(), "something was sent")
    require(not mobile.vault.exists(), "a vault was made of nothing")


@attack(NEXT, "the vault of a logon keeps no cookie of a file of -b")
def given_cookies(scene):
    mobile = Mobile(scene)
    mobile.log_on().ends(0)
    jar = scene.file("jar", "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tgiven\tplanted\n")
    words = ("--config", mobile.config, "--profile", "p", mobile.server.origin + "/com.example.app/x")
    mobile.run(*words, "-b", jar).ends(0)
    require(finds(mobile.server.raw, "given=planted"), "nothing was tested: the cookie is not sent")
    count = len(mobile.server.received())
    mobile.run(*words).ends(0)
    later = mobile.server.received()[count:]
    require(later and not any(finds(request.raw, "given=planted") for request in later), "a later run sends it")


# Options.

@attack(NEXT, "a file of options that is none is refused in words", [
    ("entities that expand", '<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "' + "x" * 1000 + '">'
     + "".join(f'<!ENTITY {chr(98 + n)} "{("&" + chr(97 + n) + ";") * 20}">' for n in range(8))
     + ']><plist version="1.0"><dict><key>UseFlowMode</key><string>&i;</string></dict></plist>'),
    ("an external entity", '<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
     '<plist version="1.0"><dict><key>&a;</key><true/></dict></plist>'),
    ("too deep", '{"UseFlowMode":' + "[" * 50_000),
    ("too long", '{"UseFlowMode":true' + " " * (2 << 20) + "}"),
    ("another type", '{"DefaultValues":{"Register":{"ServerPortSecure":"\x1b[31m99999"}}}'),
    ("nothing", "")])
def options(scene, text):
    mobile = Mobile(scene)
    path = scene.file("Logon.plist", text)
    mobile.config = scene.file("config.toml", mobile.profile("p", f'options = "{path}"\n'))
    outcome = mobile.log_on().ends(2)
    require(b"options" in outcome.err and b"\x1b" not in outcome.err and b"root:" not in outcome.err, outcome.says())
    require(outcome.cpu < 10 and outcome.memory < 300 << 10, f"{outcome.cpu:.1f} s, {outcome.memory} KiB")
    require(not mobile.server.received(), "something was sent")


@attack(NEXT, "options of a logon that others can change name no server for a password", [
    ("all may write it", 0o602, None), ("another user's", 0o644, 65534)])
def options_of_others(scene, mode, owner):
    require(not owner or os.geteuid() == 0, "nothing was tested: only root gives files away")
    mobile, thief = Mobile(scene), Mobile(scene)
    server = {"ServerHost": "127.0.0.1", "ServerPort": thief.server.port, "IsHttps": False}
    path = scene.file("Logon.json", json.dumps({"DefaultValues": {"Register": server}}))
    mobile.config = scene.file("config.toml", mobile.profile("p", f'options = "{path}"\n'))
    os.chmod(path, mode)
    if owner:
        os.chown(path, owner, owner)
    outcome = mobile.log_on().ends(2).hides(scene.password, CODE)
    require(b"where passwords go" in outcome.err, outcome.says())
    require(not thief.server.received() and not mobile.server.received(), "something was sent")
    os.chown(path, os.geteuid(), os.getegid())
    os.chmod(path, 0o600)
    mobile.log_on().ends(0)
    require(finds(thief.server.raw, scene.password), "nothing was tested: the server of the options gets no password at all")


BROKEN = [
    ("a client with a second parameter", "GatewayClient", "300&sap-user=eve"), ("a client with a field", "GatewayClient", "300\r\nX-Evil: 1"),
    ("a domain with a field", "ServerDomain", "sales\r\nX-Evil: 1"), ("a domain with NUL", "ServerDomain", "a\0b"),
    ("a security configuration with a field", "SecurityConfig", "ldap\nX-Evil: 1"),
    ("a security configuration that is endless", "SecurityConfig", "x" * 100_000)]


@attack(NEXT, "values of the registered server that would leave their field are refused before anything is sent", BROKEN)
def fields(scene, name, value):
    mobile = Mobile(scene)
    path = scene.file("Logon.json", json.dumps({"DefaultValues": {"Register": {name: value}}}))
    mobile.config = scene.file("config.toml", mobile.profile("p", f'options = "{path}"\n'))
    outcome = mobile.log_on().ends(2).hides(scene.password, CODE)
    require(b"Evil" not in outcome.err and len(outcome.err) < 1000, outcome.says())
    require(not mobile.server.received(), "something was sent")


@attack(NEXT, "the fields of the registered server go to no other, over a redirect of a resource")
def fields_elsewhere(scene):
    thief = scene.server({"*": page("mine")})
    mobile = Mobile(scene)
    path = scene.file("Logon.json", json.dumps({"DefaultValues": {"Register": {
        "ServerDomain": "sales-canary", "SecurityConfig": "ldap-canary"}}}))
    mobile.config = scene.file("config.toml", mobile.profile("p", f'options = "{path}"\n'))
    mobile.log_on().ends(0)
    mobile.server.answers["/go"] = redirect(thief.origin + "/x")
    mobile.run("--config", mobile.config, "--profile", "p", mobile.server.origin + "/go", "-L")
    arrived(thief, "/x")
    never(thief, "sales-canary", "ldap-canary")
    posts = [request for request in mobile.server.received() if request.method == "POST"]
    require(posts and all(request.field("X-SUP-DOMAIN") == b"sales-canary" and request.field("X-SUP-SC") == b"ldap-canary"
                          for request in posts), "nothing was tested: the fields were not sent at all")


@attack(NEXT, "options that are no regular file do not hold up", [("a FIFO", True), ("a device", False)])
def special(scene, is_pipe):
    mobile = Mobile(scene)
    path = scene.folder / "options"
    if is_pipe:
        os.mkfifo(path)
    mobile.config = scene.file("config.toml", mobile.profile("p", f'options = "{path if is_pipe else "/dev/zero"}"\n'))
    mobile.log_on().ends(2)


# The vault's directory.

@attack(NEXT, "a vault's directory that is somebody else's is not used", [
    ("a link", "link"), ("open to all", "open"), ("of another user", "owner"), ("a file", "file")])
def directory(scene, kind):
    mobile = Mobile(scene)
    place = mobile.vault
    place.parent.mkdir(parents=True, mode=0o700)
    target = scene.folder / "elsewhere"
    target.mkdir(mode=0o700)
    if kind == "link":
        place.symlink_to(target)
    elif kind == "file":
        place.write_text("mine")
    else:
        place.mkdir(mode=0o700)
        if kind == "open":
            place.chmod(0o777)
        else:
            require(os.geteuid() == 0, "nothing was tested: only root gives directories away")
            os.chown(place, 65534, 65534)
    outcome = mobile.log_on().hides(scene.password, CODE)
    require(outcome.code != 0, "a vault was made there")
    require(b"logon" in outcome.err, f"says nothing of the directory: {outcome.says()}")
    require(not list(target.iterdir()), "something was written elsewhere")
    require(kind in ("link", "file") or not list(place.iterdir()), "something was written")


@attack(NEXT, "a vault that was copied is not opened by the key of the first")
def copied(scene):
    mobile = Mobile(scene)
    mobile.log_on().ends(0)
    shares_keys(mobile)
    shutil.copytree(mobile.vault.parent, scene.folder / "state" / "httpc" / "q", copy_function=shutil.copy2)
    config = scene.file("q.toml", mobile.profile("q"))
    outcome = mobile.run("--config", config, "--profile", "q", mobile.server.origin + "/com.example.app/x")
    outcome.ends(67)


# The keyring.

def shares_keys(mobile):
    """Whether the kernel keeps keys here. If not, there is nothing to attack, and each process asks."""
    outcome = mobile.get()
    require(outcome.code in (0, 67), outcome.says())
    if outcome.code == 67:
        raise Broken("nothing was tested: the kernel keeps no keys here")


KEYS = textwrap.dedent("""
    import ctypes, os, sys
    libc = ctypes.CDLL(None, use_errno=True)
    call = lambda *a: libc.syscall(*[ctypes.c_long(x) if isinstance(x, int) else x for x in a])
    KEYCTL, ADD = 250, 248
""")


def script(body, *words, before=(), **options):
    """A program of another process, which speaks to the kernel itself (x86-64)."""
    return subprocess.run([*before, sys.executable, "-c", KEYS + textwrap.dedent(body), *words],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, **options)


def serial(mobile):
    """The number of the vault's key, which any process of root's sees."""
    status = mobile.vault.stat()
    import hashlib
    name = "httpc:vault:" + hashlib.sha256(f"httpc {status.st_dev} {status.st_ino}".encode()).hexdigest()
    found = script("print(call(KEYCTL, 10, -4, b'user', sys.argv[1].encode(), 0))", name).stdout.strip()
    require(found and int(found) > 0, "nothing was tested: there is no key of that name")
    return name, int(found)


READ = """
    buffer = ctypes.create_string_buffer(100)
    print(call(KEYCTL, 11, int(sys.argv[1]), buffer, 100))
"""


@attack(NEXT, "an unlocked vault's key is read by nobody who does not possess it", [
    ("another user", ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")),
    ("another user namespace", ("unshare", "--user", "--map-root-user"))])
def strangers(scene, before):
    require(os.geteuid() == 0 and os.uname().machine == "x86_64", "nothing was tested: root on x86-64 does this")
    mobile = Mobile(scene)
    mobile.log_on().ends(0)
    shares_keys(mobile)
    _, number = serial(mobile)
    own = script("call(KEYCTL, 8, -4, -1)\n" + textwrap.dedent(READ), str(number)).stdout.strip()
    require(own == "40", f"nothing was tested: its owner reads {own}")
    # The session keyring would be inherited: a stranger begins with another one.
    found = script("call(KEYCTL, 1, None)\n" + textwrap.dedent(READ), str(number), before=before).stdout.strip()
    require(found == "-1", f"read {found} bytes of the key")


@attack(NEXT, "a key that somebody put under a vault's name opens nothing and breaks nothing", [
    ("of the right size", b"\0" * 40, 0x3B000000), ("that all may read", b"\0" * 40, 0x3F3F3F3F),
    ("of another size", b"x", 0x3B000000), ("of a million bytes less a bit", b"x" * 32000, 0x3B000000)])
def planted(scene, payload, permissions):
    require(os.uname().machine == "x86_64", "nothing was tested: x86-64 does this")
    mobile = Mobile(scene)
    mobile.log_on().ends(0)
    shares_keys(mobile)
    name, _ = serial(mobile)
    made = script("""
        call(KEYCTL, 1, None)
        key = call(ADD, b"user", sys.argv[1].encode(), bytes.fromhex(sys.argv[2]), len(sys.argv[2]) // 2, -1)
        print(call(KEYCTL, 5, key, int(sys.argv[3])), call(KEYCTL, 8, key, -4))
    """, name, payload.hex(), str(permissions)).stdout.split()
    require(made == ["0", "0"], f"nothing was tested: no key could be planted: {made}")
    mobile.get().ends(67)
    # And the real one is not put into its place, with its permissions.
    mobile.command("unlock", "--passcode-env", "CODE").ends(0)
    mobile.get().ends(0)
    _, number = serial(mobile)
    shown = script("""
        call(KEYCTL, 8, -4, -1)
        buffer = ctypes.create_string_buffer(200)
        call(KEYCTL, 6, int(sys.argv[1]), buffer, 200)
        print(buffer.value.decode())
    """, str(number)).stdout
    require(";3b000000;" in shown, f"the key is {shown.strip()}")


@attack(NEXT, "where the kernel refuses keys, a vault works, and each process asks")
def refused(scene):
    require(os.uname().machine == "x86_64", "nothing was tested: x86-64 does this")
    # As a container's profile does it: EPERM for add_key and keyctl.
    program = """
        import struct
        code = lambda *parts: struct.pack("HBBI", *parts)
        rules = [code(0x20, 0, 0, 0), code(0x15, 2, 0, ADD), code(0x15, 1, 0, KEYCTL), code(6, 0, 0, 0x7FFF0000),
                 code(6, 0, 0, 0x00050001)]
        filters = ctypes.create_string_buffer(b"".join(rules))
        class Program(ctypes.Structure):
            _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
        libc.prctl(38, 1, 0, 0, 0)
        if libc.prctl(22, 2, ctypes.byref(Program(len(rules), ctypes.addressof(filters))), 0, 0):
            sys.exit(99)
        os.execv(sys.argv[1], sys.argv[1:])
    """
    mobile = Mobile(scene)
    environment = scene.environment | mobile.environment

    def run(*words):
        outcome = script(program, scene.bench.httpc, *words, env=environment, cwd=scene.folder, start_new_session=True)
        require(outcome.returncode != 99, "nothing was tested: the kernel has no seccomp")
        return outcome
    shown = run("logon", "--config", mobile.config, "--profile", "p", "--passcode-env", "CODE")
    require(shown.returncode == 0, f"ended with {shown.returncode}: {shown.stderr}")
    unlocked = run("unlock", "--config", mobile.config, "--profile", "p", "--passcode-env", "CODE")
    require("each httpc asks" in unlocked.stderr, f"says {unlocked.stderr}")
    url = mobile.server.origin + "/com.example.app/x"
    require(run("--config", mobile.config, "--profile", "p", url).returncode == 67, "opened without a passcode")
    mobile.config = scene.file("config.toml", mobile.profile("p", 'passcode-env = "CODE"\n'))
    require(run("--config", mobile.config, "--profile", "p", url).returncode == 0, "not opened by the passcode")


# Another passcode.

def change(mobile, start=False):
    words = ("passcode", "--config", mobile.config, "--profile", "p", "--passcode-env", "CODE", "--new-passcode-env", "NEW")
    run = mobile.scene.start if start else mobile.scene.httpc
    return run(*words, environment=mobile.environment)


def lock(mobile):
    mobile.run("lock", "--profile", "p").ends(0)


def opens(mobile, code):
    lock(mobile)
    return mobile.run("unlock", "--config", mobile.config, "--profile", "p", "--passcode-env", code).ends(0, 8, 23, 67).code == 0


def rows(place, work):
    database = sqlite3.connect(place / "vault.sqlite")
    with contextlib.closing(database), database:
        return work(database)


@attack(NEXT, "what opened a vault before its passcode was changed opens nothing of it", [
    ("the slot", False), ("the slot and the database's wrapped key", True)])
def before_the_change(scene, with_key):
    mobile = Mobile(scene)
    mobile.log_on().ends(0)
    lock(mobile)
    place, old = mobile.vault, scene.folder / "old"
    shutil.copytree(place, old, copy_function=shutil.copy2)
    change(mobile).ends(0)
    lock(mobile)
    slot = (place / "passcode.slot").read_bytes()
    key = rows(place, lambda database: database.execute("SELECT * FROM key_slot").fetchall())
    (place / "passcode.slot").write_bytes((old / "passcode.slot").read_bytes())
    if with_key:
        former = rows(old, lambda database: database.execute("SELECT * FROM key_slot").fetchall())
        require(former != key, "the database is opened by the same key")
        marks = ",".join("?" * len(former[0]))
        rows(place, lambda database: database.execute(f"INSERT OR REPLACE INTO key_slot VALUES ({marks})", former[0]))
    require(not opens(mobile, "CODE"), "the old passcode opens it")
    mobile.get().ends(2, 8, 23, 67)
    # The vault as it was: the new passcode opens it, and its content is there.
    if with_key:
        marks = ",".join("?" * len(key[0]))
        rows(place, lambda database: database.execute(f"INSERT OR REPLACE INTO key_slot VALUES ({marks})", key[0]))
    (place / "passcode.slot").write_bytes(slot)
    require(opens(mobile, "NEW"), "nothing was tested: the new passcode does not open it")
    mobile.command("settings", "--passcode-env", "NEW").ends(0)


@attack(NEXT, "a change of the passcode that is killed leaves one passcode, and all that was there", [
    ("when the new slot is there", "next"), ("when the slot is replaced", "slot"),
    ("when nothing is left of the new slot", "gone")])
def killed_change(scene, moment):
    mobile = Mobile(scene)
    mobile.log_on().ends(0)
    lock(mobile)
    coming, slot = mobile.vault / "passcode.slot.next", mobile.vault / "passcode.slot"
    before, was_there = slot.stat().st_ino, False
    run = change(mobile, start=True)
    while run.poll() is None:
        is_there = coming.exists()
        if was_there and not is_there if moment == "gone" else is_there and (
                moment == "next" or slot.stat().st_ino != before):
            break
        was_there = was_there or is_there
    run.kill()
    run.wait(PATIENCE)
    working = [code for code in ("CODE", "NEW") if opens(mobile, code)]
    require(len(working) == 1, f"opened by {working}")
    require(moment == "next" or working == ["NEW"], "the change that was done is lost")
    require(not coming.exists(), "the new slot stays behind")
    mobile.config = scene.file("config.toml", mobile.profile("p", f'passcode-env = "{working[0]}"\n'))
    mobile.get().ends(0)
    require(b"id-1" in mobile.server.received("/com.example.app/x")[-1].raw, "what was in it is gone")


# At the same time.

@attack(NEXT, "eight logons at once make one vault")
def race(scene):
    mobile = Mobile(scene)
    runs = [scene.start("logon", "--config", mobile.config, "--profile", "p", "--passcode-env", "CODE",
                        environment=mobile.environment) for _ in range(8)]
    outcomes = [scene.finish(run, timeout=60) for run in runs]
    require(any(outcome.code == 0 for outcome in outcomes), outcomes[0].says())
    for outcome in outcomes:
        require(outcome.code in (0, 2, 23, 67), f"ended with {outcome.code}: {outcome.says()}")
    lock(mobile)
    mobile.command("unlock", "--passcode-env", "CODE").ends(0)
    mobile.get()


# Traces of a logon.

@attack(NEXT, "nothing of a logon is in a file or in the process list")
def traces(scene):
    mobile = Mobile(scene)
    mobile.log_on().ends(0)
    mobile.get()
    files = [path for path in (scene.folder / "state").rglob("*") if path.is_file()]
    require(files, "nothing was tested: there is no state")
    for path in files:
        data = path.read_bytes()
        for secret in (scene.password, CODE, "id-1-secret"):
            require(not finds(data, secret), f"{path.name} has a secret")
        require(path.stat().st_mode & 0o077 == 0, f"{path.name} is open to others")
