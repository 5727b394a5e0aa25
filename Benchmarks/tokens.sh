#!/bin/bash
# Counts instructions (user space, valgrind) of OAuth2 tokens: the cost that a token sent ahead, from memory and from a vault,
# adds to a small GET, and the cost of a look-up among 10,000 storage URLs against 10. The counts of a short and a long run are
# subtracted, which leaves out the start. Exits 1 below the bars. usage: Benchmarks/tokens.sh [requests]
set -euo pipefail
cd "$(dirname "$0")"
requests=${1:-500}
. ./counting.sh
. ./start-server.sh bench-tokens
countable "$bin/bench-tokens" bench-tokens
for entries in 10 10000; do "$work/bench-tokens" fill $entries "$work/vault-$entries"; done

each() { # command, mode, further arguments: instructions per request or look-up
    local few many
    few=$(count "$work/bench-tokens" "$1" "$2" 200 "${@:3}") || return 1
    many=$(count "$work/bench-tokens" "$1" "$2" $((200 + requests)) "${@:3}") || return 1
    echo $(((many - few) / requests))
}
failed=0
bar() { # what, value, base, most
    local ratio
    ratio=$(awk -v a="$2" -v b="$3" 'BEGIN { printf "%.2f", a / b }')
    if awk -v r="$ratio" -v m="$4" 'BEGIN { exit !(r <= m) }'; then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-52s %9s %9s %6s  at most %s  %s\n' "$1" "$2" "$3" "$ratio" "$4" "$verdict"
}
printf '%-52s %9s %9s %6s\n' instructions "" base ratio
plain=$(each request plain "$port" "$work/vault-10")
for storage in memory vault; do
    token=$(each request $storage "$port" "$work/vault-10")
    bar "GET with a token sent ahead, to one without: $storage" "$token" "$plain" 1.10
done
for storage in memory vault vault-cold; do
    ten=$(each look-up $storage 10 "$work/vault-10")
    many=$(each look-up $storage 10000 "$work/vault-10000")
    bar "look-up among 10,000 URLs, to 10: $storage" "$many" "$ten" 1.49
done
exit $failed
