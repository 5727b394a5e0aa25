#!/usr/bin/python3
"""Reads the request body and tells what arrived."""
import hashlib
import json
import os
import sys

digest, count = hashlib.sha256(), 0
while chunk := sys.stdin.buffer.read(1 << 16):
    digest.update(chunk)
    count += len(chunk)
answer = {
    "method": os.environ["REQUEST_METHOD"],
    "path": os.environ.get("REQUEST_URI"),
    "user": os.environ.get("REMOTE_USER"),
    "length": count,
    "sha256": digest.hexdigest(),
    "announced": os.environ.get("CONTENT_LENGTH"),
    "type": os.environ.get("CONTENT_TYPE"),
    "fields": {name: value for name, value in os.environ.items() if name.startswith("HTTP_")},
}
print("Content-Type: application/json\r\n\r\n" + json.dumps(answer), end="")
