"""A token server for Docker's registry (its token authentication). It prints its port, and a line for each token that it gives. It
knows one user.

usage: token_server.py KEY CERTIFICATE USER PASSWORD
"""
import base64
import http.server
import json
import ssl
import sys
import time
import urllib.parse

from jwcrypto import jwk, jwt

key, certificate, user, password = sys.argv[1:]
KEY = jwk.JWK.from_pem(open(key, "rb").read())
CHAIN = [base64.b64encode(ssl.PEM_cert_to_DER_cert(open(certificate).read())).decode()]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        wanted = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        if self.headers.get("Authorization") != wanted:
            return self.answer(401, {"errors": [{"code": "UNAUTHORIZED"}]})
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        access = []
        for scope in query.get("scope", []):
            kind, name, actions = scope.split(":", 2)
            access.append({"type": kind, "name": name, "actions": actions.split(",")})
        now = int(time.time())
        claims = {"iss": "token-server", "sub": user, "aud": query["service"][0], "iat": now, "nbf": now - 10, "exp": now + 300,
                  "jti": str(time.monotonic_ns()), "access": access}
        token = jwt.JWT(header={"typ": "JWT", "alg": "RS256", "x5c": CHAIN}, claims=claims)
        token.make_signed_token(KEY)
        print("token for", *query.get("scope", ["nothing"]), flush=True)
        self.answer(200, {"token": token.serialize(), "expires_in": 300})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
