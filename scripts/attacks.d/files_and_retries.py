"""Points 12 and 16: names of files (-J, -o), rests of files (-C with a number), retries (--retry), forms (-F) and rates
(--limit-rate), with servers that abuse them."""
import email
import hashlib
import json
import os
import pathlib
import urllib.parse

from bench import arrived, attack, require
from servers import raw, status
from transfers import directory, hard_link, link, pipe, writable


NAMED = [
    ("above", "../victim", "victim"), ("far above", "../../../../../../tmp/victim", "victim"), ("absolute", "/etc/victim", "victim"),
    ("of Windows", "..\\\\victim", "victim"), ("hidden", ".bashrc", "_bashrc"), ("an option", "-rf", "_rf"),
    ("escapes", "a\x1b[2Jb", "a_[2Jb"), ("a bell and a new line", "a\x07\tb", "a_"), ("a long one", "x" * 5000, "x" * 200),
    ("a home directory", "~root", "_root"), ("one's own home directory", "~", "_"),
    ("of a download's record", "x.resume", "x_resume"), ("of a partial file", "x.1.PART", "x.1_PART"),
]


@attack(16, "a server's name for a file is a name (-J)", [
    (f"{title}, {kind}", name, kept, kind) for title, name, kept in NAMED for kind in ("quoted", "extended")])
def named(scene, name, kept, kind):
    value = f'filename="{name}"' if kind == "quoted" else "filename*=UTF-8''" + urllib.parse.quote(name.replace("\\\\", "\\"), safe="")
    server = scene.server({"*": status(200, b"body", f"Content-Disposition: attachment; {value}")})
    (scene.folder / "in").mkdir()
    before = {path for path in scene.folder.rglob("*")}
    outcome = scene.httpc("-OJ", "--output-dir", str(scene.folder / "in"), server.origin + "/x")
    arrived(server)
    require(b"\x1b" not in outcome.err and b"\x07" not in outcome.err, "the name acts on the terminal")
    new = [path for path in scene.folder.rglob("*") if path not in before and path.name not in ("out-1", "err-1")]
    require(all(path.parent == scene.folder / "in" and not path.name.startswith((".", "-", "~")) for path in new),
            f"it wrote {[str(path) for path in new]}")
    if outcome.code == 0:
        require([path.name for path in new] == [kept] or kept == "a_" and new[0].name.startswith(kept), f"it wrote {new[0].name}")
    else:
        # Such bytes are not a field.
        outcome.ends(8)
        require(not new, "something is left")


# Names that a library may rewrite: to a home directory, or to nothing. The file has a name that no home has.
REWRITTEN = ("~", "~root", "link/..")


def rewritten(scene, folder):
    """The path of a file, the file that the system finds there, and the file that the path must not lead to."""
    (scene.folder / "real" / "sub").mkdir(parents=True)
    (scene.folder / "link").symlink_to("real/sub")
    place = scene.folder / folder.replace("link/..", "real")
    place.mkdir(exist_ok=True)
    name = scene.folder.name
    return f"{folder}/{name}", place / name, pathlib.Path(scene.file(name, scene.password))


@attack(16, "a path that leads to another file is not sent from there", [
    (f"{folder}, {option}", folder, option, value) for folder in REWRITTEN
    for option, value in (("-T", "PATH"), ("-F", "x=@PATH"), ("--data-binary", "@PATH"))])
def sent_from(scene, folder, option, value):
    right = b"right" * 2000
    path, place, _ = rewritten(scene, folder)
    place.write_bytes(right)
    server = scene.server({"*": status(200)})
    scene.httpc(option, value.replace("PATH", path), server.origin + "/x").ends(0)
    body = arrived(server).body
    require(scene.password.encode() not in body, "the other file was sent")
    require(right in body, "the file was not sent")


@attack(16, "a path that leads to another file is not written there", [
    (f"{folder}, {option}", folder, option) for folder in REWRITTEN for option in ("-o", "-D", "-c", "--har", "--trace")])
def written_to(scene, folder, option):
    path, place, other = rewritten(scene, folder)
    server = scene.server({"*": status(200, b"body", "Set-Cookie: a=b")})
    scene.httpc(option, path, server.origin + "/x").ends(0)
    arrived(server)
    require(other.read_text() == scene.password, "the other file was replaced")
    require(place.exists() and place.stat().st_size > 0, "the file was not written")


@attack(16, "a server's name replaces nothing", [
    (change.__name__, change) for change in (link, hard_link, writable, pipe, directory)])
def unreplaced(scene, change):
    path = pathlib.Path(scene.file("mine", "mine"))
    change(path, scene.folder)
    server = scene.server({"*": status(200, b"theirs", "Content-Disposition: attachment; filename=mine")})
    scene.httpc("-OJ", server.origin + "/x").ends(23)
    arrived(server)
    for kept in (path, scene.folder / "victim"):
        require(not kept.is_file() or kept.read_bytes() == b"mine", "it was replaced")


@attack(16, "bytes of another server are not continued (-C -)", [("its names (-OJ)", True), ("its URLs (-O)", False)])
def begun(scene, by_field):
    """A record and a partial file of a good server's file, saved from another server."""
    whole, begin = b"good" * 500, b"#!/bin/sh\necho evil\nexit\n"

    def answer(request):
        span = request.field("Range")
        if not span:
            return status(200, whole, 'ETag: "v1"')
        start = int(span.split(b"=")[1].split(b"-")[0])
        return status(206, whole[start:], 'ETag: "v1"', f"Content-Range: bytes {start}-{len(whole) - 1}/{len(whole)}")
    good = scene.server({"*": answer})
    url = good.origin + "/big.sh"
    record = json.dumps({"format": "HttpConversation download 1", "resource": url, "entityTag": '"v1"', "total": len(whole),
                         "fingerprint": hashlib.sha256(url.encode()).hexdigest(), "part": "big.sh.x.part"}).encode()
    planted = {"big.sh.resume": record, "big.sh.x.part": begin}
    field = "Content-Disposition: attachment; filename="
    evil = scene.server({("/" if by_field else f"/{n}/") + (str(n) if by_field else name): status(
        200, body, *([field + name] if by_field else [])) for n, (name, body) in enumerate(planted.items())})
    scene.httpc("--remote-name-all", *(["-J"] if by_field else []), *(evil.origin + path for path in evil.answers)).ends(0)
    saved = {path.read_bytes() for path in scene.folder.iterdir() if path.name.startswith("big.sh")}
    require(saved == set(planted.values()), "nothing was tested: the files were not saved")
    scene.httpc("-C", "-", "-O", url)
    arrived(good)
    require((scene.folder / "big.sh").read_bytes() == whole, "the file begins with the other server's bytes")


@attack(16, "Retry-After that nobody waits for", [
    ("years", "99999999"), ("no number has it", "9" * 40), ("a date", "Fri, 31 Dec 9999 23:59:59 GMT"),
    ("eleven minutes", "660")])
def retry_after(scene, value):
    server = scene.server({"*": status(503, b"busy", f"Retry-After: {value}")})
    outcome = scene.httpc("-f", "--retry", "5", server.origin + "/").ends(22)
    require(len(server.received("/")) == 1 and b"left alone" in outcome.err, "it did not give up, or does not say why")


@attack(16, "Retry-After that says nothing", [
    (repr(value), value) for value in ("-1", "soon", "", "0x0", "1e9", "0, 99999", "\u0661")])
def retry_after_garbage(scene, value):
    server = scene.server({"*": status(503, b"busy", f"Retry-After: {value}")})
    scene.httpc("-f", "--retry", "1", "--retry-delay", "0.1", server.origin + "/").ends(22)
    require(len(server.received("/")) == 2, "it was not tried again")


@attack(16, "a try too many is no login too many")
def retried_login(scene):
    """The server is busy as soon as it has seen the password, and refuses it later."""
    seen = []

    def answer(request):
        if not request.field("Authorization"):
            return status(401, b"", 'WWW-Authenticate: Basic realm="r"')
        seen.append(request)
        return status(503, b"", "Retry-After: 0") if len(seen) == 1 else status(401, b"", 'WWW-Authenticate: Basic realm="r"')
    server = scene.server({"*": answer})
    scene.httpc("-f", "--retry", "5", "--retry-delay", "0", "-u", f"alice:{scene.password}", server.origin + "/").ends(22)
    require(len(seen) == 2, f"the password was sent {len(seen)} times")


@attack(16, "what was posted is not posted again", [
    (f"{title}, {kind}", answer, options)
    for title, answer in (("503", status(503, b"", "Retry-After: 0")), ("cut", None), ("half a head", b"HTTP/1.1 503 Busy\r\nConnection: close\r\nX"))
    for kind, options in (("-d", ["-d", "x"]), ("-F", ["-F", "a=b"]), ("-X PATCH", ["-X", "PATCH", "-d", "x"]))])
def posted_once(scene, answer, options):
    server = scene.server({"*": lambda request: answer})
    scene.httpc("-f", "--retry", "3", "--retry-delay", "0", *options, server.origin + "/")
    require(len(server.received("/")) == 1, f"it was sent {len(server.received('/'))} times")


@attack(16, "names in a form make no parts and no fields", [
    (repr(name), name) for name in ('a"; x', "a\r\nX: y", "a\r\n\r\n--", 'a"\u0301; b', "a\nb", "\x1b[2J")])
def form_names(scene, name):
    scene.file("up", b"content")
    server = scene.server({"*": status(200)})
    outcome = scene.httpc("-F", f"{name}=v", "-F", f'f=@up;filename="{name.replace(chr(34), chr(92) + chr(34))}"', server.origin + "/")
    if "\x1b" in name:
        outcome.ends(2)
        require(not server.received() and b"\x1b" not in outcome.err, "it was sent, or shown")
        return
    outcome.ends(0)
    request = arrived(server)
    message = email.message_from_bytes(b"Content-Type: " + request.field("Content-Type") + b"\r\n\r\n" + request.body)
    parts = message.get_payload()
    require(len(parts) == 2 and not any("X" in part for part in parts), f"{len(parts)} parts, or one with another field")
    shown = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A").encode()
    require(b'name="' + shown + b'"\r\n' in request.body, "the name is not what browsers make of it")
    require(request.body.count(b'name="') == 3, "a name has ended its quotes")


@attack(16, "a file whose size is not that of its bytes is sent whole", [
    (f"{path}, {option}", path, option)
    for path, option in [
        ("/proc/version", "--data-binary"), ("/proc/version", "-T"), ("/proc/version", "-F"),
        ("/sys/devices/system/cpu/possible", "--data-binary")]])
def bytes_without_a_size(scene, path, option):
    content = pathlib.Path(path).read_bytes()
    require(content and pathlib.Path(path).stat().st_size != len(content), "nothing was tested: it has its size")
    server = scene.server({"*": status(200)})
    value = {"-T": path, "-F": f"f=@{path}"}.get(option, f"@{path}")
    scene.httpc("--expect100-timeout", "0.2", option, value, server.origin + "/").ends(0)
    body = arrived(server).body
    if option == "-F":
        require(b"\r\n\r\n" + content + b"\r\n--" in body and body.endswith(b"--\r\n"), f"the form is {body}")
    else:
        require(body == content, f"the body is {body}")


@attack(16, "a body without an end, at a rate", [("down", "-o"), ("printed", None)])
def endless_at_a_rate(scene, option):
    body = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"10000\r\n" + bytes(65536) + b"\r\n"
    server = scene.server({"*": lambda request: body + (b"10000\r\n" + bytes(65536) + b"\r\n") * 2000})
    outcome = scene.httpc(
        "--limit-rate", "100K", "-m", "2", *(["-o", "out"] if option else []), server.origin + "/").ends(28)
    require(outcome.memory < 120 << 10, f"{outcome.memory} KiB were in use")
    require(len(outcome.out) < 600 << 10 and not (scene.folder / "out").exists(), "it came faster than that")


@attack(16, "a server that never wants the body")
def never_continues(scene):
    scene.file("big", bytes(2 << 20))
    server = scene.server({"*": status(200)})
    scene.httpc("--expect100-timeout", "0.2", "-F", "a=@big", server.origin + "/").ends(0)
    require(arrived(server).field("Expect") == b"100-continue", "nothing was tested: it did not ask")
    require(len(arrived(server).body) > 2 << 20, "half of it came")


@attack(16, "names of files in a bar act on no terminal", [("a URL's", False), ("a server's", True)])
def bar_names(scene, by_server):
    name = "a\u202e\u009b2Jfdp.exe"
    fields = ["Content-Disposition: attachment; filename*=UTF-8''" + urllib.parse.quote(name)] if by_server else []
    server = scene.server({"*": status(200, bytes(60_000), *fields)})
    url = server.origin + "/" + ("x" if by_server else urllib.parse.quote(name))
    terminal = scene.terminal(
        "--limit-rate", "30K", *(["-OJ"] if by_server else ["-o", name]), url, environment={"LC_ALL": "C.UTF-8"})
    require(terminal.end() == 0, f"it failed: {terminal.tail()}")
    shown = terminal.shown.decode()
    require(" in 0:0" in shown, f"nothing was tested: no bar was there: {terminal.tail()}")
    require("\u202e" not in shown and "\u009b" not in shown, "a control character was shown")


# Answers that are not successful, and an existing file.

PAGE = b"<html>an error page</html>"


@attack(15, "what a refused login or -f leaves of a good file", [
    (f"{code}, {' '.join(options)}", code, options, login, exit_code)
    for code, options, login, exit_code in [
        (401, ["-f", "-u", "alice:PASSWORD"], True, 22), (401, ["-f"], False, 22), (404, ["-f"], False, 22), (500, ["-f"], False, 22),
        (403, ["-f", "-C", "-"], False, 22), (503, ["-C", "-"], False, 22), (401, ["-C", "-", "-u", "alice:PASSWORD"], True, 22)]])
def error_page_and_file(scene, code, options, login, exit_code):
    options = [word.replace("PASSWORD", scene.password) for word in options]
    challenge = ['WWW-Authenticate: Basic realm="r"'] if code == 401 else []
    server = scene.server({"/good": status(200, b"new"), "*": status(code, PAGE, *challenge)})
    if "-C" not in options:
        scene.file("out", "good")
    scene.httpc(*options, "-o", "out", server.origin + "/").ends(exit_code)
    require(not login or any(request.field("Authorization") for request in server.received("/")),
            "nothing was tested: no password was sent")
    left = (scene.folder / "out").read_bytes() if (scene.folder / "out").exists() else None
    require(left == (None if "-C" in options else b"good"), f"the file has {left}")
    # An honest answer takes its place.
    scene.httpc(*options, "-o", "out", server.origin + "/good").ends(0)
    require((scene.folder / "out").read_bytes() == b"new", "nothing was tested: it writes nothing at all")


@attack(15, "a 304 empties no file", [(" ".join(options), options) for options in (["-o", "out"], ["-O"], ["-OJ", "--clobber"])])
def not_modified(scene, options):
    scene.file("out", "good")
    server = scene.server({"*": raw(304, b"", 'ETag: "a"')})
    arguments = [*options, "-H", 'If-None-Match: "a"', server.origin + "/out"]
    scene.httpc(*arguments).ends(0)
    arrived(server)
    require((scene.folder / "out").read_bytes() == b"good", "it was emptied")
    # Another answer without a body takes its place.
    server.answers["*"] = raw(204, b"")
    scene.httpc(*arguments).ends(0)
    require((scene.folder / "out").read_bytes() == b"", "nothing was tested: it writes nothing at all")


# -C with a number

REST = b"0123456789"
WRONG_RESTS = [
    ("the whole", status(200, REST * 10)), ("another beginning", status(206, REST, "Content-Range: bytes 80-89/100")),
    ("no range named", status(206, REST)), ("two ranges named", status(206, REST, "Content-Range: bytes 90-99/100", "Content-Range: bytes 0-9/100")),
    ("a range of another unit", status(206, REST, "Content-Range: lines 90-99/100")),
    ("a number too large", status(206, REST, f"Content-Range: bytes {2 ** 64 + 90}-{2 ** 64 + 99}/*")),
    ("packed", status(206, REST, "Content-Range: bytes 90-99/100", "Content-Encoding: br")),
    ("an error", status(500, b"an error's page")), ("an error with a range", status(404, REST, "Content-Range: bytes 90-99/100")),
    ("several parts", status(206, b"--b\r\n\r\nx\r\n--b--\r\n", "Content-Type: multipart/byteranges; boundary=b")),
]


@attack(12, "what is no rest is not appended", WRONG_RESTS)
def wrong_rest(scene, answer):
    file = scene.file("mine", "mine")
    server = scene.server({"/good": status(206, REST, "Content-Range: bytes 90-99/100"), "*": answer})
    scene.httpc("-C", "90", "-o", file, server.origin + "/").ends(33)
    require(arrived(server, "/").field("Range") == b"bytes=90-", "nothing was tested: no rest was asked for")
    require(open(file, "rb").read() == b"mine", "the file was changed")
    scene.httpc("-C", "90", "-o", file, server.origin + "/good").ends(0)
    require(open(file, "rb").read() == b"mine" + REST, "nothing was tested: an honest rest is not appended")


@attack(12, "a rest goes through no link that leads nowhere")
def rest_at_link(scene):
    target = scene.folder / "elsewhere"
    os.symlink(target, scene.folder / "link")
    server = scene.server({"*": status(206, REST, "Content-Range: bytes 90-99/100")})
    scene.httpc("-C", "90", "-o", str(scene.folder / "link"), server.origin + "/").ends(23)
    require(not target.exists(), "it wrote where the link leads")
    target.write_bytes(b"")
    scene.httpc("-C", "90", "-o", str(scene.folder / "link"), server.origin + "/").ends(0)
    require(target.read_bytes() == REST, "nothing was tested: no link is followed at all")


# -J with -o

@attack(12, "with -o no name of a server's counts", [
    ("a path", "../../evil"), ("another file", "victim"), ("the vault", "state/httpc/p/vault.key"), ("an option", "-rf"),
    ("an escape", "\\\x1b]0;x\x07"), ("the name of the next", "second")])
def name_beside_name(scene, name):
    named = status(200, b"theirs", f'Content-Disposition: attachment; filename="{name}"')
    # A head with a control character in a field is not an HTTP answer.
    server = scene.server({"/honest": status(200, b"ours", "Content-Disposition: attachment; filename=good"), "*": named})
    scene.file("victim", "mine")
    before = set(scene.folder.rglob("*"))
    scene.httpc("-J", "-o", str(scene.folder / "first"), server.origin + "/x").ends(0, 8)
    arrived(server, "/x")
    new = {path.name for path in set(scene.folder.rglob("*")) - before}
    require(new <= {"first", "out-1", "err-1"}, f"it wrote {new}")
    require((scene.folder / "victim").read_bytes() == b"mine", "it replaced a file")
    (scene.folder / "in").mkdir()
    scene.httpc("-OJ", "--output-dir", str(scene.folder / "in"), server.origin + "/honest").ends(0)
    require((scene.folder / "in" / "good").read_bytes() == b"ours", "nothing was tested: no server's name is ever taken")
