#!/bin/bash
# Counts instructions per request (user space, valgrind) of this revision and of another one: a small GET without a
# login, with a password sent ahead, and with a token sent ahead. Counts of two lengths are subtracted, so that the
# start is not in it; each is the least of three. Exits 1 above the bar.
# usage: Benchmarks/instructions.sh BASE [requests]     BASE is a revision, or a bench-tokens that was built before
set -euo pipefail
base=${1:?usage: Benchmarks/instructions.sh BASE [requests]}
[ ! -x "$base" ] || base=$(realpath "$base")
cd "$(dirname "$0")"
requests=${2:-400}
command -v valgrind > /dev/null || { echo "instructions.sh needs valgrind" >&2; exit 1; }
. ./start-server.sh bench-tokens
if [ ! -x "$base" ]; then
    # A worktree that stays, so that what it was built from needs no building again. It measures with this revision's
    # programs; a base whose API is another one has to bring its own.
    tree=$PWD/../.build-base
    [ -d "$tree" ] || git worktree add --detach "$tree" "$base" >&2
    git -C "$tree" checkout --force --detach "$base" >&2
    cp -r Package.swift Sources "$tree/Benchmarks"
    (cd "$tree/Benchmarks" && swift build -c release --product bench-tokens) >&2
    base=$(cd "$tree/Benchmarks" && swift build -c release --show-bin-path)/bench-tokens
fi
# Valgrind does not read the debugging information of a new compiler.
strip -g -o "$work/head" "$bin/bench-tokens"
strip -g -o "$work/base" "$base"
"$work/head" fill 10 "$work/vault"

count() { # program, mode, requests
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" request "$2" "$3" "$port" "$work/vault" \
        > "$work/out" 2>&1 || { cat "$work/out" >&2; return 1; }
    awk '/Collected/ { print $4 }' "$work/out"
}
least() { # program, mode, requests: of three counts, as threads that wait for each other differ by a percent
    for _ in 1 2 3; do count "$@" || return 1; done | sort -n | head -1
}
each() { # program, mode: instructions per request
    local few many
    few=$(least "$1" "$2" 200)
    many=$(least "$1" "$2" $((200 + requests)))
    echo $(((many - few) / requests))
}
failed=0
printf '%-28s %9s %9s %6s\n' "instructions per GET" head base ratio
for mode in plain basic memory; do
    ours=$(each "$work/head" "$mode")
    theirs=$(each "$work/base" "$mode")
    ratio=$(awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.3f", a / b }')
    if awk -v r="$ratio" 'BEGIN { exit !(r <= 1.02) }'; then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-28s %9s %9s %6s  at most 1.02  %s\n' "$mode" "$ours" "$theirs" "$ratio" "$verdict"
done
exit $failed
