"""Attacks by files in a profile's state directory: planted, read or changed."""
import fcntl
import os
import pathlib
import re
import secrets
import shutil
import signal
import stat
import subprocess
import threading

from bench import NEXT, arrived, attack, finds, require
from servers import HELD, PATIENCE, page, redirect, status

SECRET = "secret-c0ffee"


def keeper(scene, name="p"):
    """A server that sets a cookie at `/set`, and the arguments of a profile for it."""
    server = scene.server({"/set": status(200, b"", f"Set-Cookie: sid={SECRET}; Max-Age=600"), "*": page("in")})
    file = scene.file(f"{name}.toml", f'[profiles.{name}]\nmatch = ["{server.origin}/"]\n[profiles.{name}.otp]\n')
    return server, ("--config", file, "--profile", name)


def kept(scene, name="p"):
    """The same, with the cookie in the profile's vault; and the vault's directory."""
    server, profile = keeper(scene, name)
    scene.httpc(*profile, server.origin + "/set").ends(0)
    scene.httpc(*profile, server.origin + "/read").ends(0)
    require(finds(arrived(server, "/read").raw, SECRET), "nothing was tested: the cookie is not kept")
    return server, profile, scene.folder / "state" / "httpc" / name


class Login:
    """A server that wants a second factor for everything, whose form can be held back."""

    def __init__(self, scene):
        self.scene, self.open = scene, threading.Event()
        self.open.set()
        self.server = scene.server({"*": self.resource, "/form": self.form})
        self.profile = scene.profile(f'[profiles.p]\nmatch = ["{self.server.origin}/"]\n[profiles.p.otp]\n')

    def resource(self, request):
        if b"done=1" in request.field("Cookie"):
            return page("in")
        return redirect(self.server.origin + "/form", "x-smp-authentication: otp-challenge")

    def form(self, request):
        self.open.wait(HELD)
        if request.method == "POST":
            return redirect(self.server.origin + "/form?finished=true", "Set-Cookie: done=1; Path=/")
        return page("<form method=post action='/form'><input name=code><button>Go</button></form>")

    def start(self):
        return self.scene.start(*self.profile, "--web", "terminal", "--answer", "code=1", self.server.origin + "/")

    def run(self):
        return self.scene.finish(self.start())


def victim(scene):
    path = scene.folder / "victim"
    path.write_text("victim")
    path.chmod(0o644)
    return path


def unharmed(path):
    require(path.read_text() == "victim", "the link's target was written")
    require(stat.S_IMODE(path.stat().st_mode) == 0o644, "the link's target has another mode")


@attack(NEXT, "a state file that is a link is not followed", [(name, name) for name in (
    "vault.sqlite", "vault.sqlite-wal", "vault.sqlite-shm", "vault.sqlite-journal", "vault.key", "vault.key.lock",
    "cookies.json", "cookies.json.lock", "web-logins.json", "web-login.lock")])
def link(scene, name):
    server, profile = keeper(scene)
    folder = scene.folder / "state" / "httpc" / "p"
    folder.mkdir(parents=True, mode=0o700)
    target = victim(scene)
    (folder / name).symlink_to(target)
    outcomes = [scene.httpc(*profile, server.origin + "/set").ends(0, 2, 23) for _ in range(2)]
    unharmed(target)
    # A useless file does not matter. A file that is needed is refused, and the message names it.
    require(outcomes[0].code == 0 or name.encode() in outcomes[0].err, f"refused, but not by its name: {outcomes[0].says()}")


@attack(NEXT, "a link in the place of a coming lease's lock is not followed", [("a link", False), ("a dangling link", True)])
def lease(scene, dangles):
    """The numbers of leases can be guessed."""
    login = Login(scene)
    folder = scene.folder / "state" / "httpc" / "p"
    folder.mkdir(parents=True, mode=0o700)
    target = scene.folder / "nowhere" if dangles else victim(scene)
    for number in range(1, 60):
        (folder / f"vault.sqlite-lease-{number}").symlink_to(target)
    login.run().ends(0)
    links = [path for path in folder.glob("vault.sqlite-lease-*") if path.is_symlink()]
    require(len(links) < 59, "nothing was tested: no lease was taken")
    require(not dangles or not target.exists(), "the link's target was made")
    if not dangles:
        unharmed(target)


@attack(NEXT, "a pipe in the state directory holds nobody up", [(name, name) for name in (
    "vault.sqlite", "vault.sqlite-wal", "vault.key")])
def pipe(scene, name):
    server, profile = keeper(scene)
    folder = scene.folder / "state" / "httpc" / "p"
    folder.mkdir(parents=True, mode=0o700)
    os.mkfifo(folder / name, 0o600)
    scene.httpc(*profile, server.origin + "/set", timeout=10).ends(2, 23)


@attack(NEXT, "a vault that is open to others is not used", [
    (f"{name} {mode:o}", name, mode) for name in ("vault.sqlite", "vault.key") for mode in (0o644, 0o620, 0o602)])
def exposed(scene, name, mode):
    server, profile, folder = kept(scene)
    (folder / name).chmod(mode)
    before = len(server.received())
    scene.httpc(*profile, server.origin + "/read").ends(2)
    require(len(server.received()) == before, "something was sent")


@attack(NEXT, "a vault of somebody else's is not believed", [("its database", False), ("database and key", True)])
def swapped(scene, with_key):
    """Another profile's state is encrypted with another key. With that key it is that profile's state, complete."""
    _, _, other = kept(scene, "q")
    server, profile, folder = kept(scene)
    shutil.copy(other / "vault.sqlite", folder / "vault.sqlite")
    if with_key:
        shutil.copy(other / "vault.key", folder / "vault.key")
    before = len(server.received())
    outcome = scene.httpc(*profile, server.origin + "/read").ends(*((0,) if with_key else (2,)))
    outcome.hides(SECRET)
    if not with_key:
        require(len(server.received()) == before, "something was sent")


@attack(NEXT, "a damaged vault is an error", [(f"{count} bytes changed", count) for count in (1, 16, 256, 4096)])
def damaged(scene, count):
    server, profile, folder = kept(scene)
    whole = (folder / "vault.sqlite").read_bytes()
    for _ in range(8):
        data = bytearray(whole)
        for _ in range(count):
            data[secrets.randbelow(len(data))] ^= 1 + secrets.randbelow(255)
        (folder / "vault.sqlite").write_bytes(data)
        for companion in folder.glob("vault.sqlite-*"):
            companion.unlink()
        outcome = scene.httpc(*profile, server.origin + "/read").ends(0, 2, 23)
        sent = server.received()[-1].field("Cookie") if outcome.code == 0 else b""
        require(sent in (b"", b"sid=" + SECRET.encode()), f"a cookie was made of it: {sent!r}")


@attack(NEXT, "cookies from before the vault, or planted beside it, are not sent")
def planted(scene):
    server, profile = keeper(scene)
    folder = scene.folder / "state" / "httpc" / "p"
    folder.mkdir(parents=True, mode=0o700)
    cookie = ('{"cookies": [{"name": "evil", "value": "1", "domain": "127.0.0.1", "isHostOnly": true, "path": "/", '
              '"isSecure": false, "isHttpOnly": false, "created": 1700000000}]}')
    for name in ("cookies.json", "cookies"):
        (folder / name).write_text(cookie)
    scene.httpc(*profile, server.origin + "/read").ends(0)
    require(not arrived(server, "/read").field("Cookie"), "a planted cookie was sent")


@attack(NEXT, "nothing that a profile keeps can be read in its files")
def readable(scene):
    _, _, folder = kept(scene)
    files = [path for path in folder.rglob("*") if path.is_file()]
    require(any(path.name == "vault.sqlite" for path in files), "nothing was tested: there is no vault")
    for path in files:
        require(not finds(path.read_bytes(), SECRET), f"the cookie is in {path.name}")
        require(b"127.0.0.1" not in path.read_bytes(), f"the cookie's host is in {path.name}")
        require(stat.S_IMODE(path.stat().st_mode) == 0o600, f"{path.name} has another mode than 600")


@attack(NEXT, "who is stopped or killed with a login under way holds nobody up", [
    ("killed", signal.SIGKILL), ("stopped", signal.SIGSTOP)])
def held(scene, number):
    login = Login(scene)
    login.open.clear()
    first = login.start()
    scene.until(lambda: login.server.received("/form"), "nothing was tested: no login began")
    first.send_signal(number)
    second = login.start()
    scene.until(lambda: len(login.server.received("/")) > 1, "the second never came")
    login.open.set()
    outcome = scene.finish(second).ends(0)
    require(outcome.out == b"in", "the login brought nothing")
    if number == signal.SIGSTOP:
        require(b"waits" in outcome.err, "nothing was tested: nobody waited")
    scene.reap(first)


@attack(NEXT, "a lock that somebody else keeps holds a login up for no longer than a lease lasts")
def foreign_lock(scene):
    """Another process of the same user locks all files whose names it can guess."""
    login = Login(scene)
    login.run().ends(0)
    folder = scene.folder / "state" / "httpc" / "p"
    scene.httpc("cookies", "clear", "p").ends(0)
    descriptors = []
    for number in range(1, 60):
        descriptor = os.open(folder / f"vault.sqlite-lease-{number}", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        descriptors.append(descriptor)
    try:
        login.run().ends(0)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


@attack(NEXT, "a process that ends badly writes no memory to a file")
def cores(scene):
    held = threading.Event()
    server = scene.server({"*": lambda request: (held.wait(PATIENCE), status(200))[1]})

    def limit(*words):
        process = subprocess.Popen(
            ["prlimit", "--core=unlimited", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, cwd=scene.folder, env=scene.environment, start_new_session=True)
        scene.processes.append(process)
        return process, lambda: re.search(r"^Max core file size +(\S+) +(\S+)", pathlib.Path(
            f"/proc/{process.pid}/limits").read_text(), re.MULTILINE).groups()
    process, read = limit(*scene.bench.command(None, scene.folder), server.origin + "/x")
    scene.until(lambda: server.received("/x"), "the request did not arrive")
    found = read()
    held.set()
    process.wait(PATIENCE)
    require(found == ("0", "0"), f"a core dump may be {found}")
    other, read = limit("sleep", "60")
    scene.until(lambda: read()[0] == "unlimited", "nothing was tested: another process has no limit to take away")


@attack(NEXT, "a configuration that cannot be reached is not none", [
    ("a dangling link", "/nowhere/config.toml"), ("a loop", "config.toml"), ("a folder that is elsewhere", None)])
def unreachable(scene, target):
    """Without it, a request would go out without its proxy, its authorities and its certificate."""
    server, proxy = scene.server({"*": page("in")}), scene.server({"*": page("by proxy")})
    folder = scene.folder / "config" / "httpc"
    folder.mkdir(parents=True)
    file = folder / "config.toml"
    file.write_text(f'[profiles.p]\nmatch = ["{server.origin}/"]\nproxy = "{proxy.origin}"\n')
    file.chmod(0o600)
    scene.httpc(server.origin + "/").ends(0)
    require(proxy.received() and not server.received(), "nothing was tested: the proxy of the profile is not used")
    file.unlink()
    if target:
        file.symlink_to(target)
    else:
        folder.rmdir()
        folder.symlink_to("/nowhere/httpc")
    before = len(proxy.received())
    for arguments in ([server.origin + "/"], ["config", "check"], ["profiles"]):
        outcome = scene.httpc(*arguments).ends(2)
        require(b"Cannot read the configuration" in outcome.err, f"it does not say why: {outcome.says()}")
    require(not server.received() and len(proxy.received()) == before, "something was sent")


@attack(NEXT, "a second name of a vault's key does not stay")
def second_name(scene):
    """Left by a process that was killed; a copy of it would open the vault after the key was replaced."""
    server, profile, folder = kept(scene)
    os.link(folder / "vault.key", folder / ".vault.key.1.2")
    scene.httpc(*profile, server.origin + "/read").ends(0)
    require(finds(server.received()[-1].raw, SECRET), "nothing was tested: the cookie is not kept")
    require(not (folder / ".vault.key.1.2").exists(), "the key still has two names")


@attack(NEXT, "an accepted key that cannot be read is not taken for none")
def unreadable_servers(scene):
    """Damage of the accepted keys only makes servers untrusted again."""
    server, profile, folder = kept(scene)
    shutil.copytree(folder, folder.parent / ".servers")
    (folder.parent / ".servers" / "vault.sqlite").write_bytes(b"\x5a" * 24576)
    none = scene.file("none.toml", "")
    outcome = scene.httpc("--config", none, server.origin + "/read").ends(0)
    require(b"keys you have accepted" in outcome.err, f"it does not say so: {outcome.says()}")
