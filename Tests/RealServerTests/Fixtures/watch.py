#!/usr/bin/python3
"""Events as a watch of Kubernetes sends them: one JSON value for each, while the request is open."""
import json
import sys
import time

print("Content-Type: application/json\n")
for number in range(10):
    print(json.dumps({"type": "ADDED", "object": {"number": number}}))
    sys.stdout.flush()
    time.sleep(0.2)
