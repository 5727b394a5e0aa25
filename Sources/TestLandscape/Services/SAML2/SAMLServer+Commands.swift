/// `/admin/saml/…`: the SAML2 part of the admin API.
extension SAMLServer {
    var name: String { "saml" }

    func perform(_ command: String, _ exchange: ServerExchange) throws -> (any Encodable)? {
        switch command {
        case "sessions/expire": sessions.endAll()
        case "logins/expire": browsers.endAll()
        case "faults": faults.add(try exchange.requiredChoice("kind"), times: exchange.times)
        case "faults/clear": faults.removeAll()
        case "rule": try changeRule(exchange)
        default: throw AdminFailure.unknown
        }
        return nil
    }

    private func changeRule(_ exchange: ServerExchange) throws {
        var rule = rule
        exchange.duration("login-delay", Duration.milliseconds, max: 3_600_000) { rule.loginDelay = $0 }
        exchange.duration("acs-delay", Duration.milliseconds, max: 3_600_000) { rule.assertionDelay = $0 }
        if let launcher = exchange.parameter("launcher") {
            guard SAMLVariant(launcher) != nil else { throw AdminFailure("there is no such variant") }
            rule.launcher = launcher
        }
        if let style: SAMLLoginStyle = try exchange.choice("style") { rule.loginStyle = style }
        if let relay = exchange.parameter("relay-state") { rule.relayStateIsURL = relay == "url" }
        if let cookies = exchange.parameter("state-cookies") { rule.setsStateCookies = cookies == "true" }
        if exchange.parameter("script-status") != nil {
            let status = exchange.number("script-status", default: 200, in: 200...599)
            rule.scriptStatus = status == 200 ? nil : status
        }
        self.rule = rule
    }

    var commands: [ContentsEntry] {
        [
            ContentsEntry("/admin/saml/counters", "GET: what the SAML2 parties counted"),
            ContentsEntry("/admin/saml/sessions/expire, logins/expire", "POST: at the service, the identity provider"),
            ContentsEntry(
                "/admin/saml/faults?kind=…&times=1", "POST; faults/clear; /admin/hold?path=saml:login, saml:acs"),
            ContentsEntry(
                "/admin/saml/rule?launcher=&style=&login-delay=&acs-delay=",
                "POST: ms; also relay-state=url, state-cookies=true, script-status=401"),
        ]
    }
}
