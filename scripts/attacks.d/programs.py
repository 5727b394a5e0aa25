"""Secrets from a program or a key ring: leaks of them, and attacks on httpc by the program."""
import os
import pathlib
import signal
import threading

from bench import NEXT, arrived, attack, finds, require
from servers import page, redirect, status

PROFILE = """
[profiles.p]
match = ["{server}/"]
{keys}
"""
BASIC = "[profiles.p.basic]\nusername = \"alice\"\npassword-command = [\"./secret\", \"--show\"]"
OAUTH = """[profiles.p.oauth2]
grant = "client-credentials"
client-id = "c"
token-endpoint = "{server}/token"
client-secret-command = ["./secret", "--show"]
"""
ANSWERS = """[profiles.p.otp]
[profiles.p.answers]
password = {{ command = ["./secret", "--show"] }}
"""


class Program:
    """A program with a secret, and a server that asks for it."""

    def __init__(self, scene, script=None, keys=BASIC, refuses=False):
        self.scene, self.refuses, self.has_page = scene, refuses, keys == ANSWERS
        self.server = scene.server({"*": self.answer})
        default = f"#!/bin/sh\necho run >>{scene.folder}/runs\nsleep 0.3\necho {scene.password}\necho second line\n"
        scene.file("secret", script or default, 0o700)
        self.profile = scene.profile(PROFILE.format(server=self.server.origin, keys=keys.format(server=self.server.origin)))

    def answer(self, request):
        if request.path == "/token":
            return status(401, b'{"error":"invalid_client"}', "Content-Type: application/json")
        if request.path == "/login":
            return page("<p class=error>no</p><form method=post><input type=password name=password></form>")
        if self.has_page:
            return redirect("/login", "x-smp-authentication: otp-challenge")
        if request.field("Authorization") and not self.refuses:
            return page("resource")
        return status(401, b"no", 'WWW-Authenticate: Basic realm="r"', 'WWW-Authenticate: Bearer error="invalid_token"')

    @property
    def runs(self):
        file = self.scene.folder / "runs"
        return len(file.read_text().split()) if file.exists() else 0


class Watch(threading.Thread):
    """Collects the arguments and environments of all processes, as a user of the machine sees them."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.is_over = set(), threading.Event()
        self.start()

    def run(self):
        while not self.is_over.wait(0.02):
            for folder in pathlib.Path("/proc").iterdir():
                for name in ("cmdline", "environ") if folder.name.isdigit() else ():
                    try:
                        self.seen.add((folder / name).read_bytes())
                    except OSError:
                        pass

    def end(self):
        self.is_over.set()
        self.join()
        return b"\n".join(self.seen)


@attack(NEXT, "a program's secret is in no output, transcript or process list", [
    ("Basic, accepted", BASIC, False), ("Basic, refused", BASIC, True), ("OAuth2, refused", OAUTH, True),
    ("a login page, refused", ANSWERS, True)])
def shown(scene, keys, refuses):
    program = Program(scene, keys=keys, refuses=refuses)
    har, trace = scene.folder / "t.har", scene.folder / "t.html"
    process = scene.start(
        *program.profile, "-vv", "--web", "terminal", "--har", str(har), "--trace", str(trace), program.server.origin + "/")
    watch = Watch()
    outcome = scene.finish(process)
    seen = watch.end()
    outcome.ends(67 if refuses else 0).hides(scene.password)
    arrived(program.server)
    require(finds(program.server.raw, scene.password), f"nothing was tested: the secret never arrived: {outcome.says()}")
    require(b"--show" in seen, "nothing was tested: the program was never seen in the process list")
    require(not finds(seen, scene.password), "the secret is in the process list")
    for file in (har, trace):
        require(file.exists() and not finds(file.read_bytes(), scene.password), f"the secret is in {file.name}")
    require(program.runs == 1, f"the program ran {program.runs} times")


@attack(NEXT, "a program runs once for parallel transfers")
def once(scene):
    program = Program(scene)
    urls = [f"{program.server.origin}/{number}" for number in range(8)]
    scene.httpc(*program.profile, "-Z", *urls).ends(0)
    require(program.runs == 1, f"the program ran {program.runs} times")


@attack(NEXT, "a program that misbehaves is an error without its output", [
    ("it fails", "echo SECRET; exit 1"), ("it fails and complains", "echo SECRET >&2; exit 1"), ("it prints nothing", ":"),
    ("its first line is empty", "echo; echo SECRET"), ("it prints without end", "yes SECRET"),
    ("it prints no text", "printf '\\377SECRET'"), ("it is killed", "echo SECRET; kill -9 $$"),
    ("it prints escape sequences and fails", "printf '\\033]0;SECRET\\007'; exit 3")])
def misbehaves(scene, script):
    program = Program(scene, "#!/bin/sh\n" + script.replace("SECRET", scene.password) + "\n")
    outcome = scene.httpc(*program.profile, "-vv", program.server.origin + "/").ends(67).hides(scene.password)
    arrived(program.server)
    require(b"program that prints the password" in outcome.err, f"ended for another reason: {outcome.says()}")
    require(b"\x1b" not in outcome.err, "an escape sequence of the program is shown")


@attack(NEXT, "a program gets no secret of the environment, no descriptor and no terminal")
def inherits(scene):
    report = scene.folder / "report"
    program = Program(scene, f"#!/bin/sh\n(env; ls /proc/self/fd; cat; (: </dev/tty) 2>&1) >{report}\necho {scene.password}\n")
    scene.httpc(*program.profile, program.server.origin + "/", environment={
        "OTHER_PASSWORD": "canary-1", "HTTPC_VAULT_KEY": "canary-2", "ATTACK_TOKEN": "canary-3"}).ends(0)
    text = report.read_text()
    require("PATH=" in text, "nothing was tested: the program reported nothing")
    require("canary" not in text, "the program got a secret of the environment")
    require(not any(line.strip().isdigit() and int(line) > 3 for line in text.split("\n")), "the program got a descriptor")


@attack(NEXT, "a program that hangs ends with httpc", [("Ctrl-C", signal.SIGINT), ("SIGTERM", signal.SIGTERM)])
def hangs(scene, number):
    mark = scene.folder / "pid"
    program = Program(scene, f"#!/bin/sh\necho $$ >{mark}.new; mv {mark}.new {mark}\nsleep 600\n")
    process = scene.start(*program.profile, program.server.origin + "/")
    scene.until(mark.exists, "nothing was tested: the program never ran")
    os.kill(process.pid, number)
    outcome = scene.finish(process, timeout=20)
    outcome.ends(128 + number, -number)
    pid = int(mark.read_text())
    scene.until(lambda: not pathlib.Path(f"/proc/{pid}").exists(), "the program still runs", 10)


@attack(NEXT, "a program of a file that others can write never runs", [
    ("the group", 0o620), ("all", 0o602), ("both", 0o666)])
def foreign(scene, mode):
    program = Program(scene)
    pathlib.Path(program.profile[1]).chmod(mode)
    outcome = scene.httpc(*program.profile, program.server.origin + "/").ends(2)
    require(b"chmod go-w" in outcome.err, f"ended for another reason: {outcome.says()}")
    require(program.runs == 0, "the program ran")


@attack(NEXT, "a configuration that all users can change is not used", [("write", 0o602), ("read and write", 0o666)])
def writable(scene, mode):
    server = scene.server({"*": status(401, b"", 'WWW-Authenticate: Basic realm="r"')})
    profile = scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.basic]\nusername = "alice"\n'
                            'password-env = "PW"\n')
    pathlib.Path(profile[1]).chmod(mode)
    outcome = scene.httpc(*profile, server.origin + "/", environment={"PW": scene.password}).ends(2)
    require(b"chmod go-w" in outcome.err, f"ended for another reason: {outcome.says()}")
    require(not server.raw, "something was sent")


@attack(NEXT, "a configuration of another user is not used", [("a file", False), ("a pipe", True)])
def anothers(scene, is_pipe):
    """As after it was replaced in a folder that others can write."""
    require(os.geteuid() == 0, "nothing was tested: only root gives files away")
    server = scene.server({"*": status(401, b"", 'WWW-Authenticate: Basic realm="r"')})
    profile = scene.profile(f'[profiles.p]\nmatch = ["{server.origin}/"]\n[profiles.p.basic]\nusername = "alice"\n'
                            'password-env = "PW"\n')
    file = pathlib.Path(profile[1])
    if is_pipe:
        text = file.read_bytes()
        file.unlink()
        os.mkfifo(file, 0o600)
        threading.Thread(target=feed, args=(file, text), daemon=True).start()
    os.chown(file, 65534, 65534)
    outcome = scene.httpc(*profile, server.origin + "/", environment={"PW": scene.password}).ends(2)
    require(b"belongs to another user" in outcome.err, f"ended for another reason: {outcome.says()}")
    require(not server.raw, "something was sent")


def feed(pipe, text):
    """Writes into a pipe, whose reader may leave without reading."""
    try:
        pipe.write_bytes(text)
    except OSError:
        pass


@attack(NEXT, "a program is not looked for in the working directory", [
    ("a bare name", "/usr/bin:/bin"), ("a relative directory of the PATH", ".:/usr/bin:/bin"),
    ("an empty directory of the PATH", ":/usr/bin:/bin:")])
def lookup(scene, path):
    program = Program(scene, keys=BASIC.replace("./secret", "secret"))
    scene.httpc(*program.profile, program.server.origin + "/", environment={"PATH": path}).ends(67)
    arrived(program.server)
    require(program.runs == 0, "the program of the working directory ran")
