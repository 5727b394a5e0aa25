"""SAML2 logins without a page (ECP): service providers that want the assertion elsewhere, that damage the envelope, or that nobody
named; identity providers that lie."""
import base64
import secrets

from bench import NEXT, arrived, attack, finds, never, require
from servers import page, redirect, status

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
ECP = "urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp"
MARKS = f's:mustUnderstand="1" s:actor="http://schemas.xmlsoap.org/soap/actor/next"'
SAML = 'xmlns:q="urn:oasis:names:tc:SAML:2.0:protocol"'
PAOS = "Content-Type: application/vnd.paos+xml"
XML = "Content-Type: text/xml"


def envelope(header, body):
    return f'<s:Envelope xmlns:s="{SOAP}"><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>'.encode()


class Site:
    """A service provider whose envelope, and an identity provider whose answer, a test changes."""

    def __init__(self, scene):
        self.scene, self.sp, self.idp = scene, scene.server(), scene.server(host="127.0.0.2")
        self.evil = scene.server({"*": status(200, b"thanks")}, host="127.0.0.3")
        self.consumer = self.named = self.confirmed = self.sp.origin + "/acs"
        self.session, self.assertion = ("x" + secrets.token_hex(8) for _ in range(2))
        self.extra = ""
        self.message = None
        self.sp.answers |= {"/r": self.resource, "/acs": lambda _: redirect("/r", f"Set-Cookie: S={self.session}; Path=/")}
        self.idp.answers |= {"/ecp": self.answer}

    def resource(self, request):
        if self.session.encode() in request.field("cookie"):
            return status(200, b"in")
        return self.challenge()

    def challenge(self):
        header = (
            f'<p:Request xmlns:p="urn:liberty:paos:2003-08" {MARKS} responseConsumerURL="{self.consumer}" service="{ECP}"/>'
            f'<e:RelayState xmlns:e="{ECP}" {MARKS}>state</e:RelayState>{self.extra}')
        body = self.message or f'<q:AuthnRequest {SAML} AssertionConsumerServiceURL="{self.named}"/>'
        return status(200, envelope(header, body), PAOS)

    def answer(self, _):
        header = f'<e:Response xmlns:e="{ECP}" {MARKS} AssertionConsumerServiceURL="{self.confirmed}"/>'
        body = (f'<q:Response {SAML}><q:Status><q:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></q:Status>'
                f'<q:Assertion>{self.assertion}</q:Assertion></q:Response>')
        return status(200, envelope(header, body), XML)

    def run(self, *options, path="/r", server=None):
        named = self.scene.profile(
            f'[profiles.p]\nmatch = ["{self.sp.origin}/"]\n[profiles.p.saml2]\necp = "{self.idp.origin}/ecp"\n'
            f'username = "alice"\npassword = "{self.scene.password}"\n')
        return self.scene.httpc(*named, "-vv", *options, (server or self.sp).origin + path)

    def holds(self, outcome):
        """Nobody but the identity provider has got the password, and nobody at all the assertion."""
        outcome.ends(67).hides(self.scene.password, self.assertion)
        require(outcome.out == b"", f"printed: {outcome.out[:80]}")
        never(self.sp, self.scene.password, self.assertion)
        never(self.evil, self.scene.password, self.assertion)
        require(not self.evil.received(), "the other server was asked")


@attack(NEXT, "ECP: the password goes to the identity provider, the assertion to the service provider, neither is shown")
def honest(scene):
    site = Site(scene)
    outcome = site.run().ends(0).hides(scene.password, site.assertion)
    require(outcome.out == b"in", f"no login: {outcome.says()}")
    require(len(site.idp.received("/ecp")) == 1, "not one login")
    require(finds(arrived(site.idp, "/ecp").raw, scene.password), "nothing was tested: no password was sent")
    require(finds(arrived(site.sp, "/acs").raw, site.assertion), "nothing was tested: no assertion was sent")
    never(site.sp, scene.password)
    require(not any(finds(request.raw, site.session) for request in site.idp.received()), "the identity provider got a cookie")


@attack(NEXT, "ECP: a service provider that wants the assertion elsewhere gets a login nowhere", [
    ("another host", "{evil}/acs"), ("another port", "http://127.0.0.1:1/acs"), ("a host behind a user", "http://127.0.0.1@127.0.0.3/acs"),
    ("plain http on another machine", "http://sp.example/acs"), ("no URL", "javascript:1"), ("nothing", "")])
def elsewhere(scene, url):
    site = Site(scene)
    site.consumer = site.named = site.confirmed = url.format(evil=site.evil.origin)
    site.holds(site.run())
    arrived(site.sp, "/r")
    require(not site.idp.received(), "the identity provider was asked")


@attack(NEXT, "ECP: URLs for the assertion that differ end in a fault, and no assertion is sent", [
    ("the identity provider names another", "confirmed"), ("the request names another", "named")])
def differs(scene, which):
    site = Site(scene)
    setattr(site, which, site.evil.origin + "/acs")
    site.holds(site.run())
    require(b"faultstring" in arrived(site.sp, "/acs").raw, "no fault was sent")


@attack(NEXT, "ECP: a damaged or hostile envelope of a service provider leads to no login", [
    ("entities", "doctype"), ("a header that has to be understood", "header"), ("two messages", "two"), ("a response", "response"),
    ("deep", "deep"), ("a million elements", "many"), ("100 MiB", "long"), ("cut", "cut"), ("never ends", "endless"), ("binary", "binary")])
def damaged(scene, kind):
    site = Site(scene)
    request = f'<q:AuthnRequest {SAML}>%s</q:AuthnRequest>'
    if kind == "header":
        site.extra = f'<x:Must xmlns:x="urn:x" {MARKS}/>'
    site.message = {
        "two": request % "" * 2, "response": f"<q:Response {SAML}/>", "deep": request % ("<a>" * 10_000 + "</a>" * 10_000),
        "many": request % ("<a/>" * 1_000_000), "long": request % ("a" * (100 << 20))}.get(kind)
    whole = site.challenge()
    if kind == "doctype":
        bomb = '<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'.encode()
        whole = status(200, bomb + envelope("", request % "&b;"), PAOS)
    elif kind == "cut":
        whole = whole[:-40]
    elif kind == "binary":
        whole = status(200, bytes(range(256)) * 10, PAOS)
    elif kind == "endless":
        whole = b"HTTP/1.1 200 OK\r\n" + PAOS.encode() + b"\r\n\r\n<s:Envelope xmlns:s='" + SOAP.encode() + b"'>"
    site.sp.answers["/r"] = whole
    outcome = site.run("--max-time", "20")
    require(outcome.code != 0, f"it ended with {outcome.code}")
    outcome.hides(scene.password)
    arrived(site.sp, "/r")
    require(not site.idp.received() and not site.evil.received(), "another server was asked")
    require(outcome.memory is None or outcome.memory < 400 << 10, f"it took {outcome.memory} KiB")


@attack(NEXT, "ECP: an identity provider that gives no assertion leads nowhere", [
    ("a page", page("<form><input type=password name=password></form>")), ("a redirect", "redirect"), ("401 with Digest", status(401, b"", 'WWW-Authenticate: Digest realm="r", nonce="n"')),
    ("401 with Negotiate", status(401, b"", "WWW-Authenticate: Negotiate")), ("nothing", lambda _: None), ("500", status(500, b"no"))])
def unwilling(scene, answer):
    site = Site(scene)
    site.idp.answers["/ecp"] = redirect(site.evil.origin + "/ecp", code=307) if answer == "redirect" else answer
    site.holds(site.run())
    arrived(site.idp, "/ecp")


FAULT = "<s:Fault><faultcode>s:C</faultcode><faultstring>REPEAT {} is wrong</faultstring></s:Fault>"


@attack(NEXT, "ECP: an identity provider that repeats the password shows it to nobody", [
    ("a fault", 500, FAULT, False), ("a fault, in base64", 500, FAULT, True),
    ("a message", 200, f'<q:Response {SAML}><q:Status><q:StatusCode Value="urn:x:Responder"/><q:StatusMessage>REPEAT {{}}'
     "</q:StatusMessage></q:Status></q:Response>", False),
    ("a code", 200, f'<q:Response {SAML}><q:Status><q:StatusCode Value="urn:x:REPEAT-{{}}"/></q:Status></q:Response>', False)])
def repeated(scene, code, body, is_encoded):
    site = Site(scene)
    pair = base64.b64encode(b"alice:" + scene.password.encode()).decode()
    body = body.format(pair if is_encoded else scene.password)
    site.idp.answers["/ecp"] = status(code, envelope("", body), XML)
    outcome = site.run("--har", "kept.har").ends(67)
    require(finds(arrived(site.idp, "/ecp").raw, "alice:" + scene.password), "nothing was tested: no password arrived")
    require(b"REPEAT" in outcome.err, f"nothing was tested: it is not shown: {outcome.says()}")
    outcome.hides(scene.password, pair)
    require(not finds((scene.folder / "kept.har").read_bytes(), scene.password), "the archive has the password")


@attack(NEXT, "ECP: a server that nobody named gets no offer of ECP, and its envelope starts no login", [("asked", False), ("by a redirect", True)])
def unnamed(scene, by_redirect):
    site = Site(scene)
    site.consumer = site.named = site.confirmed = site.evil.origin + "/acs"
    site.evil.answers = {"/x": site.challenge(), "*": status(200, b"thanks")}
    site.sp.answers["/r"] = redirect(site.evil.origin + "/x")
    outcome = site.run(**({} if by_redirect else {"path": "/x", "server": site.evil}))
    outcome.hides(scene.password)
    request = arrived(site.evil, "/x")
    require(not request.field("PAOS") and b"paos" not in request.field("Accept"), "it was offered ECP")
    require(not site.idp.received() and not site.evil.received("/acs"), "a login was begun")
    never(site.evil, scene.password)


@attack(NEXT, "ECP: a service provider that wants a page after all gets none", [
    ("a redirect", "redirect"), ("a form", "form")])
def wants_page(scene, kind):
    site = Site(scene)
    place = site.evil.origin + "/sso"
    site.sp.answers["/r"] = (
        redirect(place + "?SAMLRequest=x") if kind == "redirect"
        else page(f'<form method=post action="{place}"><input type=hidden name=SAMLRequest value=x></form>'))
    site.holds(site.run())
    arrived(site.sp, "/r")
