import HTTPTypes
import HummingbirdCore

/// `/admin/…` on the main origin: the control functions of the Swift API over HTTP, such as for curl. A token guards
/// them.
struct AdminEndpoints: Service {
    static let tokenField = "X-Landscape-Token"

    func register(in table: inout EndpointTable) {
        table.add("admin") { [self] exchange in
            let token = exchange.field(Self.tokenField) ?? exchange.parameter("token") ?? ""
            guard exchange.origin == .main, UserDirectory.equal(token, exchange.shared.adminToken) else {
                return .text("the admin API needs \(Self.tokenField)\n", status: .forbidden)
            }
            do { return try await answer(exchange) } catch let failure as AdminFailure {
                return .text(failure.message + "\n", status: failure.status)
            }
        }
    }

    private func answer(_ exchange: ServerExchange) async throws -> Response {
        var words = exchange.segments.dropFirst()
        let named = exchange.shared.services.first { !$0.name.isEmpty && $0.name == words.first }
        if named != nil { words.removeFirst() }
        let (service, command): (any Service, String) = (named ?? self, words.joined(separator: "/"))
        if command == "counters", let counts = service.counts { return try .json(counts) }
        if let answer = try service.read(command, exchange) { return try .json(answer) }
        guard exchange.method == "POST" else { return .text("unknown, or it needs POST\n", status: .notFound) }
        guard let answer = try await service.perform(command, exchange) else { return .text("done\n") }
        return try .json(answer)
    }

    func read(_ command: String, _ exchange: ServerExchange) -> (any Encodable)? {
        switch command {
        case "counters": return exchange.shared.counters.current
        case "requests":
            let path = exchange.parameter("path")
            return exchange.shared.recorder.requests { path == nil || $0.path == path }
        default: return nil
        }
    }

    func perform(_ command: String, _ exchange: ServerExchange) async throws -> (any Encodable)? {
        let shared = exchange.shared
        switch command {
        case "users":
            guard let user = try await exchange.json(LandscapeUser.self) else {
                throw AdminFailure("a JSON object with name, password and perhaps realms, totpSecret, please")
            }
            shared.users.set(user)
        case "faults": return try addFault(exchange)
        case "faults/clear": shared.faults.removeAll()
        case "hold": _ = shared.gates.close(try path(exchange))
        case "release":
            guard shared.gates.open(try path(exchange)) else { throw AdminFailure("nothing is held there") }
        case "clock/advance":
            shared.clock.advance(by: .seconds(exchange.number("seconds", default: 0, in: 0...315_360_000)))
        case "nonces/expire": shared.nonces.expireAll()
        case "sessions/expire": shared.endSessions()
        case "recording": shared.recorder.isEnabled = exchange.parameter("on") != "false"
        case "reset": shared.reset()
        default: throw AdminFailure.unknown
        }
        return nil
    }

    private func path(_ exchange: ServerExchange) throws -> String {
        guard let path = exchange.parameter("path") else { throw AdminFailure("which path?") }
        return path
    }

    private func addFault(_ exchange: ServerExchange) throws -> [String: Int] {
        guard let path = exchange.parameter("path"), let name = exchange.parameter("kind"),
            var fault = Fault.named[name]
        else {
            throw AdminFailure("path and kind, please; kinds: \(Fault.named.keys.sorted().joined(separator: ", "))")
        }
        if exchange.parameter("ms") != nil {
            let duration = Duration.milliseconds(exchange.number("ms", default: 0, in: 0...3_600_000))
            switch fault.kind {
            case .delay: fault = Fault(.delay(duration))
            case .closeWhenIdle: fault = Fault(.closeWhenIdle(duration))
            default: throw AdminFailure("only delay and close-when-idle take ms")
            }
        }
        let origin = exchange.parameter("origin").flatMap(LandscapeOrigin.init(rawValue:))
        let times = exchange.parameter("times").map { _ in exchange.number("times", default: 1, in: 1...1_000_000) }
        let id = exchange.shared.faults.add(fault, at: path, on: origin, times: times)
        return ["fault": id]
    }

    let contents = [
        ContentsEntry(
            "/admin/counters, /admin/requests?path=…", "GET, with \(tokenField): what was counted and recorded"),
        ContentsEntry(
            "/admin/faults?path=…&kind=…&times=&ms=&origin=", "POST: injects a fault; /admin/faults/clear"),
        ContentsEntry("/admin/hold?path=…, /admin/release?path=…", "POST: holds requests, lets them go"),
        ContentsEntry("/admin/clock/advance?seconds=n", "POST; also nonces/expire, sessions/expire"),
        ContentsEntry(
            "/admin/users, /admin/recording?on=false, /admin/reset", "POST: a user as JSON; recording; forgets all"),
    ]
}
