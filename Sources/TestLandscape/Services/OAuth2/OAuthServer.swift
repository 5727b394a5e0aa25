import Crypto
import Foundation
import Synchronization

/// The state of the authorization server, which all origins share.
final class OAuthServer: Service {
    let clients: OAuthClientDirectory
    let tokens: OAuthTokenStore
    let devices: OAuthDeviceStore
    let assertions: AssertionCheck
    let persons: PersonAssertions
    let proofs: DPoPCheck
    let pushed: PushedRequests
    let browsers: BrowserStore<OAuthPurpose>
    let signer = IDTokenSigner()
    let faults = OAuthFaults()
    let counters = CounterSet<OAuthCounters>()
    let clock: LandscapeClock
    private let currentRule: Mutex<OAuthRule>

    init(clock: LandscapeClock, clients: [OAuthClient], rule: OAuthRule) {
        self.clock = clock
        self.clients = OAuthClientDirectory(clients)
        currentRule = Mutex(rule)
        tokens = OAuthTokenStore(clock: clock, counters: counters)
        assertions = AssertionCheck(clock: clock)
        persons = PersonAssertions(clock: clock)
        proofs = DPoPCheck(clock: clock)
        pushed = PushedRequests(clock: clock)
        devices = OAuthDeviceStore(clock: clock, counters: counters)
        browsers = BrowserStore<OAuthPurpose>(clock: clock)
    }

    var rule: OAuthRule {
        get { currentRule.withLock { $0 } }
        set { currentRule.withLock { $0 = newValue } }
    }

    var counts: (any Encodable)? { counters.current }

    /// The checked scopes of a request.
    func scopes(_ asked: [String]?, for client: OAuthClient) throws -> [String] {
        guard let asked else { return client.defaultScopes.filter(client.scopes.contains) }
        guard !asked.isEmpty, Set(asked).isSubset(of: client.scopes) else {
            throw OAuthFailure("invalid_scope", "the client may ask for: " + client.scopes.joined(separator: " "))
        }
        return asked
    }

    /// An ID token (OpenID Connect Core, 2) for the authorization.
    func idToken(
        for authorization: OAuthAuthorization, accessToken: String, nonce: String?, fault: OAuthTokenFault?
    ) throws -> String {
        let now = clock.date.timeIntervalSince1970 - (fault == .expiredIDToken ? 7200 : 0)
        let lifetime = Double(rule.idTokenLifetime.components.seconds)
        let issuer = fault == .wrongIssuer ? "https://attacker.example/oauth2" : authorization.issuer
        let hash = SHA256.hash(data: Array(accessToken.utf8))
        var claims: [String: JSONValue] = [
            "iss": .text(issuer),
            "sub": .text(authorization.user ?? ""),
            "aud": .text(fault == .wrongAudience ? "somebody-else" : authorization.client),
            "iat": .number(Int(now)),
            "exp": .number(Int(now + lifetime)),
            "auth_time": .number(Int(authorization.authenticated.timeIntervalSince1970)),
            "at_hash": .text(Base64URL.string(hash.prefix(16))),
        ]
        if authorization.scopes.contains("profile") { claims["preferred_username"] = .text(authorization.user ?? "") }
        if let acr = authorization.acr { claims["acr"] = .text(acr) }
        if let nonce { claims["nonce"] = .text(fault == .wrongNonce ? "another-nonce" : nonce) }
        return try signer.sign(claims, fault: fault)
    }

    func endSessions() { browsers.endAll() }

    /// Forgets tokens, codes, devices, browsers, faults and counters. Clients, the rule and the key stay.
    func reset() {
        tokens.removeAll()
        devices.removeAll()
        assertions.reset()
        persons.reset()
        proofs.reset()
        pushed.reset()
        browsers.removeAll()
        faults.removeAll()
        counters.reset()
    }
}

/// The purpose of a form of the authorization server.
enum OAuthPurpose: Sendable {
    case logIn(OAuthRequest)
    case consent(OAuthRequest)
    case device(userCode: String)
}
