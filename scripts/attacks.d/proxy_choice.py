"""The choice of a proxy, requests that bypass it, and the servers that get its password."""
import base64
import pathlib
import threading

from bench import NEXT, arrived, attack, finds, never, require
from servers import HELD, PATIENCE, page, redirect, status


def proxy(scene):
    """A proxy for http that answers everything itself."""
    return scene.server({"*": page("proxied")})


# A name of another machine, because the proxies of the environment are not for this one.
NAMES = {"www.example.com": "127.0.0.1"}

# Environment: {proxy} is a proxy of ours, {server} another server that would answer as well.

IGNORED = [
    ("HTTP_PROXY, which a request to a CGI program sets", {"HTTP_PROXY": "{proxy}"}),
    ("HTTP_PROXY beside an empty http_proxy", {"HTTP_PROXY": "{proxy}", "http_proxy": ""}),
    ("the same with the mark of a CGI program", {"HTTP_PROXY": "{proxy}", "REQUEST_METHOD": "GET"}),
    ("Http_Proxy", {"Http_Proxy": "{proxy}"}),
    ("https_proxy for http", {"https_proxy": "{proxy}", "HTTPS_PROXY": "{proxy}"}),
]


@attack(NEXT, "a variable that is not for it names no proxy", IGNORED)
def ignored(scene, environment):
    way, server = proxy(scene), scene.server({"*": page("in")})
    filled = {key: value.format(proxy=way.origin) for key, value in environment.items()}
    outcome = scene.httpc(f"http://www.example.com:{server.port}/", names=NAMES, environment=filled).ends(0)
    require(outcome.out == b"in" and not way.received(), "went through the proxy")


@attack(NEXT, "what is for this machine does not go to a proxy of the environment", [
    ("localhost", "localhost"), ("the address", "127.0.0.1")])
def this_machine(scene, host):
    way, server = proxy(scene), scene.server({"*": page("in")})
    outcome = scene.httpc("--basic", "-u", "bob:" + scene.password, f"http://{host}:{server.port}/",
                          environment={"http_proxy": way.origin, "no_proxy": "example.com"}).ends(0)
    require(outcome.out == b"in" and not way.received(), "the proxy got it")


THROUGH = [
    ("notexample.com and example.com", "http://notexample.com/", "example.com"),
    ("a dot before it", "http://notexample.com/", ".example.com"),
    ("the name as a label elsewhere", "http://example.com.evil.test/", "example.com"),
    ("the name in a path", "http://evil.test/example.com", "example.com"),
    ("the name in a fragment", "http://evil.test/#@example.com", "example.com"),
    ("the name in a query", "http://evil.test/?.example.com", "example.com"),
    ("the parent of what is listed", "http://example.com/", "www.example.com"),
    ("two dots before it", "http://www.example.com/", "..example.com"),
    ("two dots after it", "http://www.example.com/", "example.com.."),
    ("a wildcard before it", "http://www.example.com/", "*.example.com"),
    ("a star among others", "http://www.example.com/", "x,*"),
    ("a port", "http://www.example.com/", "www.example.com:80"),
    ("a URL", "http://www.example.com/", "http://www.example.com"),
    ("a prefix of an address", "http://10.1.2.3/", "10.1."),
    ("the end of an address", "http://10.1.2.3/", "2.3"),
    ("a range of no bits", "http://10.1.2.3/", "0.0.0.0/0"),
    ("a range of too many bits", "http://10.1.2.3/", "10.1.2.3/33"),
    ("a range of words", "http://10.1.2.3/", "10.0.0.0/eight"),
    ("a range of negative bits", "http://10.1.2.3/", "10.0.0.0/-8"),
    ("an octal address", "http://10.1.2.3/", "012.1.2.3"),
    ("a short address", "http://10.0.0.3/", "10.3"),
    ("an address of IPv4 within IPv6", "http://10.1.2.3/", "::ffff:10.1.2.3"),
    ("a range of IPv6 next to it", "http://[2001:db8:7fff::1]/", "2001:db8:8000::/33"),
    ("a name for an address", "http://10.1.2.3/", "www.example.com"),
    ("an address for a name", "http://www.example.com/", "127.0.0.1"),
    ("a combining mark", "http://www.example.com/", "example.com\u0301"),
    ("a letter that looks like it", "http://www.example.com/", "ex\u0430mple.com"),
]


@attack(NEXT, "nothing goes around the proxy by mistake", THROUGH)
def through(scene, url, listed):
    way = proxy(scene)
    for words, environment in [((), {"no_proxy": listed}), (("--noproxy", listed), {"no_proxy": "*"})]:
        outcome = scene.httpc(*words, url, environment={"http_proxy": way.origin} | environment).ends(0)
        require(outcome.out == b"proxied", "no answer of the proxy's")
    require(len(way.received()) == 2, "the proxy was not asked")


AROUND = [
    ("upper case", "http://WWW.Example.COM:{port}/", "example.com"), ("a dot at its end", "http://www.example.com.:{port}/", "EXAMPLE.com"),
    ("dots at both ends", "http://www.example.com:{port}/", "x,.example.com. y"), ("blanks", "http://www.example.com:{port}/", " x \t example.com "),
    ("an address", "http://127.0.0.1:{port}/", "127.0.0.1"), ("a range", "http://127.0.0.1:{port}/", "127.0.0.0/8"),
    ("everything", "http://127.0.0.1:{port}/", "*"),
    ("a list of two hundred thousand", "http://www.example.com:{port}/",
     "BIG"),
]


@attack(NEXT, "what is meant to go around the proxy does", AROUND)
def around(scene, url, listed):
    way, server = proxy(scene), scene.server({"*": page("in")})
    # A variable holds 128 KiB at most.
    listed = ",".join(f"h{n}.x" for n in range(14_000)) + ",example.com" if listed == "BIG" else listed
    names = NAMES if "xample" in url.lower() else None
    # Named, because those of the environment are not for this machine.
    outcome = scene.httpc("-x", way.origin, url.format(port=server.port), names=names,
                          environment={"no_proxy": listed}).ends(0)
    require(outcome.out == b"in" and not way.received(), "went through the proxy")
    require(outcome.cpu < 3, f"took {outcome.cpu:.1f} s of CPU time")


UNUSABLE = [
    ("a scheme of its own", "ftp://alice:{pw}@127.0.0.1:{port}"), ("SOCKS 4", "socks4://alice:{pw}@127.0.0.1:{port}"),
    ("CR and LF in the name", "http://a%0d%0aX:{pw}@127.0.0.1:{port}"), ("NUL in the password", "http://a:{pw}%00@127.0.0.1:{port}"),
    ("a line separator", "http://a:{pw}%e2%80%a8@127.0.0.1:{port}"), ("no UTF-8", "http://a:{pw}%ff@127.0.0.1:{port}"),
    ("a slash in the password", "http://a:{pw}/@127.0.0.1:{port}"), ("a digit and a slash", "http://a:1/{pw}@127.0.0.1:{port}"),
    ("an @ in the password", "http://a:{pw}@@127.0.0.1:{port}"), ("a short address", "http://a:{pw}@127.1:{port}"),
    ("a space", "http://a:{pw}@127.0.0.1:{port} "), ("a line end", "http://a:{pw}@127.0.0.1:{port}\n"),
    ("a backslash", "http://a:{pw}@127.0.0.1:{port}\\"), ("a port too large", "http://a:{pw}@127.0.0.1:99999"),
    ("no host", "http://a:{pw}@"),
]


@attack(NEXT, "a proxy that cannot be used is neither gone around nor shown", UNUSABLE)
def unusable(scene, text):
    way, server = proxy(scene), scene.server({"*": page("in")})
    text = text.format(pw=scene.password, port=way.port)
    for words, environment in [((), {"http_proxy": text}), (("-x", text), {}), ((), {"all_proxy": text})]:
        outcome = scene.httpc("-v", *words, f"http://www.example.com:{server.port}/", names=NAMES,
                              environment=environment).ends(2)
        outcome.hides(scene.password)
        require(outcome.err.strip(), "the error says nothing at all")
    require(not server.received() and not way.received(), "something was sent")


# The receivers of passwords.

@attack(NEXT, "a proxy's password goes to that proxy only, over a redirect to where another one is used")
def another(scene):
    def ask(request):
        if not request.field("Proxy-Authorization"):
            return status(407, b"", 'Proxy-Authenticate: Basic realm="r"')
        return redirect(elsewhere.origin + "/there")

    elsewhere = scene.server({"*": status(407, b"", 'Proxy-Authenticate: Basic realm="r"')})
    way = scene.server({"*": ask})
    scene.httpc("http://www.example.com/", environment={
        "http_proxy": f"http://bob:{scene.password}@{way.authority}", "no_proxy": "127.0.0.1"})
    require(finds_basic(way, scene.password), "nothing was tested: the proxy never got its password")
    arrived(elsewhere, "/there")
    never(elsewhere, scene.password)
    require(not elsewhere.received()[-1].field("Proxy-Authorization"), "got a password")


ASKS = 'Proxy-Authenticate: Basic realm="r"'


def two_proxies(scene):
    """A proxy for http that leads to https once it is content, and one for https, which asks, too."""
    def first(request):
        if not request.field("Proxy-Authorization"):
            return status(407, b"", ASKS)
        return redirect("https://www.example.com/there")

    one, other = scene.server({"*": first}), scene.server({"*": status(407, b"", ASKS)})
    return one, other, {"http_proxy": one.origin, "https_proxy": other.origin}


@attack(NEXT, "a password that was typed for one proxy does not go to another")
def typed(scene):
    one, other, environment = two_proxies(scene)
    terminal = scene.terminal("-U", "bob", "http://www.example.com/", environment=environment)
    terminal.until(rb"password of bob for the proxy " + one.origin.encode())
    terminal.type(scene.password)
    # The other one is asked for by its own name.
    terminal.until(rb"password of bob for the proxy " + other.origin.encode())
    never(other, scene.password)
    terminal.type("of-the-other")
    require(terminal.end() != 0, "the other proxy refuses everything")
    require(finds_basic(one, scene.password), "nothing was tested: the named proxy never got its password")
    require(finds_basic(other, "of-the-other"), "nothing was tested: the other proxy never got its own password")
    never(other, scene.password)
    never(one, "of-the-other")


@attack(NEXT, "--proxy-user is for the proxy of the typed URL")
def given(scene):
    one, other, environment = two_proxies(scene)
    scene.httpc("-U", "bob:" + scene.password, "http://www.example.com/", environment=environment)
    require(finds_basic(one, scene.password), "nothing was tested: the proxy of the typed URL never got its password")
    require(any(request.method == "CONNECT" for request in other.received()), "nothing was tested: no tunnel was wanted")
    never(other, scene.password)
    # One proxy for everything gets it whatever leads there.
    both = scene.server({"*": lambda request: one.answers["*"](request) if request.method != "CONNECT" else
                         status(407, b"", ASKS)})
    scene.httpc("-U", "bob:" + scene.password, "http://www.example.com/", environment={"all_proxy": both.origin})
    tunnels = [request for request in both.received() if request.method == "CONNECT"]
    require(any(request.field("Proxy-Authorization") for request in tunnels), "the only proxy got no password for a tunnel")


@attack(NEXT, "a password that was typed for one server ahead of its question does not go to another")
def typed_ahead(scene):
    servers = sorted((scene.server({"*": page("in")}) for _ in range(2)), key=lambda server: server.origin)
    passwords = [scene.password, "of-the-other"]
    terminal = scene.terminal("--basic", "-u", "bob", *[server.origin + "/" for server in servers])
    for server, password in zip(servers, passwords):
        terminal.until(rb"password of bob for " + server.origin.encode())
        terminal.type(password)
    require(terminal.end() == 0, f"the requests failed: {terminal.tail()}")
    for server, own, foreign in zip(servers, passwords, reversed(passwords)):
        wanted = base64.b64encode(f"bob:{own}".encode())
        require(any(wanted in request.field("Authorization") for request in server.received()),
                "nothing was tested: a server never got its password")
        require(not finds(server.raw, foreign), "a server got what was typed for the other")


@attack(NEXT, "a profile's password for a proxy goes to no other proxy", [
    ("of the command line", True), ("of the environment", False)])
def profiles_password(scene, is_option):
    way = scene.server({"*": status(407, b"", 'Proxy-Authenticate: Basic realm="r"')})
    own = '[profiles.p]\nproxy = "http://127.0.0.1:1"\nproxy-user = "bob"\nproxy-password-env = "PW"\n'
    none = '[profiles.p]\nproxy-user = "bob"\nproxy-password-env = "PW"\n'
    words = scene.profile(own if is_option else none)
    more = ("-x", way.origin) if is_option else ()
    outcome = scene.httpc(*words, *more, "http://www.example.com/", environment={
        "PW": scene.password, "http_proxy": way.origin})
    never(way, scene.password)
    if is_option:
        arrived(way)
    else:
        outcome.ends(2)


@attack(NEXT, "the process list shows no password of a proxy", [
    ("--proxy-user", ("--proxy-user", "bob:{pw}", "-x", "{way}")), ("-U joined", ("-Ubob:{pw}", "-x", "{way}")),
    ("in -x", ("-x", "http://bob:{pw}@{authority}")), ("joined to -x", ("-xbob:{pw}@{authority}",)),
    ("--proxy=", ("--proxy=http://bob:{pw}@{authority}",)),
])
def processes(scene, words):
    gate, seen = threading.Event(), threading.Event()

    def hold(request):
        seen.set()
        gate.wait(HELD)
        return page("in")

    way = scene.server({"*": hold})
    process = scene.start(*[word.format(pw=scene.password, way=way.origin, authority=way.authority) for word in words],
                          "http://www.example.com/")
    require(seen.wait(PATIENCE), "nothing was tested: no request arrived")
    listed = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
    gate.set()
    scene.finish(process).ends(0)
    require(b"httpc" in listed and scene.password.encode() not in listed, "the process list shows it")


# Texts of a proxy.

@attack(NEXT, "a proxy's words do not act on the terminal")
def words(scene):
    way = scene.server({"*": b"HTTP/1.1 502 \x1b[31mred\x9b\x07\r\nContent-Length: 0\r\n\r\n"})
    outcome = scene.httpc("-v", "-x", way.origin, "https://www.example.com/")
    require(way.received(), "nothing was tested: no CONNECT arrived")
    require(not any(byte in outcome.err for byte in (b"\x1b[31m", b"\x07")), "escape sequences came through")


def finds_basic(server, password):
    wanted = base64.b64encode(f"bob:{password}".encode())
    return any(wanted in request.field("Proxy-Authorization") for request in server.received())
