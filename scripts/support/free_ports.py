#!/usr/bin/python3
"""Ports for servers that cannot choose one by themselves.

    free_ports.py [COUNT]

prints COUNT of them. The system gives out ports from 32768 upwards (49152 on macOS), for connections too, so a port
from there may be taken before the server listens on it, and then somebody else answers. These are lower.
"""
import contextlib
import random
import socket
import sys

RANGE = range(20_000, 32_000)
LOOPBACK = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))


def find(count=1):
    """Different ports that are free on both loopback addresses at this moment."""
    found = []
    for port in random.sample(RANGE, len(RANGE)):
        try:
            with contextlib.ExitStack() as sockets:
                for family, address in LOOPBACK:
                    sockets.enter_context(socket.socket(family)).bind((address, port))
        except OSError:
            continue
        found.append(port)
        if len(found) == count:
            return found
    raise SystemExit(f"free_ports: of {len(RANGE)} ports only {len(found)} are free")


if __name__ == "__main__":
    print(*find(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
