import Foundation
import HTTPTypes
import HummingbirdCore

/// `/admin/saml/…`: the SAML2 part of the admin API.
enum SAMLAdmin {
    static func change(_ command: Substring, _ exchange: ServerExchange) -> Response {
        let server = exchange.saml
        switch command {
        case "sessions/expire": server.sessions.endAll()
        case "logins/expire": server.browsers.endAll()
        case "faults":
            guard let fault = exchange.parameter("kind").flatMap(SAMLAssertionFault.init(rawValue:)) else {
                return .text(
                    "kinds: \(SAMLAssertionFault.allCases.map(\.rawValue).joined(separator: ", "))\n",
                    status: .badRequest)
            }
            let isAlways = exchange.parameter("times") == "all"
            server.faults.add(fault, times: isAlways ? nil : exchange.number("times", default: 1, in: 1...1_000_000))
        case "faults/clear": server.faults.removeAll()
        case "rule":
            guard changeRule(exchange) else {
                return .text("there is no such variant or style\n", status: .badRequest)
            }
        default: return .text("there is no such command\n", status: .notFound)
        }
        return .text("done\n")
    }

    private static func changeRule(_ exchange: ServerExchange) -> Bool {
        var rule = exchange.saml.rule
        func milliseconds(_ name: String, _ key: WritableKeyPath<SAMLRule, Duration?>) {
            guard exchange.parameter(name) != nil else { return }
            let value = exchange.number(name, default: 0, in: 0...3_600_000)
            rule[keyPath: key] = value == 0 ? nil : .milliseconds(value)
        }
        milliseconds("login-delay", \.loginDelay)
        milliseconds("acs-delay", \.assertionDelay)
        if let launcher = exchange.parameter("launcher") {
            guard SAMLVariant(launcher) != nil else { return false }
            rule.launcher = launcher
        }
        if let name = exchange.parameter("style") {
            guard let style = SAMLLoginStyle(rawValue: name) else { return false }
            rule.loginStyle = style
        }
        if let relay = exchange.parameter("relay-state") { rule.relayStateIsURL = relay == "url" }
        if let cookies = exchange.parameter("state-cookies") { rule.setsStateCookies = cookies == "true" }
        if exchange.parameter("script-status") != nil {
            let status = exchange.number("script-status", default: 200, in: 200...599)
            rule.scriptStatus = status == 200 ? nil : status
        }
        exchange.saml.rule = rule
        return true
    }

    static let entries = [
        ContentsEntry("/admin/saml/counters", "GET: what the SAML2 parties counted"),
        ContentsEntry("/admin/saml/sessions/expire, logins/expire", "POST: at the service, the identity provider"),
        ContentsEntry("/admin/saml/faults?kind=…&times=1", "POST; faults/clear; /admin/hold?path=saml:login, saml:acs"),
        ContentsEntry(
            "/admin/saml/rule?launcher=&style=&login-delay=&acs-delay=",
            "POST: ms; also relay-state=url, state-cookies=true, script-status=401"),
    ]
}
