#!/bin/bash
# Counts instructions per request (user space, valgrind) of this revision and of another one: a small GET without a login, with
# a password sent ahead, and with a token sent ahead. The counts of a short and a long run are subtracted, which leaves out the
# start. Each count is the least of three. Exits 1 above the bar.
# usage: Benchmarks/instructions.sh BASE [requests]     BASE is a revision, or a bench-tokens that was built before
set -euo pipefail
base=${1:?usage: Benchmarks/instructions.sh BASE [requests]}
[ ! -x "$base" ] || base=$(realpath "$base")
cd "$(dirname "$0")"
requests=${2:-400}
. ./counting.sh
. ./start-server.sh bench-tokens
if [ ! -x "$base" ]; then
    # The worktree is kept, so that the next run builds only the changes. It measures with this revision's programs, so the API
    # that they use must exist in BASE. Otherwise build bench-tokens there and name it as BASE.
    tree=$PWD/../.build-base
    # In the worktree, HEAD~1 would be another commit.
    base=$(git rev-parse --verify "$base^{commit}")
    [ -d "$tree" ] || git worktree add --detach "$tree" "$base" >&2
    git -C "$tree" checkout --force --detach "$base" >&2
    cp -r Package.swift Sources "$tree/Benchmarks"
    (cd "$tree/Benchmarks" && swift build -c release --product bench-tokens) >&2
    base=$(cd "$tree/Benchmarks" && swift build -c release --show-bin-path)/bench-tokens
fi
countable "$bin/bench-tokens" head
countable "$base" base
"$work/head" fill 10 "$work/vault"

each() { # program, mode: instructions per request
    local few many
    few=$(least "$1" request "$2" 200 "$port" "$work/vault") || return 1
    many=$(least "$1" request "$2" $((200 + requests)) "$port" "$work/vault") || return 1
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
