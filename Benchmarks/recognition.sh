#!/bin/bash
# Counts the instructions (user space, valgrind) that the recognition of logins costs a request that meets none: a small
# JSON answer, a picture, a temporary redirect with a query, and a page of 2 KiB without a form. Without a network; counts
# of two lengths are subtracted, so that the start is not in it; each is the least of three. Exits 1 above the bar.
#
# The bar is 1,500, which the head of an answer decides. For a page it is 6,500, and 1 for each byte: its body has to be read
# ahead and kept for the caller, and two passes of the C library look for a form.
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
for answer in json picture redirect page; do
    with=$(each with "$answer")
    without=$(each without "$answer")
    if [ "$answer" = page ]; then bar=$((6500 + 2048)); else bar=1500; fi
    if [ $((with - without)) -le $bar ]; then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-28s %9s %9s %9s  at most %s  %s\n' "$answer" "$with" "$without" $((with - without)) $bar "$verdict"
done
exit $failed
