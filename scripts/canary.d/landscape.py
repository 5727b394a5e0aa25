"""A running landscape."""
import json
import re
import subprocess
import urllib.request


class Landscape:
    """A running `httpc landscape` and its admin API."""

    def __init__(self, httpc, folder, environment):
        self.authority = str(folder / "ca.pem")
        self.certificates = folder / "certificates"
        self.process = subprocess.Popen(
            [httpc, "landscape", "--ca-out", self.authority, "--certificates-out", str(self.certificates)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=environment)
        self.origins = {}
        for line in self.process.stdout:
            if match := re.match(r"\s+(\w+)\s+(https?://[\d.:]+)", line):
                self.origins[match[1]] = match[2]
            if match := re.search(r"X-Landscape-Token: (\w+)$", line):
                self.token = match[1]
            if "Ctrl-C" in line:
                break
        # Loopback, whatever the environment says about proxies.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def url(self, path, origin="main"):
        return self.origins[origin] + path

    def admin(self, command, body=None, post=True):
        data = (json.dumps(body).encode() if body else b"") if post else None
        request = urllib.request.Request(
            self.url("/admin/" + command), data=data, headers={"X-Landscape-Token": self.token})
        return self.opener.open(request, timeout=20).read().decode()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
