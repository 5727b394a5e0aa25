"""Points 8 and 13: the command's messages about its own arguments, and the places to which it writes."""
import os
import pathlib
import threading

from bench import Broken, arrived, attack, finds, require
from servers import HELD, page, redirect, status

# Point 8: {pw} is the secret, {origin} and {authority} are a server's.

MISTAKES = [
    ("a space in the path", ["http://alice:{pw}@{authority}/a b"]),
    ("a space in the query", ["http://{authority}/?token={pw} x"]),
    ("a space before a fragment", ["http://{authority}/a b#{pw}"]),
    ("a line end", ["http://alice:{pw}@{authority}/a\nb"]),
    ("a line end in the password", ["http://alice:{pw}\nx@{authority}/"]),
    ("a backslash in the password", ["http://alice:{pw}\\x@{authority}/"]),
    ("a slash in the password", ["http://alice:{pw}/x@{authority}/"]),
    ("a question mark in the password", ["http://alice:{pw}?x@{authority}/"]),
    ("a number sign in the password", ["http://alice:{pw}#x@{authority}/"]),
    ("a slash in the name", ["http://{pw}/alice@{authority}/ x"]),
    ("a port that is too large", ["http://alice:{pw}@127.0.0.1:99999/"]),
    ("a port that is none", ["http://alice:{pw}@127.0.0.1:x/"]),
    ("a password where the port should be", ["http://127.0.0.1:{pw}/"]),
    ("no host", ["http://alice:{pw}@/"]),
    ("an empty label", ["http://alice:{pw}@h..h/"]),
    ("an open bracket", ["http://alice:{pw}@[::1/"]),
    ("an encoded NUL", ["http://alice:{pw}@h%00/"]),
    ("another scheme", ["ftp://alice:{pw}@127.0.0.1/"]),
    ("another scheme, no slashes", ["mailto:alice:{pw}@127.0.0.1"]),
    ("one slash", ["http:/alice:{pw}@{authority}/"]),
    ("no slash", ["http:alice:{pw}@127.0.0.1:1/"]),
    ("no scheme and a space", ["alice:{pw}@{authority}/a b"]),
    ("no scheme and a bad port", ["alice:{pw}@127.0.0.1:x/"]),
    ("a host that does not exist", ["http://alice:{pw}@attacks.invalid/?token={pw}"]),
    ("a port that is closed", ["http://alice:{pw}@127.0.0.1:1/?token={pw}#{pw}"]),
    ("-H without a colon", ["-H", "Authorization Bearer {pw}", "{origin}/"]),
    ("-H with =", ["-H", "X-API-Key={pw}", "{origin}/"]),
    ("-H with a semicolon", ["-H", "Authorization;Bearer {pw}", "{origin}/"]),
    ("-H with a space in the name", ["-H", "Authorization {pw}: x", "{origin}/"]),
    ("-H with the value first", ["-H", "Bearer {pw}: Authorization", "{origin}/"]),
    ("-H with a line end", ["-H", "Cookie: a={pw}\r\nX: y", "{origin}/"]),
    ("-H with a NUL's picture", ["-H", "Cookie: a={pw}\x01", "{origin}/"]),
    ("-H with another colon", ["-H", "Authorization\uff1a {pw}", "{origin}/"]),
    ("-b with a line end", ["-b", "a={pw}\r\nX: y", "{origin}/"]),
    ("-e with a line end", ["-e", "http://h/?{pw}\r\nX: y", "{origin}/"]),
    ("-A with a line end", ["-A", "{pw}\r\nX: y", "{origin}/"]),
    ("-u with a line end", ["-u", "alice\r\nX:{pw}", "{origin}/digest"]),
    ("-X with more than a method", ["-X", "POST -u alice:{pw}", "{origin}/"]),
    ("--answer without =", ["PROFILE", "--answer", "{pw}", "{origin}/"]),
    ("--answer without a name", ["PROFILE", "--answer", "={pw}", "{origin}/"]),
    ("--answer twice", ["PROFILE", "--answer", "a={pw}", "--answer", "a={pw}", "{origin}/"]),
    ("--answer-env without =", ["PROFILE", "--answer-env", "{pw}", "{origin}/"]),
    ("--answer-origin with a space", ["PROFILE", "--answer-origin", "http://alice:{pw}@{authority}/ x", "{origin}/"]),
    ("--answer-origin of another scheme", ["PROFILE", "--answer-origin", "ftp://alice:{pw}@h/", "{origin}/"]),
    ("an option that is none, with =", ["--pasword=alice:{pw}", "{origin}/"]),
    ("an option that is none, with a word", ["--usr", "alice:{pw}", "{origin}/"]),
    ("a short option that is none", ["-Yalice:{pw}", "{origin}/"]),
    ("a word too many", ["-u", "alice", "{origin}/", "{pw}"]),
    ("a word too many", ["{origin}/", "alice:{pw}@{authority}/?token={pw}"]),
    ("a number that is none", ["--max-time", "{pw}", "{origin}/"]),
    ("another number that is none", ["--max-redirs", "{pw}", "{origin}/"]),
    ("a choice that is none", ["--web", "{pw}", "{origin}/"]),
    ("a flag with a value", ["--digest={pw}", "{origin}/"]),
    ("login with a bad URL", ["login", "http://alice:{pw}@{authority}/a b"]),
    ("login with a password for another profile", ["login", "http://alice:{pw}@{authority}/?token={pw}"]),
    ("logout with a bad URL", ["logout", "http://alice:{pw}@{authority}:x/"]),
    ("tokens with a bad URL", ["tokens", "http://alice:{pw}@{authority}/a b"]),
    ("tokens with a word too many", ["tokens", "{origin}/", "{pw}"]),
    ("cookies with a URL", ["cookies", "list", "http://alice:{pw}@{authority}/"]),
]


@attack(8, "no message repeats a secret", MISTAKES)
def mistakes(scene, words):
    server = scene.server({"*": page("in"),
                           "/digest": status(401, b"", 'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"')})

    profile = scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.otp]\n')
    filled = [word.format(pw=scene.password, origin=server.origin, authority=server.authority) for word in words]
    if filled[0] == "PROFILE":
        filled[:1] = profile
    if filled[0] not in ("login", "logout", "tokens", "cookies"):
        filled.insert(0, "-v")
    outcome = scene.httpc(*filled).hides(scene.password)
    require(outcome.code > 0, f"nothing was tested: {outcome.code} is no error")
    require(outcome.err.strip(), "the error says nothing at all")


CONFIGURATIONS = [
    ("an open string", 'password = "{pw}\nusername = "alice"'),
    ("two values", 'password = "{pw}" "x"'),
    ("the key twice", 'password = "{pw}"\npassword = "{pw}"'),
    ("a list", 'username = "alice"\npassword = ["{pw}"]'),
    ("without quotes", "username = \"alice\"\npassword = {pw}"),
    ("a wrong escape", 'username = "alice"\npassword = "{pw}\\q"'),
]


@attack(8, "no message repeats a secret of the configuration", CONFIGURATIONS)
def configurations(scene, text):
    server = scene.server({"*": status(401, b"", 'WWW-Authenticate: Basic realm="r"')})
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.basic]\n{text.replace("{pw}", scene.password)}\n')
    outcome = scene.httpc("-v", *profile, server.origin + "/")
    outcome.hides(scene.password)
    require(outcome.code > 0 and outcome.err.strip(), f"nothing was tested: ended with {outcome.code}")


LOCATIONS = [
    ("an empty label", "http://alice:{pw}@h..h/?token={pw}", 3), ("a bad port", "http://alice:{pw}@h:x/", 3),
    ("a password where the port should be", "http://h:{pw}/x", 3), ("another scheme", "ftp://alice:{pw}@h/?{pw}", 1),
    ("a backslash", "http://h\\{pw}/", 3), ("a custom scheme", "com.example.app:/cb?code={pw}", 1),
    ("a control character", "http://h/\x01?code={pw}", 3),
]


@attack(8, "no message repeats a secret of a redirect", LOCATIONS)
def locations(scene, location, code):
    server = scene.server({"*": redirect(location.format(pw=scene.password))})
    outcome = scene.httpc("-v", server.origin + "/")
    arrived(server)
    # Some control characters make it no HTTP at all.
    outcome.hides(scene.password).ends(code, 8)


# Point 13: the process list, while the server holds the request.

SHOWN = [
    ("a query", ["{origin}/?token={pw}"]), ("the second of a query", ["{origin}/?a=1&token={pw}&b=2"]),
    ("a query without a name", ["{origin}/?{pw}"]), ("a fragment", ["{origin}/#access_token={pw}"]),
    ("a query and a fragment", ["{origin}/?x={pw}#y={pw}"]), ("a query behind --", ["--", "{origin}/?token={pw}"]),
    ("a query in small and large letters", ["HTTP://{authority}/?ToKeN={pw}"]),
    ("userinfo", ["http://alice:{pw}@{authority}/basic"]),
    ("userinfo and a query", ["http://alice:{pw}@{authority}/basic?t={pw}"]),
    ("the name of userinfo", ["http://{pw}:x@{authority}/basic"]),
    ("-e", ["-e", "http://h/?{pw}", "{origin}/"]), ("-e joined", ["-ehttp://h/?{pw}", "{origin}/"]),
    ("--referer", ["--referer", "http://h/?{pw}", "{origin}/"]), ("--referer=", ["--referer=http://h/?{pw}", "{origin}/"]),
    ("-b", ["-b", "sid={pw}", "{origin}/"]), ("--cookie", ["--cookie", "sid={pw}", "{origin}/"]),
    ("--cookie=", ["--cookie=sid={pw}", "{origin}/"]), ("two -b", ["-b", "a={pw}", "-b", "b={pw}x", "{origin}/"]),
    ("-b with a mark behind =", ["-b", "sid=\u0301{pw}", "{origin}/"]),
    ("-u", ["-u", "alice:{pw}", "{origin}/basic"]), ("-u joined", ["-ualice:{pw}", "{origin}/basic"]),
    ("--user", ["--user", "alice:{pw}", "{origin}/basic"]), ("--user=", ["--user=alice:{pw}", "{origin}/basic"]),
    ("a cluster with u", ["-sSu", "alice:{pw}", "{origin}/basic"]), 
    ("-u twice", ["-u", "alice:{pw}x", "-u", "alice:{pw}", "{origin}/basic"]),
    ("-u with a mark behind the colon", ["-u", "alice:\u0301{pw}", "{origin}/basic"]),
    ("-u with a colon in the password", ["-u", "alice:a:{pw}", "{origin}/basic"]),
    ("-u with a key and no password", ["-u", "{pw}:", "{origin}/basic"]),
    ("-H", ["-H", "Authorization: Bearer {pw}", "{origin}/"]), ("-H joined", ["-HX-Key: {pw}", "{origin}/"]),
    ("--header=", ["--header=X-Key: {pw}", "{origin}/"]), ("a cluster with H", ["-sH", "X-Key: {pw}", "{origin}/"]),
    ("two -H", ["-H", "X-Key: {pw}", "-H", "X-Other: {pw}x", "{origin}/"]),
    ("-H without a space", ["-H", "X-Key:{pw}", "{origin}/"]),
    ("-d", ["-d", "token={pw}", "{origin}/"]), ("-d joined", ["-d{pw}", "{origin}/"]),
    ("--data=", ["--data=token={pw}", "{origin}/"]),
    ("--data-binary", ["--data-binary", "{pw}", "{origin}/"]), ("-G -d", ["-G", "-d", "token={pw}", "{origin}/"]),
    ("-G -d and a query", ["-G", "-d", "token={pw}", "{origin}/?key={pw}"]),
    ("--answer", ["--answer", "password={pw}", "-H", "X: {pw}", "{origin}/"]),
    ("--answer=", ["--answer=password={pw}", "-H", "X: {pw}", "{origin}/"]),
    ("everything at once", ["-u", "alice:{pw}", "-b", "a={pw}", "-e", "http://h/?{pw}", "-H", "X: {pw}", "-d", "{pw}",
                            "{origin}/basic?{pw}"]),
]


@attack(13, "the process list shows no secret", SHOWN)
def shown(scene, words):
    arrived_there, go = threading.Event(), threading.Event()

    def held(request):
        if not finds(request.raw, scene.password) and request.path == "/basic":
            return status(401, b"", 'WWW-Authenticate: Basic realm="r"')
        arrived_there.set()
        go.wait(HELD)
        return page("in")

    server = scene.server({"*": held})
    process = scene.start(*[word.format(pw=scene.password, origin=server.origin,
                                        authority=server.authority) for word in words])
    try:
        scene.until(lambda: arrived_there.is_set() or process.poll() is not None, "the request never arrived")
        if not arrived_there.is_set():
            raise Broken("nothing was tested: the request never arrived")
        listed = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
        require(b"httpc" in listed, "nothing was tested: the process list cannot be read")
        require(not finds(listed, scene.password),
                f"it shows {listed.replace(scene.password.encode(), b'SECRET').replace(bytes(1), b' ')[-120:]!r}")
        if not words[-1].endswith("#access_token={pw}"):
            require(finds(server.raw, scene.password), "nothing was tested: the secret never arrived")
    finally:
        go.set()
        scene.reap(process)


@attack(13, "the process list shows no secret of a command", [
    (command, command) for command in ("login", "logout")])
def shown_by_command(scene, command):
    arrived_there, go = threading.Event(), threading.Event()

    def held(request):
        arrived_there.set()
        go.wait(HELD)
        return status(200, '{"access_token":"t","token_type":"Bearer","refresh_token":"r"}',
                      "Content-Type: application/json")

    server = scene.server({"*": held})
    profile = scene.profile(
        f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.oauth2]\ngrant = "client-credentials"\nclient-id = "c"\n'
        f'client-secret-env = "ATTACK_SECRET"\ntoken-endpoint = "{server.origin}/token"\n'
        f'revocation-endpoint = "{server.origin}/revoke"\n')
    environment = {"ATTACK_SECRET": "s"}
    if command != "login":
        go.set()
        scene.httpc("login", *profile, environment=environment).ends(0)
        go.clear()
        arrived_there.clear()
    process = scene.start(command, *profile, f"{server.origin}/?token={scene.password}", environment=environment)
    try:
        scene.until(lambda: arrived_there.is_set() or process.poll() is not None, "the request never arrived")
        require(arrived_there.is_set(), "nothing was tested: the request never arrived")
        listed = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
        require(b"httpc" in listed, "nothing was tested: the process list cannot be read")
        require(not finds(listed, scene.password), "it shows the query")
    finally:
        go.set()
        scene.reap(process)


@attack(13, "the process list shows no secret while a shell completes a line", [
    ("as zsh cuts it", ("-u", "alice:{pw}")), ("as bash cuts it", ("-u", "alice", ":", "{pw}")),
    ("a field", ("-H", "'X-Key:", "{pw}'"))])
def shown_by_completion(scene, words):
    held = scene.folder / "held"
    os.mkfifo(held)
    typed = ["httpc", "--config", str(held), *[word.format(pw=scene.password) for word in words], "--profile", ""]
    process = scene.start("---completion", "--", "--profile", str(len(typed) - 1), "0", *typed)

    def reads():
        try:
            return os.open(held, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            require(process.poll() is None, "nothing was tested: the configuration was not read")
            return None

    descriptor = scene.until(reads, "nothing was tested: the configuration was not read")
    listed = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
    os.write(descriptor, b"[profiles.work]\n")
    os.close(descriptor)
    outcome = scene.finish(process)
    require(b"completion" in listed, "nothing was tested: the process list cannot be read")
    require(not finds(listed, scene.password), "it shows the secret")
    require(outcome.ends(0).out == b"work\n", f"nothing was tested: {outcome.out!r}")


LINKS = [("to a missing file", "missing"), ("to a missing directory", "missing/file"), ("to itself", "link"),
         ("to a missing absolute path", "/nonexistent/x")]


@attack(13, "-o never goes through or replaces a dangling link", LINKS)
def dangling(scene, target):
    server = scene.server({"*": page("body")})
    link = scene.folder / "link"
    link.symlink_to(target)
    outcome = scene.httpc("-o", str(link), server.origin + "/")
    require(link.is_symlink() and os.readlink(link) == target, "the link was replaced")
    require(not (scene.folder / "missing").exists(), "the link's target was made")
    outcome.ends(23)
    scene.httpc("-o", "plain", server.origin + "/").ends(0)
    require((scene.folder / "plain").read_text() == "body", "nothing was tested: -o writes nothing")


@attack(13, "-c never goes through or replaces a dangling link", LINKS[:3])
def dangling_cookie_file(scene, target):
    server = scene.server({"*": page("body", "Set-Cookie: a=b")})
    link = scene.folder / "link"
    link.symlink_to(target)
    outcome = scene.httpc("-c", str(link), server.origin + "/")
    require(link.is_symlink() and os.readlink(link) == target, "the link was replaced")
    require(not (scene.folder / "missing").exists(), "the link's target was made")
    outcome.ends(23)
    scene.httpc("-c", "plain", server.origin + "/").ends(0)
    require("a\tb" in (scene.folder / "plain").read_text(), "nothing was tested: -c writes nothing")


@attack(13, "-o keeps a link, its target's mode, and a target that fails")
def kept(scene):
    server = scene.server({"/": page("body"),
                           "/cut": b"HTTP/1.1 200 X\r\nContent-Length: 9\r\nConnection: close\r\n\r\ncut"})
    (scene.folder / "target").write_text("before")
    (scene.folder / "target").chmod(0o640)
    link = scene.folder / "link"
    link.symlink_to("target")
    scene.httpc("-o", str(link), server.origin + "/cut").ends(18)
    require((scene.folder / "target").read_text() == "before", "a cut body replaced the file")
    scene.httpc("-o", str(link), server.origin + "/").ends(0)
    require(link.is_symlink() and (scene.folder / "target").read_text() == "body", "the link was replaced")
    require((scene.folder / "target").stat().st_mode & 0o777 == 0o640, "the mode of the target was changed")
