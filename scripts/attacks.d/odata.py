"""A hostile OData service against `httpc odata`: links that lead elsewhere, values that steer terminals, no end."""
import gzip
import json
import re
import resource
import threading

from bench import NEXT, arrived, attack, finds, never, require
from servers import redirect, status

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
    require(b"trustedOrigins" not in outcome.err, "the error names a setting that only the library has")
    outcome.hides(scene.password)


@attack(NEXT, "what a page's link is relative to leads out of the service", [
    ("the context", lambda other: status(200, json.dumps({
        "@odata.context": other + "/s/$metadata#Rows", "value": [{"ID": 1}], "@odata.nextLink": "Rows?s=1"}).encode(), JSON)),
    ("the context, without a scheme", lambda other: status(200, json.dumps({
        "@odata.context": other[5:] + "/s/$metadata#Rows", "value": [{"ID": 1}], "@odata.nextLink": "Rows?s=1"}).encode(), JSON)),
    ("the base of a feed", lambda other: status(200, (
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="{other}/s/"><link rel="next" href="Rows?s=1"/></feed>'
    ).encode(), "Content-Type: application/atom+xml"))])
def base(scene, make):
    other = scene.server({"*": rows({"ID": 2, "Name": "stolen"})})
    server = service(scene, lambda request: rows({"ID": 3}) if request.query else make(other.origin))
    outcome = scene.httpc("odata", "-u", "alice:" + scene.password, root(server), "Rows", "--all")
    arrived(server, "/s/Rows")
    require(not other.received(), "the other origin was asked")
    require(len(server.received("/s/Rows")) == 2 or outcome.code != 0, "it ended as if all rows had come")
    outcome.hides(scene.password)


@attack(NEXT, "a service that sends on to another origin gets nothing there", [
    (f"{what}, {code}", path, code) for what, path in (("the model", "/s/$metadata"), ("the rows", "/s/Rows"))
    for code in (301, 302, 303, 307, 308)])
def sent_on(scene, path, code):
    other = scene.server({"/s/$metadata": metadata(), "*": rows({"ID": 2, "Name": "stolen"})})

    def guarded(answer):
        return lambda request: answer if request.field("Authorization") else status(401, b"", 'WWW-Authenticate: Basic realm="r"')
    server = scene.server({"/s/$metadata": guarded(metadata()), "/s/Rows": guarded(rows({"ID": 1}))})
    server.answers[path] = guarded(redirect(other.origin + path, code=code))
    outcome = scene.httpc("odata", "-H", "X-API-Key: key-" + scene.password, "-u", "alice:" + scene.password, root(server), "Rows")
    require(finds(server.raw, "alice:" + scene.password), "nothing was tested: no password arrived")
    never(other, scene.password)
    require(outcome.code != 0 and b"stolen" not in outcome.out, "the other one's rows are shown as the service's")
    outcome.hides(scene.password)


ERROR = {"code": "C", "message": "REPEAT {pw}", "details": [{"code": "D", "target": "REPEAT-{pw}", "message": "REPEAT {pw}"}]}
REPEATING = [
    ("an error", lambda: status(400, json.dumps({"error": ERROR}), JSON)),
    ("an error of 2.0", lambda: status(400, json.dumps(
        {"error": {"code": "{pw}", "message": {"lang": "en", "value": "REPEAT {pw}"}}}), JSON)),
    ("an error in XML", lambda: status(400, "<error><code>{pw}</code><message>REPEAT {pw}</message></error>", XML)),
    ("an error that is not refused", lambda: status(300, json.dumps({"error": ERROR}), JSON)),
    ("an error in the middle of the rows", lambda: status(200, json.dumps({"value": [{"ID": 1}], "error": ERROR}), JSON)),
    ("the host of a link", lambda: rows({"ID": 1}, link="http://repeat-{pw}.invalid/s/Rows")),
    ("the path of a link", lambda: rows({"ID": 1}, link="/outside/{pw}")),
    ("the host of a redirect", lambda: redirect("http://repeat-{pw}.localhost:{port}/s/Rows")),
    ("the version in a conflict", lambda: status(412, b"", 'ETag: "{pw}"')),
]


@attack(NEXT, "a service that repeats the password shows it to nobody", [
    (f"{name}, {words}", make, options) for name, make in REPEATING
    for words, options in (("without -v", []), ("with -vv", ["-vv", "--har", "kept.har"]))])
def repeated(scene, make, options):
    other = scene.server({"*": rows({"ID": 2})})

    def answer(request):
        if not request.field("Authorization"):
            return status(401, b"", 'WWW-Authenticate: Basic realm="r"')
        head, _, body = make().partition(b"\r\n\r\n")
        words = [text.replace(b"{pw}", scene.password.encode()).replace(b"{port}", str(other.port).encode()) for text in (head, body)]
        return re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % len(words[1]), words[0]) + b"\r\n\r\n" + words[1]
    server = service(scene, answer)
    outcome = scene.httpc("odata", *options, "-u", "alice:" + scene.password, root(server), "Rows", "--all")
    require(finds(server.raw, "alice:" + scene.password), "nothing was tested: no password arrived")
    require(outcome.code != 0, "it ended as if all rows had come")
    outcome.hides(scene.password)
    require(not options or not finds((scene.folder / "kept.har").read_bytes(), scene.password), "the archive has the password")
    require(b"repeat" in outcome.err.lower() or b"repeat" not in make().lower(),
            f"nothing was tested: it is not shown: {outcome.says()}")


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
            # The sequences that httpc itself writes, such as for bold text.
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


def large_value():
    return {f"m{number}": number for number in range(2000)}


ENDLESS = [
    ("white space", b'{"value":[', b" " * 65536), ("one text", b'{"value":[{"Name":"', b"x" * 65536),
    ("a member that is not shown", b'{"x":[', b"1," * 32768), ("one name", b'{"', b"n" * 65536),
    ("lists in lists", b'{"value":[{"P":', b"[" * 65536)]


@attack(NEXT, "an answer that never ends", ENDLESS)
def endless(scene, begin, more):
    def answer(request):
        yield b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + JSON.encode() + b"\r\n\r\n" + begin
        # More than httpc may read, for the case that it does not stop.
        for _ in range(16 * 1024):
            yield more
    server = service(scene, answer)
    outcome = scene.httpc("odata", "-m", "10", root(server), "Rows", timeout=120).ends(8, 28, 63)
    arrived(server, "/s/Rows")
    require(outcome.memory < 400 << 10, f"{outcome.memory >> 10} MiB")


@attack(NEXT, "an answer that is long only when it is unpacked", [
    ("the model", "/s/$metadata", XML, b"<?xml version='1.0'?><!--"), ("a row", "/s/Rows", JSON, b'{"value":[{"Name":"')])
def packed(scene, path, kind, begin):
    body = gzip.compress(begin + b"x" * (512 * MIB))
    server = service(scene, rows({"ID": 1}))
    server.answers[path] = status(200, body, kind, "Content-Encoding: gzip")
    outcome = scene.httpc("odata", root(server), "Rows").ends(8, 23, 61, 63)
    arrived(server, path)
    bounded(outcome)


@attack(NEXT, "a number of rows that is none", [
    ("ESC", b"1\x1b[2J"), ("a page", b"<html>1</html>"), ("too large", b"9" * 400), ("less than none", b"-9223372036854775809"),
    ("digits of others", "\u0661".encode()), ("nothing", b""), ("40 MiB", b"1" * (40 * MIB))])
def counted(scene, body):
    server = service(scene, rows({"ID": 1}))
    server.answers["/s/Rows/$count"] = status(200, body, "Content-Type: text/plain")
    outcome = scene.httpc("odata", root(server), "Rows/$count").ends(8, 63)
    arrived(server, "/s/Rows/$count")
    require(not outcome.out and b"\x1b" not in outcome.err, "it was shown")
    bounded(outcome)


NAMES = [
    ("a new property in each row", lambda number: {f"n{number}": large_value()}),
    ("a new property below one that stays", lambda number: {"P": {f"n{number}": large_value()}}),
    ("the same properties, each used once", lambda number: {f"p{n}": large_value() if n == number else None for n in range(200)}),
]


@attack(NEXT, "ever new names of complex values do not stay in memory", NAMES)
def new_names(scene, row):
    def run(pages):
        turn = iter(range(pages))

        def answer(request):
            page = next(turn)
            link = f"Rows?$skiptoken={page}" if page + 1 < pages else None
            return rows(*(row(page * 20 + number) for number in range(20)), link=link)
        server = service(scene, answer)
        outcome = scene.httpc("odata", root(server), "Rows", "--all").ends(0)
        require(len(server.received("/s/Rows")) == pages, "it did not ask for all pages")
        return outcome
    base, outcome = run(1), run(10)
    require(outcome.memory - base.memory < 24 * 1024, f"{outcome.memory >> 10} MiB instead of {base.memory >> 10}")


LAUGHS = '<!DOCTYPE x [<!ENTITY a0 "ha">' + "".join(
    f'<!ENTITY a{n} "' + f"&a{n - 1};" * 10 + '">' for n in range(1, 12)) + "]>"
MODELS = [
    ("entities that grow", MODEL.replace("?>", "?>" + LAUGHS, 1).replace('"Row"', '"Row&a11;"', 1)),
    ("an entity of a file", MODEL.replace("?>", '?><!DOCTYPE x [<!ENTITY f SYSTEM "{file}">]>', 1)
     .replace("<EntityContainer", "<Annotation>&f;</Annotation><EntityContainer", 1)),
    ("a document type elsewhere", MODEL.replace("?>", '?><!DOCTYPE x SYSTEM "{other}/x.dtd">', 1)),
    ("types that derive from each other", MODEL.replace('Name="Row">', 'Name="Row" BaseType="N.Row">', 1)),
    ("types that derive from each other in a circle", MODEL.replace('Name="Row">', 'Name="Row" BaseType="N.B">', 1).replace(
        "<EntityContainer", '<EntityType Name="B" BaseType="N.Row"/><EntityContainer', 1)),
    ("a type within itself", MODEL.replace('Type="Edm.String"', 'Type="N.C"', 1).replace(
        "<EntityContainer", '<ComplexType Name="C"><Property Name="c" Type="N.C"/></ComplexType><EntityContainer', 1)),
    ("a reference to another server", MODEL.replace("<edmx:DataServices>", (
        '<edmx:Reference Uri="{other}/more"><edmx:Include Namespace="M"/></edmx:Reference><edmx:DataServices>'), 1)),
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


# The extreme values of numbers and times; each is a text in a row, or a number.
EXTREMES = [
    ("the least offset", '"/Date(0+-9223372036854775808)/"'), ("the least offset, minus", '"/Date(0--9223372036854775808)/"'),
    ("the largest offset", '"/Date(0+9223372036854775807)/"'), ("the least time", '"/Date(-9223372036854775808)/"'),
    ("the largest time", '"/Date(9223372036854775807+0840)/"'), ("the least number", "-9223372036854775808"),
    ("more than any number", "1" * 400), ("more than any double", "1e308"), ("not a number", '"NaN"'),
    ("endless", '"INF"'), ("a long duration", '"P106751991167300DT15H30M7.999999999999999999S"'),
    ("a longer duration", '"-P9223372036854775807DT23H59M59S"'), ("a year without a number", '"0000-00-00T00:00:00Z"'),
]
TYPES = ["Edm.DateTimeOffset", "Edm.Int32", "Edm.Int64", "Edm.Double", "Edm.Decimal", "Edm.Duration", "Edm.Date", None]


@attack(NEXT, "a value at the end of its range does not end the process", EXTREMES)
def extremes(scene, text):
    for kind in TYPES:
        model = MODEL.replace('Name="Name" Type="Edm.String"', f'Name="Name" Type="{kind}"') if kind else \
            MODEL.replace('<Property Name="Name" Type="Edm.String"/>', "")
        body = f'{{"value":[{{"ID":1,"Name":{text}}}]}}'.encode()
        server = service(scene, status(200, body, JSON), metadata(model))
        outcome = scene.httpc("odata", root(server), "Rows")
        arrived(server, "/s/Rows")
        require(outcome.code in (0, 8), f"as {kind} it ended with {outcome.code}: {outcome.says()}")
    honest = status(200, b'{"value":[{"ID":1,"Name":"/Date(1484028633406+0060)/"}]}', JSON)
    untyped = MODEL.replace('<Property Name="Name" Type="Edm.String"/>', "")
    shown = scene.httpc("odata", root(service(scene, honest, metadata(untyped))), "Rows").ends(0).out
    require(b"2017-01-10T07:10:33.406+01:00" in shown, f"an honest time is not shown: {shown}")


def wide_model(count):
    properties = "".join(f'<Property Name="n{n}" Type="Edm.Int32"/>' for n in range(count))
    return MODEL.replace('<Property Name="Name" Type="Edm.String"/>', properties)


def derived_model(types, properties):
    base = "".join(f'<Property Name="p{n}" Type="Edm.Int32"/>' for n in range(properties))
    more = "".join(f'<EntityType Name="T{n}" BaseType="N.Row"/>' for n in range(types))
    return MODEL.replace('<Property Name="Name" Type="Edm.String"/></EntityType>', base + "</EntityType>" + more)


def children():
    """The processor time of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def growth(cost, small):
    """Fails if four times as much input costs far more than four times as much: quadratic work would cost 16 times as much."""
    base = min(cost(small), cost(small))
    large = min(cost(4 * small), cost(4 * small))
    # Both include the cost of the start.
    require(large < 7 * max(base, 0.05), f"four times as much took {large:.2f} s instead of {base:.2f} s")


@attack(NEXT, "a wide row costs what its width is", [("as JSON", False), ("as a table", True), ("without a model", None)], alone=True)
def wide(scene, as_table):
    def cost(count):
        body = b'{"value":[{' + b",".join(b'"n%d":%d' % (n, n) for n in range(count)) + b"}]}"
        model = MODEL if as_table is None else wide_model(count)
        server = service(scene, status(200, body, JSON), metadata(model))
        if as_table:
            before = children()
            terminal = scene.terminal("odata", root(server), "Rows")
            terminal.end()
            require(f"n{count - 1}".encode() in terminal.shown, "the row is not shown")
            return children() - before
        outcome = scene.httpc("odata", root(server), "Rows").ends(0)
        require(f'"n{count - 1}":{count - 1}'.encode() in outcome.out, "the row is not shown")
        return outcome.cpu
    growth(cost, 6000)


@attack(NEXT, "a short model has no endless text", [("as JSON", ["--json"]), ("for people", [])])
def long_text(scene, words):
    def shown(types, properties):
        server = service(scene, rows({"ID": 1}), metadata(derived_model(types, properties)))
        return scene.httpc("odata", root(server), "--metadata", *words)
    honest = shown(20, 20).ends(0)
    # For people a type that no set has is left out.
    require(honest.out.count(b"p19") == (21 if words else 1), "inherited properties are missing")
    large = shown(700, 700)
    require(large.code in (0, 63), f"ended with {large.code}: {large.says()}")
    require(large.memory < honest.memory + (48 << 10), f"{large.memory >> 10} MiB instead of {honest.memory >> 10}")
    endless = shown(2000, 2000)
    require(endless.code == (63 if words else 0), f"ended with {endless.code}: {endless.says()}")
    require(len(endless.out) < 1 * MIB and endless.memory < honest.memory + (64 << 10), f"{endless.memory >> 10} MiB")


SECRETS = [
    ("a filter in an expansion", "$expand=Items($filter=Pin%20eq%20'{pw}')"), ("a search", "$search={pw}"),
    ("a search in an expansion", "$expand=Items($search={pw})"), ("an order", "$orderby=contains(Name,'{pw}')"),
    ("an order with words", "$orderby=Name%20{pw}"), ("a selection", "$select='{pw}'"), ("an application", "$apply=filter(a%20eq%20'{pw}')"),
    ("a computation", "$compute='{pw}'%20as%20x"), ("a number that is none", "$top={pw}"), ("a page", "page={pw}"),
    ("a format", "$format=application/json;x=\"{pw}\""), ("a filter", "$filter=Name%20eq%20'{pw}'")]


@attack(NEXT, "a value in a query is not shown, however deep", SECRETS)
def queries(scene, query):
    server = scene.server({"*": rows({"ID": 1})})
    har, page = scene.folder / "x.har", scene.folder / "x.html"
    url = server.origin + "/s/Rows?" + query.format(pw=scene.password).replace('"', "%22")
    outcome = scene.httpc("-vv", "--har", str(har), "--trace", str(page), url).ends(0)
    require(any(scene.password in request.target for request in server.received()), "nothing was tested: it was not sent")
    outcome.hides(scene.password)
    for file in (har, page):
        require(not finds(file.read_bytes(), scene.password), f"{file.name} has it")
    honest = scene.httpc("-vv", server.origin + "/s/Rows?$select=Name,Address/City&$orderby=Name%20desc&$top=5").ends(0)
    require(b"$select=Name,Address/City&$orderby=Name%20desc&$top=5" in honest.err, "names are not shown any more")


WHOLE = [
    ("as typed", "Rows?$filter=Name eq 'O''Neil'&$format=json"), ("encoded", "Rows?$filter=Name%20eq%20%27O%27%27Neil%27"),
    ("with a token of a page", "Rows?$skiptoken=a%2Fb%3D%3D"), ("with a fragment", "Rows?$top=1#top"),
    ("with a line end", "Rows?$filter=a\r\nX-Injected: y"), ("with quotes", 'Rows?$search="a b"')]


@attack(NEXT, "a whole URL asks its own server, and as it was written", WHOLE)
def whole(scene, text):
    server = scene.server({"/s/$metadata": metadata(), "/s/Rows": rows({"ID": 7}), "*": status(404)})
    outcome = scene.httpc("odata", "-u", "alice:" + scene.password, root(server) + text).ends(0)
    request = arrived(server, "/s/Rows")
    require(b'"ID":7' in outcome.out, "the row is not shown")
    require(b"\nX-Injected" not in request.raw and " " not in request.target and "#" not in request.target, f"sent {request.target}")
    query = text.partition("?")[2].partition("#")[0]
    if "%" in query:
        require(request.target.endswith("?" + query), f"sent {request.target}")
