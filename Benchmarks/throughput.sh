#!/bin/bash
# How fast one large body moves over HTTP/1.1, to AsyncHTTPClient: five alternating runs each in a fresh process, medians.
# Digests of all payloads are verified. Exits 1 where AsyncHTTPClient is faster by more than what such runs differ by
# themselves. usage: Benchmarks/throughput.sh [MiB] [runs]
set -euo pipefail
cd "$(dirname "$0")"
size=${1:-512}
runs=${2:-5}
. ./start-server.sh bench-client
for _ in $(seq "$runs"); do
    for direction in down up; do
        for client in ours ahc; do
            "$bin/bench-client" throughput $client $direction "$size" "$port" >> "$work/$direction.$client"
        done
    done
done

median() { cut -d' ' -f"$2" "$work/$1" | sort -n | sed -n "$(((runs + 1) / 2))p"; }
failed=0
printf '%-10s %12s %12s %8s   %s\n' direction "ours MiB/s" "AHC MiB/s" ratio "CPU µs/MiB, ours and AHC"
for direction in down up; do
    ours=$(median $direction.ours 1) other=$(median $direction.ahc 1)
    ratio=$(awk -v a="$ours" -v b="$other" 'BEGIN { printf "%.2f", a / b }')
    if awk -v r="$ratio" 'BEGIN { exit !(r >= 0.97) }'; then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-10s %12s %12s %8s   %s %s  %s\n' $direction "$ours" "$other" "$ratio" \
        "$(median $direction.ours 2)" "$(median $direction.ahc 2)" "$verdict"
done
exit $failed
