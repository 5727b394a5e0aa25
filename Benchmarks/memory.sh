#!/bin/bash
# Peak resident memory of a process of its own that moves 64 MiB, then 512 MiB; exits 1 where they differ by 8 MiB.
# Digests of all payloads are verified by the client. usage: Benchmarks/memory.sh
set -euo pipefail
cd "$(dirname "$0")"
. ./start-server.sh bench-client
failed=0
for direction in download upload; do
    small=$("$bin/bench-client" memory $direction 64 "$port")
    large=$("$bin/bench-client" memory $direction 512 "$port")
    difference=$((large - small))
    if ((difference < 8192)); then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-9s 64 MiB: %7s KiB   512 MiB: %7s KiB   difference %6s KiB  %s\n' \
        $direction "$small" "$large" "$difference" "$verdict"
done
exit $failed
