import HTTPTypes
import HummingbirdCore

/// A request to the mobile server: its user, and the requested service.
struct MobileExchange {
    static let sessionCookie = "X-SMP-SESSID"
    static let connectionName = "X-SMP-APPCID"

    let exchange: ServerExchange
    /// The segments below the root, without `public`.
    let segments: [String]
    let isPublic: Bool
    /// The path of the root.
    let root: String
    private let login: MobileLogin?

    /// A request to `/mobile/LOGIN/…`.
    init(_ exchange: ServerExchange) {
        let word = exchange.segments.count > 1 ? exchange.segments[1] : ""
        self.init(exchange, login: word, below: "mobile/\(word)/")
    }

    /// - Parameter path: must end with a slash, unless it is empty
    init(_ exchange: ServerExchange, login word: String, below path: String) {
        self.exchange = exchange
        login = MobileLogin(word)
        root = "/" + path
        let rest = exchange.segments.dropFirst(path.split(separator: "/").count)
        isPublic = rest.first == "public"
        segments = Array(isPublic ? rest.dropFirst() : rest)
    }

    var server: MobileServer { exchange.shared.service() }

    /// The connection id in the request, as a field or a cookie.
    var named: String? {
        exchange.field(Self.connectionName)
            ?? CookieHeader.value(of: Self.connectionName, in: exchange.incoming.fields)
    }

    func respond() async throws -> Response {
        guard login != nil else { return Self.nothing }
        if segments.joined(separator: "/") == "mobileservices/sessions/logout" { return logOut() }
        if segments == ["SAMLAuthLauncher"] { return ServiceProvider(exchange: exchange).launch() }
        switch try await authenticate() {
        case .challenged(let response):
            server.counters.count(\.challenges)
            // Servers of this kind begin sessions before the login.
            return isPublic ? response : response.adding(.setCookie, sessionCookie(RandomToken.make()))
        case .passed(let user):
            let response = try await service(for: user)
            return isPublic || session != nil ? response : response.adding(.setCookie, begin(user))
        }
    }

    private func service(for user: String) async throws -> Response {
        let application = segments.starts(with: ["odata", "applications"]) && segments.count > 3 ? segments[3] : nil
        switch segments.first {
        case "odata":
            guard let application, isKnown(application), ["v1", "v2", "v3", "v4", "latest"].contains(segments[2]) else {
                return Self.nothing
            }
            return try await MobileConnections(call: self, user: user, application: application).respond()
        case "bundles": return bundle()
        case "mobileservices": return try await storage()
        case let name?:
            guard isKnown(name) else { return Self.nothing }
            if segments.count > 1, let version = ODataVersion(rawValue: segments[1]) {
                return try await ODataExchange(
                    exchange: exchange, version: version,
                    root: root + (isPublic ? "public/" : "") + segments[0...1].joined(separator: "/") + "/",
                    segments: Array(segments.dropFirst(2)), isOpen: isPublic
                ).respond()
            }
            return try backEnd(user, name)
        case nil: return Self.nothing
        }
    }

    static var nothing: Response { .text("there is nothing of that name\n", status: .notFound) }

    private func isKnown(_ application: String) -> Bool { MobileServer.applications.contains(application) }

    // MARK: Sessions

    private var realm: String { "mobile \(exchange.origin.rawValue)" }

    private var session: String? {
        CookieHeader.value(of: Self.sessionCookie, in: exchange.incoming.fields)
            .flatMap { server.sessions.user(of: $0, realm: realm) }
    }

    private func authenticate() async throws -> OTPVariant.Progress {
        if isPublic {
            guard segments.contains(MobileServer.openApplication) else {
                return .challenged(.text("not without a login\n", status: .forbidden))
            }
            return .passed(user: "anonymous")
        }
        if let session { return .passed(user: session) }
        for (name, wanted) in [
            ("X-SUP-DOMAIN", server.rule.domain), ("X-SUP-SC", server.rule.securityConfiguration),
        ] {
            guard let wanted, exchange.field(name) != wanted else { continue }
            return .challenged(.text("there is no such user here: \(name)\n", status: .unauthorized))
        }
        return try await login?.progress(exchange) ?? .challenged(Self.nothing)
    }

    private func begin(_ user: String) -> String { sessionCookie(server.sessions.begin(user: user, realm: realm)) }

    private func sessionCookie(_ value: String) -> String {
        "\(Self.sessionCookie)=\(value); Path=/; HttpOnly" + (exchange.origin.scheme == "https" ? "; Secure" : "")
    }

    private func logOut() -> Response {
        guard exchange.method == "POST" else { return .text("POST, please\n", status: .methodNotAllowed) }
        if session != nil { server.counters.count(\.logOuts) }
        if let cookie = CookieHeader.value(of: Self.sessionCookie, in: exchange.incoming.fields) {
            server.sessions.end(cookie)
        }
        return Response.text("bye\n").adding(.setCookie, "\(Self.sessionCookie)=; Path=/; Max-Age=0; HttpOnly")
    }
}
