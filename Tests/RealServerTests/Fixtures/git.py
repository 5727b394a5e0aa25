#!/usr/bin/python3
"""Repositories for bearers of a token that the OAuth2 server takes: as Bearer, or as the password of Basic."""
import os

import bearer_check

if bearer_check.of_the_request():
    os.environ["REMOTE_USER"] = "bearer"
    del os.environ["HTTP_AUTHORIZATION"]
    os.execv("/usr/lib/git-core/git-http-backend", ["git-http-backend"])
print("Status: 401\nWWW-Authenticate: Bearer realm=\"git\"\nWWW-Authenticate: Basic realm=\"git\"\nContent-Length: 0\n")
