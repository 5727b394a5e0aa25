import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/admin/oauth/…`: the OAuth2 part of the admin API.
enum OAuthAdmin {
    static func change(_ command: Substring, _ exchange: ServerExchange) async throws -> Response {
        let server = exchange.oauth
        switch command {
        case "clients":
            let body = try await exchange.body().collect(upTo: 65_536)
            guard let client = try? JSONDecoder().decode(OAuthClient.self, from: Data(body.readableBytesView)) else {
                return bad("a JSON object with id, grants and perhaps secret, redirectURIs, scopes, please")
            }
            server.clients.set(client)
        case "access-tokens/expire": server.tokens.expireAccessTokens()
        case "keys/rotate": server.signer.rotate()
        case "revoke":
            guard let user = exchange.parameter("user") else { return bad("which user?") }
            return try .json(["revoked": server.tokens.revokeAll(of: user)])
        case "token-faults", "authorization-faults": return addFault(exchange)
        case "faults/clear": server.faults.removeAll()
        case "delay":
            let delay = exchange.number("ms", default: 0, in: 0...3_600_000)
            server.faults.delay = delay == 0 ? nil : .milliseconds(delay)
        case "devices/approve", "devices/deny":
            let user = command == "devices/approve" ? exchange.parameter("user") ?? "alice" : nil
            guard server.devices.decide(userCode: exchange.parameter("user_code") ?? "", user: user) else {
                return bad("no device waits with that user_code")
            }
        case "rule": changeRule(exchange)
        default: return .text("there is no such command\n", status: .notFound)
        }
        return .text("done\n")
    }

    private static func addFault(_ exchange: ServerExchange) -> Response {
        let faults = exchange.oauth.faults
        let kind = exchange.parameter("kind") ?? ""
        let times = exchange.parameter("times") == "all" ? nil : exchange.number("times", default: 1, in: 1...1_000_000)
        if exchange.segments.last == "authorization-faults" {
            guard let fault = OAuthAuthorizationFault(rawValue: kind) else {
                return bad("kinds: " + OAuthAuthorizationFault.allCases.map(\.rawValue).joined(separator: ", "))
            }
            faults.add(fault, times: times)
        } else {
            guard let fault = OAuthTokenFault(rawValue: kind) else {
                return bad("kinds: " + OAuthTokenFault.allCases.map(\.rawValue).joined(separator: ", "))
            }
            let grant = exchange.parameter("grant")
            guard grant == nil || grant.flatMap(OAuthGrantType.init(rawValue:)) != nil else {
                return bad("which grant?")
            }
            faults.add(fault, times: times, grant: grant.flatMap(OAuthGrantType.init(rawValue:)))
        }
        return .text("done\n")
    }

    private static func changeRule(_ exchange: ServerExchange) {
        var rule = exchange.oauth.rule
        func seconds(_ name: String, _ key: WritableKeyPath<OAuthRule, Duration>) {
            guard exchange.parameter(name) != nil else { return }
            rule[keyPath: key] = .seconds(exchange.number(name, default: 0, in: 0...315_360_000))
        }
        seconds("access", \.accessTokenLifetime)
        seconds("refresh", \.refreshTokenLifetime)
        seconds("code", \.codeLifetime)
        seconds("device", \.deviceCodeLifetime)
        seconds("interval", \.deviceInterval)
        if let cookies = exchange.parameter("cookies") { rule.refusesCookies = cookies != "allowed" }
        exchange.oauth.rule = rule
    }

    private static func bad(_ text: String) -> Response {
        .text(text + "\n", status: .badRequest)
    }

    static let entries = [
        ContentsEntry("/admin/oauth/counters", "GET: what the authorization server counted"),
        ContentsEntry("/admin/oauth/clients", "POST: a client as JSON"),
        ContentsEntry(
            "/admin/oauth/token-faults?kind=…&times=1&grant=", "POST; also authorization-faults; faults/clear"),
        ContentsEntry(
            "/admin/oauth/access-tokens/expire, revoke?user=…",
            "POST; also keys/rotate, delay?ms=n; /admin/hold?path=oauth2:token"),
        ContentsEntry("/admin/oauth/devices/approve?user_code=…&user=alice", "POST; also devices/deny"),
        ContentsEntry("/admin/oauth/rule?access=60&refresh=&code=&device=&interval=", "POST: seconds; cookies=allowed"),
    ]
}
