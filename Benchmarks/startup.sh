#!/usr/bin/env python3
"""Processor time (user and system, milliseconds) that a start costs: a small GET, one whose answer sets a cookie for a domain,
and --version; of httpc, of another httpc where one is named, and of curl, by turns in the same run. The median counts.

    Benchmarks/startup.sh [HTTPC [BASE]]      HTTPC is that of a release build unless named; BASE another one

Exits 1 where httpc takes more than BASE, or than the bar.
"""
import http.server
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 31
# Times what curl takes. The goal is 2; most of the rest is Swift's search for conformances, which ArgumentParser begins.
BARS = {"GET": 2.6, "GET, cookie with a Domain": 2.6, "--version": 1.6}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        if self.path == "/cookie":
            self.send_header("Set-Cookie", "sid=1; Domain=shop.example")
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"ok\n")

    def log_message(self, *_):
        pass


def spent(command, environment):
    """Milliseconds of a command and all its threads."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"startup: {' '.join(command)} ended with {process.returncode}")
    return 1000 * (usage.ru_utime + usage.ru_stime)


def main(httpc=None, base=None):
    httpc = httpc or ROOT / ".build/release/httpc"
    if not os.access(httpc, os.X_OK):
        raise SystemExit(f"startup: there is no {httpc}; scripts/install builds it")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    proxy = ["-x", f"http://127.0.0.1:{port}"]
    cases = {
        "GET": ["-s", f"http://127.0.0.1:{port}/"],
        # By a proxy, because loopback has no domain.
        "GET, cookie with a Domain": ["-s", "-b", "a=b", *proxy, "http://app.shop.example/cookie"],
        "--version": ["--version"],
    }
    programs = {"httpc": str(httpc), **({"base": base} if base else {}), "curl": "curl"}
    failed = False
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"]}
        print(f"{'milliseconds of a start':<28}" + "".join(f"{name:>9}" for name in programs))
        for case, arguments in cases.items():
            times = {name: [] for name in programs}
            for _ in range(RUNS):
                for name, program in programs.items():
                    times[name].append(spent([program, *arguments], environment))
            median = {name: statistics.median(values) for name, values in times.items()}
            missed = median["httpc"] > median["curl"] * BARS[case] or median["httpc"] > 1.05 * median.get("base", 1e9)
            failed |= missed
            print(f"{case:<28}" + "".join(f"{value:9.1f}" for value in median.values())
                  + f"  at most {BARS[case]} times curl{', no more than base' if base else ''}  {'MISSED' if missed else 'ok'}")
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))
