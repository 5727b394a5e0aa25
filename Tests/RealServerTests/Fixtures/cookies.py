#!/usr/bin/python3
"""Sets the cookies that the query names (set=LINE, percent-encoded), and shows the Cookie field that came."""
import os
import sys
import urllib.parse

out = sys.stdout.buffer
for line in urllib.parse.parse_qs(os.environ.get("QUERY_STRING", "")).get("set", []):
    out.write(b"Set-Cookie: " + line.encode("utf-8") + b"\r\n")
out.write(b"Content-Type: text/plain\r\nCache-Control: no-store\r\n\r\n")
out.write(os.environ.get("HTTP_COOKIE", "").encode("utf-8", "surrogateescape"))
