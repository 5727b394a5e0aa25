#!/bin/bash
# Throughput, processor time and memory of large bodies, beside AsyncHTTPClient and bare NIO.
exec "$(dirname "$0")/all" --transfers "$@"
