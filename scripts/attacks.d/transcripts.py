"""Files of --har and --trace: where somebody else has a hand in their place, and what servers would like to have in them."""
import html.parser
import json
import os
import pathlib
import stat

from bench import NEXT, arrived, attack, require
from servers import redirect, status
from transfers import hard_link, link

MARKUP = "</b></td><script>alert(1)</script><img src=x onerror=alert(1)>\"'<!--"
KINDS = [("a HAR", "--har"), ("a page", "--trace")]


class Elements(html.parser.HTMLParser):
    """The elements of a page."""

    def __init__(self, text):
        super().__init__()
        self.names, self.attributes, self.text = set(), set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_data(self, data):
        self.text += data


def whole(path, option):
    """The text of a file, after checks that only its owner can read it and that it is complete."""
    require(stat.S_IMODE(path.stat().st_mode) == 0o600, f"others may read it: {path.stat().st_mode:o}")
    text = path.read_text()
    if option == "--har":
        require(json.loads(text)["log"]["version"] == "1.2", "it is no HAR")
    else:
        require(text.rstrip().endswith("</html>"), "half a page is in place of the whole")
    return text


@attack(NEXT, "what servers say in a transcript is text", [
    (f"{title}, {place}", option, place) for title, option in KINDS for place in ("realm", "field", "cookie", "path", "location")])
def markup(scene, option, place):
    answer = {
        "realm": lambda: status(401, b"", 'WWW-Authenticate: Basic realm="' + MARKUP.replace('"', '\\"') + '"'),
        "field": lambda: status(200, b"", "Server: " + MARKUP), "cookie": lambda: status(200, b"", f"Set-Cookie: {MARKUP}=1"),
        "path": lambda: status(200), "location": lambda: redirect("/" + MARKUP),
    }[place]()
    server = scene.server({"*": answer})
    path = "/" + ("".join(f"%{byte:02x}" for byte in MARKUP.encode()) if place == "path" else "x")
    scene.httpc("-u", "alice:x", "--max-redirs", "3", option, "kept", server.origin + path)
    arrived(server)
    text = whole(scene.folder / "kept", option)
    if option == "--trace":
        page = Elements(text)
        require(not page.names & {"script", "img", "a", "iframe", "svg", "link", "base"}, f"it has {page.names}")
        require(not {name for name in page.attributes if name.startswith("on") or name in ("src", "href")}, f"it has {page.attributes}")
        require("default-src 'none'" in text.replace("&#39;", "'"), "it has no policy")


@attack(NEXT, "a transcript's place that somebody else had a hand in", [
    (f"{title}, {change.__name__}", option, change) for title, option in KINDS for change in (link, hard_link)])
def place(scene, option, change):
    path = pathlib.Path(scene.file("kept", "mine", 0o644))
    change(path, scene.folder)
    server = scene.server({"*": status(200, b"body")})
    scene.httpc(option, "kept", server.origin + "/").ends(0)
    if change is link:
        require(path.is_symlink(), "the link was replaced")
        whole(scene.folder / "victim", option)
    else:
        whole(path, option)
        require((scene.folder / "victim").read_bytes() == b"mine", "another name of the file was written to")


@attack(NEXT, "a link that leads nowhere is no place for a transcript", KINDS)
def dangling(scene, option):
    (scene.folder / "kept").symlink_to(scene.folder / "elsewhere")
    server = scene.server({"*": status(200, b"body")})
    scene.httpc(option, "kept", server.origin + "/").ends(23)
    arrived(server)
    require(not (scene.folder / "elsewhere").exists(), "it was followed")


@attack(NEXT, "a folder that is none, or is closed", [
    (f"{title}, {name}", option, name) for title, option in KINDS for name in ("missing/kept", "/proc/kept", ".")])
def folder(scene, option, name):
    server = scene.server({"*": status(404, b"no")})
    before = set(scene.folder.iterdir())
    scene.httpc("-f", option, name, server.origin + "/").ends(22)
    arrived(server)
    scene.httpc(option, name, server.origin + "/").ends(23)
    new = {path.name for path in set(scene.folder.iterdir()) - before if not path.name.startswith(("out-", "err-"))}
    require(not new, f"it left {new}")


@attack(NEXT, "a transcript that does not fit on the disk", KINDS)
def full(scene, option):
    path = pathlib.Path(scene.file("kept", "mine"))
    server = scene.server({"*": status(200, b"x")})
    scene.httpc(option, "kept", server.origin + "/", fsize=1000).ends(23)
    arrived(server)
    require(path.read_bytes() == b"mine", "half a transcript is in place of the whole")
    require(not list(scene.folder.glob("kept.*")), "something is left")


@attack(NEXT, "standard output is for bodies", [
    (f"{title}, {name}", option, name) for title, option in KINDS for name in ("-",)])
def output(scene, option, name):
    server = scene.server({"*": status(200, b"body")})
    scene.httpc(option, name, server.origin + "/").ends(2)
    require(not server.requests, "the request was sent all the same")


@attack(NEXT, "one file for two transcripts")
def same(scene):
    server = scene.server({"*": status(200, b"body")})
    scene.httpc("--har", "kept", "--trace", "kept", server.origin + "/").ends(2)
    require(not server.requests and not (scene.folder / "kept").exists(), "one was written over the other")


@attack(NEXT, "a redirect without end has a transcript that ends", KINDS)
def endless(scene, option):
    """Fields of 60 kB at each of 300 hops."""
    fields = [f"X-{number}: {'a' * 200}" for number in range(90)] + ["Server: " + "\x01" * 0 + "b" * 30_000]
    server = scene.server({"*": lambda request: redirect(f"/{len(request.path)}{request.path[:3]}/{os.urandom(4).hex()}", *fields)})
    outcome = scene.httpc("--max-redirs", "300", option, "kept", server.origin + "/", timeout=60).ends(47)
    text = whole(scene.folder / "kept", option)
    require(len(text) < 40_000_000, f"it has {len(text)} bytes")
    require(outcome.memory < 400_000, f"it took {outcome.memory} KiB")
    require(len(server.requests) > 200, "nothing was tested")


@attack(NEXT, "a transcript of what failed, and of what was interrupted", KINDS)
def failed(scene, option):
    server = scene.server({"*": lambda request: None})
    scene.httpc("--retry", "0", option, "kept", server.origin + "/").ends(52, 55, 56)
    whole(scene.folder / "kept", option)
    (scene.folder / "kept").unlink()
    held = scene.server({"*": lambda request: scene.until(lambda: False, "held", 20)})
    outcome = scene.httpc("-m", "1", option, "kept", held.origin + "/").ends(28)
    require(outcome, "")
    whole(scene.folder / "kept", option)
