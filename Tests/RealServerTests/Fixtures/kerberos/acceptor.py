"""A server that accepts Kerberos tickets in ways in which no honest server does, with the bindings to TLS that
mod_auth_gssapi lacks: https at the first port, http at the second. Each request is a line of logs/acceptor.log."""
import base64
import hashlib
import http.server
import json
import pathlib
import ssl
import sys
import threading

import gssapi

directory = pathlib.Path(sys.argv[1])
CHANNEL_BOUND = 2048
pem = (directory / "server.pem").read_text()
fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem[:pem.index("-----END CERTIFICATE-----") + 26])).digest()
log = open(directory / "logs/acceptor.log", "a", buffering=1)
store = {"keytab": str(directory / "http.keytab"), "rcache": "none:"}
last_proof = [b""]
# An error is raised at once, not when the context is used next.
gssapi.SecurityContext.__DEFER_STEP_ERRORS__ = False


def acceptor(bindings=None):
    credentials = gssapi.Credentials(usage="accept", store=store)
    channel = None
    if bindings is not None:
        channel = gssapi.raw.ChannelBindings(application_data=b"tls-server-end-point:" + bindings)
    return gssapi.SecurityContext(creds=credentials, usage="accept", channel_bindings=channel)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", token=None, bare=False):
        self.send_response(status)
        if token is not None:
            self.send_header("WWW-Authenticate", "Negotiate " + base64.b64encode(token).decode())
        elif bare or status == 401:
            self.send_header("WWW-Authenticate", "Negotiate")
        self.send_header("Set-Cookie", "seen=1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        field = self.headers.get("Authorization", "")
        token = base64.b64decode(field.removeprefix("Negotiate ")) if field.startswith("Negotiate ") else None
        log.write(json.dumps({"path": self.path, "has-token": token is not None, "port": self.client_address[1]}) + "\n")
        if token is None:
            return self.answer(401)
        try:
            self.accept(self.path, token)
        except Exception as error:  # whatever the library refuses is refused
            log.write(json.dumps({"path": self.path, "error": type(error).__name__}) + "\n")
            self.answer(401)

    def accept(self, path, token):
        bindings = {"/bound": fingerprint, "/wrong": hashlib.sha256(b"other").digest()}.get(path)
        context = acceptor(bindings)
        proof = context.step(token)
        if path == "/silent":
            return self.answer(200, b"not proved")
        if path == "/bare":
            return self.answer(200, b"not proved", bare=True)
        if path == "/lying":
            return self.answer(200, b"not proved", b"\xa1\x07\x30\x05\xa0\x03\x0a\x01\x00")
        if path == "/garbage":
            return self.answer(200, b"not proved", b"\x00garbage")
        if path == "/replay":
            proof, last_proof[0] = last_proof[0] or proof, proof
            return self.answer(200, b"not proved the second time", proof)
        if path == "/delegated":
            return self.answer(200, b"yes" if context.delegated_creds is not None else b"no", proof)
        flags = int(context.actual_flags)
        self.answer(200, b"bound" if flags & CHANNEL_BOUND else b"not bound", proof)


def serve(port, tls):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(directory / "server.pem", directory / "server.key")
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


threading.Thread(target=serve, args=(int(sys.argv[3]), False), daemon=True).start()
serve(int(sys.argv[2]), True)
