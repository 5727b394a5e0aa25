#!/bin/bash
# Measures the cost of httpc relay: the throughput both ways, beside nginx as a reverse proxy, and the processor time of small
# requests, beside httpc alone without its start. Medians of five alternating runs. Exits 1 if the relay is slower than half of
# nginx, or if a request costs more than 2.5 times as much. Needs nginx, curl and a release build of httpc (swift build -c
# release --product httpc).
# usage: Benchmarks/relay.sh [MiB] [requests] [runs]
set -euo pipefail
cd "$(dirname "$0")"
size=${1:-512} requests=${2:-2000} runs=${3:-5}
httpc=${HTTPC:-$(cd .. && pwd)/.build/release/httpc}
[ -x "$httpc" ] || { echo "Benchmarks/relay.sh: there is no $httpc: build it, or set HTTPC." >&2; exit 2; }
unset http_proxy https_proxy all_proxy ALL_PROXY HTTPS_PROXY
work=$(mktemp -d)
children=()
end() {
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap end EXIT
export HOME=$work XDG_CONFIG_HOME=$work XDG_STATE_HOME=$work

# Two servers: the target, and nginx as a reverse proxy before it. Free ports, which nginx cannot choose.
read -r target proxy < <(../scripts/support/free_ports.py 2)
mkdir -p "$work/www/put"
chmod 755 "$work"
chmod 777 "$work/www/put"
head -c $((size << 20)) /dev/urandom > "$work/www/large"
head -c 1024 /dev/urandom > "$work/www/small"
cat > "$work/nginx.conf" <<END
pid $work/nginx.pid;
error_log $work/error.log;
daemon off;
worker_processes 1;
events {}
http {
    access_log off;
    client_max_body_size 0;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    keepalive_requests 1000000;
    server {
        listen 127.0.0.1:$target;
        root $work/www;
        location /put/ { dav_methods PUT; }
    }
    server {
        listen 127.0.0.1:$proxy;
        location / {
            proxy_http_version 1.1;
            proxy_request_buffering off;
            proxy_pass http://127.0.0.1:$target;
        }
    }
}
END
await() { # PROCESS LOG COMMAND…: until the command succeeds
    until "${@:3}"; do
        kill -0 "$1" 2>/dev/null || { echo "Benchmarks/relay.sh: a server did not start:" >&2; cat "$2" >&2; exit 1; }
        sleep 0.05
    done
}
touch "$work/error.log"
nginx -c "$work/nginx.conf" -e "$work/error.log" & children+=($!)
await $! "$work/error.log" curl -sf -o /dev/null "http://127.0.0.1:$proxy/small"
"$httpc" relay "http://127.0.0.1:$target/" > "$work/url" 2> "$work/relay.log" & relay=$! children+=($!)
await $relay "$work/relay.log" test -s "$work/url"
url=$(cat "$work/url")

wanted=$(sha256sum < "$work/www/large")
down() {
    curl -sSf -w '%{stderr}%{speed_download}\n' "$1/large" 2>> "$work/down.$2" | sha256sum | grep -qF "$wanted"
}
up() {
    curl -sSf -o /dev/null -w '%{speed_upload}\n' -T "$work/www/large" "$1/put/$2" >> "$work/up.$2"
    cmp -s "$work/www/large" "$work/www/put/$2"
    rm -f "$work/www/put/$2"
}
# The processor time of a process, in milliseconds.
spent() { awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) * 1000 / hz }' "/proc/$1/stat"; }
alone() {
    local urls=()
    for number in $(seq "$1"); do urls+=("http://127.0.0.1:$target/small?$number"); done
    TIMEFORMAT='%3U %3S'
    { time "$httpc" -sS "${urls[@]}" > /dev/null 2> "$work/alone.log"; } 2>&1 | awk '{ print ($1 + $2) * 1000 }' \
        || { cat "$work/alone.log" >&2; return 1; }
}
for _ in $(seq "$runs"); do
    for way in down up; do
        $way "http://127.0.0.1:$proxy" nginx
        $way "$url" relay
    done
    before=$(spent $relay)
    curl -sSf -o /dev/null "$url/small?[1-$requests]"
    awk -v a="$(spent $relay)" -v b="$before" -v n="$requests" 'BEGIN { print (a - b) * 1000 / n }' >> "$work/cost.relay"
    many=$(alone "$requests")
    one=$(alone 1)
    awk -v a="$many" -v b="$one" -v n="$requests" \
        'BEGIN { print (a - b) * 1000 / (n - 1) }' >> "$work/cost.alone"
done

median() { sort -n "$work/$1" | sed -n "$(((runs + 1) / 2))p"; }
failed=0
judge() { # NAME UNIT OURS OTHER FORMAT LIMIT
    local verdict=ok
    awk -v a="$3" -v b="$4" "BEGIN { exit !($5) }" || verdict=MISSED failed=1
    awk -v name="$1" -v unit="$2" -v a="$3" -v b="$4" -v verdict=$verdict \
        'BEGIN { printf "%-10s %10.1f %10.1f %8.2f  %-14s %s\n", name, a, b, a / b, unit, verdict }'
}
printf '%-10s %10s %10s %8s\n' "" relay other ratio
for way in down up; do
    judge $way "MiB/s, nginx" "$(median $way.relay | awk '{ print $1 / 1048576 }')" \
        "$(median $way.nginx | awk '{ print $1 / 1048576 }')" "a >= 0.5 * b"
done
judge requests "µs, httpc" "$(median cost.relay)" "$(median cost.alone)" "a <= 2.5 * b"
exit $failed
