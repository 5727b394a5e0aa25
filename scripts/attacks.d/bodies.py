"""Points 11 and 12: bodies that unpack to too much, and bytes that nobody asked for."""
import functools
import gzip
import zlib

from bench import arrived, attack, never, require
from servers import page, raw, redirect, status

MIB = 1 << 20


def packed(body, layers=1):
    for _ in range(layers):
        body = gzip.compress(body, 9)
    return body


@functools.cache
def zeros(mebibytes):
    """Zeros in gzip, made without holding them: 1,030 to 1."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(MIB)) for _ in range(mebibytes)) + packer.flush()


def coded(body, *codings):
    return status(200, body, *[f"Content-Encoding: {coding}" for coding in codings])


# Point 11

@attack(11, "at most five codings", [
    ("five", packed(b"body", 5), ["gzip, gzip, gzip, gzip, gzip"], 0),
    ("six", packed(b"body", 6), ["gzip, " * 5 + "gzip"], 61),
    ("six in six fields", packed(b"body", 6), ["gzip"] * 6, 61),
    ("six, one of them x-gzip", packed(b"body", 6), ["x-gzip, " + "gzip, " * 4 + "GZip"], 61),
    ("six, of a HEAD", b"", ["gzip, " * 5 + "gzip"], None)])
def count(scene, body, codings, code):
    server = scene.server({"*": coded(body, *codings)})
    outcome = scene.httpc(*(["-I"] if code is None else []), server.origin + "/")
    arrived(server)
    if code is not None:
        outcome.ends(code)
    require(code != 0 or outcome.out == b"body", "the body of five codings is wrong")
    require(code == 0 or b"body" not in outcome.out, "the body was delivered all the same")


LISTS = [
    ("20,000 codings", ["gzip," * 20000 + "gzip"]), ("20,000 times identity", ["identity, " * 20000]),
    ("30,000 commas", ["," * 30000 + "gzip"]), ("60,000 spaces", [" ," * 30000]), ("2,000 fields", ["gzip"] * 2000),
    ("20,000 unknown codings", ["x," * 20000]), ("one long name", ["x" * 90000]), ("quotes", ['"' * 60000]),
]


@attack(11, "a list of codings costs little time", LISTS)
def long_list(scene, codings):
    server = scene.server({"*": coded(b"", *codings), "/plain": page("")})
    base = scene.httpc(server.origin + "/plain").cpu
    outcome = scene.httpc(server.origin + "/")
    arrived(server, "/")
    require(outcome.cpu - base < 1.5, f"it took {outcome.cpu - base:.1f} s of CPU")


@attack(11, "a body does not grow beyond bounds", [
    ("three layers, 256 MiB", 256, 2, "gzip, gzip, gzip"), ("two layers, 64 MiB", 64, 1, "gzip, gzip"),
    ("two layers in two fields, 64 MiB", 64, 1, "gzip|gzip"),
    ("five layers, 256 MiB", 256, 4, "gzip, gzip, gzip, gzip, gzip")])
def bomb(scene, size, more, codings):
    body = packed(zeros(size), more)
    server = scene.server({"*": coded(body, *codings.split("|"))})
    outcome = scene.httpc("-o", "out", server.origin + "/", fsize=96 * MIB)
    arrived(server)
    require(not (scene.folder / "out").exists(), "it wrote a file")
    outcome.ends(61)
    require(outcome.cpu < 6, f"it took {outcome.cpu:.1f} s of CPU")


@attack(11, "a body that grows a lot for good reasons is delivered")
def honest(scene):
    server = scene.server({"*": coded(zeros(40), "gzip")})
    scene.httpc("-o", "out", server.origin + "/").ends(0)
    require((scene.folder / "out").stat().st_size == 40 * MIB, "it is not whole")


@attack(11, "a bomb behind a redirect, an error or a challenge", [
    ("redirect", 302, "Location: /after"), ("error", 500, "X: y"),
    ("challenge", 401, 'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"')])
def drained(scene, code, field):
    body = packed(zeros(256), 2)
    bomb = status(code, body, "Content-Encoding: gzip, gzip, gzip", field)
    server = scene.server({"/": lambda request: page("in") if request.field("Authorization") else bomb,
                           "/after": page("after")})
    outcome = scene.httpc("-u", "alice:" + scene.password, "-o", "out", server.origin + "/", fsize=96 * MIB)
    arrived(server, "/")
    require(outcome.code == 61 or code != 500, f"ended with {outcome.code}, not 61")
    require(outcome.cpu < 4, f"it took {outcome.cpu:.1f} s of CPU")


@attack(11, "many members of one byte", [
    ("redirect", 302, "Location: /after"), ("challenge", 401, 'WWW-Authenticate: Basic realm="r"'), ("page", 200, "X: y")])
def members(scene, code, field):
    body = gzip.compress(b" ") * 100_000
    many = status(code, body, "Content-Encoding: gzip", "Content-Type: text/html", field)
    server = scene.server({"/": lambda request: page("in") if request.field("Authorization") else many,
                           "/after": page("after")})
    outcome = scene.httpc("-u", "alice:" + scene.password, "-o", "out", server.origin + "/")
    arrived(server, "/")
    outcome.ends(0)
    require(outcome.memory < 160 << 10, f"it took {outcome.memory >> 10} MiB of memory")


def chunked(*chunks):
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    return raw(200, body, "Transfer-Encoding: chunked")


SIZES = [
    ("a length above it", status(200, b"x" * 1001), 63), ("a length of it", status(200, b"x" * 1000), 0),
    ("chunks above it", chunked(b"x" * 999, b"xx"), 63), ("chunks of it", chunked(b"x" * 500, b"x" * 500), 0),
    ("no length, above it", raw(200, b"x" * 1001, "Connection: close"), 63),
    ("unpacked, above it", coded(packed(b"x" * 100_000), "gzip"), 63),
    ("unpacked, of it", coded(packed(b"x" * 1000), "gzip"), 0),
    ("two layers, above it", coded(packed(b"x" * 100_000, 2), "gzip, gzip"), 63),
    ("packed above it, incompressible",
     coded(gzip.compress(bytes((n * 7919 ^ n >> 3) & 255 for n in range(3000)), 0), "gzip"), 63),
]


@attack(11, "--max-filesize 1000",
        [(f"{name}, {where}", answer, code, where) for name, answer, code in SIZES for where in ("-o", "stdout")])
def limit(scene, answer, code, where):
    server = scene.server({"*": answer})
    outcome = scene.httpc("--max-filesize", "1000", *(["-o", "out"] if where == "-o" else []), server.origin + "/")
    if where == "-o":
        require((scene.folder / "out").exists() == (code == 0),
                "the file is there" if code else f"there is no file: {outcome.says()}")
    outcome.ends(code)
    arrived(server)
    require(len(outcome.out) <= 1000, f"{len(outcome.out)} bytes were printed")


@attack(11, "--max-filesize counts what a redirect leads to, not the redirect")
def limit_of_hops(scene):
    server = scene.server({"/": status(302, b"x" * 5000, "Location: /end"), "/end": page("end")})
    scene.httpc("--max-filesize", "1000", server.origin + "/").ends(0)
    arrived(server, "/end")


# Point 12

FORGED = status(200, b"forged")

TRAILING = [
    ("bytes", b"trailing"), ("a whole answer", FORGED), ("two of them", FORGED * 2),
    ("line ends", b"\r\n\r\n"), ("a NUL", b"\0"), ("a 100", b"HTTP/1.1 100 Continue\r\n\r\n"), ("64 KiB", b"x" * 65536),
    ("half a head", b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n"),
]


@attack(12, "bytes after a complete answer leave it whole", [
    (f"{name}, {kind}", data, kind) for name, data in TRAILING for kind in ("length", "chunked")])
def trailing(scene, data, kind):
    answer = status(200, b"whole") if kind == "length" else chunked(b"who", b"le")
    server = scene.server({"*": answer + data})
    outcome = scene.httpc(server.origin + "/")
    arrived(server)
    require(outcome.out == b"whole", f"the body is {outcome.out[:40]!r}")
    outcome.ends(0)


FIRST = [
    ("a redirect", redirect("/next")),
    ("a redirect in chunks", raw(302, b"0\r\n\r\n", "Location: /next", "Transfer-Encoding: chunked")),
    ("a challenge", status(401, b"", 'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"', "Location: /next")),
    ("a redirect without a body, 304's way", raw(303, b"", "Location: /next", "Content-Length: 0")),
]


@attack(12, "bytes after an answer are nobody's answer", [
    (f"{name}, {kind}", answer, data) for name, answer in FIRST for kind, data in
    (("a whole answer", FORGED), ("two", FORGED * 2), ("half of one", FORGED[:-3]), ("a byte", b"H"))])
def smuggled(scene, answer, data):
    """A cache's or proxy's neighbour answers the next request before it is sent."""
    server = scene.server({
        "/": lambda request: page("true") if request.field("Authorization") else answer + data, "/next": page("true")})
    outcome = scene.httpc("-u", "alice:" + scene.password, server.origin + "/")
    later = [request for request in server.received() if request.path == "/next" or request.field("Authorization")]
    require(b"forged" not in outcome.out, "the forged answer was delivered")
    require(later, f"nothing was tested: the next request never arrived: {outcome.says()}")
    require(later[0].connection != server.received("/")[0].connection, "the connection was used again")
    require(outcome.out == b"true", f"the body is {outcome.out[:40]!r}")
    outcome.ends(0)


@attack(12, "a body of an answer that has none", [
    ("HEAD", ["-I"], status(200, b"forged body")), ("HEAD, in chunks", ["-I"], chunked(b"forged")),
    ("HEAD, without a length", ["-I"], raw(200, b"forged")),
    ("204", [], raw(204, b"forged")), ("304", [], raw(304, b"forged")), ("204 with a length", [], status(204, b"forged"))])
def bodiless(scene, arguments, answer):
    server = scene.server({"*": answer})
    outcome = scene.httpc(*arguments, server.origin + "/")
    arrived(server)
    require(b"forged" not in outcome.out, "the body was delivered")
    # A 204 with a length is invalid HTTP, so it may be refused.
    outcome.ends(*((0, 8) if b" 204 " in answer and b"Length" in answer else (0,)))


@attack(12, "a HEAD with a body answers nothing else", [("redirected", "/next")])
def head_then(scene, target):
    server = scene.server({"/": status(302, FORGED, f"Location: {target}"), target: status(200, b"")})
    outcome = scene.httpc("-I", server.origin + "/")
    arrived(server, target)
    first, second = server.received("/")[0], server.received(target)[0]
    require(first.connection != second.connection, "the connection was used again")
    require(b"302" not in outcome.out, "the first head was printed")
    outcome.ends(0)


LENGTHS = [
    ("twice the same", ["Content-Length: 5", "Content-Length: 5"], 0), ("a list of the same", ["Content-Length: 5, 5"], 0),
    ("three times", ["Content-Length: 5"] * 3, 0), ("a list and a field", ["Content-Length: 5,5", "Content-Length: 5"], 0),
    ("two values", ["Content-Length: 5", "Content-Length: 6"], 8), ("a list of two values", ["Content-Length: 5, 3"], 8),
    ("the smaller first", ["Content-Length: 3", "Content-Length: 5"], 8),
    ("the same number, written otherwise", ["Content-Length: 5", "Content-Length: 05"], None),
    ("with a sign", ["Content-Length: +5"], 8), ("negative", ["Content-Length: -5"], 8),
    ("hexadecimal", ["Content-Length: 0x5"], 8),
    ("too large", ["Content-Length: 99999999999999999999"], 8), ("an empty one", ["Content-Length: "], 8),
    ("one of two empty", ["Content-Length: 5,"], 8),
    ("with chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"], 8),
    ("with chunks, the other way", ["Transfer-Encoding: chunked", "Content-Length: 5"], 8),
    ("chunks twice", ["Transfer-Encoding: chunked, chunked"], 8),
    ("an unknown transfer coding", ["Transfer-Encoding: x", "Content-Length: 5"], 8),
]


@attack(12, "the length of a body is unambiguous, or an error", LENGTHS)
def lengths(scene, fields, code):
    server = scene.server({"*": raw(200, b"whole", *fields, "Connection: close")})
    outcome = scene.httpc(server.origin + "/")
    arrived(server)
    if code == 0:
        require(outcome.out == b"whole", f"the body is {outcome.out[:40]!r}: {outcome.says()}")
    outcome.ends(*((0, 8) if code is None else (code,)))


EMPTY = [
    ("empty", [b"Location: "]), ("empty without a space", [b"Location:"]), ("spaces", [b"Location:    "]),
    ("a tab", [b"Location: \t"]),
    ("none", []),
]


@attack(12, "a redirect without a place to go to is the answer",
        [(f"{name}, {code}", fields, code) for name, fields in EMPTY for code in (302, 307)])
def no_location(scene, fields, code):
    server = scene.server({"*": status(code, b"whole", *fields)})
    outcome = scene.httpc(server.origin + "/")
    require(len(server.received()) == 1, f"{len(server.received())} requests were sent")
    outcome.ends(0)
    require(outcome.out == b"whole", f"the body is {outcome.out[:40]!r}")


@attack(12, "answers that nobody asked for", [
    ("an unasked 101", raw(101, b"forged", "Upgrade: x", "Connection: Upgrade"), [8]),
    ("1,000 times 103", raw(103, b"") * 1000 + status(200, b"whole"), [0, 8]),
    ("100,000 times 100", raw(100, b"") * 100_000 + status(200, b"whole"), [8])])
def unasked(scene, answer, codes):
    server = scene.server({"*": answer})
    outcome = scene.httpc(server.origin + "/")
    arrived(server)
    require(b"forged" not in outcome.out, "the forged bytes were delivered")
    outcome.ends(*codes)


START = b"HTTP/1.1 200 X\r\n"
COOKIE = b"Set-Cookie: sid=forged; Path=/\r\nContent-Length: 5\r\n\r\nwhole"


@attack(12, "text in a field begins no other field", [
    ("a line feed", START + b"X: a\n" + COOKIE), ("a line feed behind a return", START + b"X: a\r\r\n" + COOKIE),
    ("a return", START + b"X: a\r" + COOKIE), ("a line feed in the reason", b"HTTP/1.1 200 X\n" + COOKIE),
    ("a NUL", START + b"X: a\0\r\n" + COOKIE), ("a line feed that ends the head", START + b"X: a\r\n\n" + COOKIE),
    ("in a trailer", START + b"Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\nX: a\n" + COOKIE)])
def injected(scene, answer):
    server = scene.server({"/": answer, "/next": page("next")})
    jar = scene.folder / "jar"
    scene.httpc("-b", str(jar), "-c", str(jar), server.origin + "/").ends(8)
    scene.httpc("-b", str(jar), "-c", str(jar), server.origin + "/next").ends(0)
    arrived(server, "/next")
    never(server, "forged")


CHUNKED = START + b"Transfer-Encoding: chunked\r\n\r\n"


@attack(12, "little data does not take any number of bytes", [("8,000 for one", 8000), ("100 for one", 100)])
def padded(scene, length):
    """Chunks of one byte with extensions, 64 MiB of them."""
    chunk = b"1;" + b"a" * length + b"\r\nx\r\n"
    server = scene.server({"*": CHUNKED + chunk * (64 * MIB // len(chunk))})
    outcome = scene.httpc(server.origin + "/")
    arrived(server)
    require(outcome.memory < 64 << 10, f"it took {outcome.memory} KiB")
    outcome.ends(8)


@attack(12, "a chunk is what it says, or an error", [
    (name, CHUNKED + body) for name, body in [
        ("a sign", b"+5\r\nwhole\r\n0\r\n\r\n"), ("0x", b"0x5\r\nwhole\r\n0\r\n\r\n"), ("a line feed", b"5\nwhole\r\n0\r\n\r\n"),
        ("no end", b"5\r\nwhole0\r\n\r\n"), ("a longer one", b"4\r\nwhole\r\n0\r\n\r\n"), ("17 digits", b"10000000000000005\r\nwhole\r\n0\r\n\r\n"),
        ("too much for a number", b"ffffffffffffffff\r\nwhole"), ("words behind the size", b"5 five\r\nwhole\r\n0\r\n\r\n"),
        ("no size", b";x=y\r\nwhole\r\n0\r\n\r\n"), ("an empty line", b"\r\n5\r\nwhole\r\n0\r\n\r\n")]])
def chunks(scene, answer):
    server = scene.server({"*": answer})
    outcome = scene.httpc(server.origin + "/")
    arrived(server)
    outcome.ends(8)
