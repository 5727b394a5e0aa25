"""What a hostile OData service does to `httpc odata`: links that lead elsewhere, values that steer terminals, no end."""
import json
import re
import threading

from bench import NEXT, arrived, attack, never, require
from servers import status

MIB = 1 << 20
JSON = "Content-Type: application/json;odata.metadata=minimal"
XML = "Content-Type: application/xml"

MODEL = """<?xml version="1.0"?><edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
<edmx:DataServices><Schema Namespace="N" xmlns="http://docs.oasis-open.org/odata/ns/edm"><EntityType Name="Row">
<Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.Int32" Nullable="false"/>
<Property Name="Name" Type="Edm.String"/></EntityType><EntityContainer Name="C">
<EntitySet Name="Rows" EntityType="N.Row"/></EntityContainer></Schema></edmx:DataServices></edmx:Edmx>"""


def metadata(text=MODEL):
    return status(200, text.encode(), XML)


def rows(*values, link=None):
    page = {"@odata.context": "$metadata#Rows", "value": list(values)}
    if link:
        page["@odata.nextLink"] = link
    return status(200, json.dumps(page).encode(), JSON)


def service(scene, answers, model=None):
    return scene.server({"/s/$metadata": model or metadata(), "/s/Rows": answers})


def root(server):
    return server.origin + "/s/"


def bounded(outcome):
    require(outcome.cpu < 5, f"it took {outcome.cpu:.1f} s of CPU")
    require(outcome.memory < 400 << 10, f"it took {outcome.memory >> 10} MiB")


LINKS = [
    ("another origin", "{other}/s/Rows?$skiptoken=1"), ("another origin without a scheme", "//{host}/s/Rows"),
    ("userinfo that looks like the host", "http://{own}@{host}/s/Rows"), ("another path", "/outside/Rows"),
    ("a path with dots", "Rows/../../outside/Rows"), ("encoded dots", "Rows/%2e%2e/%2e%2e/outside/Rows"),
    ("a backslash", "http://{own}\\@{host}/s/Rows"), ("a file", "file:///etc/passwd"), ("a script", "javascript:alert(1)"),
]


@attack(NEXT, "the next page's link leads out of the service", LINKS)
def link(scene, template):
    other = scene.server({"*": rows({"ID": 2, "Name": "stolen"})})
    server = scene.server({})
    text = template.format(other=other.origin, host=other.origin[7:], own=server.origin[7:])
    server.answers.update({"/s/$metadata": metadata(), "/s/Rows": rows({"ID": 1, "Name": "own"}, link=text),
                           "*": rows({"ID": 3, "Name": "outside"})})
    outcome = scene.httpc("odata", "-u", "alice:" + scene.password, root(server), "Rows", "--all")
    arrived(server, "/s/Rows")
    never(other, scene.password)
    require(not other.received(), "the other origin was asked")
    require(not server.received("/outside/Rows"), "another path was asked")
    require(outcome.code not in (0,), "it ended as if all rows had come")
    require(b'"own"' in outcome.out, "the rows that came are missing")
    outcome.hides(scene.password)


@attack(NEXT, "pages without an end", [
    ("to itself", lambda number: "Rows"), ("in a circle", lambda number: f"Rows?$skiptoken={number % 3}"),
    ("always a new one, empty", lambda number: f"Rows?$skiptoken={number}")])
def pages(scene, make):
    turn = iter(range(1, 1 << 30))
    lock = threading.Lock()

    def answer(request):
        with lock:
            return rows(link=make(next(turn)))
    base = scene.httpc("odata", root(service(scene, rows({"ID": 1}))), "Rows").ends(0)
    server = service(scene, answer)
    outcome = scene.httpc("odata", root(server), "Rows", "--all", timeout=180).ends(47, 63, 8)
    require(len(server.received("/s/Rows")) <= 10_001, "it never stopped asking")
    require(outcome.memory - base.memory < 32 * 1024, "the pages stayed in memory")


ESCAPES = [
    ("ESC", "\x1b]0;owned\x07\x1b[2J"), ("C1", "\x9b31m\x9d0;x\x9c"), ("line ends", "a\r\nb\nc\x0b\x0c"),
    ("direction", "\u202etxt.exe\u2066"), ("delete", "a\x7f\x08b"),
]
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@attack(NEXT, "values and names steer no terminal", [
    (f"{name} in {place}", text, place) for name, text in ESCAPES for place in ("a value", "a name", "an error", "a tag")])
def escapes(scene, text, place):
    row = {"ID": 1, "Name": "x" + text if place == "a value" else "x"}
    if place == "a name":
        row["n" + text] = 1
    if place == "a tag":
        row["@odata.etag"] = 'W/"' + text + '"'
    answer = rows(row)
    if place == "an error":
        error = {"error": {"code": "c" + text, "message": "m" + text, "details": [{"code": "d", "message": text}]}}
        answer = status(400, json.dumps(error).encode(), JSON)
    server = service(scene, answer)
    plain = service(scene, rows({"ID": 1, "Name": "y"}))
    for arguments in ([], ["--json"]):
        for target in (server, plain):
            terminal = scene.terminal("odata", root(target), "Rows", *arguments)
            terminal.end()
            shown = terminal.shown.decode(errors="replace").replace("\r\n", "\n")
            # What httpc itself writes, such as bold text, is there without the attack, too.
            own = re.sub("\x1b\\[[0-9;]*m", "", shown)
            require(not STEERING.search(own.replace("\x1b[?25h", "").replace("\n", "")),
                    f"the terminal got {STEERING.search(own.replace(chr(10), ''))!r}")
    arrived(server, "/s/Rows")


@attack(NEXT, "names of the model steer no terminal")
def model(scene):
    server = scene.server({"/s/$metadata": metadata(MODEL.replace('"Rows"', '"Rows&#x9B;31m&#x202E;"'))})
    for arguments in (["--metadata"], ["--metadata", "--json"], []):
        terminal = scene.terminal("odata", root(server), *arguments)
        terminal.end()
        require(not re.search("\x9b|\u202e", terminal.shown.decode(errors="replace")), "the terminal got them")
    arrived(server, "/s/$metadata")


DEEP = 200_000
HUGE = [
    ("objects in objects", lambda: b'{"value":[' + b'{"P":' * DEEP + b"{}" + b"}" * DEEP + b"]}"),
    ("lists in lists", lambda: b'{"value":' + b"[" * DEEP + b"]" * DEEP + b"}"),
    ("a row of 8 MiB", lambda: b'{"value":[{"Name":"' + b"x" * (8 * MIB) + b'"}]}'),
    ("a number of 8 MiB", lambda: b'{"value":[{"ID":' + b"1" * (8 * MIB) + b"}]}"),
    ("a number with a huge exponent", b'{"value":[{"ID":1e999999999}]}'),
    ("many names", lambda: b'{"value":[{' + b",".join(b'"n%d":1' % n for n in range(300_000)) + b"}]}"),
    ("half a surrogate", b'{"value":[{"Name":"\\ud800"}]}'), ("no UTF-8", b'{"value":[{"Name":"\xff\xfe"}]}'),
    ("two documents", b'{"value":[]}{"value":[]}'), ("no document", b""), ("a list", b"[1,2,3]"),
    ("a page", b"<html><body>log in</body></html>"),
]


@attack(NEXT, "a page that is too much, or none", HUGE)
def huge(scene, body):
    body = body() if callable(body) else body
    server = service(scene, status(200, body, JSON))
    outcome = scene.httpc("odata", root(server), "Rows")
    arrived(server, "/s/Rows")
    require(outcome.code in (0, 8, 63), f"ended with {outcome.code}: {outcome.says()}")
    bounded(outcome)


LAUGHS = '<!DOCTYPE x [<!ENTITY a0 "ha">' + "".join(
    f'<!ENTITY a{n} "' + f"&a{n - 1};" * 10 + '">' for n in range(1, 12)) + "]>"
MODELS = [
    ("entities that grow", MODEL.replace("?>", "?>" + LAUGHS, 1).replace('"Row"', '"Row&a11;"', 1)),
    ("an entity of a file", MODEL.replace("?>", '?><!DOCTYPE x [<!ENTITY f SYSTEM "{file}">]>', 1)
     .replace("<EntityContainer", "<Annotation>&f;</Annotation><EntityContainer", 1)),
    ("a document type elsewhere", MODEL.replace("?>", '?><!DOCTYPE x SYSTEM "{other}/x.dtd">', 1)),
    ("types that derive from each other", MODEL.replace('Name="Row">', 'Name="Row" BaseType="N.Row">', 1)),
    ("a tag of 300,000 attributes", MODEL.replace('Name="Row">', 'Name="Row" ' + "".join(
        f'a{n}="" ' for n in range(300_000)) + ">", 1)),
    ("elements in elements", "<a>" * 100_000 + "</a>" * 100_000),
    ("40 MiB", "{long}"),
    ("no XML", "{}"), ("nothing", ""),
]


@attack(NEXT, "a model that does harm", MODELS)
def hostile(scene, text):
    other = scene.server({"*": status(200, b"")})
    secret = scene.file("secret", "canary-" + scene.password)
    is_long = text == "{long}"
    text = MODEL.replace("<Key>", "<!--" + "x" * (40 * MIB) + "--><Key>") if is_long else text
    text = text.replace("{other}", other.origin).replace("{file}", "file://" + secret)
    server = service(scene, rows({"ID": 1}), metadata(text))
    outcome = scene.httpc("odata", root(server), "--metadata", "--json")
    arrived(server, "/s/$metadata")
    outcome.hides("canary-" + scene.password)
    require(not other.received(), "it asked another server")
    require(outcome.code in (0, 8, 63), f"ended with {outcome.code}: {outcome.says()}")
    bounded(outcome)


@attack(NEXT, "a filter of the person's stays one option", [
    ("an ampersand", "Name eq 'a&$top=1'"), ("a hash", "Name eq 'a#b'"), ("percent", "Name eq '100 %26'"),
    ("a line end", "Name eq 'a\r\nX: y'")])
def injected(scene, text):
    server = service(scene, rows({"ID": 1}))
    scene.httpc("odata", root(server), "Rows", "--filter", text)
    request = arrived(server, "/s/Rows")
    require(b"\r\nX: y" not in request.raw, "a header field was injected")
    require(request.target.count("&") == 0 and "#" not in request.target, f"sent {request.target}")


@attack(NEXT, "a login's page on the way gets no password", [("page", b"<html>log in</html>"), ("empty", b"")])
def captive(scene, body):
    server = scene.server({"*": status(200, body, "Content-Type: text/html")})
    outcome = scene.httpc("odata", "-u", "alice:" + scene.password, root(server), "Rows")
    arrived(server)
    never(server, scene.password)
    require(outcome.code != 0, "it ended as if there were no rows")
