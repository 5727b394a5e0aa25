"""Servers of the attacker's: raw sockets on loopback, so that every byte of an answer is ours, and of a request is kept."""
import re
import secrets
import socket
import ssl
import subprocess
import threading

# The seconds after which a run counts as hanging. A run that ends by itself ends long before, even on a busy machine. A server
# that keeps httpc waiting waits longer, so that it does not free a run that hangs.
PATIENCE = 50
HELD = PATIENCE + 10


class Request:
    """One request as it arrived."""

    def __init__(self, head, body, connection, certificate=None):
        self.raw, self.body, self.connection = head + body, body, connection
        # Whose certificate the client has shown on the connection.
        self.certificate = certificate
        lines = head.split(b"\r\n")
        self.method, self.target = (lines[0].decode("latin-1").split(" ") + ["", ""])[:2]
        self.path, _, self.query = self.target.partition("?")
        self.fields = [tuple(part.strip() for part in line.split(b":", 1)) for line in lines[1:] if b":" in line]

    def field(self, name):
        """The values of a field, joined; empty where there is none."""
        return b", ".join(value for key, value in self.fields if key.decode("latin-1").lower() == name.lower())


class Server:
    """Answers paths by a table; everything that arrives is recorded.

    An answer is bytes, pieces of bytes one after the other, or a function of the request that returns either; None closes
    the connection. `*` stands for every other path. After an answer that says `Connection: close` the connection is closed.
    """

    def __init__(self, answers, host="127.0.0.1", port=0, tls=None):
        self.answers, self.host, self.tls = answers, host, tls
        self.requests, self.connections, self.open = [], 0, set()
        self.lock = threading.Lock()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind((host, port))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        self.scheme = "https" if tls else "http"
        self.authority = f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"
        self.origin = f"{self.scheme}://{self.authority}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
                self.open.add(connection)
                number = self.connections
            threading.Thread(target=self.serve, args=(connection, number), daemon=True).start()

    def serve(self, connection, number):
        try:
            connection.settimeout(HELD)
            if tls := self.context(number):
                connection = tls.wrap_socket(connection, server_side=True)
            self.talk(connection, number)
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                self.open.discard(connection)
            connection.close()

    def context(self, number):
        """The TLS of a connection."""
        return self.tls

    def talk(self, connection, number):
        shown = connection.getpeercert() if self.tls else None
        name = dict(part for parts in shown["subject"] for part in parts).get("commonName") if shown else None
        buffer = connection.makefile("rb")
        while request := self.read(buffer, number, name):
            with self.lock:
                self.requests.append(request)
            answer = self.answers.get(request.path, self.answers.get("*", status(404)))
            if callable(answer):
                answer = answer(request)
            if answer is None:
                return
            begin = b""
            for piece in [answer] if isinstance(answer, bytes) else answer:
                begin = begin or piece[:4096].lower()
                connection.sendall(piece)
            if b"connection: close" in begin:
                return

    def read(self, buffer, number, certificate=None):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = buffer.readline(1 << 20)
            if not line:
                return None
            head += line
        length = re.search(rb"(?im)^content-length: *(\d+)", head)
        body = buffer.read(int(length[1])) if length else b""
        if re.search(rb"(?im)^transfer-encoding: *chunked", head):
            while (size := int(buffer.readline().split(b";")[0] or b"0", 16)) > 0:
                body += buffer.read(size)
                buffer.readline()
            buffer.readline()
        return Request(head, body, number, certificate)

    def stop(self):
        # A close alone does not wake a thread that is in accept.
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()
        with self.lock:
            left = list(self.open)
        for connection in left:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    # The requests that arrived.

    def received(self, path=None):
        with self.lock:
            return [request for request in self.requests if path in (None, request.path)]

    @property
    def raw(self):
        return b"\n".join(request.raw for request in self.received())


def status(code, body=b"", *fields, version="1.1"):
    """An answer with its length; fields as `Name: value`, text or bytes."""
    body = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/{version} {code} X".encode(), b"Content-Length: %d" % len(body)]
    return b"\r\n".join(lines + [encoded(field) for field in fields]) + b"\r\n\r\n" + body


def raw(code, body, *fields):
    """An answer without any field but those that are given."""
    return b"\r\n".join([f"HTTP/1.1 {code} X".encode()] + [encoded(field) for field in fields]) + b"\r\n\r\n" + body


def page(html, *fields):
    return status(200, html, "Content-Type: text/html; charset=utf-8", *fields)


def redirect(location, *fields, code=302):
    return status(code, b"", b"Location: " + encoded(location), *fields)


def encoded(text):
    return text.encode() if isinstance(text, str) else text


class Authority:
    """A certificate authority made by openssl; the certificates that it issues are for this machine's names by default."""

    NAMES = "DNS:localhost,DNS:www.example.com,DNS:example.com,DNS:shop.example.com,IP:127.0.0.1,IP:::1"
    KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")

    def __init__(self, folder):
        self.folder, self.ca = folder, str(folder / "ca.pem")
        self.openssl("req", "-x509", *self.KEY, "-keyout", self.ca + ".key", "-out", self.ca, "-days", "2", "-subj",
                     "/CN=attacks", "-addext", "keyUsage=critical,keyCertSign")
        self.context = self.issue("server", self.NAMES)

    def asking(self):
        """A server's TLS that asks for a client's certificate, and does without."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(str(self.folder / "server.pem"), str(self.folder / "server.key"))
        context.load_verify_locations(self.ca)
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    def client(self, name):
        """A client's certificate with its key, as the text of one file."""
        # Attacks run side by side.
        file = f"{name}-{secrets.token_hex(8)}"
        self.issue(file, "", f"/CN={name}", usage="clientAuth")
        return (self.folder / f"{file}.pem").read_text() + (self.folder / f"{file}.key").read_text()

    def issue(self, file, names, subject="/CN=attacks", usage="serverAuth"):
        """A server's TLS with a certificate for these names; without names, a certificate that has none."""
        key, request, certificate, extensions = (str(self.folder / (file + end)) for end in (".key", ".csr", ".pem",
            ".ext"))
        with open(extensions, "w") as text:
            text.write(f"extendedKeyUsage={usage}\n" + (f"subjectAltName={names}\n" if names else ""))
        self.openssl("req", *self.KEY, "-keyout", key, "-out", request, "-subj", subject)
        self.openssl("x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", self.ca + ".key", "-set_serial",
                     str(secrets.randbits(60)), "-out", certificate, "-days", "2", "-extfile", extensions)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=PATIENCE)
