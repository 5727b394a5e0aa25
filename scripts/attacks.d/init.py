"""httpc init: servers that try to get into the profile, or past it, and links in place of the configuration."""
import os
import re
import subprocess

from bench import NEXT, arrived, attack, never, require
from servers import page, redirect, status

YES = ("--yes", "-u", "alice", "--password-env", "INIT_PW")
BASIC = 'WWW-Authenticate: Basic realm="{}"'


def config(scene):
    return scene.folder / "new.toml"


def begin(scene, server, *options, path="/", names=None, environment=None):
    return scene.httpc("init", server.origin + path, "--config", str(config(scene)), *options, names=names,
                       environment=environment)


def harmless(text):
    """Fails if the output has a control character that acts on a terminal, or an endless line."""
    for scalar in text.decode(errors="replace"):
        require(scalar in "\r\n" or not (ord(scalar) < 0x20 or 0x7F <= ord(scalar) < 0xA0 or scalar in "\u202e\u2028\u0085"),
                f"U+{ord(scalar):04X} acts on the terminal")
    require(all(len(line) < 1500 for line in text.splitlines()), "a line is endless")


def only_profile(scene):
    """The text of the configuration, in which there is one profile and nothing of the attacker's."""
    text = config(scene).read_text()
    require(not re.search(r"^\s*\[profiles\.\W*evil", text, re.M), f"it wrote {text[-300:]!r}")
    listed = scene.httpc("profiles", "--config", str(config(scene))).ends(0).out.decode().splitlines()
    require(len(listed) == 2 and "evil" not in listed[1].split()[0], f"there are the profiles {listed[1:]}")
    return text


@attack(NEXT, "init writes nothing of a realm, and nothing of it acts", [
    ("a table", 'x\\"]\\n[profiles.evil]'), ("an escape", "\x1b]0;x\x07"), ("a bidirectional control", "\u202egnol"),
    ("an end of the text", 'x\\"\\nmatch = [\\"http://evil/\\"]'), ("long", "r" * 5000)])
def realms(scene, realm):
    answer = f"HTTP/1.1 401 No\r\n{BASIC.format(realm)}\r\nContent-Length: 0\r\n\r\n".encode()
    server = scene.server({"*": answer})
    outcome = begin(scene, server, *YES)
    arrived(server, "/")
    harmless(outcome.err)
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
    require(not evil.received(), "the other server was asked")


@attack(NEXT, "init names no server that a redirect leads to as the first one, and writes neither")
def led_away(scene):
    evil = scene.server({"*": status(401, b"", BASIC.format("x"))})
    server = scene.server({"*": redirect(evil.origin + "/there")})
    outcome = begin(scene, server, *YES).ends(2)
    arrived(evil, "/there")
    require(f"{evil.origin} wants".encode() in outcome.err, f"the wrong server was named: {outcome.says()}")
    require(not config(scene).exists(), "something was written")
    require(not any(request.field("Authorization") for request in evil.received()), "it got a password")


@attack(NEXT, "init takes the password that a server offers beside tokens")
def beside_tokens(scene):
    server = scene.server()
    server.answers["*"] = lambda request: page("in") if request.field("Authorization") else status(
        401, b"", "WWW-Authenticate: Bearer", BASIC.format("x"))
    begin(scene, server, *YES).ends(0)
    require(".basic]" in config(scene).read_text(), "no password in the profile")


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


EVIL = 'x"]\n[profiles.evil]\nmatch = ["http://evil/"]\n#'


@attack(NEXT, "init writes no text of a page as keys", [
    ("a table", EVIL), ("an escape", "\x1b]0;x\x07\x1b[2J"), ("a bidirectional control", "\u202egnol"), ("long", "n" * 5000),
    ("a dotted key", "x.y = 1, evil"), ("a comment", "x # y")])
def fields(scene, name):
    server = scene.server()
    server.answers |= {
        "/": redirect(f"/login?next={server.origin}/"),
        "/login": page(f"<form method=post><input name='{name}'><input type=password name='p{name}'><button>Log in {name}</button></form>")}
    terminal = scene.terminal("init", server.origin + "/", "--config", str(config(scene)),
                              environment={"NO_COLOR": "1", "INIT_PW": scene.password})
    for pattern, typed in ((rb"Name of the profile", ""), (rb"For all URLs", ""), (rb"Number \[1\]: ", "4"), (rb"Append this", ""),
                           (rb"Answer for ", "alice"), (rb"(?s)come from\?.*Number \[1\]: ", "1"), (rb"Name of the variable", "INIT_PW"),
                           (rb"(?s)Append this.*Append this", "")):
        if terminal.until(pattern, rb"Remove the profile again"):
            break
        terminal.type(typed)
    terminal.until(rb"Remove the profile again")
    terminal.type("no")
    terminal.end()
    harmless(terminal.shown)
    arrived(server, "/login")
    text = only_profile(scene)
    require("INIT_PW" in text or len(name) > 200, f"nothing was tested: it wrote {text[-300:]!r}")
    require(scene.password not in text, "the password was written")


@attack(NEXT, "init writes no text of a redirect as keys", [
    ("a table", '/login"]%0a[profiles.evil]'), ("a quote and a bracket", "/login\"]  [profiles.evil]"), ("long", "/login" + "x" * 6000)])
def places(scene, location):
    server = scene.server({"*": page("<form method=post><input name=user><input type=password name=password></form>")})
    server.answers["/"] = redirect(f"{location}?next={server.origin}/")
    outcome = begin(scene, server, "--yes", "--answer", "user=alice", "--answer-env", "password=INIT_PW")
    arrived(server, "/")
    harmless(outcome.err)
    require(not config(scene).exists() or "redirect-to" in only_profile(scene), "the place is not in the profile")


@attack(NEXT, "init takes no authorization server that publishes another's metadata", [
    ("another issuer", "issuer"), ("endpoints over http", "http"), ("endless", "endless"), ("a redirect", "redirect")])
def publishers(scene, kind):
    evil, server = scene.server(host="127.0.0.66"), scene.server()
    there = f"http://attacks.test:{evil.port}"
    issuer, places = (evil.origin, evil.origin) if kind == "issuer" else (server.origin, there)
    document = (f'{{"issuer": "{issuer}", "token_endpoint": "{places}/t", "authorization_endpoint": "{places}/a"'
                + ', "x": "' + ("x" * (2 << 20) if kind == "endless" else "") + '"}')
    answer = redirect(evil.origin + "/m") if kind == "redirect" else status(200, document, "Content-Type: application/json")
    server.answers |= {"*": status(404, b""), "/": status(401, b"", "WWW-Authenticate: Bearer"),
                       "/.well-known/oauth-authorization-server": answer, "/.well-known/openid-configuration": answer}
    begin(scene, server, "--yes", "--client-id", "c", names={"attacks.test": "127.0.0.66"}).ends(2)
    arrived(server, "/.well-known/oauth-authorization-server")
    require(not evil.received(), "the other server was asked")
    require(not config(scene).exists(), "something was written")


@attack(NEXT, "init asks no issuer at http", [("named by the server", False), ("named by the person", True)])
def plain(scene, is_named):
    evil, server = scene.server(host="127.0.0.66"), scene.server()
    there = f"http://attacks.test:{evil.port}"
    place = "/.well-known/oauth-protected-resource"
    server.answers |= {"*": status(404, b""), "/": status(401, b"", "WWW-Authenticate: Bearer"), place: metadata(there, server.origin + "/")}
    options = ("--issuer", there) if is_named else ()
    begin(scene, server, "--yes", "--client-id", "c", *options, names={"attacks.test": "127.0.0.66"}).ends(2)
    arrived(server, "/" if is_named else place)
    require(not evil.received(), "it was asked")
    require(not config(scene).exists(), "something was written")


@attack(NEXT, "init ends with an endless page", [("text", "text/plain"), ("a form", "text/html")])
def endless_page(scene, media):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: 100000000000\r\n\r\n".encode()
    server = scene.server()
    server.answers["*"] = lambda _: [head] + [b"<form><input type=text name=x>" * 1000] * 4000
    outcome = begin(scene, server, *YES)
    arrived(server, "/")
    require(outcome.memory < 256 << 10 and outcome.cpu < 5, f"took {outcome.cpu:.1f} s and {outcome.memory} KiB")


def login_form(action):
    return page(f"<form method=post action='{action}'><input name=user><input type=password name=pass><button>Log in</button></form>")


@attack(NEXT, "init gives the password of -u to no other server", [
    ("a form's action", "redirect", True), ("the form that a refusal links to", "link", True),
    ("a link of a refusal", "link", False), ("a page that a link redirects to", "elsewhere", True)])
def password_elsewhere(scene, kind, is_own):
    evil, server = scene.server(), scene.server()
    evil.answers["*"] = login_form("/take")
    server.answers["/login"] = redirect(evil.origin + "/login") if kind == "elsewhere" else login_form(evil.origin + "/take")
    link = f"<p>Login required</p><a href='{'' if is_own else evil.origin}/login'>Log in</a>"
    server.answers["/"] = redirect(f"/login?next={server.origin}/") if kind == "redirect" else status(
        403, link.encode(), "Content-Type: text/html")
    outcome = begin(scene, server, *YES, environment={"INIT_PW": scene.password})
    arrived(server, "/login" if is_own else "/")
    require(outcome.code != 0, "it ended as if all were well")
    never(evil, scene.password)
    outcome.hides(scene.password)
    require(not config(scene).exists(), "the profile stays")


@attack(NEXT, "init consents to nothing", [
    ("a button that deletes", "<button name=wipe value=all>Delete all my data</button><button name=keep value=1>Keep</button>"),
    ("a consent", "<button name=accept value=Yes>Yes</button><button name=cancel value=No>No</button>"),
    ("buttons of one name", "<button name=a value=true>Authorize</button><button name=a value=false>Deny</button>"),
    ("a box", "<label><input type=checkbox name=tos value=1 required>I accept the terms</label><button>Continue</button>")])
def consents(scene, buttons):
    server = scene.server()
    server.answers |= {"/": redirect(f"/login?next={server.origin}/"), "/login": login_form("/in"),
                       "/in": page(f"<form method=post action=/mid>{buttons}</form>"), "/mid": page("done")}
    outcome = begin(scene, server, *YES, "--web", "terminal", environment={"INIT_PW": scene.password}).ends(2)
    arrived(server, "/in")
    require(not any(request.path == "/mid" for request in server.received()), "it decided by itself")
    require(not config(scene).exists(), "something was written")
    outcome.hides(scene.password)


@attack(NEXT, "init gives user and password of -u to logins only", [
    ("a new account", "<form method=post action=/take><input name=email><input type=password name=pass><button>Sign up</button></form>"),
    ("a newsletter", "<form method=post action=/take><input name=email><button>Subscribe</button></form>"),
    ("a search", "<form action=/take><input name=searchString><button>Search</button></form>")])
def guessed_page(scene, form):
    server = scene.server({"*": status(404, b"")})
    server.answers |= {"/": page(form), "/api/me": status(401, b"{}", "Content-Type: application/json")}
    outcome = begin(scene, server, *YES, path="/api/me", environment={"INIT_PW": scene.password})
    arrived(server, "/")
    require(outcome.code != 0, "it ended as if all were well")
    require(not any(request.path == "/take" for request in server.received()), "the form was sent")
    never(server, scene.password)
    require(not config(scene).exists(), "something was written")


@attack(NEXT, "init takes no text of a link as keys, and none that acts on a terminal or a shell", [
    ("a table", '/login"]%0a[profiles.evil]', 403), ("a raw quote", "/x\"]?[profiles.evil]", 403),
    ("a command", "/$(touch${IFS}evil)/login", 200), ("quotes", "/a&#39;$(touch${IFS}evil)&#39;/login", 200),
    ("an escape", "/&#27;]0;x&#7;/login", 403), ("long", "/" + "x" * 5000 + "/login", 403)])
def links_of_pages(scene, link, code):
    server = scene.server({"*": status(404, b"")})
    server.answers["/"] = status(code, f"<p>Login required</p><a href='{link}'>Log in</a>".encode(), "Content-Type: text/html")
    outcome = begin(scene, server, *YES, environment={"INIT_PW": scene.password})
    arrived(server, "/")
    harmless(outcome.err)
    require(outcome.code != 0, "it ended as if all were well")
    require(not config(scene).exists() or "evil" not in config(scene).read_text(), "it is in the profile")
    found = re.search(rb"this command tries: (httpc .*)", outcome.err)
    if found:
        subprocess.run(["sh", "-c", "httpc() { :; }; " + found[1].decode()], cwd=scene.folder, timeout=30)
        require(not (scene.folder / "evil").exists(), "the shell ran a command of the server's")
    require(found or code == 403, f"nothing was tested: no link was named: {outcome.says()}")


@attack(NEXT, "init starts no shell for the program that prints the password", [
    ("a substitution", "$(touch {})"), ("a second command", "; touch {}"), ("a pipe", "| tee {}"), ("a file", "> {}"), ("backticks", "`touch {}`")])
def program_words(scene, words):
    evil = scene.folder / "evil"
    server = scene.server()
    server.answers["*"] = lambda request: page("in") if request.field("Authorization") else status(
        401, b"", BASIC.format("x"))
    begin(scene, server, "--yes", "-u", "alice", "--password-command", "printf wonder " + words.format(evil))
    arrived(server, "/")
    require("password-command" in config(scene).read_text(), "nothing was tested: there is no program in the profile")
    require(any(request.field("authorization") for request in server.received()), "nothing was tested: the program gave no password")
    require(not evil.exists(), "a shell ran")


@attack(NEXT, "the next step after a recognised login is one harmless word for a shell", [
    ("a command", "/a$(touch${IFS}evil)"), ("quotes", "/a';touch evil;'"), ("a line end", "/a%0atouch%20evil"), ("an option", "/--config=x")])
def next_step(scene, path):
    inner = page("<form method=post action=/x><input type=hidden name=SAMLRequest value=x></form>")
    server = scene.server({"*": inner})
    # If both URLs are of one server, the advice names the requested URL.
    first = scene.server({"/": redirect(server.origin + path, code=307)})
    outcome = scene.httpc(first.origin + "/").ends(67)
    require(server.received(), "nothing was tested: the redirect was not followed")
    harmless(outcome.err)
    found = re.search(rb"run: (httpc init \S.*?)  It asks", outcome.err)
    require(found, f"no next step: {outcome.says()}")
    shown = subprocess.run(["sh", "-c", "httpc() { printf '%s\\n' \"$@\"; }; " + found[1].decode()], cwd=scene.folder,
                           capture_output=True, text=True, timeout=30).stdout.splitlines()
    require(len(shown) == 2 and shown[1].startswith(server.origin), f"a shell reads {shown}")
    require(not (scene.folder / "evil").exists(), "the shell ran a command of the server's")
