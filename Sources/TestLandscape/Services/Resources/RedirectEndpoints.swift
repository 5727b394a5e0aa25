import HTTPTypes
import HummingbirdCore

/// `/redirect/…`: valid, invalid and endless redirects.
struct RedirectEndpoints: Service {
    /// The number of POSTs that were answered with a 303.
    private let posts = CounterSet(0)

    func reset() { posts.reset() }

    func register(in table: inout EndpointTable) {
        table.add("redirect") { exchange in
            let kind = exchange.segments.count > 1 ? exchange.segments[1] : ""
            let status = exchange.number("status", default: 302, in: 300...399)
            guard let locations = Self.locations(kind, exchange) else {
                return .text("there is no such redirect\n", status: .notFound)
            }
            if locations.isEmpty, kind == "chain" { return .text("the end of the chain\n") }
            return Self.redirect(exchange, status: Int(kind) ?? status, to: locations)
        }
        table.add("post-303-401") { exchange in
            if exchange.method != "POST" { return try .json(["posts": posts.current]) }
            for try await _ in try await exchange.body() {}
            posts.count(\.self)
            return Self.redirect(exchange, status: 303, to: [Array("/basic/realm1/after-post".utf8)])
        }
    }

    /// The `Location` values of a kind of redirect; nil for an unknown kind.
    private static func locations(_ kind: String, _ exchange: ServerExchange) -> [[UInt8]]? {
        if let fixed = fixedLocations[kind] { return fixed.map { Array($0.utf8) } }
        let addresses = exchange.shared.addresses
        switch kind {
        case "chain":
            guard let left = exchange.segmentNumber(2, in: 0...10_000) else { return nil }
            return left == 0 ? [] : [Array("/redirect/chain/\(left - 1)".utf8)]
        case "ping-pong":
            let next: LandscapeOrigin = exchange.origin == .main ? .other : .main
            return [Array((addresses.base(of: next) + "/redirect/ping-pong").utf8)]
        case "to":
            guard exchange.segments.count > 2, let origin = LandscapeOrigin(rawValue: exchange.segments[2]) else {
                return nil
            }
            return [Array((addresses.base(of: origin) + (exchange.parameter("path") ?? "/json")).utf8)]
        case "userinfo":
            return [Array("http://alice:wonderland@127.0.0.1:\(addresses.port(of: .other))/echo".utf8)]
        case "scheme-relative":
            return [Array("//127.0.0.1:\(addresses.port(of: .main))/json".utf8)]
        default:
            guard let status = Int(kind), (300...399).contains(status) else { return nil }
            return exchange.query.filter { $0.name == "to" }.map(\.value)
        }
    }

    private static let fixedLocations: [String: [String]] = [
        "loop": ["/redirect/loop"],
        "several-locations": ["/json", "/echo"],
        "none": [],
        "empty": [""],
        "garbage": ["http://[::garbage"],
        "garbage-port": ["http://127.0.0.1:99999/"],
        "garbage-control": ["/json\u{1}\u{1B}[31m"],
        "garbage-space": ["http://127.0.0.1 .invalid/"],
        "relative": ["../json"],
        "query": ["?seen=1"],
        "fragment": ["/json#part"],
        "file": ["file:///etc/passwd"],
        "ftp": ["ftp://127.0.0.1/pub"],
        "javascript": ["javascript:alert(1)"],
        "data": ["data:text/plain,hello"],
        "unknown-scheme": ["com.example.app:/callback?code=1"],
    ]

    /// Writes the redirect below the typed layer, which would change unusual values.
    private static func redirect(_ exchange: ServerExchange, status: Int, to locations: [[UInt8]]) -> Response {
        let body = exchange.method == "HEAD" ? "" : "elsewhere\n"
        var head = Array("HTTP/1.1 \(status) Elsewhere\r\n".utf8)
        for location in locations { head += Array("Location: ".utf8) + location + [13, 10] }
        head += Array("Content-Type: text/plain\r\nContent-Length: 10\r\n\r\n\(body)".utf8)
        return exchange.answer(WireScript([.bytes(head)]))
    }

    let contents = [
        ContentsEntry(
            "/redirect/{300…399}?to=URL", "Location as given, byte for byte; several to= give several fields"),
        ContentsEntry("/redirect/to/{origin}?path=/json&status=302", "to another origin"),
        ContentsEntry("/redirect/chain/{n}, loop, ping-pong", "n hops, endless ones"),
        ContentsEntry("/redirect/userinfo, scheme-relative", "userinfo in the target, //host/path"),
        ContentsEntry("/redirect/{kind}", fixedLocations.keys.sorted().joined(separator: ", ")),
        ContentsEntry("/post-303-401", "POST: 303 to a Basic page; GET: how many POSTs there were"),
    ]
}
