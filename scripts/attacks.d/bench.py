"""The tools of every attack: its registration, a scene of its own, and checks with the messages of failures."""
import base64
import os
import pathlib
import re
import secrets
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse

from servers import PATIENCE, Server

ATTACKS = []
NEXT = "next"


class Broken(Exception):
    """Why an attack succeeded, or tested nothing."""


class Attack:
    def __init__(self, point, title, work, is_alone):
        self.point, self.title, self.work, self.is_alone = point, title, work, is_alone


def attack(point, title, cases=None, alone=False):
    """Registers a function of a scene; with cases (a table of title and arguments) once for each of them."""
    def register(work):
        for name, *arguments in cases or [("",)]:
            def run(scene, arguments=arguments):
                work(scene, *arguments)
            ATTACKS.append(Attack(point, f"{title}: {name}" if name else title, run, alone))
        return work
    return register


def require(condition, why):
    if not condition:
        raise Broken(why)


class Outcome:
    """The output and exit code of a run of httpc, its CPU time in seconds and its peak of memory in KiB."""

    def __init__(self, code, out, err, cpu, memory):
        self.code, self.out, self.err, self.cpu, self.memory = code, out, err, cpu, memory

    def ends(self, *codes):
        require(self.code in codes, f"ended with {self.code}, not {' or '.join(map(str, codes))}: {self.says()}")
        return self

    def says(self):
        return " ".join(self.err.decode(errors="replace").split())[-160:] or "nothing on standard error"

    def hides(self, *canaries):
        for secret in canaries:
            require(not finds(self.out + self.err, secret), f"printed the secret: {self.says()}")
        return self


class Peak(threading.Thread):
    """Watches a process's peak of resident memory. The system's own figure for a child includes its parent's memory."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.path, self.kibibytes, self.is_over = f"/proc/{pid}/status", 0, threading.Event()
        self.start()

    def run(self):
        while not self.is_over.wait(0.005):
            try:
                text = pathlib.Path(self.path).read_text()
            except OSError:
                return
            found = re.search(r"^VmHWM:\s+(\d+)", text, re.MULTILINE)
            if found:
                self.kibibytes = int(found[1])

    def end(self):
        self.is_over.set()
        self.join()
        return self.kibibytes


class Scene:
    """One attack's servers, files and processes, gone when it ends."""

    def __init__(self, bench):
        self.bench = bench
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attack-", dir=bench.folder))
        self.servers, self.processes, self.terminals = [], [], []
        self.password = "pw-" + secrets.token_hex(8)
        home = str(self.folder)
        hidden = {"BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "HTTPC_VAULT_KEY", "CURL_CA_BUNDLE", "SSL_CERT_FILE"}
        self.environment = {key: value for key, value in os.environ.items()
                            if not key.lower().endswith("_proxy") and key not in hidden}
        self.environment |= {"HOME": home, "XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home + "/state"}
        self.runs = 0

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                kill_group(process)
                process.wait(10)
        for descriptor in self.terminals:
            os.close(descriptor)
        for server in self.servers:
            server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    # Servers

    def server(self, answers=None, **options):
        server = Server({} if answers is None else answers, **options)
        self.servers.append(server)
        return server

    def secure(self, answers=None, **options):
        return self.server(answers, tls=self.bench.authority.context, **options)

    # Files

    def file(self, name, text, mode=0o600):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        return str(path)

    def profile(self, text):
        """The arguments that use one profile, named `p`."""
        return ("--config", self.file("config.toml", text), "--profile", "p")

    # Runs

    def httpc(self, *arguments, names=None, timeout=PATIENCE, environment=None, fsize=None, given=b""):
        """Runs the command to its end, without a terminal; bytes that are given are on its standard input."""
        return self.finish(
            self.start(*arguments, names=names, environment=environment, fsize=fsize, given=given), timeout)

    def start(self, *arguments, names=None, environment=None, fsize=None, given=b""):
        self.runs += 1
        streams = [open(self.folder / f"{kind}-{self.runs}", "w+b") for kind in ("out", "err")]
        command = self.bench.command(names, self.folder)
        if fsize:
            command = ["prlimit", f"--fsize={fsize}", *command]
        with tempfile.TemporaryFile() as source:
            source.write(given)
            source.seek(0)
            process = subprocess.Popen(
                [*command, *arguments], stdin=source if given else subprocess.DEVNULL, stdout=streams[0],
                stderr=streams[1], cwd=self.folder, env=self.environment | (environment or {}), start_new_session=True)
        process.streams = streams
        self.processes.append(process)
        return process

    def finish(self, process, timeout=PATIENCE):
        late = threading.Event()
        timer = threading.Timer(timeout, lambda: (late.set(), kill_group(process)))
        timer.start()
        peak = Peak(process.pid)
        _, code, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(code)
        texts = []
        for stream in process.streams:
            stream.seek(0)
            texts.append(stream.read(1 << 26))
            stream.close()
        require(not late.is_set(), f"did not end within {timeout} s")
        return Outcome(process.returncode, *texts, usage.ru_utime + usage.ru_stime, peak.end())

    def reap(self, process):
        """Ends a run whose outcome does not matter; it has been let go already."""
        if process.poll() is None:
            kill_group(process)
            process.wait(10)
        for stream in process.streams:
            stream.close()

    def terminal(self, *arguments, environment=None):
        """Runs the command with a terminal of its own."""
        master, slave = os.openpty()
        self.terminals.append(master)
        # setsid --ctty makes its standard input the controlling terminal.
        process = subprocess.Popen(
            ["setsid", "--ctty", *self.bench.command(None, self.folder), *arguments], stdin=slave, stdout=slave,
            stderr=slave, cwd=self.folder, env=self.environment | {"TERM": "xterm"} | (environment or {}))
        os.close(slave)
        self.processes.append(process)
        return Terminal(process, master)

    def until(self, condition, why, seconds=PATIENCE):
        """Polls for something that another process does."""
        end = time.monotonic() + seconds
        while not (value := condition()):
            require(time.monotonic() < end, why)
            time.sleep(0.01)
        return value


class Terminal:
    """The person's side of a terminal."""

    def __init__(self, process, descriptor):
        self.process, self.descriptor, self.shown = process, descriptor, b""

    def until(self, *patterns, seconds=PATIENCE):
        """Reads until one of the patterns is on the screen; the number of the first."""
        end = time.monotonic() + seconds
        while True:
            for number, pattern in enumerate(patterns):
                if re.search(pattern, self.shown):
                    return number
            require(self.read(end - time.monotonic()), f"the terminal never showed {patterns[0]!r}, but {self.tail()}")

    def read(self, seconds):
        """Whether something more came."""
        ready, _, _ = select.select([self.descriptor], [], [], max(0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:
            return False
        self.shown += data
        return bool(data)

    def type(self, text):
        os.write(self.descriptor, text.encode() + b"\n")

    def end(self, seconds=PATIENCE):
        """Reads to the end of the command; its exit status."""
        end = time.monotonic() + seconds
        while self.read(end - time.monotonic()):
            pass
        try:
            return self.process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise Broken(f"did not end, shows {self.tail()}") from None

    def tail(self):
        return repr(self.shown[-200:].decode(errors="replace"))


class Bench:
    """The things that all attacks share: the binary, certificates, and names that resolve to chosen addresses."""

    def __init__(self, httpc, folder, authority):
        self.httpc, self.folder, self.authority = httpc, folder, authority
        self.namespace = self.find_namespace()

    def find_namespace(self):
        """The command that makes a mount namespace with our /etc/hosts; None if that is not possible."""
        hosts = self.folder / "hosts-probe"
        hosts.write_text("127.0.0.66 attacks.test\n")
        for options in (["--mount"], ["--map-root-user", "--mount"]):
            probe = [*self.mounted(options, hosts), "getent", "ahostsv4", "attacks.test"]
            outcome = subprocess.run(probe, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
            if b"127.0.0.66" in outcome.stdout:
                return options
        return None

    @staticmethod
    def mounted(options, hosts):
        return ["unshare", *options, "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', str(hosts)]

    def command(self, names, folder):
        """The words that start httpc, where these names have these addresses."""
        if not names:
            return [self.httpc]
        require(self.namespace, "nothing was tested: names need a mount namespace (unshare), and there is none")
        hosts = folder / "hosts"
        hosts.write_text("".join(f"{address} {name}\n" for name, address in names.items()))
        return [*self.mounted(self.namespace, hosts), self.httpc]


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def arrived(server, path=None, why="the request that matters"):
    """The request without which nothing was tested."""
    found = server.received(path)
    require(found, f"nothing was tested: {why} never arrived at {server.origin}{path or ''}")
    return found[-1]


def forms(secret):
    """How a secret may look on the wire."""
    data = secret.encode()
    yield from (data, urllib.parse.quote(secret, safe="").encode(), data.hex().encode())
    for shift in range(3):
        # Its base64 form at each of the three possible offsets.
        text = base64.b64encode(b" " * shift + data + b" " * (-(shift + len(data)) % 3))
        yield text[4 if shift else 0:-4 if (shift + len(data)) % 3 else None]


def finds(data, secret):
    return any(form in data for form in forms(secret))


def never(server, *canaries):
    """No secret in any form, and nothing derived from a login, has come to a server."""
    for request in server.received():
        require(not request.field("Authorization"),
                f"{server.origin}{request.target} got {request.field('Authorization')[:40].decode(errors='replace')}…")
        for secret in canaries:
            require(not finds(request.raw, secret), f"{server.origin}{request.path} got the secret")
