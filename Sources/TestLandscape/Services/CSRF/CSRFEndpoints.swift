import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/csrf/SERVICE/…`: services that require a token with modifying requests, by SAP's conventions.
struct CSRFEndpoints: Service {
    let name = "csrf"
    let tokens = CSRFTokenStore()
    let counters = CounterSet(CSRFCounters())
    var counts: (any Encodable)? { counters.current }

    func reset() {
        tokens.endSessions()
        counters.reset()
    }

    static let cookieName = "LANDSCAPE_CSRF_SESSION"

    private struct Answer: Encodable {
        let service: String
        let method: String
        let length: Int
    }

    /// One request to a service.
    private struct Call {
        let exchange: ServerExchange
        let service: String
        let name: String
        let sent: String?
        var server: CSRFEndpoints { exchange.shared.service() }

        init(_ exchange: ServerExchange) {
            self.exchange = exchange
            name = exchange.segments.count > 1 ? exchange.segments[1] : ""
            // Cookies are shared by all ports, and tokens are not.
            service = "\(exchange.origin) \(name)"
            sent = exchange.field("X-CSRF-Token")
        }

        var session: String? {
            CookieHeader.value(of: cookieName, in: exchange.incoming.fields).flatMap {
                server.tokens.isSession($0) ? $0 : nil
            }
        }
    }

    func register(in table: inout EndpointTable) {
        table.add("csrf") { exchange in
            let call = Call(exchange)
            return switch exchange.method {
            case "GET", "HEAD", "OPTIONS": try Self.read(call)
            default: try await Self.modify(call)
            }
        }
    }

    private static func read(_ call: Call) throws -> Response {
        let answer = try Response.json(
            Answer(service: call.name, method: call.exchange.method, length: 0))
        guard call.sent?.lowercased() == "fetch" else { return answer }
        call.server.counters.count(\.fetches)
        if call.name == "tokenless" { return answer }
        let session = call.session ?? call.server.tokens.beginSession()
        let response = adding(call.server.tokens.token(of: call.service, session: session), to: answer)
        return call.session == nil ? begin(session, response) : response
    }

    private static func modify(_ call: Call) async throws -> Response {
        var length = 0
        for try await piece in try await call.exchange.body() { length += piece.readableBytes }
        guard call.name != "never",
            call.server.tokens.isValid(call.sent, of: call.service, session: call.session)
        else {
            call.server.counters.count(\.refused)
            let response = adding("Required", to: .text("CSRF token validation failed\n", status: .forbidden))
            // A client without a session gets one, as from a login.
            guard call.name == "eager", call.session == nil else { return response }
            return begin(call.server.tokens.beginSession(), response)
        }
        call.server.counters.count(\.accepted)
        return try .json(Answer(service: call.name, method: call.exchange.method, length: length))
    }

    private static func adding(_ token: String, to response: Response) -> Response {
        HTTPField.Name("X-CSRF-Token").map { response.adding($0, token) } ?? response
    }

    private static func begin(_ session: String, _ response: Response) -> Response {
        response.adding(.setCookie, "\(cookieName)=\(session); Path=/csrf; HttpOnly")
    }

    let commands = [ContentsEntry("/admin/csrf/counters", "GET: what was counted")]

    let contents = [
        ContentsEntry(
            "/csrf/SERVICE/…", "GET with X-CSRF-Token: Fetch gives a token; others need it, else 403 Required"),
        ContentsEntry("/csrf/never/…, /csrf/tokenless/…", "refuses every token; has none to give"),
        ContentsEntry("/csrf/eager/…", "begins a session with each refusal"),
    ]
}
