"""Point 16: downloads that go on (-C -), and parts of a body (-r), from servers that answer with something else."""
import os
import pathlib
import shutil
import signal
import socket
import threading
import time

from bench import arrived, attack, require
from servers import HELD, PATIENCE, raw, status

WHOLE = bytes((n * 31 ^ n >> 8) & 255 for n in range(60_000))
OTHER = bytes((n * 17 ^ n >> 7) & 255 for n in range(60_000))
CUT = 25_000
TAG = 'ETag: "v1"'


def cut(request=None):
    """The first answer: breaks off."""
    return raw(200, WHOLE[:CUT], TAG, f"Content-Length: {len(WHOLE)}", "Connection: close")


def begin(scene, server, *more):
    """A download that breaks off; its partial file."""
    scene.httpc("-C", "-", "-o", "out", *more, server.origin + "/").ends(18)
    require(not (scene.folder / "out").exists(), "half a file is in place of the whole")
    parts = list(scene.folder.glob("out.*.part"))
    require(len(parts) == 1 and parts[0].read_bytes() == WHOLE[:CUT], "nothing was tested: there is no partial file")
    return parts[0]


def resume(scene, server, *more):
    return scene.httpc("-C", "-", "-o", "out", *more, server.origin + "/")


def turns(first, rest, whole=OTHER, tag='ETag: "v2"'):
    """Breaks off, then answers a range with `rest`, and everything else with another whole."""
    seen = []

    def answer(request):
        seen.append(request)
        if len(seen) == 1:
            return first()
        if request.field("Range"):
            return rest(request) if callable(rest) else rest
        return status(200, whole, tag)
    return {"/": answer}


def part(body, *fields):
    return status(206, body, *fields)


def ranged(start, end=len(WHOLE) - 1, total=len(WHOLE)):
    return f"Content-Range: bytes {start}-{end}/{total}"


REST = OTHER[CUT:]
MIXED = [
    ("another tag", part(REST, 'ETag: "v2"', ranged(CUT))), ("a weak tag", part(REST, 'ETag: W/"v1"', ranged(CUT))),
    ("no tag", part(REST, ranged(CUT))), ("two tags", part(REST, TAG, 'ETag: "v2"', ranged(CUT))),
    ("another total", part(REST + b"x", TAG, ranged(CUT, len(WHOLE), len(WHOLE) + 1))),
    ("no total", part(REST, TAG, ranged(CUT, total="*"))),
    ("a total too large for a number", part(REST, TAG, ranged(CUT, total=10 ** 30))),
    ("an earlier start", part(OTHER[CUT - 1:], TAG, ranged(CUT - 1))),
    ("from the start, as a part", part(OTHER, TAG, ranged(0))),
    ("a later start", part(OTHER[CUT + 1:], TAG, ranged(CUT + 1))),
    ("less than it says", part(REST[:-1], TAG, ranged(CUT))), ("more than it says", part(REST + b"x", TAG, ranged(CUT))),
    ("two ranges", part(REST, TAG, ranged(CUT), ranged(0))), ("no range", part(REST, TAG)),
    ("a negative range", part(REST, TAG, "Content-Range: bytes -1-59999/60000")),
    ("in parts", part(REST, TAG, ranged(CUT), "Content-Type: multipart/byteranges; boundary=b")),
    ("in a coding", part(REST, TAG, ranged(CUT), "Content-Encoding: br")),
    ("beyond the end, at another size", status(416, b"", TAG, f"Content-Range: bytes */{CUT}")),
    ("the whole", status(200, OTHER, 'ETag: "v2"')), ("the whole without a tag", status(200, OTHER)),
]


@attack(16, "bytes of two files never meet", MIXED)
def mixed(scene, answer):
    server = scene.server(turns(cut, answer))
    begin(scene, server)
    outcome = resume(scene, server).ends(0)
    require(server.received("/")[1].field("Range") == b"bytes=%d-" % CUT, "nothing was tested: no range was asked for")
    require(server.received("/")[1].field("If-Range") == b'"v1"', "the range was asked for without a validator")
    require((scene.folder / "out").read_bytes() == OTHER, "the file is mixed")
    require(b"starts over" in outcome.err, "it does not say that it starts over")
    require(not list(scene.folder.glob("out.*")), "something is left beside the file")


@attack(16, "what fits is continued")
def honest(scene):
    server = scene.server(turns(cut, part(WHOLE[CUT:], TAG, ranged(CUT))))
    begin(scene, server)
    resume(scene, server).ends(0)
    require((scene.folder / "out").read_bytes() == WHOLE, "the file is not whole")
    require(len(server.received("/")) == 2, "it was fetched again")


@attack(16, "a complete part only needs its name", [("", []), ("with -f", ["-f"])])
def complete(scene, options):
    """As after a kill between the last byte and the name."""
    server = scene.server(turns(
        lambda: raw(200, WHOLE[:-1], TAG, f"Content-Length: {len(WHOLE)}", "Connection: close"),
        status(416, b"", f"Content-Range: bytes */{len(WHOLE)}")))
    scene.httpc("-C", "-", "-o", "out", server.origin + "/").ends(18)
    kept = list(scene.folder.glob("out.*.part"))
    require(len(kept) == 1, "nothing was tested: there is no partial file")
    with kept[0].open("ab") as file:
        file.write(WHOLE[-1:])
    resume(scene, server, *options).ends(0)
    require((scene.folder / "out").read_bytes() == WHOLE, "the file is not whole")


@attack(16, "of two downloads that begin to write one file at the same time, one goes on")
def two_at_once(scene):
    both, rest = threading.Barrier(2), threading.Event()

    def pieces():
        both.wait(PATIENCE)
        yield raw(200, WHOLE[:CUT], TAG, f"Content-Length: {len(WHOLE)}", "Connection: close")
        rest.wait(HELD)
        yield WHOLE[CUT:]

    server = scene.server({"/": lambda request: pieces()})
    runs = [scene.start("-C", "-", "-o", "out", server.origin + "/") for _ in range(2)]
    # Ended, and not waited for yet.
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    scene.until(lambda: any(os.waitid(os.P_PID, run.pid, flags) for run in runs), "both go on", seconds=20)
    rest.set()
    good, refused = sorted((scene.finish(run) for run in runs), key=lambda outcome: outcome.code)
    require(len(server.received("/")) == 2, "nothing was tested: they did not come at the same time")
    good.ends(0)
    require(refused.code != 0 and b"another process" in refused.err, f"the other ended with {refused.code}: {refused.says()}")
    require((scene.folder / "out").read_bytes() == WHOLE, "the file is not whole")
    require(not list(scene.folder.glob("out.*")), "something is left beside the file")


@attack(16, "a part that never ends")
def endless(scene):
    body = b"".join(b"10000\r\n" + bytes(65536) + b"\r\n" for _ in range(400))
    answer = raw(206, body, TAG, ranged(CUT), "Transfer-Encoding: chunked")
    server = scene.server(turns(cut, answer))
    begin(scene, server)
    resume(scene, server).ends(8)
    require(not (scene.folder / "out").exists() and not list(scene.folder.glob("out.*")), "bytes of no resource are kept")
    resume(scene, server).ends(0)
    arrived(server, "/")
    require((scene.folder / "out").read_bytes() == OTHER, "the file is mixed")


@attack(16, "parts for ever, of a server that never sends the whole", [
    ("206", part(REST, 'ETag: "v2"', ranged(CUT))), ("416", status(416, b"", "Content-Range: bytes */7"))])
def stubborn(scene, answer):
    seen = []

    def answers(request):
        seen.append(request)
        return cut() if len(seen) == 1 else answer
    server = scene.server({"/": answers})
    kept = begin(scene, server)
    resume(scene, server).ends(22)
    require(len(seen) == 3, f"{len(seen)} requests were sent")
    require(kept.read_bytes() == WHOLE[:CUT] and not (scene.folder / "out").exists(), "what there was is gone")


@attack(16, "an error page is no part", [(str(code), code) for code in (403, 404, 500, 503)])
def error_page(scene, code):
    server = scene.server(turns(cut, status(code, b"<html>no</html>", TAG, ranged(CUT))))
    kept = begin(scene, server)
    resume(scene, server).ends(22)
    require(kept.read_bytes() == WHOLE[:CUT] and not (scene.folder / "out").exists(), "the page is in the file")


@attack(16, "nothing is appended without a strong validator", [
    ("none", []), ("weak", ['ETag: W/"v1"']), ("no tag", ["ETag: v1"]), ("a date", ["Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT"])])
def unvalidated(scene, fields):
    server = scene.server({"/": lambda request: raw(
        200, WHOLE[:CUT], *fields, f"Content-Length: {len(WHOLE)}", "Connection: close")})
    scene.httpc("-C", "-", "-o", "out", server.origin + "/").ends(18)
    require(not list(scene.folder.glob("out.*")), "a part stays that nobody could continue")
    resume(scene, server).ends(18)
    require(not arrived(server).field("Range"), "a range was asked for")


@attack(16, "a file that is there is not continued")
def present(scene):
    scene.file("out", WHOLE[:CUT])
    server = scene.server({"/": part(WHOLE[CUT:], TAG, ranged(CUT))})
    resume(scene, server).ends(33)
    require((scene.folder / "out").read_bytes() == WHOLE[:CUT], "it was touched")
    require(not server.received(), "it was asked for")


def link(path, folder):
    victim = folder / "victim"
    path.rename(victim)
    path.symlink_to(victim)


def hard_link(path, folder):
    os.link(path, folder / "victim")


def writable(path, folder):
    path.chmod(0o666)


def pipe(path, folder):
    path.unlink()
    os.mkfifo(path, 0o600)


def directory(path, folder):
    path.unlink()
    path.mkdir()


@attack(16, "a partial file, or its record, that somebody else had a hand in", [
    (f"{change.__name__}, {what}", change, what)
    for change in (link, hard_link, writable, pipe, directory) for what in ("part", "record")])
def planted(scene, change, what):
    server = scene.server(turns(cut, part(WHOLE[CUT:], TAG, ranged(CUT))))
    kept = begin(scene, server)
    path = kept if what == "part" else scene.folder / "out.resume"
    before = path.read_bytes()
    change(path, scene.folder)
    resume(scene, server).ends(33)
    victim = scene.folder / "victim"
    require(not victim.exists() or victim.read_bytes() == before, "somebody's file was written to")
    require(len(server.received("/")) == 1, "it was asked for all the same")
    require(not (scene.folder / "out").exists(), "a file was made of it")


@attack(16, "a record that names another file", [
    ("above", "../victim"), ("absolute", "/etc/passwd"), ("another", "victim"), ("a prefix", "out.x/../../victim.part")])
def renamed(scene, name):
    server = scene.server(turns(cut, part(WHOLE[CUT:], TAG, ranged(CUT))))
    kept = begin(scene, server)
    victim = pathlib.Path(scene.file("victim", WHOLE[:CUT]))
    record = scene.folder / "out.resume"
    record.write_text(record.read_text().replace(kept.name, name.replace("/", "\\/")))
    record.chmod(0o600)
    resume(scene, server).ends(33)
    require(victim.read_bytes() == WHOLE[:CUT], "another file was written to")
    require(len(server.received("/")) == 1, "it was asked for all the same")


def replace(out, victim):
    out.unlink(missing_ok=True)
    out.write_bytes(b"mine")


def lead_away(out, victim):
    out.unlink(missing_ok=True)
    out.symlink_to(victim)


def make_folder(out, victim):
    out.unlink(missing_ok=True)
    out.mkdir()


def remove_folder(out, victim):
    shutil.rmtree(out.parent)


def write_into(out, victim):
    out.write_bytes(b"mine")


@attack(16, "what takes a target's place while it is downloaded stays", [
    (f"{change.__name__}, {' '.join(options) or '-o'}{', there before' if exists else ''}", change, options, exists)
    for change in (replace, lead_away, make_folder, remove_folder, write_into) for options in ([], ["-C", "-"])
    for exists in (False, True) if not (exists and options)])
def meddled(scene, change, options, exists):
    folder = scene.folder / "target"
    folder.mkdir()
    out, victim = folder / "out", pathlib.Path(scene.file("victim", b"victim"))
    if exists:
        out.write_bytes(b"before")
    seen = []

    def pieces(request):
        yield raw(200, WHOLE[:CUT], TAG, f"Content-Length: {len(WHOLE)}")
        end = time.monotonic() + PATIENCE
        # The bytes that have arrived are in a file beside it, under another name.
        while time.monotonic() < end and not largest_part(folder):
            time.sleep(0.01)
        seen.extend(folder.glob("out.*"))
        change(out, victim)
        yield WHOLE[CUT:]
    server = scene.server({"/": pieces})
    scene.httpc(*options, "-o", str(out), server.origin + "/").ends(23)
    require(seen, "nothing was tested: nothing was beside the target")
    require(victim.read_bytes() == b"victim", "another file was written to")
    if change is make_folder:
        require(out.is_dir() and not list(out.iterdir()), "something is in the folder")
    elif change is not remove_folder:
        require(out.read_bytes() == (b"victim" if change is lead_away else b"mine"), "what was put there is gone")
    require(options or change is remove_folder or not list(folder.glob("out.*")), "something is left beside the file")


@attack(16, "a length that is not there reserves nothing", [
    (f"{size}, {' '.join(options)}", size, options)
    for size in (2 ** 31, 2 ** 32, 2 ** 53 + 1, 2 ** 63 - 1) for options in ([], ["-o", "out"], ["-C", "-", "-o", "out"])])
def huge(scene, size, options):
    server = scene.server({"/": raw(200, b"abc", TAG, f"Content-Length: {size}", "Connection: close")})
    outcome = scene.httpc(*options, server.origin + "/").ends(18)
    require(outcome.memory < 200 << 10, f"it took {outcome.memory} KiB")
    require(not (scene.folder / "out").exists(), "three bytes are in place of the whole")
    for path in scene.folder.glob("out.*"):
        require("-C" in options, "something is left")
        require(path.stat().st_blocks < 64, "room was reserved for it")


@attack(16, "a length that is no number", [(size, size) for size in (str(2 ** 63), str(2 ** 64 + 3), "-1", "1e9", "0x10")])
def no_length(scene, size):
    server = scene.server({"/": raw(200, b"abc", f"Content-Length: {size}", "Connection: close")})
    outcome = scene.httpc("-o", "out", server.origin + "/")
    require(outcome.code not in (0, 18), f"it was believed: {outcome.code}")
    require(not (scene.folder / "out").exists() and not list(scene.folder.glob("out.*")), "something is left")


def shorten(path):
    os.truncate(path, 1 << 20)


def lengthen(path):
    with open(path, "ab") as file:
        file.write(b"more")


def overwrite(path):
    with open(path, "r+b") as file:
        file.seek(-10, os.SEEK_END)
        file.write(b"other")


@attack(16, "a file that changes while it is sent never arrives whole", [
    (f"{change.__name__}{', and quickly' if answers else ''}", change, answers)
    for change in (shorten, lengthen, overwrite) for answers in (False, True)])
def changing(scene, change, answers):
    size = 64 << 20
    path = scene.file("upload", b"")
    os.truncate(path, size)
    received = []

    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(HELD)
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536)
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            received.append(len(head.split(b"\r\n\r\n", 1)[1]))
            received.append(len(connection.recv(65536)))
            change(path)
            if answers:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            while piece := connection.recv(1 << 20):
                received.append(len(piece))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        outcome = scene.httpc("-T", path, f"http://127.0.0.1:{listener.getsockname()[1]}/upload")
        thread.join(PATIENCE)
    require(received, "nothing was tested: nothing was sent")
    require(sum(received) < size, "all of it was sent")
    # An answer that the server sends before the end counts, whatever happens to the file.
    outcome.ends(*([0, 26] if answers else [26]))


@attack(16, "what is left says nothing secret")
def secrets(scene):
    server = scene.server({"*": cut()})
    url = f"{server.origin}/file?sig={scene.password}"
    outcome = scene.httpc("-C", "-", "-o", "out", "-H", f"X-Key: {scene.password}", url).ends(18)
    outcome.hides(scene.password)
    left = list(scene.folder.glob("out.*"))
    require(len(left) == 2, "nothing was tested: nothing is left")
    for path in left:
        require(scene.password.encode() not in path.read_bytes(), "the secret is in a file")
        require(path.stat().st_mode & 0o077 == 0, "others may read it")


@attack(16, "another query is another file")
def other_query(scene):
    server = scene.server({"*": cut()})
    scene.httpc("-C", "-", "-o", "out", server.origin + "/?id=1").ends(18)
    scene.httpc("-C", "-", "-o", "out", server.origin + "/?id=2").ends(33)
    require(len(server.received()) == 1, "it was asked for all the same")


SIGNED = "X-Amz-Date={0}&id=7&X-Amz-Signature=a{0}"
ANEW = [
    ("signed anew", SIGNED.format(2), TAG, WHOLE, True), ("without the old parameters", "id=7&X-Amz-Signature=x", TAG, WHOLE, True),
    ("signed anew, and changed", SIGNED.format(2), 'ETag: "v2"', OTHER, True),
    ("for another resource", "X-Amz-Date=2&id=8&X-Amz-Signature=a2", TAG, OTHER, False),
    ("without a signature", "id=7", TAG, OTHER, False), ("signature and resource gone", "", TAG, OTHER, False),
    ("the resource's name twice", "id=7&id=8&X-Amz-Signature=a2", TAG, OTHER, False),
]


@attack(20, "a presigned URL that was signed anew goes on, one that names something else does not", ANEW)
def signed_anew(scene, query, tag, whole, fits):
    def answer(request):
        if request.query == SIGNED.format(1):
            return cut()
        if request.field("If-Range") == tag.removeprefix("ETag: ").encode():
            return part(whole[CUT:], tag, ranged(CUT))
        return status(200, whole, tag)
    server = scene.server({"*": answer})
    scene.httpc("-C", "-", "-o", "out", server.origin + "/?" + SIGNED.format(1)).ends(18)
    kept = list(scene.folder.glob("out.*.part"))
    require(len(kept) == 1, "nothing was tested: there is no partial file")
    outcome = scene.httpc("-C", "-", "-o", "out", server.origin + "/?" + query).ends(0 if fits else 33)
    if fits:
        require(len(server.received()) == 2 or tag != TAG, "it was fetched again")
        require(server.received()[1].field("Range") == b"bytes=%d-" % CUT, "the rest was not asked for")
        require((scene.folder / "out").read_bytes() == whole, "the file is mixed")
        return
    require(len(server.received()) == 1 and not (scene.folder / "out").exists(), "it was asked for all the same")
    for path in (kept[0], scene.folder / "out.resume"):
        require(path.name.encode() in outcome.err, f"it does not name {path.name}: {outcome.says()}")
        path.unlink()
    # The advice of the message helps.
    scene.httpc("-C", "-", "-o", "out", server.origin + "/?" + query).ends(0)
    require((scene.folder / "out").read_bytes() == whole, "it does not start over")


def largest_part(folder):
    """The size of the largest file `out.*`. One with which httpc tries the folder is gone between listing and looking."""
    sizes = [0]
    for path in folder.glob("out.*"):
        try:
            sizes.append(path.stat().st_size)
        except FileNotFoundError:
            pass
    return max(sizes)


def halting(tag):
    """Half an answer, and then nothing for as long as anybody waits."""
    def pieces(request):
        yield raw(200, WHOLE[:CUT], *tag, f"Content-Length: {len(WHOLE)}")
        threading.Event().wait(HELD)
    return pieces


@attack(20, "what breaks off with -o says what would have kept it, where that is true", [
    (f"{end}, {name}", end, fields, more, says)
    for end in ("cut", "--max-time", "interrupted")
    for name, fields, more, says in [
        ("a strong tag", [TAG], [], True), ("a weak tag", ['ETag: W/"v1"'], [], False), ("no tag", [], [], False),
        ("with -C -", [TAG], ["-C", "-"], False), ("with -i", [TAG], ["-i"], False)]])
def said(scene, end, fields, more, says):
    answer = halting(fields) if end != "cut" else (
        lambda request: raw(200, WHOLE[:CUT], *fields, f"Content-Length: {len(WHOLE)}", "Connection: close"))
    server = scene.server({"*": answer})
    limit = ["-m", "2"] if end == "--max-time" else []
    run = scene.start("-o", "out", *more, *limit, server.origin + "/")
    if end == "interrupted":
        deadline = time.monotonic() + PATIENCE
        while largest_part(scene.folder) < CUT:
            require(time.monotonic() < deadline, "nothing was tested: nothing has arrived")
            time.sleep(0.01)
        os.kill(run.pid, signal.SIGINT)
    outcome = scene.finish(run).ends({"cut": 18, "--max-time": 28, "interrupted": 130}[end])
    require((b"With -C -" in outcome.err) == says, f"it says: {outcome.says()}")
    require(not (scene.folder / "out").exists(), "half a file is in place of the whole")
    # It is true.
    require(bool(list(scene.folder.glob("out.*"))) == (more == ["-C", "-"]), "a part stays, or none does")


PARTS = [
    ("another start", "5-9", part(b"01234", "Content-Range: bytes 0-4/60000"), 33),
    ("more than asked for", "5-9", part(b"567890", "Content-Range: bytes 5-10/60000"), 33),
    ("no range", "5-9", part(b"56789"), 33), ("another unit", "5-9", part(b"56789", "Content-Range: x 5-9/60000"), 33),
    ("several for one", "5-9", part(b"--b", "Content-Type: multipart/byteranges; boundary=b"), 33),
    ("not the last ones", "-5", part(b"01234", "Content-Range: bytes 0-4/60000"), 33),
    ("it", "5-9", part(b"56789", "Content-Range: bytes 5-9/60000"), 0),
    ("less, as there is no more", "5-9", part(b"56", "Content-Range: bytes 5-6/7"), 0),
    ("the whole", "5-9", status(200, b"0123456789"), 0),
]


@attack(16, "-r gets what it asks for", PARTS)
def parts(scene, asked, answer, code):
    server = scene.server({"*": answer})
    outcome = scene.httpc("-r", asked, server.origin + "/").ends(code)
    require(arrived(server).field("Range") == f"bytes={asked}".encode(), "nothing was tested: no range was asked for")
    require(code == 0 or not outcome.out, "it was printed")


@attack(16, "-r and -C are no way to put fields into a request", [
    (repr(text), option, text) for option in ("-r", "-C")
    for text in ("0-1\r\nX: y", "0-1, X", "5", "9-5", "a-b", "", "-", "0-1,", "99999999999999999999-")
    if (option, text) not in (("-C", "-"), ("-C", "5"))])
def injected(scene, option, text):
    server = scene.server({"*": part(b"01", "Content-Range: bytes 0-1/2")})
    scene.httpc(option, text, "-o", "out", server.origin + "/").ends(2)
    require(not server.received(), "it was sent")
