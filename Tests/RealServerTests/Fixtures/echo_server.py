#!/usr/bin/python3
"""A WebSocket server that sends back what it gets, with Debian's websockets. It prints its port. With the address of an OAuth2 server
it takes only bearers of that server's tokens.

usage: echo_server.py [ISSUER]
"""
import asyncio
import http
import sys

import bearer_check
import websockets

ISSUER = sys.argv[1] if len(sys.argv) > 1 else None


async def echo(connection):
    async for message in connection:
        await connection.send(message)


async def check(path, headers):
    if ISSUER and not bearer_check.is_valid(bearer_check.token(headers.get("Authorization", "")), ISSUER):
        return http.HTTPStatus.UNAUTHORIZED, [("WWW-Authenticate", 'Bearer realm="echo"')], b""


async def main():
    async with websockets.serve(echo, "127.0.0.1", 0, process_request=check, max_size=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


asyncio.run(main())
