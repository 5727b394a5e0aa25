"""Secrets in plain requests: passwords, fields, cookies, URLs, bodies, proxies, and the arguments of the command."""
import base64
import pathlib
import re
import secrets
import subprocess
import time
import urllib.parse

from search import check, execute, KEPT, kept, problems, Search


def plant(landscape, environment):
    """New secrets by their kinds. The landscape and the environment know the password."""
    planted = {kind: f"canary-{kind}-{secrets.token_hex(6)}" for kind in (
        "password", "wrong", "token", "cookie", "key", "query", "body", "fragment", "userinfo", "redirect", "proxy")}
    landscape.admin("users", {"name": "canary", "password": planted["password"]})
    environment["CANARY_PASSWORD"] = planted["password"]
    return planted


def secret_fields(planted):
    return ("-H", "Authorization: Bearer " + planted["token"], "-H", "Cookie: c=" + planted["cookie"],
            "-H", "X-API-Key: " + planted["key"])


def carry(httpc, landscape, folder, environment, planted):
    """Sends the secrets in requests of every kind. Returns the output of the runs and the files that they have written."""
    outputs = []

    def run(*arguments, expect=(0,)):
        for level in ("-v", "-vv"):
            outcome = execute(httpc, level, "--cacert", landscape.authority, *KEPT, *arguments, environment=environment,
                              expect=expect, cwd=folder)
            transcripts = kept(folder)
            check("</html>" in transcripts or outcome.returncode in (2, 3), f"httpc {arguments[-1]} kept nothing")
            check(("\n> " in outcome.stderr) == (level == "-vv") or outcome.returncode in (2, 3),
                  f"httpc {level} {arguments[-1]} shows the wrong things: {outcome.stderr[:300]}")
            outputs.append(outcome.stderr + outcome.stdout + transcripts)
        return outcome

    sink = ("-o", "/dev/null")
    login = ("-u", "canary:" + planted["password"])
    paths = ["/basic/realm1/x", "/basic/utf8/x", "/digest/md5/x", "/digest/sha256/x", "/digest/sha512-256/x",
             "/digest/auth-int/x", "/digest/all/x", "/digest/once/x", "/digest/nextnonce/x"]
    for path in paths:
        run(*sink, *login, landscape.url(path))
        run(*sink, *login, landscape.url(path, "secure"))
    run(*sink, "-u", "canary:" + planted["wrong"], "-f", landscape.url("/digest/sha256/y"), expect=(22,))
    run(*sink, "-u", "canary:" + planted["wrong"], landscape.url("/basic/realm1/y"))
    fields = secret_fields(planted)
    run(*sink, *fields, landscape.url("/redirect/to/other?path=/echo"))
    run(*sink, "-I", *fields, landscape.url("/json"))
    run(*sink, landscape.url(f"/echo?code={planted['query']}&access_token={planted['query']}#{planted['fragment']}"))
    target = urllib.parse.quote(landscape.url(f"/echo?token={planted['redirect']}", "other"), safe="")
    run(*sink, landscape.url(f"/redirect/302?to={target}"))
    cookies = str(folder / "cookies")
    run(*sink, "-c", cookies, "-d", "user=canary&password=" + planted["password"], landscape.url("/session/login"))
    run(*sink, "-b", cookies, landscape.url("/session/resource"))
    run(*sink, "-d", "secret=" + planted["body"], landscape.url("/upload"))
    named = landscape.url("/basic/realm1/z").replace("://", f"://canary:{planted['userinfo']}@")
    run(*sink, named, expect=range(1, 100) if not accepts_userinfo(httpc, landscape, environment) else range(100))
    run(*sink, *login, f"http://127.0.0.1:1/?code={planted['query']}", expect=(7,))
    config = folder / "profiles.toml"
    config.write_text(f'[profiles.p]\nmatch = ["{landscape.origins["main"]}/digest/"]\n'
                      '[profiles.p.basic]\nusername = "canary"\npassword-env = "CANARY_PASSWORD"\n')
    run(*sink, "--config", str(config), landscape.url("/digest/sha256/profile"))
    for authentication in ("basic", "digest"):
        landscape.admin(f"proxy?authentication={authentication}&password={planted['proxy']}")
        for kind in ("http", "socks5h"):
            address = landscape.origins["proxy"].replace("http", kind)
            run(*sink, *login, "-x", address, "-U", "paula:" + planted["proxy"], landscape.url("/basic/realm1/x"))
            named = address.replace("://", f"://paula:{planted['proxy']}@")
            run(*sink, *login, "-x", named, landscape.url("/basic/realm1/x", "secure"))
        run(*sink, "-x", landscape.origins["proxy"], "-U", f"{planted['proxy']}:{planted['proxy']}",
            landscape.url("/json", "secure"), expect=(56,))
    landscape.admin("proxy?authentication=none")
    return outputs


def check_arrival(landscape, planted, outputs):
    """Checks that the secrets did travel. Returns the search for them."""
    recorded = landscape.admin("requests", post=False)
    recorded_by_proxy = landscape.admin("proxy/requests", post=False)
    finder = Search()
    for name, secret in planted.items():
        finder.add(name, secret)
    session = re.findall(r"LANDSCAPE_SESSION=(\w{8,})", recorded)
    check(session, "no session cookie came back to the server")
    for number, value in enumerate(set(session)):
        finder.add(f"session cookie {number}", value)
    realms = sorted(set(re.findall(r'realm=\\*"([^"\\]+)', recorded)))
    finder.add_digests(planted["password"], realms, recorded)
    finder.add_digests(planted["proxy"], [], recorded_by_proxy)

    basic = base64.b64encode(("canary:" + planted["password"]).encode()).decode()
    for name, needle in {
        "the Basic login": basic, "the token": planted["token"], "the cookie": planted["cookie"],
        "the key": planted["key"], "the query": planted["query"], "the redirect's token": planted["redirect"],
        "a Digest": "response=",
    }.items():
        check(needle in recorded, f"{name} never reached the server: nothing was tested")
    proxy_login = base64.b64encode(("paula:" + planted["proxy"]).encode()).decode()
    check(proxy_login in recorded_by_proxy and "response=" in recorded_by_proxy, "no login reached the proxy")
    check(proxy_login not in recorded, "the proxy's login reached a server")
    check(len(realms) >= 3, f"few Digest realms were visited: {realms}")
    check(sum(map(len, outputs)) > 5000, "there is little output to search")
    return finder


def check_sight(httpc, landscape, environment, planted, finder):
    """Checks that the search finds each form of a secret, and a secret on a page that shows what was sent."""
    finder.check_sight()
    echoed = subprocess.run(
        [httpc, "-sS", *secret_fields(planted), landscape.url("/echo")], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env=environment, timeout=60)
    check(any("token: raw" in name for name in finder.found(echoed.stdout)), "a planted leak is not found")


def accepts_userinfo(httpc, landscape, environment):
    url = landscape.url("/json").replace("://", "://nobody:nothing@")
    return subprocess.run(
        [httpc, "-sS", "-o", "/dev/null", url], stdin=subprocess.DEVNULL, capture_output=True, env=environment,
        timeout=60).returncode == 0


def arguments_are_overwritten(httpc, landscape, environment, planted, finder):
    """While a request is held at the server, the process list shows no secret (S23)."""
    if not pathlib.Path("/proc/self/cmdline").exists():
        return
    path = "/basic/realm1/held"
    landscape.admin("hold?path=" + path)
    process = subprocess.Popen(
        [httpc, "-sS", "-o", "/dev/null", "-u", "canary:" + planted["password"], "-H",
         "X-API-Key: " + planted["key"], "--answer", "password=" + planted["password"], landscape.url(path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    try:
        for _ in range(400):
            if path in landscape.admin("requests?path=" + path, post=False):
                break
            time.sleep(0.025)
        else:
            problems.append("the held request never arrived")
        shown = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes().decode(errors="replace")
        check("-u" in shown, "the process list cannot be read")
        for name in finder.found(shown):
            problems.append(f"in the process list: {name}")
    finally:
        landscape.admin("release?path=" + path)
        process.wait(20)
