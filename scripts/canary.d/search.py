"""The output and the files of a run of httpc, and the search for secrets in them."""
import base64
import hashlib
import re
import subprocess
import urllib.parse

problems = []


def check(condition, text):
    if not condition:
        problems.append(text)


class Search:
    """The forms in which a secret travels."""

    def __init__(self):
        self.needles = {}

    def add(self, name, secret):
        for text, prefix in ((secret, ""), ("canary:" + secret, "login with ")):
            data = text.encode()
            coded = base64.b64encode(data).decode().rstrip("=")
            forms = {
                "raw": text,
                "base64": coded,
                "base64url": coded.replace("+", "-").replace("/", "_"),
                "percent": urllib.parse.quote(text, safe=""),
                "percent of all bytes": "".join(f"%{byte:02x}" for byte in data),
                "hex": data.hex(),
            }
            for form, needle in forms.items():
                self.needles[f"{name}: {prefix}{form}"] = needle.lower()

    def add_digests(self, password, realms, recorded):
        for realm in realms:
            text = f"canary:{realm}:{password}".encode()
            for algorithm in ("md5", "sha256", "sha512_256"):
                self.needles[f"Digest {algorithm} hash of the password, {realm}"] = hashlib.new(algorithm, text).hexdigest()
        for match in re.findall(r'response=\\*"([0-9a-f]{32,})', recorded):
            self.needles[f"Digest response {match[:6]}…"] = match

    def found(self, text):
        text = text.lower()
        return [name for name, needle in self.needles.items() if needle in text]

    def report(self, texts, what="printed"):
        for text in texts:
            problems.extend(f"{what}: {name}\n{text[:2000]}" for name in self.found(text))

    def check_sight(self):
        """Checks that each form of a secret is found."""
        for name, needle in self.needles.items():
            check(name in self.found(f"before {needle} after"), f"the search is blind for {name}")


def execute(httpc, *arguments, environment, expect=(0,), timeout=60, **options):
    """Runs httpc and checks its exit status."""
    outcome = subprocess.run(
        [httpc, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", env=environment,
        timeout=timeout, **options)
    check(outcome.returncode in expect,
          f"httpc {' '.join(arguments)} ended with {outcome.returncode}: {outcome.stderr[-300:]}")
    return outcome


KEPT = ("--har", "kept.har", "--trace", "kept.html")


def kept(folder):
    """The texts that --har and --trace have written since the last call."""
    texts = []
    for name in KEPT[1::2]:
        file = folder / name
        if file.exists():
            check(file.stat().st_mode & 0o777 == 0o600, f"{name} is not its owner's alone")
            texts.append(file.read_text())
            file.unlink()
    return "".join(texts)
