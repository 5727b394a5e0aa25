import HTTPTypes
import HummingbirdCore
import NIOCore

/// A fault of the document with which a domain names its mobile server.
package enum MobileDiscoveryFault: String, Sendable, CaseIterable {
    /// A page with the status 200, as of a captive portal.
    case page
    /// A captive portal's page with the status 511.
    case portal
    /// A redirect to the portal over plain HTTP.
    case downgrade
    /// A redirect to itself.
    case loop
    /// The status 500.
    case fails
    /// JSON that ends too early.
    case malformed
    /// Deeply nested arrays.
    case deep
    /// JSON that never ends.
    case endless
    /// An answer that arrives byte by byte, with pauses.
    case slow
    /// A connection that ends in the middle of the body.
    case cut

    func response(_ exchange: ServerExchange) -> Response {
        switch self {
        case .page: return CaptivePortal.page.response(exchange)
        case .portal: return CaptivePortal.required.response(exchange)
        case .downgrade: return CaptivePortal.redirect.response(exchange)
        case .loop: return Response(status: .found, headers: [.location: exchange.path])
        case .fails: return .text("no\n", status: .internalServerError)
        case .malformed: return MobileDiscovery.json(#"{"server":{"host":"mobile.example.com""#)
        case .deep: return MobileDiscovery.json(#"{"server":"# + String(repeating: "[", count: 16_000))
        case .endless:
            return MobileDiscovery.json(exchange.endless("[ \n"))
        case .slow:
            return MobileDiscovery.json(
                ResponseBody { writer in
                    for _ in 0..<600 {
                        try await writer.write(ByteBuffer(string: " "))
                        try await Task.sleep(for: .milliseconds(100))
                    }
                    try await writer.finish(nil)
                })
        case .cut:
            return exchange.answer(
                WireScript(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
                    thenClose: true))
        }
    }
}

/// `/.well-known/mobile-logon`: the document with which a domain names its mobile server, on all origins.
enum MobileDiscovery {
    /// The answer; nil for another path.
    static func answer(_ exchange: ServerExchange) -> Response? {
        guard exchange.path == "/.well-known/mobile-logon" else { return nil }
        let rule = exchange.shared.service(MobileServer.self).rule
        if let fault = rule.discoveryFault { return fault.response(exchange) }
        return rule.discovery.map { json($0) } ?? MobileExchange.nothing
    }

    static func json(_ text: String) -> Response { json(ResponseBody(byteBuffer: ByteBuffer(string: text))) }

    static func json(_ body: ResponseBody) -> Response {
        Response(status: .ok, headers: [.contentType: "application/json"], body: body)
    }
}
