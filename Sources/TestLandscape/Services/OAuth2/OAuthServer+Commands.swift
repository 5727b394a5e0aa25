/// `/admin/oauth/…`: the OAuth2 part of the admin API.
extension OAuthServer {
    var name: String { "oauth" }

    func perform(_ command: String, _ exchange: ServerExchange) async throws -> (any Encodable)? {
        switch command {
        case "clients":
            guard let client = try await exchange.json(OAuthClient.self) else {
                throw AdminFailure("a JSON object with id, grants and perhaps secret, redirectURIs, scopes, please")
            }
            clients.set(client)
        case "access-tokens/expire": tokens.expireAccessTokens()
        case "keys/rotate": signer.rotate()
        case "revoke":
            guard let user = exchange.parameter("user") else { throw AdminFailure("which user?") }
            return ["revoked": tokens.revokeAll(of: user)]
        case "token-faults":
            let grant = exchange.parameter("grant")
            guard grant == nil || grant.flatMap(OAuthGrantType.init(rawValue:)) != nil else {
                throw AdminFailure("which grant?")
            }
            faults.add(
                try exchange.requiredChoice("kind"), times: exchange.times,
                grant: grant.flatMap(OAuthGrantType.init(rawValue:)))
        case "authorization-faults":
            faults.authorization.add(try exchange.requiredChoice("kind"), times: exchange.times)
        case "faults/clear": faults.removeAll()
        case "delay":
            let delay = exchange.number("ms", default: 0, in: 0...3_600_000)
            faults.delay = delay == 0 ? nil : .milliseconds(delay)
        case "devices/approve", "devices/deny":
            let user = command == "devices/approve" ? exchange.parameter("user") ?? "alice" : nil
            guard devices.decide(userCode: exchange.parameter("user_code") ?? "", user: user) else {
                throw AdminFailure("no device waits with that user_code")
            }
        case "saml-assertion":
            let lifetime = Duration.seconds(exchange.number("seconds", default: 60, in: -86_400...86_400))
            return [
                "assertion": try persons.makeSAML(
                    user: exchange.parameter("user") ?? "alice",
                    audience: exchange.parameter("audience") ?? exchange.issuer,
                    recipient: exchange.issuer + "/token", lifetime: lifetime)
            ]
        case "rule": changeRule(exchange)
        default: throw AdminFailure.unknown
        }
        return nil
    }

    private func changeRule(_ exchange: ServerExchange) {
        var rule = rule
        func seconds(_ name: String, _ key: WritableKeyPath<OAuthRule, Duration>) {
            guard exchange.parameter(name) != nil else { return }
            rule[keyPath: key] = .seconds(exchange.number(name, default: 0, in: 0...315_360_000))
        }
        seconds("access", \.accessTokenLifetime)
        seconds("refresh", \.refreshTokenLifetime)
        seconds("code", \.codeLifetime)
        seconds("device", \.deviceCodeLifetime)
        seconds("interval", \.deviceInterval)
        if let nonces = exchange.parameter("nonces") {
            rule.demandsNonces = nonces != "none"
            rule.rotatesNonces = nonces == "rotating"
            rule.floodsWithNonces = nonces == "flood"
        }
        if let pushed = exchange.parameter("pushed") { rule.demandsPushedRequests = pushed == "demanded" }
        if let cookies = exchange.parameter("cookies") { rule.refusesCookies = cookies != "allowed" }
        self.rule = rule
    }

    var commands: [ContentsEntry] {
        [
            ContentsEntry("/admin/oauth/counters", "GET: what the authorization server counted"),
            ContentsEntry("/admin/oauth/clients", "POST: a client as JSON"),
            ContentsEntry(
                "/admin/oauth/token-faults?kind=…&times=1&grant=", "POST; also authorization-faults; faults/clear"),
            ContentsEntry(
                "/admin/oauth/access-tokens/expire, revoke?user=…",
                "POST; also keys/rotate, delay?ms=n; /admin/hold?path=oauth2:token"),
            ContentsEntry("/admin/oauth/devices/approve?user_code=…&user=alice", "POST; also devices/deny"),
            ContentsEntry(
                "/admin/oauth/rule?access=60&refresh=&code=&device=&interval=", "POST: seconds; cookies=allowed"),
            ContentsEntry(
                "/admin/oauth/rule?nonces=demanded&pushed=demanded",
                "POST: DPoP nonces (also none, rotating, flood); pushed requests"),
            ContentsEntry(
                "/admin/oauth/saml-assertion?user=alice", "GET: for the SAML 2.0 bearer grant, with audience, seconds"),
        ]
    }
}
