import HTTPTypes
import HummingbirdCore
import NIOCore

/// A place where a client looks for a mobile server or a gateway.
package enum MobileFront: String, Sendable, CaseIterable {
    /// Behind the relay server.
    case relay
    /// Behind the reverse proxy.
    case proxy
    /// The mobile server itself.
    case server
    /// The gateway.
    case gateway
}

/// A fault of such a place.
package enum MobileFrontFault: String, Sendable, CaseIterable {
    /// A page with the status 200, as of a captive portal.
    case portalPage = "portal-page"
    /// A captive portal's page with the status 511.
    case portalRequired = "portal-required"
    /// A redirect to a portal.
    case portalRedirect = "portal-redirect"
    /// An answer with the other kind of server's field.
    case lies
    /// An answer with both kinds' fields.
    case saysBoth = "says-both"
    /// An answer with the right field and the status 503.
    case fails
    /// An answer with the right field and an endless body.
    case endlessBody = "endless-body"
    /// An endless head.
    case endlessHead = "endless-head"
    /// A head that arrives byte by byte, with pauses.
    case slow
    /// A connection that ends in the middle of the head.
    case cut
    /// A connection that ends in the middle of the body, after the right head.
    case cutBody = "cut-body"

    func response(of front: MobileFront, _ exchange: ServerExchange) -> Response {
        switch self {
        case .portalPage: return CaptivePortal.page.response(exchange)
        case .portalRequired: return CaptivePortal.required.response(exchange)
        case .portalRedirect: return CaptivePortal.redirect.response(exchange)
        case .lies: return Self.saying([front == .gateway ? Self.mobile : Self.gateway])
        case .saysBoth: return Self.saying([Self.mobile, Self.gateway])
        case .fails: return Self.saying([Self.own(front)], status: .serviceUnavailable)
        case .endlessBody:
            return Self.saying([Self.own(front)], body: exchange.endless("and so on\n"))
        case .endlessHead:
            let field = "X-Filler: " + String(repeating: "x", count: 1000) + "\r\n"
            return exchange.answer(
                WireScript([.bytes(Array(("HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 4096)).utf8))]))
        case .slow:
            let head = Array("HTTP/1.1 200 OK\r\nX-SMP-Late: 1\r\nsap-late: 1\r\nContent-Length: 0\r\n\r\n".utf8)
            return exchange.answer(
                WireScript(head.flatMap { [.bytes([$0]), .pause(.milliseconds(400))] as [WireScript.Step] }))
        case .cut: return exchange.answer(WireScript("HTTP/1.1 200 OK\r\n\(Self.own(front)): tr", thenClose: true))
        case .cutBody:
            return exchange.answer(
                WireScript(
                    "HTTP/1.1 200 OK\r\n\(Self.own(front)): true\r\nContent-Length: 1000\r\n\r\ncut", thenClose: true))
        }
    }

    private static let mobile = "X-SMP-Server"
    private static let gateway = "sap-server"

    private static func own(_ front: MobileFront) -> String { front == .gateway ? gateway : mobile }

    private static func saying(
        _ names: [String], status: HTTPResponse.Status = .ok, body: ResponseBody = ResponseBody()
    ) -> Response {
        var response = Response(status: status, body: body)
        for name in names.compactMap({ HTTPField.Name($0) }) { response.headers[name] = "true" }
        return response
    }
}
