import HTTPTypes
import HummingbirdCore

/// `/admin/otp/…`: the second factor's part of the admin API.
enum OTPAdmin {
    static func change(_ command: Substring, _ exchange: ServerExchange) -> Response {
        let server = exchange.world.otp
        switch command {
        case "sessions/expire": server.sessions.endAll()
        case "rule":
            var rule = server.rule
            if exchange.parameter("throttle") != nil {
                let seconds = exchange.number("throttle", default: 0, in: 0...3600)
                rule.throttle = seconds == 0 ? nil : .seconds(seconds)
            }
            if exchange.parameter("tolerance") != nil {
                rule.tolerance = UInt64(exchange.number("tolerance", default: 1, in: 0...100))
            }
            if exchange.parameter("delay") != nil {
                let milliseconds = exchange.number("delay", default: 0, in: 0...3_600_000)
                rule.delay = milliseconds == 0 ? nil : .milliseconds(milliseconds)
            }
            server.rule = rule
        default: return .text("there is no such command\n", status: .notFound)
        }
        return .text("done\n")
    }

    static let entries = [
        ContentsEntry("/admin/otp/counters, /admin/otp/passcode?user=alice", "GET: what was counted; the code of now"),
        ContentsEntry("/admin/otp/sessions/expire", "POST; /admin/hold?path=otp:form"),
        ContentsEntry("/admin/otp/rule?throttle=&tolerance=&delay=", "POST: seconds, periods of 30 seconds, ms"),
    ]
}
