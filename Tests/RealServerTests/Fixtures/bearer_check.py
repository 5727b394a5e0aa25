"""Asks the OAuth2 server whether it takes a token. The file `issuer` in the repositories' directory has that server's address."""
import base64
import os
import pathlib
import urllib.parse
import urllib.request


def token(authorization):
    """The token of a Bearer, or of the password of Basic."""
    scheme, _, value = authorization.partition(" ")
    return base64.b64decode(value).decode().partition(":")[2] if scheme.lower() == "basic" else value


def is_valid(value, issuer):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    question = issuer + "/control/token?token=" + urllib.parse.quote(value, safe="")
    return bool(value) and opener.open(question).read() == b"valid"


def of_the_request():
    """Whether the token of a CGI request is valid."""
    issuer = (pathlib.Path(os.environ["GIT_PROJECT_ROOT"]) / "issuer").read_text()
    return is_valid(token(os.environ.get("HTTP_AUTHORIZATION", "")), issuer)
