#!/bin/bash
# Measures CPU per request and requests per second, five alternating runs each in a fresh process, and exits 1 below
# the bars. usage: Benchmarks/run.sh [runs] [requests]
set -euo pipefail
cd "$(dirname "$0")"
runs=${1:-5}
requests=${2:-40000}
. ./start-server.sh bench-client

# name mode scenario connections requests
cases="
get-1:nio:get:1:$((requests / 4))
get-1:ours:get:1:$((requests / 4))
get-1:ahc:get:1:$((requests / 4))
get-1:urlsession:get:1:$((requests / 16))
get-32:nio:get:32:$requests
get-32:ours:get:32:$requests
get-32:ahc:get:32:$requests
get-32:urlsession:get:32:$((requests / 8))
auth-32:ours:auth:32:$requests
parallel-1000:ours:parallel:64:$requests
parallel-1000:ahc:parallel:64:$requests
"
for _ in $(seq "$runs"); do
    for case in $cases; do
        IFS=: read -r name mode scenario connections count <<< "$case"
        "$bin/bench-client" "$mode" "$scenario" "$connections" "$count" "$port" >> "$work/$name.$mode"
    done
done

median() { cut -d' ' -f"$2" "$work/$1" | sort -n | sed -n "$(((runs + 1) / 2))p"; }
printf '%-14s %-11s %12s %12s\n' scenario client "CPU µs/req" "requests/s"
for case in $cases; do
    IFS=: read -r name mode _ <<< "$case"
    printf '%-14s %-11s %12s %12s\n' "$name" "$mode" "$(median "$name.$mode" 1)" "$(median "$name.$mode" 2)"
done

failed=0
bar() { # what, value, base, most
    ratio=$(awk -v a="$2" -v b="$3" 'BEGIN { printf "%.2f", a / b }')
    if awk -v r="$ratio" -v m="$4" 'BEGIN { exit !(r <= m) }'; then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-52s %6s  at most %s  %s\n' "$1" "$ratio" "$4" "$verdict"
}
ours=$(median get-32.ours 1)
echo
bar "small GET at 32 connections, to AsyncHTTPClient" "$ours" "$(median get-32.ahc 1)" 0.50
bar "small GET at 32 connections, to bare SwiftNIO" "$ours" "$(median get-32.nio 1)" 1.60
bar "authenticated GET, to the plain one" "$(median auth-32.ours 1)" "$ours" 1.25
exit $failed
