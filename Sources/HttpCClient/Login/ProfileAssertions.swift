import HttpC
import HttpCTerminal

/// The assertions and tokens that a profile hands in for tokens, read for each grant.
struct ProfileAssertions {
    private let assertions: OAuth2Assertions
    private let profile: String

    init(_ assertions: OAuth2Assertions, profile: String) {
        self.assertions = assertions
        self.profile = profile
    }

    /// - Parameter subject: the person whom assertions of our own are about
    func source(about subject: String?) async throws -> OAuth2AssertionSource {
        if let path = assertions.key {
            let key = try await ClientKeyFile(path, id: assertions.keyID, passphrase: assertions.keyPassphrase).read()
            return .signed(
                by: key, issuer: assertions.issuer, subject: subject ?? "", audience: assertions.audience)
        }
        let read = reader(assertions.given, "assertion")
        return OAuth2AssertionSource(audience: assertions.audience) { _ in try await read() }
    }

    func exchange() -> TokenExchangeGrant {
        TokenExchangeGrant(
            subject: token(assertions.subject, "subject token") ?? TokenExchangeGrant.Token(.accessToken) { _ in "" },
            actor: token(assertions.actor, "actor token"), audiences: assertions.audiences,
            requestedType: assertions.requestedType?.type)
    }

    private func token(_ token: OAuth2Assertions.Token?, _ name: String) -> TokenExchangeGrant.Token? {
        guard let token else { return nil }
        let read = reader(token.source, name)
        return TokenExchangeGrant.Token(token.type.type) { _ in try await read() }
    }

    private func reader(_ source: SecretSource?, _ name: String) -> @Sendable () async throws -> String {
        { [profile] in
            guard let source else { return "" }
            return try await SecretReader.read(
                source, "\(name) of [profiles.\(profile).oauth2]", part: .whole)?.value ?? ""
        }
    }
}
