#!/bin/bash
# Peak resident memory over rest of a process of its own that moves 64 MiB, then 2 GiB, over HTTP/1.1 and HTTP/2; exits 1
# where they differ by 8 MiB. Digests of all payloads are verified. The body of an upload from memory is in memory: that kind
# is not measured. usage: Benchmarks/memory.sh [MiB]
set -euo pipefail
cd "$(dirname "$0")"
large=${1:-2048}
. ./start-server.sh bench-client
failed=0
printf '%-10s %-17s %12s %12s %12s\n' version kind "64 MiB" "$large MiB" difference
for version in HTTP/1.1 HTTP/2; do
    if [ $version = HTTP/2 ]; then to=("$port3" "$work/server.pem"); else to=("$port"); fi
    for kind in download-stream download-file upload-file upload-stream upload-multipart; do
        small_peak=$("$bin/bench-client" memory $kind 64 "${to[@]}")
        large_peak=$("$bin/bench-client" memory $kind "$large" "${to[@]}")
        difference=$((large_peak - small_peak))
        if ((difference < 8192)); then verdict=ok; else verdict=MISSED failed=1; fi
        printf '%-10s %-17s %8s KiB %8s KiB %8s KiB  %s\n' \
            $version $kind "$small_peak" "$large_peak" "$difference" "$verdict"
    done
done
exit $failed
