import HTTPTypes
import HummingbirdCore
import NIOCore

/// What goes wrong where a domain says which mobile server it has.
package enum MobileDiscoveryFault: String, Sendable, CaseIterable {
    /// A page with the status 200, as of a captive portal.
    case page
    /// The same with 511.
    case portal
    /// A redirect to the portal, by plain http.
    case downgrade
    /// A redirect to itself.
    case loop
    /// 500.
    case fails
    /// JSON that breaks off.
    case malformed
    /// Arrays in arrays.
    case deep
    /// JSON that never ends.
    case endless
    /// A byte now and then.
    case slow
    /// The connection ends in the body.
    case cut

    func response(_ exchange: ServerExchange) -> Response {
        switch self {
        case .page: return Portal.page.response(exchange)
        case .portal: return Portal.required.response(exchange)
        case .downgrade: return Portal.redirect.response(exchange)
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

/// `/.well-known/mobile-logon`: what a domain says about its mobile server, on all origins.
enum MobileDiscovery {
    /// nil: another path.
    static func answer(_ exchange: ServerExchange) -> Response? {
        guard exchange.path == "/.well-known/mobile-logon" else { return nil }
        let rule = exchange.world.mobile.rule
        if let fault = rule.discoveryFault { return fault.response(exchange) }
        return rule.discovery.map { json($0) } ?? MobileVisit.nothing
    }

    static func json(_ text: String) -> Response { json(ResponseBody(byteBuffer: ByteBuffer(string: text))) }

    static func json(_ body: ResponseBody) -> Response {
        Response(status: .ok, headers: [.contentType: "application/json"], body: body)
    }
}
