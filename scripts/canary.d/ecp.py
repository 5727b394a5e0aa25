"""SAML2 without a page."""
import base64
import http.server
import secrets
import subprocess
import threading

from handler import Handler
from search import check, execute, KEPT, kept, Search

ECP_NAME = "urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp"
SOAP_NAME = "http://schemas.xmlsoap.org/soap/envelope/"
ECP_PROFILE = """
[profiles.ecp]
match = ["{base}/"]
[profiles.ecp.saml2]
ecp = "{provider}/ecp"
username = "canary"
password-env = "CANARY_PASSWORD"
"""


class ECPHandler(Handler):
    """A service provider, and at another origin its identity provider, whose messages have planted secrets."""

    def envelope(self, header, body, media_type):
        marks = 's:mustUnderstand="1" s:actor="http://schemas.xmlsoap.org/soap/actor/next"'
        header = header.replace("MARKS", f'xmlns:e="{ECP_NAME}" {marks}')
        text = f'<s:Envelope xmlns:s="{SOAP_NAME}"><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>'
        self.answer(200, text.encode(), Content_Type=media_type)

    def do_GET(self):
        if self.server.planted["ecp-session"] in (self.headers["Cookie"] or ""):
            return self.answer(200, b"in")
        consumer = f"http://{self.headers['Host']}/acs"
        self.envelope(
            f'<p:Request xmlns:p="urn:liberty:paos:2003-08" MARKS responseConsumerURL="{consumer}" service="{ECP_NAME}"/>'
            f'<e:RelayState MARKS>{self.server.planted["ecp-relay-state"]}</e:RelayState>',
            '<q:AuthnRequest xmlns:q="urn:oasis:names:tc:SAML:2.0:protocol" '
            f'AssertionConsumerServiceURL="{consumer}"/>', "application/vnd.paos+xml")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        self.server.received.append(f"{self.path} {self.headers['Authorization'] or ''} {body}")
        if self.path == "/acs":
            cookie = f"S={self.server.planted['ecp-session']}; Path=/"
            return self.answer(302, Location="/x", Set_Cookie=cookie)
        login = base64.b64encode(f"canary:{self.server.planted['ecp-password']}".encode()).decode()
        if self.headers["Authorization"] != "Basic " + login:
            return self.answer(401, b"no", WWW_Authenticate='Basic realm="ecp"')
        self.envelope(
            f'<e:Response MARKS AssertionConsumerServiceURL="{self.server.consumer}"/>',
            '<q:Response xmlns:q="urn:oasis:names:tc:SAML:2.0:protocol"><q:Status>'
            '<q:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></q:Status>'
            f'<q:Assertion>{self.server.planted["ecp-assertion"]}</q:Assertion></q:Response>', "text/xml")


def ecp(httpc, folder, environment):
    """Logins by SAML2 without a page, as verbosely as possible, with right and wrong passwords."""
    kinds = ("ecp-password", "ecp-wrong", "ecp-session", "ecp-assertion", "ecp-relay-state")
    planted = {kind: f"canary-{kind}-{secrets.token_hex(6)}" for kind in kinds}
    received, servers = [], []
    for _ in range(2):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ECPHandler)
        server.planted, server.received = planted, received
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
    base, provider = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    servers[1].consumer = base + "/acs"
    config = folder / "ecp.toml"
    config.write_text(ECP_PROFILE.format(base=base, provider=provider))
    outputs = []
    try:
        for level in ((), ("-v",), ("-vv",), ("-s",)):
            for password, status in (("ecp-password", 0), ("ecp-wrong", 67)):
                outcome = execute(
                    httpc, "--config", str(config), *KEPT, *level, base + "/x",
                    environment=environment | {"CANARY_PASSWORD": planted[password]}, expect=(status,), cwd=folder,
                    start_new_session=True)
                outputs.append(outcome.stderr + outcome.stdout + kept(folder))
                subprocess.run(
                    [httpc, "logout", "-s", "--profile", "ecp", "--config", str(config)], stdin=subprocess.DEVNULL,
                    env=environment, check=True, timeout=30)
    finally:
        for server in servers:
            server.shutdown()
    finder = Search()
    for name, secret in planted.items():
        finder.add(name, secret)
    arrived = "\n".join(received)
    for kind in ("ecp-assertion", "ecp-relay-state"):
        check(planted[kind] in arrived, f"{kind} never reached a server: nothing was tested")
    for kind in ("ecp-password", "ecp-wrong"):
        coded = base64.b64encode(f"canary:{planted[kind]}".encode()).decode()
        check(coded in arrived, f"{kind} never reached a server: nothing was tested")
    check(any(text.startswith("in") or "\nin" in text for text in outputs), "no login by ECP succeeded: nothing was tested")
    finder.report(outputs, "printed by a login with ECP")
    finder.check_sight()
    print(f"canary: ECP, {len(outputs)} runs, {len(finder.needles)} forms of secrets")
