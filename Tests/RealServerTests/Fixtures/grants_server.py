"""Two authorization servers and the resources behind them: idpyoidc (PAR, DPoP, token exchange) and Authlib (JWT bearer).

grants_server.py DIRECTORY PORT runs them in the foreground, grants_server.py --version names their versions. The servers'
own code decides about codes, pushed requests, tokens, assertions, and the proofs at the token endpoint. idpyoidc expects
`ath` in hexadecimal, against RFC 9449 §4.2, so the resources check proofs with joserfc, by the RFC. Each request is written
to logs/received.log before it is answered.
"""
import base64
import hashlib
import json
import logging
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from urllib.parse import parse_qs, parse_qsl, urlsplit

if sys.argv[1:] == ["--version"]:
    print(", ".join(f"{name} {version(name)}" for name in ["idpyoidc", "Authlib"]))
    sys.exit()

from authlib.oauth2 import AuthorizationServer, OAuth2Request
from authlib.oauth2.rfc6749 import ClientMixin
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc7523 import JWTBearerGrant
from idpyoidc.message import Message
from idpyoidc.message.oauth2 import ResponseMessage
from idpyoidc.server import Server
from idpyoidc.server.configure import ASConfiguration
from idpyoidc.server.exception import ClientAuthenticationError, UnAuthorizedClient
from idpyoidc.server.oauth2.add_on.pkce import CC_METHOD
from idpyoidc.server.oauth2.token_helper import validate_token_exchange_policy
from joserfc import jwk, jws, jwt

DIRECTORY, PORT = sys.argv[1:]
ORIGIN = "http://127.0.0.1:" + PORT
logging.basicConfig(filename=DIRECTORY + "/logs/error.log", level=logging.WARNING)
writing = threading.Lock()
# The access tokens that a resource got, and those of them that have been ended.
seen, ended = set(), set()


class Refused(Exception):
    """An answer other than 200: status, body, and the parameters of a challenge."""

    def __init__(self, status, body=None, challenge=None):
        self.status, self.body, self.challenge = status, body or {}, challenge


# idpyoidc


class Provider:
    """idpyoidc's server without a web framework of its own. It binds all tokens to keys, or none."""

    def __init__(self, name, is_bound):
        self.issuer = f"{ORIGIN}/{name}"
        self.paths = {
            f"/{name}/authorization": "authorization", f"/{name}/token": "token", f"/{name}/par": "pushed_authorization"}
        rules = {
            "authorization_code": {
                "supports_minting": ["access_token", "refresh_token"], "max_usage": 1, "expires_in": 120},
            "access_token": {"supports_minting": ["access_token"], "expires_in": 3600},
            "refresh_token": {"supports_minting": ["access_token", "refresh_token"], "expires_in": 86400},
        }
        secret = ["client_secret_basic", "client_secret_post"]
        server = "idpyoidc.server."
        token = {"class": server + "token.jwt_token.JWTToken", "kwargs": {"lifetime": 3600, "aud": [ORIGIN + "/api/"]}}
        keys = [{"type": "EC", "crv": "P-256", "use": ["sig"]}]
        configuration = {
            "issuer": self.issuer,
            "key_conf": {"key_defs": keys},
            "httpc_params": {"verify": False, "timeout": 4},
            "cookie_handler": {"class": server + "cookie_handler.CookieHandler", "kwargs": {
                "keys": {"key_defs": [{"type": "OCT", "use": ["enc"], "kid": "enc"},
                                      {"type": "OCT", "use": ["sig"], "kid": "sig"}]},
                "name": {"session": name, "register": name + "_r", "session_management": name + "_m"}}},
            "authz": {"class": server + "authz.AuthzHandling", "kwargs": {
                "grant_config": {"usage_rules": rules, "expires_in": 86400}}},
            "claims_interface": {"class": server + "session.claims.ClaimsInterface", "kwargs": {
                "claims_release_points": ["access_token"]}},
            "authentication": {"user": {
                "acr": "urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified",
                "class": server + "user_authn.user.NoAuthn", "kwargs": {"user": "alice"}}},
            "userinfo": {"class": server[:-1] + ".user_info.UserInfo", "kwargs": {"db": {"alice": {"sub": "alice"}}}},
            "scopes_supported": ["read", "write", "offline_access"],
            "scopes_to_claims": {"read": ["sub"], "write": ["sub"], "offline_access": []},
            "endpoint": {
                "authorization": {"path": name + "/authorization", "class": server + "oauth2.authorization.Authorization",
                                  # A pushed request comes without response_type (RFC 9126 §4); its own class demands it.
                                  "kwargs": {"client_authn_method": None, "response_types_supported": ["code"],
                                             "request_cls": Message}},
                "pushed_authorization": {
                    "path": name + "/par", "class": server + "oauth2.pushed_authorization.PushedAuthorization",
                    "kwargs": {"client_authn_method": secret + ["none", "public"], "ttl": 60}},
                "token": {"path": name + "/token", "class": server + "oauth2.token.Token",
                          "kwargs": {"client_authn_method": secret + ["none", "public"]}},
            },
            "token_handler_args": {
                "code": {"kwargs": {"lifetime": 600, "password": "code"}}, "token": token, "refresh": token},
            "session_params": {"encrypter": {"kwargs": {"keys": {"key_defs": [
                {"type": "OCT", "use": ["enc"], "kid": "password"}, {"type": "OCT", "use": ["enc"], "kid": "salt"}]},
                "iterations": 1}}},
            "add_on": {
                "pkce": {"function": server + "oauth2.add_on.pkce.add_support", "kwargs": {
                    "essential": True, "code_challenge_methods": {"S256": CC_METHOD["S256"]}}},
            },
        }
        if is_bound:
            configuration["add_on"]["dpop"] = {
                "function": server + "oauth2.add_on.dpop.add_support",
                "kwargs": {"dpop_signing_alg_values_supported": ["ES256"], "dpop_endpoints": ["token"]}}
        self.server = Server(ASConfiguration(conf=configuration, base_path=DIRECTORY), cwd=DIRECTORY)
        context = self.server.context
        if is_bound:
            # The add-on sets it, and the server forgets it again.
            context.provider_info["dpop_signing_alg_values_supported"] = ["ES256"]
        redirect = [("com.example.app:/callback", {})]
        grants = ["authorization_code", "refresh_token"]
        context.cdb["native"] = {
            "client_id": "native", "redirect_uris": redirect, "grant_types_supported": grants,
            "token_endpoint_auth_method": "none", "allowed_scopes": ["read", "write", "offline_access"],
            "response_types_supported": ["code"]}
        context.cdb["service"] = {
            "client_id": "service", "client_secret": "service-secret", "redirect_uris": redirect,
            "grant_types_supported": grants + ["urn:ietf:params:oauth:grant-type:token-exchange"],
            "allowed_scopes": ["read", "write", "offline_access"], "response_types_supported": ["code"],
            "token_exchange": {
                "requested_token_types_supported": ["urn:ietf:params:oauth:token-type:access_token"],
                "policy": {"": {"function": validate_token_exchange_policy, "kwargs": {"audience": ["orders"]}}}}}

    def metadata(self):
        """The server's own metadata. That requests must be pushed is our rule, which idpyoidc cannot be told."""
        return dict(self.server.context.provider_info) | {
            "issuer": self.issuer, "require_pushed_authorization_requests": True,
            **{self.server.endpoint[name].endpoint_name: ORIGIN + path for path, name in self.paths.items()}}

    def keys(self):
        return jwk.KeySet.import_key_set(self.server.keyjar.export_jwks())

    def answer(self, request):
        endpoint = self.server.endpoint[self.paths[request.path_only]]
        parameters = request.query if request.command == "GET" else request.form
        if endpoint.name == "authorization" and "request_uri" not in parameters:
            raise Refused(400, {"error": "invalid_request", "error_description": "push the request"})
        information = {
            "headers": {name.lower(): value for name, value in request.headers.items()}, "cookie": [],
            "method": request.command, "url": ORIGIN + request.path}
        try:
            parsed = endpoint.parse_request(Message(**parameters), http_info=information)
        except (ClientAuthenticationError, UnAuthorizedClient) as error:
            raise Refused(401, {"error": "invalid_client", "error_description": str(error)})
        except Exception as error:
            # What idpyoidc throws at a proof or pushed request that it refuses.
            logging.exception("refused")
            if isinstance(error, KeyError) and "Authorization" in request.headers:
                raise Refused(401, {"error": "invalid_client"})
            code = "invalid_dpop_proof" if "DPoP" in str(error) else "invalid_request"
            raise Refused(400, {"error": code, "error_description": str(error)})
        if isinstance(parsed, ResponseMessage) and "error" in parsed:
            raise Refused(400, parsed.to_dict())
        if "Authorization" in request.headers and not parsed.get("authenticated"):
            # It takes a client with a wrong secret for one without.
            raise Refused(401, {"error": "invalid_client"})
        result = endpoint.process_request(parsed, http_info=information)
        if "error" in result:
            raise Refused(400, dict(result))
        if isinstance(result, ResponseMessage):
            return 200, {}, result.to_dict()
        if "http_response" in result:
            return 201, {}, result["http_response"]
        answer = endpoint.do_response(request=parsed, **result)
        if endpoint.name == "authorization":
            return 303, {"Location": answer["response"]}, {}
        return 200, {}, json.loads(answer["response"])


# Authlib


class Client(ClientMixin):
    """A client whose assertions the server trusts."""

    def __init__(self, key):
        self.key = key

    def check_grant_type(self, grant_type):
        return grant_type == JWTBearerGrant.GRANT_TYPE

    def get_allowed_scope(self, scope):
        return " ".join(name for name in (scope or "").split() if name in ["read", "write"])


class BearerGrant(JWTBearerGrant):
    # Its default forgives a minute, which is longer than our assertions live.
    LEEWAY = 0

    def resolve_issuer_client(self, issuer):
        return assertions.clients.get(issuer)

    def resolve_client_public_key(self, client):
        return client.key

    def authenticate_user(self, subject):
        return subject if subject in ["alice", "żółw"] else None

    def get_audiences(self):
        return [Assertions.issuer]

    def has_granted_permission(self, client, user):
        return True


class Assertions(AuthorizationServer):
    """Authlib's server without a web framework of its own."""

    issuer = ORIGIN + "/authlib"

    def __init__(self):
        super().__init__(scopes_supported=["read", "write"])
        self.clients = {}
        self.tokens = {}
        number = iter(range(1, 1 << 30))
        self.register_token_generator("default", BearerTokenGenerator(
            lambda **_: f"authlib-{next(number)}-{base64.b16encode(hashlib.sha256(PORT.encode()).digest()).decode()}"))
        self.register_grant(BearerGrant)

    def query_client(self, client_id):
        return self.clients.get(client_id)

    def save_token(self, token, request):
        self.tokens[token["access_token"]] = {"sub": request.user, "scope": token["scope"].split()}

    def send_signal(self, name, *arguments, **keywords):
        pass

    def create_oauth2_request(self, request):
        made = OAuth2Request(request.command, ORIGIN + request.path, headers=request.headers)
        made.payload = BasicOAuth2Payload(request.form)
        made._body = request.form
        return made

    def handle_response(self, status, body, headers):
        return status, {}, body

    def metadata(self):
        return {"issuer": self.issuer, "token_endpoint": self.issuer + "/token",
                "grant_types_supported": [JWTBearerGrant.GRANT_TYPE]}


# Resources


class ProofRefused(Exception):
    pass


def checked_proof(request, token, thumbprint):
    """Checks a proof as RFC 9449 §4.3 says."""
    proofs = request.headers.get_all("DPoP") or []
    if len(proofs) != 1:
        raise ProofRefused("not exactly one proof")
    head = jws.extract_compact(proofs[0].encode()).headers()
    if head["typ"] != "dpop+jwt" or head["alg"] != "ES256" or "d" in head["jwk"]:
        raise ProofRefused("not a proof")
    key = jwk.import_key(head["jwk"])
    claims = jwt.decode(proofs[0], key, algorithms=["ES256"]).claims
    digest = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
    expected = {"htm": request.command, "htu": ORIGIN + request.path_only, "ath": digest}
    for name, value in expected.items():
        if claims[name] != value:
            raise ProofRefused(f"another {name}")
    if abs(claims["iat"] - time.time()) > 60 or key.thumbprint() != thumbprint:
        raise ProofRefused("an old proof, or another key")
    if claims["jti"] in proofs_seen:
        raise ProofRefused("a replay")
    proofs_seen.add(claims["jti"])


def resource(request):
    """Who calls, by a token of either server."""
    name = request.path_only.split("/")[2]
    scheme, _, token = (request.headers.get("Authorization") or "").partition(" ")
    expected = "DPoP" if name == "bound" else "Bearer"
    try:
        if scheme != expected:
            raise ValueError("no token")
        if name == "authlib":
            claims = assertions.tokens[token]
        else:
            provider = providers[name]
            claims = jwt.decode(token, provider.keys(), algorithms=["ES256"]).claims
            if name == "bound":
                checked_proof(request, token, claims["cnf"]["jkt"])
            if claims["iss"] != provider.issuer or claims["exp"] < time.time():
                raise ValueError("of another issuer, or expired")
        with writing:
            seen.add(token)
            if token in ended:
                raise ValueError("ended")
    except Exception as error:
        reason = "invalid_dpop_proof" if isinstance(error, ProofRefused) else "invalid_token"
        what = f', error="{reason}"' if token else ""
        raise Refused(401, {"error": f"{type(error).__name__}: {error}"}, f'{expected} realm="api"{what}')
    return 200, {}, {"claims": claims}


def control(request):
    """/control/end ends the access tokens so far; /control/trust has Authlib trust a client's key."""
    if request.path_only == "/control/end":
        with writing:
            ended.update(seen)
    else:
        assertions.clients[request.query["issuer"]] = Client(jwk.import_key(request.body.decode(), request.query["kind"]))
    return 200, {}, {}


class Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        self.path_only, self.query = parts.path, dict(parse_qsl(parts.query))
        is_form = self.headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded")
        lists = parse_qs(self.body.decode()) if is_form else {}
        # idpyoidc and Authlib take lists only where there are several values.
        self.form = {name: values if len(values) > 1 else values[0] for name, values in lists.items()}
        status, headers, body = self.routed()
        entry = {"method": self.command, "path": self.path, "status": str(status)}
        entry["Grant-Type"] = self.form.get("grant_type", "")
        for name in ["Authorization", "Cookie", "DPoP"]:
            entry[name] = self.headers.get(name) or ""
        for name, value in self.form.items():
            entry["Form-" + name] = value if isinstance(value, str) else " ".join(value)
        with writing, open(DIRECTORY + "/logs/received.log", "a") as log:
            log.write(json.dumps(entry) + "\n")
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def routed(self):
        path = self.path_only
        try:
            for server in [*providers.values(), assertions]:
                name = urlsplit(server.issuer).path
                if path == "/.well-known/oauth-authorization-server" + name:
                    return 200, {}, server.metadata()
                if server is not assertions and path in server.paths:
                    # Its session manager is not made for threads.
                    with deciding:
                        return server.answer(self)
            if path == "/open/hello.txt":
                return 200, {}, {}
            if path == "/authlib/token":
                with deciding:
                    return assertions.create_token_response(self)
            if path.startswith("/api/"):
                return resource(self)
            if path.startswith("/control/"):
                return control(self)
            return 404, {}, {}
        except Refused as error:
            headers = {"WWW-Authenticate": error.challenge} if error.challenge else {}
            return error.status, headers, error.body
        except Exception as error:
            logging.exception("%s", path)
            return 500, {}, {"error": "server_error", "error_description": str(error)}

    do_GET = do_POST = answer

    def log_message(self, *arguments):
        pass


proofs_seen = set()
deciding = threading.Lock()
providers = {name: Provider(name, is_bound=name == "bound") for name in ["bound", "plain"]}
assertions = Assertions()
ThreadingHTTPServer(("127.0.0.1", int(PORT)), Request).serve_forever()
