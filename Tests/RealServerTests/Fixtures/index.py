#!/usr/bin/python3
"""An index of Python packages: PATH_INFO is /simple/NAME/, or a file. For users whom the web server knows, and for bearers of a
token that the OAuth2 server takes."""
import os
import pathlib
import sys

import bearer_check

if not os.environ.get("REMOTE_USER") and not bearer_check.of_the_request():
    print("Status: 401\nWWW-Authenticate: Bearer realm=\"index\"\nContent-Length: 0\n")
    sys.exit()
name = os.environ["PATH_INFO"].strip("/").rpartition("/")[2]
folder = pathlib.Path(os.environ["GIT_PROJECT_ROOT"]).parent / "www"
if "/simple/" in os.environ["PATH_INFO"]:
    links = "".join(f'<a href="../../files/{file.name}">{file.name}</a>\n' for file in folder.glob(f"{name}-*.whl"))
    kind, content = "text/html", f"<!DOCTYPE html><html><body>{links}</body></html>".encode()
else:
    kind, content = "application/octet-stream", (folder / name).read_bytes()
sys.stdout.write(f"Content-Type: {kind}\nContent-Length: {len(content)}\n\n")
sys.stdout.flush()
sys.stdout.buffer.write(content)
