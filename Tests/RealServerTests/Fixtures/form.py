#!/usr/bin/python3
"""Parses a form with the standard library's parser of messages and tells what it found."""
import email.parser
import email.policy
import hashlib
import json
import os
import sys

body = sys.stdin.buffer.read()
head = "Content-Type: " + os.environ.get("CONTENT_TYPE", "") + "\r\n\r\n"
message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head.encode() + body)
parts = [
    {
        "name": part.get_param("name", header="content-disposition"),
        "filename": part.get_filename() or "",
        "type": part["content-type"] or "",
        "length": len(part.get_payload(decode=True)),
        "sha256": hashlib.sha256(part.get_payload(decode=True)).hexdigest(),
    }
    for part in message.iter_parts()
]
print("Content-Type: application/json\r\n\r\n" + json.dumps(parts), end="")
