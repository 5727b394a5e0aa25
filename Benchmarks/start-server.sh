# Sourced by the scripts beside it: builds, makes the directory $work, and starts the server at $port, with HTTP/2 at $port2 and
# for large bodies at $port3, with HTTP/1.1 over TLS at $port4, where it shows $work/server.pem. Directory and server are
# removed when the script ends. arguments: the products to build beside the server
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
for product in bench-server "$@"; do swift build -c release --product "$product" >&2; done
bin=$(swift build -c release --show-bin-path)
work=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; rm -r "$work"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/server.key" -out "$work/server.pem" \
    -days 2 -subj /CN=bench -addext subjectAltName=IP:127.0.0.1 2> /dev/null
exec 3< <(exec "$bin/bench-server" "$work/server.pem" "$work/server.key")
server=$!
read -r port port2 port3 port4 <&3
