"""Peers that send slowly or without an end: the limits of docs/threat-model.md, from outside."""
import threading
import time

from bench import NEXT, arrived, attack, never, require
from grants import METADATA, JSON, Tokens
from odata import metadata, root, rows
from pages import Login
from servers import HELD, PATIENCE, page, raw, status
from weblogins import Site

SPACE = b" " * (64 << 10)


def forever(begin, piece, pause):
    """An answer without an end."""
    def answer(request):
        def pieces():
            yield begin
            end = time.monotonic() + HELD
            while time.monotonic() < end:
                yield piece
                time.sleep(pause)
        return pieces()
    return answer


def html(piece, pause):
    return forever(raw(200, b"", "Content-Type: text/html", "Connection: close"), piece, pause)


def json(piece, pause):
    return forever(raw(200, b"", JSON, "Connection: close"), piece, pause)


@attack(NEXT, "a login's page without an end is given up", [
    ("a flood", b"x" * (64 << 10)), ("a flood of forms", b"<form>" * 10000)])
def flood(scene, piece):
    login = Login(scene)
    login.idp.answers["/login"] = html(piece, 0)
    outcome = login.unattended("--web", "terminal").ends(67)
    arrived(login.idp, "/login")
    require(outcome.memory < 400 << 10, f"it took {outcome.memory >> 10} MiB")
    control(scene)


@attack(NEXT, "a login's page that drips ends with --max-time", [
    ("its body", raw(200, b"", "Content-Type: text/html")), ("its head", b"HTTP/1.1 200 OK\r\nX: ")])
def drip(scene, begin):
    login = Login(scene)
    login.idp.answers["/login"] = forever(begin, b"x", 0.1)
    began = time.monotonic()
    login.unattended("--web", "terminal", "-m", "3").ends(28)
    arrived(login.idp, "/login")
    require(time.monotonic() - began < 20, "it took too long")
    control(scene)


def control(scene):
    """A login whose page ends gets in."""
    good = Login(scene)
    good.idp.answers["/login"] = page('<form method=post action="/login"><input name=user>'
                                      '<input type=password name=password><button>Log in</button></form>')
    good.unattended("--web", "terminal")
    arrived(good.idp, "/login")
    require(len(good.idp.received("/login")) > 1, "nothing was tested: an honest page got no answers either")


def behind(scene, answer):
    """A resource behind a login."""
    site = Site(scene)
    site.sp.answers["/r"] = lambda request: (
        answer(request) if site.session.encode() in request.field("cookie") else site.challenge())
    return site


@attack(NEXT, "a login is not held up by events without an end")
def endless_events(scene):
    event = b"data: 1\n\n"
    site = behind(scene, forever(raw(200, event, "Content-Type: text/event-stream", "Connection: close"), event, 0.1))
    outcome = site.run("-N", "-m", "30").ends(28)
    arrived(site.idp, "/enter", "the answers")
    require(event in outcome.out, f"the events were not printed: {outcome.says()}")


@attack(NEXT, "a login is not held up by a long resource", [
    (kind, kind) for kind in ("text/html", "text/plain", "text/csv")])
def long_resource(scene, kind):
    rows = b"<table>" + b"<tr><td>row</td></tr>\n" * 150_000
    site = behind(scene, lambda _: status(200, rows, "Content-Type: " + kind))
    outcome = site.run().ends(0)
    arrived(site.idp, "/enter", "the answers")
    require(outcome.out == rows, f"not the resource: {outcome.says()}")


@attack(NEXT, "a page of another server without an end does not end a login", [
    (kind, kind) for kind in ("text/html", "text/event-stream")])
def endless_elsewhere(scene, kind):
    site = Site(scene)
    field = f"Set-Cookie: S={site.session}; Path=/"
    site.idp.answers["/enter"] = forever(
        raw(200, b"<!doctype html>", "Content-Type: " + kind, field, "Connection: close"), b"x", 0.1)
    outcome = site.run("-m", "5").ends(28)
    arrived(site.idp, "/enter", "the answers")
    require(outcome.out == b"", "a page was printed as the resource")
    never(site.sp, site.session)


@attack(NEXT, "metadata of an issuer without an end is given up", [
    ("a flood", SPACE, 0, (), 67), ("a drip", b" ", 0.1, ("-m", "3"), 28)])
def discovery(scene, piece, pause, options, code):
    tokens = Tokens(scene, endpoints='issuer = "{idp}"')
    places = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
    tokens.idp.answers |= {place: json(piece, pause) for place in places}
    began = time.monotonic()
    outcome = tokens.get("/api/x", *options)
    arrived(tokens.idp)
    outcome.ends(code)
    require(time.monotonic() - began < 30, "it took too long")
    require(outcome.memory < 400 << 10, f"it took {outcome.memory >> 10} MiB")
    good = Tokens(scene, endpoints='issuer = "{idp}"')
    document = status(200, METADATA.format(issuer=good.idp.origin, at=good.idp.origin), JSON)
    good.idp.answers |= {place: document for place in places}
    good.get().ends(0)


@attack(NEXT, "an answer with tokens without an end is given up", [
    ("a flood", SPACE, 0, (), 67), ("a drip", b" ", 0.1, ("-m", "3"), 28)])
def tokens_answer(scene, piece, pause, options, code):
    tokens = Tokens(scene)
    tokens.idp.answers["/token"] = json(piece, pause)
    outcome = tokens.get("/api/x", *options).ends(code)
    arrived(tokens.idp, "/token")
    require(outcome.memory < 400 << 10, f"it took {outcome.memory >> 10} MiB")
    Tokens(scene).get().ends(0)


@attack(NEXT, "rows that drip end with --max-time", [("a page", b" "), ("the pages", None)])
def rows_drip(scene, piece):
    count = [0]

    def next_page(request):
        count[0] += 1
        time.sleep(0.2)
        return rows({"ID": count[0], "Name": "x"}, link=f"Rows?$skiptoken={count[0]}")
    answer = next_page if piece is None else json(b" ", 0.1)
    server = scene.server({"/s/$metadata": metadata(), "/s/Rows": answer})
    began = time.monotonic()
    scene.httpc("odata", "-m", "3", root(server), "Rows", "--all").ends(28)
    arrived(server, "/s/Rows")
    require(time.monotonic() - began < 20, "it took too long")
    good = scene.server({"/s/$metadata": metadata(), "/s/Rows": rows({"ID": 1, "Name": "x"})})
    scene.httpc("odata", "-m", "30", root(good), "Rows", "--all").ends(0)


@attack(NEXT, "a page that arrives slowly is printed as it comes", [
    (kind, kind) for kind in ("text/html", "text/plain", "text/event-stream")])
def printed_slowly(scene, kind):
    begin = raw(200, b"<p>first</p>\n", "Content-Type: " + kind, "Connection: close")
    server = scene.server({"*": forever(begin, b"<p>next</p>\n", 0.5)})
    run = scene.start("-N", "-m", "40", server.origin + "/")
    printed = scene.folder / "out-1"
    scene.until(lambda: b"<p>first</p>" in printed.read_bytes(), "the page was withheld", seconds=20)
    # Each piece comes soon after it was sent.
    count = printed.read_bytes().count(b"next")
    scene.until(lambda: printed.read_bytes().count(b"next") > count + 3, "the rest of it was withheld", seconds=20)
    scene.reap(run)


@attack(NEXT, "an error page without an end does not hold up a download that would go on", [
    (f"{code}, {name}", code, piece, pause) for code in (403, 500)
    for name, piece, pause in (("a drip", b"x", 0.1), ("a flood", SPACE, 0))])
def endless_error(scene, code, piece, pause):
    begin = raw(code, b"<p>no</p>", "Content-Type: text/html", "Connection: close")
    server = scene.server({"*": forever(begin, piece, pause)})
    began = time.monotonic()
    outcome = scene.httpc("-C", "-", "-o", "out", "-m", "40", server.origin + "/")
    arrived(server)
    require(outcome.code not in (0, 28), f"ended with {outcome.code}: {outcome.says()}")
    require(time.monotonic() - began < 25, "it took too long")
    require(outcome.memory < 400 << 10, f"it took {outcome.memory >> 10} MiB")
    require(not (scene.folder / "out").exists(), "an error page was taken for the file")


@attack(NEXT, "a resource without an answer does not hold up others with the same password", [
    ("Basic", 'WWW-Authenticate: Basic realm="r"'),
    ("Digest", 'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"')])
def silent_resource(scene, challenge):
    slow, fast = threading.Event(), threading.Event()

    def answer(request):
        if not request.field("Authorization"):
            # The password goes to the silent one first.
            if request.path == "/fast" and not slow.wait(PATIENCE):
                return None
            return status(401, b"", challenge)
        if request.path == "/slow":
            slow.set()
            return status(200, b"slow") if fast.wait(HELD) else None
        fast.set()
        return page("in")
    server = scene.server({"*": answer})
    began = time.monotonic()
    outcome = scene.httpc(
        "-Z", "-u", "alice:" + scene.password, "-m", "40", *(server.origin + path for path in ("/slow", "/fast", "/fast")))
    require(slow.is_set(), "nothing was tested: the silent resource got no password")
    outcome.ends(0)
    require(time.monotonic() - began < 25, "it took too long")
