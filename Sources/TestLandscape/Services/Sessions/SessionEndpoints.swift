import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/session/…`: a login that sets a cookie, and the resources for it.
struct SessionEndpoints: Service {
    static let cookieName = "LANDSCAPE_SESSION"

    let sessions: SessionStore

    private struct Answer: Encodable {
        let user: String
        let session: String
    }

    func register(in table: inout EndpointTable) {
        table.add("session") { exchange in
            switch exchange.segments.count > 1 ? exchange.segments[1] : "" {
            case "login": return try await login(exchange)
            case "resource": return try resource(exchange)
            case "logout": return logout(exchange)
            default: return .text("login, resource or logout\n", status: .notFound)
            }
        }
    }

    private func login(_ exchange: ServerExchange) async throws -> Response {
        var items = exchange.query
        if exchange.method == "POST" {
            let form = try await exchange.body().collect(upTo: 65_536)
            items += QueryItem.parseForm(String(buffer: form))
        }
        let name = items.first { $0.name == "user" }?.text ?? "alice"
        let password = items.first { $0.name == "password" }?.text
        guard let user = exchange.shared.users.user(named: name, in: "session"),
            UserDirectory.equal(user.password, password ?? "")
        else {
            if password != nil { exchange.shared.counters.count(\.failedLogins) }
            return .text("unknown user or wrong password\n", status: .forbidden)
        }
        exchange.shared.counters.count(\.logins)
        let id = sessions.begin(user: user.name)
        let secure = exchange.origin.scheme == "https" ? "; Secure" : ""
        return try .json(Answer(user: user.name, session: "begun"))
            .adding(.setCookie, "\(Self.cookieName)=\(id); Path=/session; HttpOnly; SameSite=Lax\(secure)")
    }

    private func resource(_ exchange: ServerExchange) throws -> Response {
        guard let id = CookieHeader.value(of: Self.cookieName, in: exchange.incoming.fields),
            let user = sessions.user(of: id)
        else {
            let status = exchange.number("status", default: 401, in: 400...499)
            return .text("no session\n", status: HTTPResponse.Status(code: status))
        }
        return try .json(Answer(user: user, session: "open"))
    }

    private func logout(_ exchange: ServerExchange) -> Response {
        if let id = CookieHeader.value(of: Self.cookieName, in: exchange.incoming.fields) { sessions.end(id) }
        return Response.text("logged out\n")
            .adding(.setCookie, "\(Self.cookieName)=; Path=/session; Max-Age=0; HttpOnly")
    }

    func endSessions() { sessions.endAll() }

    func reset() { sessions.endAll() }

    let contents = [
        ContentsEntry("/session/login", "POST user and password (form or query): sets a session cookie"),
        ContentsEntry("/session/resource", "needs the cookie, else ?status= (401 without challenge)"),
        ContentsEntry("/session/logout", "ends the session and deletes the cookie"),
    ]
}
