"""Points 1 and 5: login pages that want input for themselves or for another server."""
import re
import shlex

from bench import NEXT, Broken, arrived, attack, finds, never, require
from servers import page, redirect, status

PROFILE = """
[profiles.p]
match = ["{sp}/"]
answer-origins = [{named}]
{more}
[profiles.p.otp]
"""


class Login:
    """A login on a web page: the server that wants it, the page's server, and one of somebody else."""

    def __init__(self, scene, at=None, tls=False, more=""):
        self.scene = scene
        self.sp = scene.server()
        self.idp = scene.secure() if tls else scene.server()
        self.other = scene.server({"*": page("not the login")})
        self.profile = scene.profile(PROFILE.format(
            sp=self.sp.origin, more=more, named=f'"{self.idp.origin}"'))
        self.starts(at or self.idp.origin + "/login")

    def starts(self, url):
        self.sp.answers["/"] = redirect(url, "x-smp-authentication: otp-challenge")
        self.start = url

    def fill(self, text):
        """Text of a page with the places in it that are known now."""
        return text.format(idp=self.idp.origin, other=self.other.origin, authority=self.other.authority,
                           host=self.other.host, port=self.other.port)

    def unattended(self, *options):
        """Runs httpc with prepared answers and nobody to ask."""
        options = options or ("--web", "terminal")
        return self.scene.httpc(
            *self.profile, *options, "--cacert", self.scene.bench.authority.ca, "--answer", "user=alice", "--answer",
            "password=" + self.scene.password, "--answer", "word=" + self.scene.password, self.sp.origin + "/", timeout=60)

    def attended(self, *arguments):
        return self.scene.terminal(*self.profile, "--web", "terminal", *arguments, self.sp.origin + "/")


FIELDS = '<input name=user><input type=password name=password><button>Log in</button>'
# The same with a password that the page shows, and without one: no form puts a password into a URL.
SHOWN = FIELDS.replace("type=password ", "")
TEXTS = SHOWN.replace("name=password", "name=word")

# For each page: its description, its path, and the start of its form. If the form is for the page's own server, the answers
# have to arrive there.
OWN = [
    ("GET and no action, below a path that starts with another host", "//{authority}/login", "<form method=get action=''>"),
    ("GET and '?', below such a path", "//{authority}/login", "<form method=get action='?'>"),
    ("GET and a query, below such a path", "//{authority}/login", "<form method=get action='?step=2'>"),
    ("GET and a relative action, below such a path", "//{authority}/login", "<form method=get action='go'>"),
    ("GET and a dot segment before such a path", "/login", "<form method=get action='/.//{authority}/go'>"),
    ("GET and two dot segments before such a path", "/a/login", "<form method=get action='..//{authority}/go'>"),
    ("GET and userinfo before such a path", "//x@{authority}/login", "<form method=get action=''>"),
    ("GET, below a path with three slashes", "///{authority}/login", "<form method=get action=''>"),
    ("POST and no action, below such a path", "//{authority}/login", "<form method=post action=''>"),
    ("POST and a relative action, below such a path", "//{authority}/login", "<form method=post action='go'>"),
    ("a base element without a host, below such a path", "//{authority}/login",
     "<base href='./'><form method=get action='go'>"),
]


@attack(1, "answers stay at the page's server", OWN)
def own_server(scene, path, form):
    login = Login(scene)
    path = login.fill(path)
    login.starts(login.idp.origin + path)
    # The redirect after the answers shows that the other server can be reached.
    onward = redirect(login.other.origin + "/after")
    login.idp.answers[path] = lambda request: (
        onward if request.query.count("=") > 1 or request.method == "POST" else page(login.fill(form) + TEXTS + "</form>"))
    login.idp.answers["*"] = onward
    login.unattended()
    arrived(login.idp, path, "the request for the page")
    never(login.other, scene.password)
    require(finds(login.idp.raw, scene.password), "nothing was tested: the answers never arrived at the page's own server")
    arrived(login.other, "/after", "the request after the answers")


CLOSE = "<form method=post action=/enter><button formmethod=dialog{}>Close</button>" + FIELDS + "</form>"


@attack(1, "a form that no browser sends as it is puts no answer into a URL", [
    ("a button", CLOSE.format(""), True), ("with an action", CLOSE.format(" formaction=/close"), True),
    ("the form", "<form method=dialog>" + FIELDS + "</form>", False),
    ("a form with a password that it shows", "<form>" + SHOWN + "</form>", False),
    ("a form that a script sends", "<script src=login.js></script><form>" + FIELDS + "</form>", False)])
def dialog(scene, form, is_sent):
    login = Login(scene)
    login.idp.answers["/login"] = page(form)
    login.idp.answers["*"] = redirect(login.other.origin + "/after")
    login.unattended()
    arrived(login.idp, "/login")
    require(not any(finds(request.target.encode(), scene.password) for request in login.idp.received()), "a URL had the password")
    require(finds(login.idp.raw, scene.password) == is_sent, "the form was sent" if not is_sent else "nothing was sent")
    never(login.other, scene.password)


@attack(1, "an answer consents to nothing but what it names", [
    ("the value", "read"), ("the label", "Read"), ("no name of one", "on"), ("a name of none", "write")])
def consent(scene, answer):
    login = Login(scene)
    login.idp.answers["/login"] = page(
        "<form method=post action=/consent><label><input type=checkbox name=scope value=read> Read</label><label><input "
        "type=checkbox name=scope value=admin> Administer</label><button name=submit value=allow>Allow</button></form>")
    login.idp.answers["*"] = redirect(login.other.origin + "/after")
    login.unattended("--web", "terminal", "--answer", "scope=" + answer, "--answer", "submit=allow")
    arrived(login.idp, "/login")
    require(b"scope=admin" not in login.idp.raw, "it consented to the other permission")
    require((b"scope=read" in login.idp.raw) == (answer in ("read", "Read")), "it did not follow the answer")


UPLOAD = "<!doctype html><form method=post action=/comments>" + FIELDS + "</form>"


@attack(1, "an answer of the page's server that a browser shows no form of gets no answers", [
    ("HTML", ["Content-Type: text/html"], True), ("a text", ["Content-Type: text/plain"], False),
    ("data", ["Content-Type: application/json"], False), ("an image", ["Content-Type: image/svg+xml"], False),
    ("no type, and no guess", ["X-Content-Type-Options: nosniff"], False),
    ("two types", ["Content-Type: text/html", "Content-Type: text/plain"], False),
    ("a file to be saved", ["Content-Type: text/html", "Content-Disposition: attachment; filename=a.html"], False),
    ("a sandbox", ["Content-Type: text/html", "Content-Security-Policy: sandbox"], False),
    ("a policy without forms", ["Content-Type: text/html", "Content-Security-Policy: form-action 'none'"], False)])
def upload(scene, fields, is_page):
    login = Login(scene)
    login.idp.answers["/login"] = status(200, UPLOAD, *fields)
    login.unattended()
    arrived(login.idp, "/login", "the request for the page")
    if is_page:
        require(finds(login.idp.raw, scene.password), "nothing was tested: a page got no answers")
    else:
        never(login.idp, scene.password)


# Forms that are not for the page's own server.
ELSEWHERE = [
    ("an action at another server", "<form method=post action='{other}/take'>", FIELDS),
    ("an action without a scheme", "<form method=post action='//{authority}/take'>", FIELDS),
    ("an action with a tab", "<form method=post action='/\t/{authority}/take'>", FIELDS),
    ("an action with backslashes", "<form method=post action='\\\\\\\\{authority}\\\\take'>", FIELDS),
    ("an action with a slash and a backslash", "<form method=get action='/\\\\{authority}/take'>", TEXTS),
    ("an action with userinfo that looks like the page's",
     "<form method=post action='http://127.0.0.1@{authority}/take'>", FIELDS),
    ("a base element", "<base href='{other}/'><form method=post action='take'>", FIELDS),
    ("a base element and GET", "<base href='{other}/'><form method=get action='take'>", TEXTS),
    ("the button's formaction", "<form method=post action=''>",
     FIELDS.replace("<button", "<button formaction='{other}/take'")),
    ("the button's formaction and formmethod", "<form method=post action=''>",
     TEXTS.replace("<button", "<button formmethod=get formaction='{other}/take'")),
    ("a second form for the same fields", "<form id=f method=post action='{other}/take'></form><form>",
     FIELDS.replace("<input", "<input form=f").replace("<button", "<button form=f")),
    ("an action in short IPv4 form", "<form method=post action='http://127.1:{port}/take'>", FIELDS),
    ("an action in integer IPv4 form", "<form method=get action='http://2130706433:{port}/take'>", TEXTS),
]


@attack(1, "answers go to no other server", ELSEWHERE)
def other_server(scene, form, fields):
    login = Login(scene)
    login.idp.answers["/login"] = page(login.fill(form) + login.fill(fields) + "</form>")
    login.unattended().ends(67)
    arrived(login.idp, "/login", "the request for the page")
    never(login.other, scene.password)


@attack(1, "a page that is not listed gets no answers", [
    ("it comes first", "{other}/login"), ("a redirect leads there", "{idp}/redirect"),
    ("a refresh leads there", "{idp}/refresh"), ("a link leads there", "{idp}/link")])
def unlisted_page(scene, start):
    login = Login(scene)
    there = login.other.origin + "/login"
    login.idp.answers |= {
        "/redirect": redirect(there), "/refresh": page(f"<meta http-equiv=refresh content='0; url={there}'>"),
        "/link": page(f"<a href='{there}'>on</a>"), "/take": page("thanks")}
    login.other.answers["/login"] = page(f"<form method=post action='{login.idp.origin}/take'>" + FIELDS + "</form>")
    login.starts(login.fill(start))
    login.unattended().ends(67)
    arrived(login.other if start != "{idp}/link" else login.idp, why="the request for the page")
    never(login.other, scene.password)
    never(login.idp, scene.password)


@attack(1, "what was posted is not redirected to another server", [(str(code), code) for code in (307, 308)])
def redirected_post(scene, code):
    login = Login(scene)
    login.idp.answers |= {
        "/login": page("<form method=post action='/post'>" + FIELDS + "</form>"),
        "/post": redirect(login.other.origin + "/take", code=code)}
    login.unattended().ends(67)
    require(finds(arrived(login.idp, "/post", "the form").raw, scene.password), "nothing was tested: no answers were sent")
    never(login.other, scene.password)


@attack(1, "Chromium: answers stay at the page's server", [OWN[0], OWN[3]], alone=True)
def own_server_chromium(scene, path, form):
    login = Login(scene)
    path = login.fill(path)
    login.starts(login.idp.origin + path)
    done = redirect(login.sp.origin + "/?finished=true", "Set-Cookie: done=1; Path=/")
    asked = page(login.fill(form) + FIELDS + "</form>")
    login.idp.answers[path] = lambda request: done if "password" in request.query else asked
    login.idp.answers["*"] = lambda request: done if "password" in request.query else page("")
    asks = login.sp.answers["/"]
    login.sp.answers["/"] = lambda request: page("resource") if b"done=1" in request.field("Cookie") else asks
    outcome = login.unattended("--headless")
    never(login.other, scene.password)
    require(finds(login.idp.raw, scene.password), f"nothing was tested: the answers never arrived: {outcome.says()}")


@attack(1, "Chromium: answers go to no other server", [ELSEWHERE[8], ELSEWHERE[7]], alone=True)
def other_server_chromium(scene, form, fields):
    login = Login(scene)
    login.idp.answers["/login"] = page(login.fill(form) + login.fill(fields) + "</form>")
    login.unattended("--headless").ends(67)
    arrived(login.idp, "/login", "the request for the page")
    never(login.other, scene.password)


@attack(NEXT, "Chromium: a page that leads to nothing that can be shown does not keep the login", [
    ("an application", "mailto:x@example.com"), ("no content", "/nothing"), ("a file", "/file")], alone=True)
def nothing_to_show_chromium(scene, place):
    login = Login(scene)
    login.idp.answers |= {
        "/login": page(f"<script>onload = () => setTimeout(() => {{ location = '{place}' }})</script>"
                       "<form method=post action='/take'><input name=unknown><button>On</button></form>"),
        "/nothing": status(204), "/file": page("file", "Content-Disposition: attachment; filename=f")}
    outcome = login.unattended("--headless").ends(67)
    require(b"unknown" in outcome.err, f"ended for another reason: {outcome.says()}")
    arrived(login.idp, "/login", "the request for the page")


SCRIPTED = ("<form><input id=NAME><input id=password type=password><button>Log in</button></form><script>"
            "document.forms[0].onsubmit = event => { event.preventDefault();"
            " fetch('/in', { method: 'POST', body: document.getElementById('password').value }) }</script>")


def posts(server):
    return [request for request in server.received() if request.method == "POST"]


@attack(1, "Chromium: a form that only a script sends is never sent empty, and with answers once", [
    ("a field without an answer", "unknown", 0), ("with answers", "user", 1)], alone=True)
def scripted_form(scene, name, count):
    login = Login(scene)
    login.idp.answers |= {"/login": page(SCRIPTED.replace("NAME", name)), "/in": page("")}
    login.unattended("--headless").ends(67)
    arrived(login.idp, "/login", "the request for the page")
    require(len(posts(login.idp)) == count, f"sent {len(posts(login.idp))} times")
    require(finds(login.idp.raw, scene.password) == (count == 1), "the answers did not arrive, or were sent without the rest")


@attack(1, "Chromium: the Enter key that sends a form is for its field only, and its answers for the page's server", [
    ("a frame of another server takes the focus", "frames[0].focus()"),
    ("a button of the page takes the focus", "document.querySelector('button').focus()")], alone=True)
def enter_key(scene, focus):
    login = Login(scene)
    consent = "onclick=\"fetch('/consent', { method: 'POST' })\""
    login.other.answers["/frame"] = page(
        f"<button autofocus {consent}>I accept</button>"
        "<script>addEventListener('keydown', () => fetch('/key', { method: 'POST' }))</script>")
    login.idp.answers |= {"/in": page(""), "/login": page(
        f"<input id=password type=password><button type=button {consent}>I accept</button>"
        f"<iframe src='{login.other.origin}/frame'></iframe><script>const field = document.getElementById('password');"
        f"field.oninput = () => {focus}; field.onkeydown = event => {{ if (event.keyCode !== 13) return;"
        "fetch('/in', { method: 'POST', body: field.value });"
        f"fetch('{login.other.origin}/take', {{ method: 'POST', mode: 'no-cors', body: field.value }}) }}</script>")}
    login.unattended("--headless").ends(67)
    require(finds(arrived(login.idp, "/in", "what the key sends").raw, scene.password), "the answer did not arrive")
    arrived(login.other, "/frame", "the request for the frame")
    never(login.other, scene.password)
    require([request.path for request in posts(login.idp)] == ["/in"], "a button was pressed")
    require(not posts(login.other), "the frame of another server got the key")


@attack(1, "Chromium: no button for scripts is pressed that consents or changes something", [
    ("a name of an answer", "<button type=button name=password>I accept</button>"),
    ("an id of an answer", "<button type=button id=password>I accept</button>"),
    ("a label of an answer", "<div role=button>password</div><div role=button>Cancel</div>"),
    ("consent", "<div role=button>I agree</div>"), ("a change", "<button type=button>Delete my account</button>"),
    ("a choice", "<button type=button>Continue</button><button type=button>Cancel</button>"),
    ("a notice about cookies", "<input id=password type=password><p>We use cookies. <button type=button>OK</button></p>"),
    ("a text to enter", "<input maxlength=1><button>Continue</button>")], alone=True)
def scripted_button(scene, html):
    login = Login(scene)
    login.idp.answers |= {"/in": page(""), "/login": page(
        html + "<script>for (const button of document.querySelectorAll('button, [role=button]'))"
        " button.onclick = () => fetch('/in', { method: 'POST' })</script>")}
    login.unattended("--headless").ends(67)
    arrived(login.idp, "/login", "the request for the page")
    require(not posts(login.idp), "the button was pressed")


# Point 5

QUESTION = rb": \Z"
PAGE_LINES = (b"OTP login:", b"Title:", b"It says:", b"Text:")


def asks_with_origin(terminal, origin, label=b"LABEL"):
    """Checks that the question, which comes after the page's texts, begins with the real origin."""
    terminal.until(QUESTION)
    lines = [line.strip() for line in terminal.shown.split(b"\n") if line.strip()]
    asked = b"\n".join(line for line in lines if not line.startswith(PAGE_LINES))
    require(label in asked, f"nothing was tested: {label.decode()!r} is not asked for: {terminal.tail()}")
    first = asked.split(b"\n")[0].split(label)[0]
    require(origin.encode() in first, f"the question does not begin with the origin: {asked.decode(errors='replace')!r}")
    require(b"bank.example" not in first.split(origin.encode())[0], "another origin stands in front of it")


QUESTIONS = [
    ("text", "<input name=user aria-label=LABEL>"),
    ("a password", "<input type=password name=password aria-label=LABEL>"),
    ("a select", "<select name=s aria-label=LABEL><option>ONE<option>TWO</select>"),
    ("a check box", "<label><input type=checkbox name=c>LABEL</label>"),
    ("radio buttons",
     "<label><input type=radio name=LABEL value=1>ONE</label><label><input type=radio name=LABEL value=2>TWO</label>"),
    ("a label like another origin's", "<label>https://bank.example: LABEL<input type=password name=password></label>"),
    ("a label that erases the line",
     "<label>&#27;[2K&#13;https://bank.example LABEL<input type=password name=password></label>"),
    ("a label with line separators",
     "<label>x&#8232;&#133;&#11;https://bank.example LABEL<input type=password name=password></label>"),
    ("a text area", "<textarea name=t aria-label=LABEL></textarea>"),
    ("two buttons", "<button name=b value=1>LABEL</button><button name=b value=2>other</button>"),
    ("several forms", "<input name=a aria-label=ONE><button>Go</button></form>"
     "<form method=post action=''><input name=b aria-label=LABEL><button>Go</button>"),
]


@attack(5, "a question begins with the origin that asks", QUESTIONS)
def question(scene, field):
    login = Login(scene)
    login.idp.answers["/login"] = page(f"<h1>Welcome</h1><form method=post action=''>{field}</form>")
    terminal = login.attended()
    asks_with_origin(terminal, login.idp.origin)
    arrived(login.idp, "/login", "the request for the page")


@attack(5, "a question about links begins with the origin that asks")
def links(scene):
    login = Login(scene)
    login.idp.answers["/login"] = page("<a href=/a>LABEL</a> <a href=/b>other</a>")
    asks_with_origin(login.attended(), login.idp.origin)


@attack(5, "the second question begins with the origin, too, and so does the next page's")
def second_question(scene):
    login = Login(scene)
    login.idp.answers["/login"] = page(
        "<form action=/two><input name=user aria-label=ONE><input name=x aria-label=LABEL></form>")
    login.idp.answers["/two"] = page(
        "<form method=post action=/two><input type=password name=p aria-label=LABEL></form>")
    terminal = login.attended()
    for answer in ("one", "two"):
        terminal.until(QUESTION)
        terminal.shown = b""
        terminal.type(answer)
        terminal.until(rb"LABEL[^\n]*: \Z")
        line = terminal.shown.rsplit(b"\n", 1)[-1]
        require(login.idp.origin.encode() in line.split(b"LABEL")[0], f"it does not: {line.decode(errors='replace')!r}")
    arrived(login.idp, "/two", "the form")


SECRET = "<form method=post action=''><label>SECRET<input type=password name=password></label><button>Go</button></form>"
UNNAMED = [
    ("it comes first", "{other}/login"), ("a redirect leads there", "{idp}/redirect"),
    ("a form leads there", "{idp}/form"), ("a link leads there", "{idp}/link")]


@attack(5, "a password at an origin that nobody named is confirmed first", UNNAMED)
def unnamed(scene, start):
    login = Login(scene)
    there = login.other.origin + "/login"
    login.idp.answers |= {
        "/redirect": redirect(there), "/link": page(f"<a href='{there}'>on</a>"),
        "/form": page("<form action='/redirect'><button>Continue</button></form>")}
    login.other.answers["/login"] = page(SECRET)
    login.starts(login.fill(start))
    terminal = login.attended()
    # A form with nothing but a button leads on by itself.
    if start == "{idp}/link":
        terminal.until(QUESTION)
        terminal.shown = b""
        terminal.type("1")
    first = terminal.until(rb"SECRET[^\n]*: *\Z", rb"\(y[^)\n]*n[^)\n]*\)[^\n]*\Z")
    if first == 1 and login.other.origin.encode() not in terminal.shown:
        raise Broken(f"the question for consent does not name the origin: {terminal.tail()}")
    arrived(login.other, "/login", "the request for the page")
    require(first == 1, f"asked for the password at once: {terminal.tail()}")
    terminal.type("no")
    require(terminal.end() == 67, "did not end with 67 after a no")
    require(not any(request.method == "POST" for request in login.other.received()), "sent the form after a no")


@attack(5, "a password at an origin that the profile names is asked for at once")
def named(scene):
    login = Login(scene)
    login.idp.answers["/login"] = lambda request: (
        redirect(login.sp.origin + "/?finished=true", "Set-Cookie: done=1; Path=/") if request.method == "POST" else
        page(SECRET))
    asks = login.sp.answers["/"]
    login.sp.answers["/"] = lambda request: page("resource") if b"done=1" in request.field("Cookie") else asks
    terminal = login.attended()
    terminal.until(rb"SECRET[^\n]*: *\Z")
    terminal.type(scene.password)
    require(terminal.end() == 0, f"the login failed: {terminal.tail()}")
    require(finds(login.idp.raw, scene.password), "the password never arrived")
    require(scene.password.encode() not in terminal.shown, "the password is shown")


@attack(5, "a page's text never writes to the terminal")
def page_text(scene):
    login = Login(scene)
    evil = "&#27;]0;owned&#7;&#27;[31m&#155;2J&#8238;&#8294;https://bank.example&#13;&#8;"
    login.idp.answers["/login"] = page(
        f"<title>{evil}</title><p>{evil}<p role=alert>{evil}<form><label>{evil}LABEL<input name=user placeholder='{evil}' "
        f"value='{evil}'></label><select name=s><option>{evil}</select><button>{evil}</button></form>")
    terminal = login.attended()
    terminal.until(rb"LABEL[^\n]*: *\Z")
    text = terminal.shown.decode(errors="replace").replace("\r\n", "\n")
    arrived(login.idp, "/login", "the request for the page")
    for character in "\x07\x08\x9b\u202e\u2066\r":
        require(character not in text, f"the page wrote {character!r} to the terminal")
    require("\x1b]" not in text and "\x1b[31m" not in text, "the page wrote an escape sequence to the terminal")


EVIL = "&#27;]0;owned&#7;&#27;[31m&#155;2J&#8238;&#8294;&#13;&#10;httpc: password for https://bank.example: &#8;"


@attack(5, "a page that asks again writes its reason on one line of its own", [
    ("as an alert", f"<div role=alert>{EVIL}</div>"), ("by its class", f"<p class=error>{EVIL}</p>"),
    ("by its position", f"<p>{EVIL}</p>"), ("in a preformatted text", f"<pre class=error>{EVIL}</pre>")])
def reason(scene, text):
    login = Login(scene)
    form = "<form method=post action=''><label>LABEL<input type=password name=password></label></form>"
    login.idp.answers["/login"] = lambda request: page((text if request.method == "POST" else "") + form)
    terminal = login.attended()
    terminal.until(rb"LABEL[^\n]*: *\Z")
    terminal.shown = b""
    terminal.type(scene.password)
    terminal.until(rb"LABEL[^\n]*: *\Z")
    shown = terminal.shown.decode(errors="replace").replace("\r\n", "\n")
    require("Not accepted" in shown and "bank.example" in shown, f"nothing was tested: no reason is shown: {terminal.tail()}")
    for character in "\x07\x08\x1b\x9b\u202e\u2066\r":
        require(character not in shown, f"the page wrote {character!r} to the terminal")
    for line in shown.split("\n"):
        require("bank.example" not in line or line.startswith("  It says: "), f"the page has a line of its own: {line!r}")
    require(scene.password not in shown, "the password is shown")


@attack(5, "a page that asks again repeats no answer in an error", [
    ("in the terminal", "--web", "terminal"), ("in Chromium", "--headless")], alone=True)
def repeated_answer(scene, *options):
    login = Login(scene)
    form = "<form method=post action=''>" + FIELDS + "</form>"
    login.idp.answers["/login"] = lambda request: page(
        (f"<p class=error>No login with {scene.password}.</p>" if request.method == "POST" else "") + form)
    outcome = login.unattended(*options).ends(67).hides(scene.password)
    require(b"No login with" in outcome.err, f"nothing was tested: the reason is not shown: {outcome.says()}")
    posts = [request for request in login.idp.received() if request.method == "POST"]
    require(len(posts) == 1, f"the answers were sent {len(posts)} times")


# The page after the answers, with the password in a part of it.
REPEATED = [
    ("as a text field's", "<p class=error>No login with {0}.</p><form method=post action=''><input name=user>"
     "<input name=password><button>Log in</button></form>"),
    ("with a combining mark", "<p class=error>No login with {0}&#x301;.</p>"),
    ("cut", "<p class=error>" + "x" * 189 + " {0}.</p>"),
    ("as a field's name", "<form method=post><input name='{0}' required><button>Go</button></form>"),
    ("as a choice", "<form method=post><select name=k required><option value=''><option value='{0}'>{0}</select></form>"),
    ("as a button", "<form method=post><button name=a value='{0}'>Allow</button><button name=b>{0}</button></form>")]


@attack(5, "no part of a page repeats an answer in an error", REPEATED)
def repeated_part(scene, html):
    login = Login(scene)
    form = "<form method=post action=''>" + FIELDS + "</form>"
    if "name=password>" in html:
        form = form.replace("type=password ", "")
    html = html.format(scene.password) + ("" if "<form" in html else form)
    login.idp.answers["/login"] = lambda request: page(html if request.method == "POST" else form)
    login.unattended().ends(67).hides(scene.password, scene.password[:8])
    require(finds(login.idp.raw, scene.password), "nothing was tested: the password never arrived")


@attack(1, "pages that come back without end get each answer once, and end", [
    ("the same page", "<p class=error>Wrong.</p>"), ("with another text each time", None),
    ("with an interstitial between", "<form action='/on'><button>Try again</button></form>")])
def endless(scene, text):
    login = Login(scene)
    form = "<form method=post action='/login'>" + FIELDS + "</form>"
    asked = lambda request: page(f"<p class=error>{text or scene.runs}{len(login.idp.raw)}</p>" + form)
    login.idp.answers["/login"] = (
        (lambda request: page(text) if request.method == "POST" else asked(request)) if text and "button" in text else asked)
    login.idp.answers["/on"] = redirect("/login")
    login.unattended().ends(67)
    posts = [request for request in login.idp.received() if request.method == "POST"]
    require(len(posts) == 1 and finds(posts[0].raw, scene.password), f"the answers were sent {len(posts)} times")


@attack(1, "a page of buttons that leads to itself ends", [
    ("one button", "<form method=post action='/login'><button>Continue</button></form>"),
    ("two pages in turn", "<form method=post action='/two'><button>Continue</button></form>"),
    ("a hidden form with a script", "<script></script><form method=post action='/two'><input type=hidden name=a></form>")])
def endless_interstitials(scene, html):
    login = Login(scene)
    login.idp.answers |= {"/login": page(html), "/two": page(html.replace("/two", "/login"))}
    login.unattended().ends(67)
    count = len(login.idp.received())
    require(2 < count < 100, f"nothing was tested, or it went on for {count} requests")


@attack(5, "advice about missing answers is safe for a shell and a terminal", [
    ("quotes", "x'; touch owned; '"), ("a substitution", "$(touch owned)"), ("an escape sequence", "a\x1b]0;x\x07b"),
    ("spaces and an option", "a --proxy http://evil.example"), ("line separators", "a\u2028--insecure\u0085b")])
def advice(scene, name):
    login = Login(scene)
    attribute = name.replace("&", "&amp;").replace('"', "&quot;")
    login.idp.answers["/login"] = page(
        f'<form method=post><input name="{attribute}" required><input type=password name=other></form>')
    outcome = login.unattended().ends(67)
    arrived(login.idp, "/login", "the request for the page")
    text = outcome.err.decode()
    for character in "\x07\x1b\u2028\x85":
        require(character not in text, f"the name wrote {character!r}")
    found = re.search(r"Give (.*), or put it into", text)
    require(found, f"nothing was tested: there is no advice: {outcome.says()}")
    words = shlex.split(found[1])
    require(words[0::2] == ["--answer", "--answer-env"] and len(words) == 4, f"the advice is not what it seems: {words}")


@attack(5, "consent is not given where nobody attends, nor by the Enter key", [
    ("two buttons", "<form method=post><button name=c value=1>Allow</button><button name=c value=0>Deny</button></form>"),
    ("one button", "<form method=post><button name=c value=1>I accept</button></form>"),
    ("a word that no list has", "<form method=post><button name=c value=1>Share my data</button></form><a href=/no>Cancel</a>"),
    ("two forms", "<form method=post><button name=c value=1>Yes</button></form><form action=/no><button>No</button></form>")])
def consent(scene, html):
    login = Login(scene)
    login.idp.answers["/login"] = lambda request: (
        page("<p>consented") if request.method == "POST" else page(html))
    login.unattended().ends(67)
    login.unattended("--headless").ends(67)
    arrived(login.idp, "/login", "the request for the page")
    require(not any(request.method == "POST" for request in login.idp.received()), "consent was given")
    if "two forms" not in html and "No<" not in html:
        terminal = login.attended()
        terminal.until(QUESTION)
        terminal.type("")
        terminal.until(rb"Please enter a number")
        require(not any(request.method == "POST" for request in login.idp.received()), "Enter gave consent")


@attack(5, "a password that -u leaves out is asked for with the origin before the realm")
def realm(scene):
    server = scene.server({"*": lambda request: (
        page("resource") if request.field("Authorization") else
        b'HTTP/1.1 401 X\r\nContent-Length: 0\r\nWWW-Authenticate: Basic realm="REALM for https://bank.example"\r\n\r\n')})
    terminal = scene.terminal("-u", "alice", server.origin + "/")
    asks_with_origin(terminal, server.origin, b"REALM")
    terminal.type(scene.password)
    require(terminal.end() == 0, "the login failed")
    require(finds(server.raw, "alice:" + scene.password), "nothing was tested: no password arrived")


@attack(5, "nobody is asked for the password of -u where a redirect led")
def prompt_elsewhere(scene):
    other = scene.server({"*": b'HTTP/1.1 401 X\r\nContent-Length: 0\r\nWWW-Authenticate: Basic realm="REALM"\r\n\r\n'})
    server = scene.server({"*": redirect(other.origin + "/")})
    terminal = scene.terminal("-u", "alice", server.origin + "/")
    terminal.end()
    arrived(other)
    require(b"password of" not in terminal.shown.lower(), f"asked: {terminal.tail()}")
    never(other)


@attack(5, "what was typed is in no question of the next page", [
    ("a label", "<form method=post action=/x><label>REPEAT {0}<input name=other required></label><button>Go</button></form>"),
    ("a value", "<form method=post action=/x><label>REPEAT<input name=other value='{0}'></label><button>Go</button></form>"),
    ("a choice", "<form method=post action=/x><select name=k required><option value=''>REPEAT<option value='{0}'>{0}</select>"
     "<button>Go</button></form>"),
    ("links", "<a href=/a>REPEAT {0}</a><a href=/b>b</a>"),
    ("a button", "<form method=post action=/x><button name=a value=1>REPEAT {0}</button><button name=a value=2>two</button></form>")])
def repeated_questions(scene, html):
    login = Login(scene)
    login.idp.answers |= {
        "/login": page("<form method=post action=/go>" + FIELDS + "</form>"), "/go": page(html.format(scene.password)),
        "*": page("end")}
    terminal = login.attended()
    terminal.until(rb"user[^:]*:")
    terminal.type("alice")
    terminal.until(rb"password[^:]*:")
    terminal.type(scene.password)
    terminal.until(rb"(?s)REPEAT.*Asked by \S+ (REPEAT|Number)[^\n]*: ")
    # Ctrl-C, which is the end of a line there.
    terminal.type("\x03")
    terminal.end()
    require(finds(login.idp.raw, scene.password), "nothing was tested: no password arrived")
    require(scene.password.encode() not in terminal.shown, "a question has the password")
