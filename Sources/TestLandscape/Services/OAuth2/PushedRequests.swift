import HTTPTypes
import HummingbirdCore
import Synchronization

/// Authorization requests that clients have pushed (RFC 9126). Each serves one login, for a minute.
final class PushedRequests: Sendable {
    static let prefix = "urn:ietf:params:oauth:request_uri:"
    static let lifetime = Duration.seconds(60)
    private let clock: LandscapeClock
    private let pushed = Mutex<[String: (form: FormFields, client: String, until: Duration)]>([:])

    init(clock: LandscapeClock) {
        self.clock = clock
    }

    func add(_ form: FormFields, of client: String) -> String {
        let reference = Self.prefix + RandomToken.makeBearer()
        let until = clock.now + Self.lifetime
        pushed.withLock { $0[reference] = (form, client, until) }
        return reference
    }

    func take(_ reference: String, client: String?) -> FormFields? {
        guard let found = pushed.withLock({ $0.removeValue(forKey: reference) }), found.client == client,
            found.until > clock.now
        else { return nil }
        return found.form
    }

    func reset() { pushed.withLock { $0.removeAll() } }

    /// `/oauth2/par`.
    static func push(_ exchange: ServerExchange, _ form: FormFields, _ client: OAuthClient) throws -> Response {
        guard form["request_uri"] == nil else { throw OAuthFailure.invalidRequest("request_uri has no place here") }
        guard let target = OAuthRequest.target(form, exchange.oauth), target.client.id == client.id else {
            throw OAuthFailure.invalidRequest("another client, or a redirect_uri that is not the client's")
        }
        _ = try OAuthRequest(form, client: client, redirectURI: target.redirectURI, server: exchange.oauth)
        exchange.oauth.counters.count(\.pushedRequests)
        return try .json(
            JSONValue.object([
                "request_uri": .text(exchange.oauth.pushed.add(form, of: client.id)),
                "expires_in": .number(Int(lifetime.components.seconds)),
            ]), status: .created, headers: [.cacheControl: "no-store"])
    }
}
