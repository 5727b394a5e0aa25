# Sourced by the scripts beside it: builds, makes the directory $work, and starts the server at $port.
# Both go with the script. arguments: the products to build beside the server
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
for product in bench-server "$@"; do swift build -c release --product "$product" >&2; done
bin=$(swift build -c release --show-bin-path)
work=$(mktemp -d)
exec 3< <(exec "$bin/bench-server")
server=$!
trap 'kill $server 2>/dev/null; rm -r "$work"' EXIT
read -r port <&3
