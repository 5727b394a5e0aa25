#!/usr/bin/python3
"""Sends messages of several sizes to a WebSocket server, and expects them back. Ends with 0 if all came.

usage: echo_client.py URL
"""
import asyncio
import sys

import websockets


async def main():
    async with websockets.connect("ws" + sys.argv[1].removeprefix("http"), max_size=None) as connection:
        for message in ["hello", "", "x" * 70_000, bytes(range(256)) * 20_000]:
            await connection.send(message)
            assert await connection.recv() == message
        # Many on their way at once.
        await asyncio.gather(*(connection.send(str(number)) for number in range(1000)))
        assert sorted([int(await connection.recv()) for _ in range(1000)]) == list(range(1000))


asyncio.run(main())
