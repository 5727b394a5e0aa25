#!/usr/bin/python3
"""Repositories for bearers of a token that the OAuth2 server takes: as Bearer, or as the password of Basic. The file `issuer`
in the repositories' directory has that server's address."""
import base64
import os
import pathlib
import urllib.parse
import urllib.request

scheme, _, value = os.environ.get("HTTP_AUTHORIZATION", "").partition(" ")
if scheme.lower() == "basic":
    value = base64.b64decode(value).decode().partition(":")[2]
issuer = (pathlib.Path(os.environ["GIT_PROJECT_ROOT"]) / "issuer").read_text()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
question = issuer + "/control/token?token=" + urllib.parse.quote(value, safe="")
if value and opener.open(question).read() == b"valid":
    os.environ["REMOTE_USER"] = "bearer"
    del os.environ["HTTP_AUTHORIZATION"]
    os.execv("/usr/lib/git-core/git-http-backend", ["git-http-backend"])
print("Status: 401\nWWW-Authenticate: Bearer realm=\"git\"\nWWW-Authenticate: Basic realm=\"git\"\nContent-Length: 0\n")
