"""Benchmarks/all --times: processor time of small GETs, beside other clients and Go's net/http, in turn, on a quiet machine."""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
RUNS = 7
NAMES = {
    "go": "Go's net/http", "nio": "bare NIO", "nio-loop": "bare NIO, its tasks on the connection's thread",
    "ours": "this package", "ours-loop": "this package, its tasks on connections' threads",
    "auth": "this package: a password sent ahead, a cookie, an observer", "ahc": "AsyncHTTPClient", "urlsession": "URLSession",
}
# The processor time that a client may take, as a multiple of another client's.
BARS = {("ours", "nio-loop"): 1.05, ("auth", "ours"): 1.25}


@dataclass
class Case:
    """Requests of `tasks` tasks, by each of some clients."""
    title: str
    tasks: int
    requests: int
    clients: list
    wire: str = ""
    is_bound: bool = False


CASES = [
    Case("HTTP/1.1, one after the other", 1, 10_000, ["go", "nio", "nio-loop", "ours", "ours-loop", "ahc", "urlsession"]),
    Case("HTTP/1.1, 32 side by side", 32, 40_000, ["go", "nio", "nio-loop", "ours", "ours-loop", "auth", "ahc", "urlsession"], is_bound=True),
    Case("HTTP/1.1 over TLS, 32 side by side", 32, 20_000, ["go", "nio", "nio-loop", "ours", "ours-loop", "ahc"], "http/1.1"),
    Case("HTTP/2 over TLS, 32 side by side", 32, 20_000, ["go", "nio", "ours", "ahc"], "h2"),
]


def command(bench, case, client, requests):
    """A program that prints processor time of a request, in µs, and requests a second."""
    port = {"": "port", "http/1.1": "port4", "h2": "port2"}[case.wire]
    tasks, certificate = str(case.tasks), str(bench.values["certificate"])
    where = [str(requests), bench.values[port]]
    if client == "go":
        return [bench.work / "bench-go", tasks, *where, *([certificate, case.wire] if case.wire else [])]
    program = bench.work / "bench-client"
    if case.wire == "h2":
        return [program, "http2", client, tasks, *where, certificate]
    mode, scenario = ("ours", "auth") if client == "auth" else (client, "get")
    return [program, mode, scenario, tasks, *where, *([certificate] if case.wire else [])]


def run(bench, case, client):
    """Processor time of a request, requests a second, and context switches of a request."""
    requests = case.requests // 8 if client == "urlsession" else case.requests
    process = subprocess.Popen(command(bench, case, client, requests), env=bench.environment, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"Benchmarks/all: {case.title}, {client} failed")
    spent, rate = map(float, output.split())
    # A fifth of the requests is sent before time is measured, but not over HTTP/2.
    sent = requests if case.wire == "h2" and client != "go" else requests * 1.2
    return spent, rate, (usage.ru_nvcsw + usage.ru_nivcsw) / sent


def table(bench):
    """The table, and whether all bars are met."""
    if not shutil.which("go"):
        sys.exit("Benchmarks/all --times needs go: apt-get install golang-go")
    environment = {**os.environ, "GOCACHE": str(bench.work / "go-cache"), "GO111MODULE": "off"}
    subprocess.run(["go", "build", "-o", bench.work / "bench-go", HERE / "go" / "main.go"], env=environment, check=True)
    lines = ["| requests | client | processor time, µs | to bare NIO | to Go | bar | | context switches | requests a second |",
             "| :-- | :-- | --: | --: | --: | --: | :-- | --: | --: |"]
    all_met = True
    for case in CASES:
        turns = [{client: run(bench, case, client) for client in case.clients} for _ in range(RUNS)]

        def ratio(client, base):
            return statistics.median(turn[client][0] / turn[base][0] for turn in turns)
        for client in case.clients:
            spent, rate, switches = (statistics.median(turn[client][index] for turn in turns) for index in range(3))
            bars = [(f"{ratio(client, base):.2f} × {NAMES[base]}, at most {most} ×", ratio(client, base) <= most)
                    for (who, base), most in BARS.items() if case.is_bound and who == client]
            all_met &= all(is_met for _, is_met in bars)
            lines.append(
                f"| {case.title} | {NAMES[client]} | {spent:.1f} | {ratio(client, 'nio'):.2f} × | {ratio(client, 'go'):.2f} × "
                f"| {'; '.join(text for text, _ in bars)} | {', '.join('ok' if is_met else 'missed' for _, is_met in bars)} "
                f"| {switches:.2f} | {rate:,.0f} |")
            print(lines[-1], file=sys.stderr)
    return "\n".join(lines), all_met


def section(text):
    return f"""The same small GET in processor time of the client, user and system, in processes that take turns. `Benchmarks/all --times --write`
makes this table.

{text}

- All numbers are medians of {RUNS} runs, and ratios are medians of the ratios of each turn.
- *Go's net/http* is Debian's Go ({subprocess.run(["go", "version"], capture_output=True, text=True).stdout.split()[2]}); `Benchmarks/go`. It
  asks for gzip only, the others for gzip and deflate.
- *its tasks on the connection's thread*: the caller's task runs on the event loop, so that no request changes threads. An
  application that wants that gives its tasks an executor; code of such a task that blocks holds up all connections of its loop.
"""
