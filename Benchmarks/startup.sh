#!/usr/bin/env python3
"""Processor time (user and system) and resident memory that a start costs: a small GET, one whose answer sets a cookie for a
domain, and --version; of httpc, of another httpc where one is named, and of curl, by turns in the same run. Medians.

    Benchmarks/startup.sh [--write] [HTTPC [BASE]]      HTTPC is that of scripts/install's build unless named; BASE another one;
                                                        --write writes the table into docs/performance.md

Exits 1 where httpc takes more than a bar, or more time than BASE.
"""
import argparse
import http.server
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading

import performance_report

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 31
# Times what curl takes of the processor. Most of the rest are searches for conformances, three quarters of them by ArgumentParser.
BARS = {"GET": 1.7, "GET, cookie with a Domain": 1.7, "--version": 1.05}
# MB at most.
MEMORY = 20

# Starts a command, and reports what it took. The kernel counts the memory of a process from its fork on, so this one is small.
LAUNCHER = """
import os, sys
command = sys.argv[1:]
silent = [(os.POSIX_SPAWN_OPEN, file, os.devnull, os.O_RDWR, 0) for file in (0, 1)]
process = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
_, status, usage = os.wait4(process, 0)
print([os.waitstatus_to_exitcode(status), 1000 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss / 1024])
"""


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
    """Milliseconds of a command and all its threads, and the most memory that it had, in MB."""
    launched = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, *command], env=environment, capture_output=True, text=True)
    if launched.returncode:
        raise SystemExit(f"startup: {command[0]} could not be started: {launched.stderr}")
    code, time, memory = json.loads(launched.stdout)
    if code:
        raise SystemExit(f"startup: {' '.join(command)} ended with {code}")
    return time, memory


def section(lines):
    return f"""Processor time and resident memory of a start, beside curl's. Medians of {RUNS} runs in turn, by
`Benchmarks/startup.sh --write HTTPC`, with an `httpc` that `scripts/install` made.

{lines}

- *ms*: processor time, user and system, of all threads. *to curl*: the median of the ratios of each turn.
- *MB*: the most memory that was resident, with the code, which all processes of `httpc` share.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("httpc", nargs="?", metavar="HTTPC", default=ROOT / ".build/release/httpc")
    parser.add_argument("base", nargs="?", metavar="BASE")
    options = parser.parse_args()
    programs = {"httpc": options.httpc, **({"base": options.base} if options.base else {}), "curl": shutil.which("curl")}
    for name, program in programs.items():
        if not program or not os.access(program, os.X_OK):
            raise SystemExit(f"startup: there is no {program or name}" + ("; scripts/install builds it" if name == "httpc" else ""))
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
    all_met = True
    head = ["start", *(f"{name}, ms" for name in programs), "to curl", "at most", *(f"{name}, MB" for name in programs), "at most", ""]
    lines = ["| " + " | ".join(head) + " |", "| :-- |" + " --: |" * (len(head) - 2) + " :-- |"]
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"]}
        for case, arguments in cases.items():
            runs = {name: [] for name in programs}
            for _ in range(RUNS):
                for name, program in programs.items():
                    runs[name].append(spent([os.path.abspath(program), *arguments], environment))
            time, memory = ({name: statistics.median(run[what] for run in runs[name]) for name in programs} for what in (0, 1))

            def ratio(other):
                return statistics.median(one[0] / another[0] for one, another in zip(runs["httpc"], runs[other]))
            is_met = ratio("curl") <= BARS[case] and memory["httpc"] <= MEMORY and (not options.base or ratio("base") <= 1.05)
            all_met &= is_met
            cells = [case, *(f"{time[name]:.1f}" for name in programs), f"{ratio('curl'):.2f} ×", f"{BARS[case]} ×",
                     *(f"{memory[name]:.1f}" for name in programs), str(MEMORY), "ok" if is_met else "missed"]
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], file=sys.stderr)
    print("\n".join(lines))
    if options.write:
        performance_report.replace("The start", section("\n".join(lines)))
    sys.exit(not all_met)


if __name__ == "__main__":
    main()
