"""Passwords and one-time codes of logins on web pages."""
import base64
import hashlib
import hmac
import re
import secrets
import shutil
import struct
import subprocess
import time

from search import check, execute, KEPT, kept, problems, Search

WEB_PROFILE = """
[profiles.web]
match = ["{main}/saml", "{main}/otp"]
answer-origins = ["{main}", "{provider}"]
[profiles.web.basic]
username = "canary"
password-env = "CANARY_PASSWORD"
[profiles.web.saml2]
finish-endpoint = "{launcher}/SAMLAuthLauncher"
finish-parameter = "finishEndpointParam"
[profiles.web.otp]
[profiles.web.answers]
passcode = {{ totp-env = "CANARY_TOTP" }}
"""


def code(key, step):
    """RFC 6238."""
    mac = hmac.new(key, struct.pack(">Q", step), hashlib.sha1).digest()
    offset = mac[-1] & 15
    return f"{(struct.unpack('>I', mac[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def web_logins(httpc, landscape, folder, environment):
    """SAML2 and one-time codes at every level of verbosity, with right, wrong and missing answers."""
    key = secrets.token_bytes(20)
    totp = base64.b32encode(key).decode()
    planted = {kind: f"canary-{kind}-{secrets.token_hex(6)}" for kind in ("web-password", "web-wrong")}
    landscape.admin("users", {"name": "canary", "password": planted["web-password"], "totpSecret": totp})
    config = folder / "web.toml"
    provider = landscape.origins["other"].replace("127.0.0.1", "localhost")
    environment = environment | {"CANARY_PASSWORD": planted["web-password"], "CANARY_TOTP": totp}
    landscape.admin("recording?on=true")
    start = int(time.time()) // 30
    outputs = []
    state = ""

    def run(*arguments, password="web-password", expect=0):
        nonlocal state
        launcher = "/saml/redirect-artifact" if "artifact" in arguments[-1] else "/saml/redirect-post"
        config.write_text(WEB_PROFILE.format(
            main=landscape.origins["main"], provider=provider, launcher=launcher if "redirect" in arguments[-1] else ""))
        # Without a session, but with the note of the codes that were used.
        subprocess.run(
            [httpc, "logout", "-s", "--profile", "web", "--config", str(config)], stdin=subprocess.DEVNULL, env=environment,
            check=True, timeout=30)
        outcome = execute(
            httpc, "--config", str(config), "--answer", "user=canary", "--answer", "password=" + planted[password], *KEPT,
            *arguments, environment=environment, expect=(expect,), timeout=100, cwd=folder, start_new_session=True)
        outputs.append(outcome.stderr + outcome.stdout + kept(folder))
        for file in (folder / "state" / "httpc" / "web").glob("*"):
            state += file.read_bytes().decode("latin-1")
        return outcome

    browsers = [()] + ([("--headless",)] if shutil.which("chromium") else [])
    for browser in browsers:
        for level in ((), ("-v",), ("-vv",), ("-s",)):
            for variant in ("post-post", "redirect-artifact"):
                run(*browser, *level, landscape.url(f"/saml/{variant}/x"))
    for level in ((), ("-v",), ("-vv",), ("-s",)):
        run(*level, landscape.url("/saml/redirect-post/x"), password="web-wrong", expect=67)
        run(*level, "--web", "none", landscape.url("/saml/redirect-post/x"), expect=67)
    both = [run("-vv", landscape.url(path)).stdout for path in ("/otp/basic/x", "/otp/saml/x")]
    check(all('"OTP"' in text for text in both), "no one-time code was accepted: nothing was tested")

    recorded = landscape.admin("requests", post=False)
    finder = Search()
    for name, secret in (planted | {"TOTP secret": totp}).items():
        finder.add(name, secret)
    parameters = set(re.findall(r"(SAMLart|SAMLRequest|RelayState)=([^&\"\s]{12,})", recorded))
    cookies = set(re.findall(r"((?:SAML_SESSION|IDP_SESSION|OTP_FIRST|OTP_SESSION)_\w+)=([\w.~-]{8,})", recorded))
    check({name for name, _ in parameters} >= {"SAMLart", "SAMLRequest"}, "no SAML message was recorded")
    check({name.rsplit("_", 1)[0] for name, _ in cookies} >= {"SAML_SESSION", "OTP_SESSION"}, "few session cookies")
    for number, (name, value) in enumerate(sorted(parameters | cookies)):
        finder.needles[f"{name} {number}"] = value.lower()
    for shift in range(3):
        # The start of an assertion in base64, at each of the three possible offsets.
        text = base64.b64encode(b" " * shift + b"<saml:Assertion ID=").decode()
        finder.needles[f"an assertion, {shift}"] = text[4 if shift else 0:-4].lower()
    codes = {code(key, step) for step in range(start - 2, int(time.time()) // 30 + 3)}
    for text in outputs + [state]:
        for name in finder.found(text):
            problems.append(f"printed by a web login, or in its state: {name}\n{text[:2000]}")
        for number in codes & set(re.findall(r"(?<![\w.:])\d{6}(?![\w.:])", text)):
            problems.append(f"printed by a web login, or in its state: a one-time code\n{text[:2000]}")
    finder.check_sight()
    print(f"canary: web logins, {len(outputs)} runs, {len(finder.needles)} forms of secrets")
