import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/csrf/SERVICE/…`: services that require a token with modifying requests, by SAP's conventions.
struct CSRFEndpoints: EndpointGroup {
    static let cookieName = "LANDSCAPE_CSRF_SESSION"

    private struct Answer: Encodable {
        let service: String
        let method: String
        let length: Int
    }

    /// One request to a service.
    private struct Visit {
        let exchange: ServerExchange
        let service: String
        let name: String
        let sent: String?
        var store: CSRFTokenStore { exchange.world.csrf }

        init(_ exchange: ServerExchange) {
            self.exchange = exchange
            name = exchange.segments.count > 1 ? exchange.segments[1] : ""
            // Cookies are shared by all ports, and tokens are not.
            service = "\(exchange.origin) \(name)"
            sent = exchange.field("X-CSRF-Token")
        }

        var session: String? {
            CookieHeader.value(of: cookieName, in: exchange.incoming.fields).flatMap { store.isSession($0) ? $0 : nil }
        }
    }

    func register(in table: inout EndpointTable) {
        table.add("csrf") { exchange in
            let visit = Visit(exchange)
            return switch exchange.method {
            case "GET", "HEAD", "OPTIONS": try Self.read(visit)
            default: try await Self.modify(visit)
            }
        }
    }

    private static func read(_ visit: Visit) throws -> Response {
        let answer = try Response.json(
            Answer(service: visit.name, method: visit.exchange.method, length: 0))
        guard visit.sent?.lowercased() == "fetch" else { return answer }
        visit.store.count(\.fetches)
        if visit.name == "tokenless" { return answer }
        let session = visit.session ?? visit.store.beginSession()
        let response = adding(visit.store.token(of: visit.service, session: session), to: answer)
        return visit.session == nil ? begin(session, response) : response
    }

    private static func modify(_ visit: Visit) async throws -> Response {
        var length = 0
        for try await piece in try await visit.exchange.body() { length += piece.readableBytes }
        guard visit.name != "never",
            visit.store.isValid(visit.sent, of: visit.service, session: visit.session)
        else {
            visit.store.count(\.refused)
            let response = adding("Required", to: .text("CSRF token validation failed\n", status: .forbidden))
            // A client without a session gets one, as from a login.
            guard visit.name == "eager", visit.session == nil else { return response }
            return begin(visit.store.beginSession(), response)
        }
        visit.store.count(\.accepted)
        return try .json(Answer(service: visit.name, method: visit.exchange.method, length: length))
    }

    private static func adding(_ token: String, to response: Response) -> Response {
        HTTPField.Name("X-CSRF-Token").map { response.adding($0, token) } ?? response
    }

    private static func begin(_ session: String, _ response: Response) -> Response {
        response.adding(.setCookie, "\(cookieName)=\(session); Path=/csrf; HttpOnly")
    }

    let entries = [
        ContentsEntry(
            "/csrf/SERVICE/…", "GET with X-CSRF-Token: Fetch gives a token; others need it, else 403 Required"),
        ContentsEntry("/csrf/never/…, /csrf/tokenless/…", "refuses every token; has none to give"),
        ContentsEntry("/csrf/eager/…", "begins a session with each refusal"),
    ]
}
