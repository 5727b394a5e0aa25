#!/bin/bash
# Counts the instructions (user space, valgrind) that the recognition of logins costs a request that meets none: a small
# JSON answer, a temporary redirect with a query, and a page of 2 KiB without a form. Without a network; counts of two
# lengths are subtracted, so that the start is not in it; each is the least of three. Exits 1 above the bar.
# usage: Benchmarks/recognition.sh [requests]
set -euo pipefail
cd "$(dirname "$0")"
requests=${1:-400}
. ./counting.sh
swift build -c release --product bench-recognition >&2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
countable "$(swift build -c release --show-bin-path)/bench-recognition" bench

each() { # with or without, answer: instructions per request
    local few many
    few=$(least "$work/bench" "$1" "$2" 200)
    many=$(least "$work/bench" "$1" "$2" $((200 + requests)))
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
