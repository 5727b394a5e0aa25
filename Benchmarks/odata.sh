#!/bin/bash
# Reads rows of OData in pages of 1,000: the peak of resident memory of 100,000 rows over what there was before, and
# instructions per row (user space, valgrind) to those of Foundation's JSONDecoder on the same bytes. The counts of a short and
# a long run are subtracted, which leaves out the start. Then reads bad answers, most of them endless: each must end in an
# error, in little memory and time. Exits 1 above the bars. usage: Benchmarks/odata.sh
set -euo pipefail
cd "$(dirname "$0")"
. ./counting.sh
swift build -c release --product bench-odata >&2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
countable "$(swift build -c release --show-bin-path)/bench-odata" bench-odata

each() { # mode: instructions per row
    local few many
    few=$(count "$work/bench-odata" "$1" 2000) || return 1
    many=$(count "$work/bench-odata" "$1" 6000) || return 1
    echo $(((many - few) / 4000))
}
failed=0
for mode in store dynamic; do
    over=$("$work/bench-odata" $mode 100000)
    if ((over <= 16384)); then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-28s %9s KiB over rest for 100,000 rows  at most 16384  %s\n' "$mode" "$over" "$verdict"
done
base=$(each decoder)
printf '%-28s %9s %9s %6s\n' "instructions per row" store decoder ratio
for mode in store dynamic; do
    ours=$(each $mode)
    ratio=$(awk -v a="$ours" -v b="$base" 'BEGIN { printf "%.2f", a / b }')
    if awk -v r="$ratio" 'BEGIN { exit !(r <= 2) }'; then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-28s %9s %9s %6s  at most 2.00  %s\n' "$mode" "$ours" "$base" "$ratio" "$verdict"
done
printf '%-28s %-18s %9s %9s\n' "bad answers" error "CPU s" "KiB"
for name in $("$work/bench-odata" hostile); do
    read -r code seconds over <<< "$(timeout 60 "$work/bench-odata" hostile "$name" || echo none)"
    if awk -v s="${seconds:-60}" -v m="${over:-99999}" 'BEGIN { exit !(s <= 5 && m <= 32768) }'; then verdict=ok; else verdict=MISSED failed=1; fi
    printf '%-28s %-18s %9s %9s  at most 5 and 32768  %s\n' "$name" "$code" "${seconds:--}" "${over:--}" "$verdict"
done
exit $failed
