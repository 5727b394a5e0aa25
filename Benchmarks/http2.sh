#!/bin/bash
# HTTP/2 over TLS on one connection. Instructions per request (user space, valgrind) of a small GET, one after the other and
# sixteen side by side: a bare swift-nio-http2 client as its documentation has it (nio: a channel for each stream), one that
# handles frames by itself (frames: what the transport stands on), the transport alone, a conversation (ours), and
# AsyncHTTPClient (ahc). The counts of a short and a long run are subtracted, which leaves out the start. Then prints the memory
# that a stalled stream holds. Exits 1 above the bars. usage: Benchmarks/http2.sh [requests]
set -euo pipefail
cd "$(dirname "$0")"
requests=${1:-400}
. ./counting.sh
. ./start-server.sh bench-client
countable "$bin/bench-client" client

each() { # client, tasks: instructions per request
    local few many
    few=$(count "$work/client" http2 "$1" "$2" 208 "$port2" "$work/server.pem") || return 1
    many=$(count "$work/client" http2 "$1" "$2" $((208 + requests)) "$port2" "$work/server.pem") || return 1
    echo $(((many - few) / requests))
}
failed=0
verdict() { # value, most
    if awk -v v="$1" -v m="$2" 'BEGIN { exit !(v <= m) }'; then echo ok; else echo MISSED; fi
}
printf '%-26s %10s %10s\n' "instructions per GET" "1 task" "16 tasks"
for client in nio frames transport ours ahc; do
    for tasks in 1 16; do
        value=$(each "$client" "$tasks") || exit 1
        declare "${client}_$tasks=$value"
    done
    one="${client}_1" many="${client}_16"
    printf '%-26s %10s %10s\n' "$client" "${!one}" "${!many}"
done
for tasks in 1 16; do
    ours="ours_$tasks" bare="nio_$tasks"
    ratio=$(awk -v a="${!ours}" -v b="${!bare}" 'BEGIN { printf "%.3f", a / b }')
    result=$(verdict "$ratio" 1.2)
    [ "$result" = ok ] || failed=1
    printf 'to bare swift-nio-http2, %2s tasks: %s  at most 1.2  %s\n' "$tasks" "$ratio" "$result"
done
small=$("$bin/bench-client" stalled 99 "$port2" "$work/server.pem")
large=$("$bin/bench-client" stalled 999 "$port2" "$work/server.pem")
held=$(((large - small) / 900))
result=$(verdict "$held" 64)
[ "$result" = ok ] || failed=1
printf 'stalled streams: 99: %s KiB  999: %s KiB  each %s KiB  at most 64  %s\n' "$small" "$large" "$held" "$result"
exit $failed
