"""The passwords of the demo's people."""
import base64
import re
import subprocess

from search import check, problems, Search


def demo(httpc, environment):
    """The output of the demo, and the passwords of its people, to search for them."""
    outcome = subprocess.run(
        [httpc, "demo", "all"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", env=environment,
        timeout=120)
    check(outcome.returncode == 0, f"httpc demo all ended with {outcome.returncode}")
    check("Authorization: " in outcome.stdout, "the demo shows no login")
    finder = Search()
    for password in ("wonderland", "looking-glass", "pässwörd€", "through-the-wall", "rabbit-hole-6"):
        finder.add("demo password", password)
        for user in ("alice", "jürgen"):
            token = base64.b64encode(f"{user}:{password}".encode()).decode().rstrip("=")
            finder.needles[f"Basic of {user}"] = token.lower()
    for name in finder.found(outcome.stdout + outcome.stderr):
        problems.append(f"the demo prints {name}")
    finder = Search()
    for secret in ("machine-secret", "machine:machine-secret"):
        finder.add("demo client secret", secret)
    for name in finder.found(outcome.stdout + outcome.stderr):
        problems.append(f"the demo prints {name}")
    check("Bearer <redacted>" in outcome.stdout, "the demo shows no access token in use")
    for match in re.findall(r"(?:code|state|code_challenge|user_code|nonce)=[\w~.-]{4,}", outcome.stdout + outcome.stderr):
        problems.append(f"the demo prints {match[:12]}…")
    for match in re.findall(r'(?:response|cnonce)="[^"<]+"', outcome.stdout + outcome.stderr):
        problems.append(f"the demo prints {match[:20]}…")
