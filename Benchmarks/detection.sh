#!/bin/bash
# What looking for SAML2 challenges costs: CPU of fetches with the filter to those without it, and of the search in a
# page of 1 MiB to a plain byte search. Alternating runs, medians; exits 1 above the bars.
# usage: Benchmarks/detection.sh [runs] [requests]
set -euo pipefail
cd "$(dirname "$0")"
runs=${1:-5}
requests=${2:-20000}
. ./start-server.sh bench-client
for _ in $(seq "$runs"); do
    for scenario in configured saml2; do
        "$bin/bench-client" ours $scenario 8 "$requests" "$port" >> "$work/$scenario"
    done
    for scenario in page page-saml2; do
        "$bin/bench-client" ours $scenario 4 "$((requests / 20))" "$port" >> "$work/$scenario"
    done
    "$bin/bench-client" search 500 >> "$work/search"
done
median() { cut -d' ' -f"$2" "$work/$1" | sort -n | sed -n "$(((runs + 1) / 2))p"; }
failed=0
bar() { # what, value, base, most
    ratio=$(awk -v a="$2" -v b="$3" 'BEGIN { printf "%.3f", a / b }')
    if awk -v r="$ratio" -v m="$4" 'BEGIN { exit !(r <= m) }'; then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-44s %9s µs to %9s µs: %6s  at most %s  %s\n' "$1" "$2" "$3" "$ratio" "$4" "$verdict"
}
bar "small JSON, with the filter to without" "$(median saml2 1)" "$(median configured 1)" 1.05
bar "page of 1 MiB, with the filter to without" "$(median page-saml2 1)" "$(median page 1)" 1.05
bar "form search in 1 MiB, to a plain byte search" "$(median search 2)" "$(median search 1)" 3
exit $failed
