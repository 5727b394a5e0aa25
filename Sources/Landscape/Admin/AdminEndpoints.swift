import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/admin/…` on the main origin: the control functions of the Swift API over HTTP, such as for curl. A token guards
/// them.
struct AdminEndpoints: EndpointGroup {
    static let tokenField = "X-Landscape-Token"

    func register(in table: inout EndpointTable) {
        table.add("admin") { exchange in
            let token = exchange.field(Self.tokenField) ?? exchange.parameter("token") ?? ""
            guard exchange.origin == .main, UserDirectory.equal(token, exchange.world.adminToken) else {
                return .text("the admin API needs \(Self.tokenField)\n", status: .forbidden)
            }
            let command = exchange.segments.dropFirst().joined(separator: "/")
            if let answer = try await Self.read(command, exchange) { return answer }
            guard exchange.method == "POST" else {
                return Response.text("unknown, or it needs POST\n", status: .notFound)
            }
            return try await Self.change(command, exchange)
        }
    }

    private static func read(_ command: String, _ exchange: ServerExchange) async throws -> Response? {
        switch command {
        case "counters":
            return try .json(exchange.world.tally.current)
        case "oauth/counters":
            return try .json(exchange.world.oauth.tally.current)
        case "saml/counters":
            return try .json(exchange.world.saml.counters.current)
        case "otp/counters":
            return try .json(exchange.world.otp.counters.current)
        case "mobile/counters":
            return try .json(exchange.world.mobile.counters.current)
        case "enrolment/counters":
            return try .json(exchange.world.enrolment.counters.current)
        case "odata/counters":
            return try .json(exchange.world.odata.counters.current)
        case "otp/passcode":
            return try .json(["passcode": exchange.world.passcode(of: exchange.parameter("user") ?? "alice")])
        case "proxy/requests":
            return try .json(exchange.world.proxies.records)
        case "requests":
            let path = exchange.parameter("path")
            return try .json(exchange.world.recorder.requests { path == nil || $0.path == path })
        default:
            return nil
        }
    }

    private static func change(_ command: String, _ exchange: ServerExchange) async throws -> Response {
        let world = exchange.world
        if command.hasPrefix("oauth/") { return try await OAuthAdmin.change(command.dropFirst(6), exchange) }
        if command.hasPrefix("saml/") { return SAMLAdmin.change(command.dropFirst(5), exchange) }
        if command.hasPrefix("otp/") { return OTPAdmin.change(command.dropFirst(4), exchange) }
        if command.hasPrefix("mobile/") { return MobileAdmin.change(command.dropFirst(7), exchange) }
        if command.hasPrefix("enrolment/") { return try EnrolmentAdmin.change(command.dropFirst(10), exchange) }
        if command.hasPrefix("odata/") { return ODataAdmin.change(command.dropFirst(6), exchange) }
        switch command {
        case "users":
            let body = try await exchange.body().collect(upTo: 65_536)
            guard let user = try? JSONDecoder().decode(LandscapeUser.self, from: Data(body.readableBytesView)) else {
                return bad("a JSON object with name, password and perhaps realms, totpSecret, please")
            }
            world.users.set(user)
        case "faults": return try addFault(exchange)
        case "faults/clear": world.faults.removeAll()
        case "hold":
            guard let path = exchange.parameter("path") else { return bad("which path?") }
            _ = world.gates.close(path)
        case "release":
            guard let path = exchange.parameter("path") else { return bad("which path?") }
            guard world.gates.open(path) else { return bad("nothing is held there") }
        case "clock/advance":
            world.clock.advance(by: .seconds(exchange.number("seconds", default: 0, in: 0...315_360_000)))
        case "nonces/expire": world.nonces.expireAll()
        case "sessions/expire": world.endSessions()
        case "proxy":
            guard let name = exchange.parameter("authentication"),
                let wanted = LandscapeProxyRule.Authentication(rawValue: name)
            else { return bad("authentication=none, basic or digest, please") }
            world.proxies.rule.authentication = wanted
            if let password = exchange.parameter("password") { world.proxies.rule.user.password = password }
        case "recording": world.recorder.isEnabled = exchange.parameter("on") != "false"
        case "reset": world.reset()
        default: return .text("there is no such command\n", status: .notFound)
        }
        return .text("done\n")
    }

    private static func addFault(_ exchange: ServerExchange) throws -> Response {
        guard let path = exchange.parameter("path"), let name = exchange.parameter("kind"),
            var fault = Fault.named[name]
        else { return bad("path and kind, please; kinds: \(Fault.named.keys.sorted().joined(separator: ", "))") }
        if exchange.parameter("ms") != nil {
            let duration = Duration.milliseconds(exchange.number("ms", default: 0, in: 0...3_600_000))
            switch fault.kind {
            case .delay: fault = Fault(.delay(duration))
            case .closeWhenIdle: fault = Fault(.closeWhenIdle(duration))
            default: return bad("only delay and close-when-idle take ms")
            }
        }
        let origin = exchange.parameter("origin").flatMap(LandscapeOrigin.init(rawValue:))
        let times = exchange.parameter("times").map { _ in exchange.number("times", default: 1, in: 1...1_000_000) }
        let id = exchange.world.faults.add(fault, at: path, on: origin, times: times)
        return try .json(["fault": id])
    }

    private static func bad(_ text: String) -> Response {
        .text(text + "\n", status: .badRequest)
    }

    let entries =
        [
            ContentsEntry(
                "/admin/counters, /admin/requests?path=…", "GET, with \(tokenField): what was counted and recorded"),
            ContentsEntry(
                "/admin/faults?path=…&kind=…&times=&ms=&origin=", "POST: injects a fault; /admin/faults/clear"),
            ContentsEntry("/admin/hold?path=…, /admin/release?path=…", "POST: holds requests, lets them go"),
            ContentsEntry("/admin/clock/advance?seconds=n", "POST; also nonces/expire, sessions/expire"),
            ContentsEntry(
                "/admin/proxy?authentication=none|basic|digest&password=",
                "POST: whether the proxies want the password of paula, through-the-wall; GET /admin/proxy/requests"),
            ContentsEntry(
                "/admin/users, /admin/recording?on=false, /admin/reset", "POST: a user as JSON; recording; forgets all"),
        ] + OAuthAdmin.entries + SAMLAdmin.entries + OTPAdmin.entries + MobileAdmin.entries
        + EnrolmentAdmin.entries
        + ODataAdmin.entries
}
