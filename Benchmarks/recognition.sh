#!/bin/bash
# Counts the instructions (user space, valgrind) that the recognition of logins costs a request that meets none: a small
# JSON answer, a temporary redirect with a query, and a page of 2 KiB without a form. Without a network; counts of two
# lengths are subtracted, so that the start is not in it; each is the least of three. Exits 1 above the bar.
# usage: Benchmarks/recognition.sh [requests]
set -euo pipefail
cd "$(dirname "$0")"
requests=${1:-400}
command -v valgrind > /dev/null || { echo "recognition.sh needs valgrind" >&2; exit 1; }
swift build -c release --product bench-recognition >&2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
# Valgrind does not read the debugging information of a new compiler.
strip -g -o "$work/bench" "$(swift build -c release --show-bin-path)/bench-recognition"

count() { # with or without, answer, requests
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/bench" "$1" "$2" "$3" > "$work/out" 2>&1 ||
        { cat "$work/out" >&2; return 1; }
    awk '/Collected/ { print $4 }' "$work/out"
}
least() { # with or without, answer, requests: of three counts, as threads that wait for each other differ by a percent
    for _ in 1 2 3; do count "$@" || return 1; done | sort -n | head -1
}
each() { # with or without, answer: instructions per request
    local few many
    few=$(least "$1" "$2" 200)
    many=$(least "$1" "$2" $((200 + requests)))
    echo $(((many - few) / requests))
}
failed=0
printf '%-28s %9s %9s %9s\n' "instructions per request" with without more
for answer in json redirect page; do
    with=$(each with "$answer")
    without=$(each without "$answer")
    if [ $((with - without)) -le 1500 ]; then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-28s %9s %9s %9s  at most 1500  %s\n' "$answer" "$with" "$without" $((with - without)) "$verdict"
done
exit $failed
