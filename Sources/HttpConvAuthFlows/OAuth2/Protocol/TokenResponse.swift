import Foundation
import HttpConversation

/// A successful answer of a token endpoint (RFC 6749 §5.1).
struct TokenResponse: Sendable {
    let accessToken: Redacted<String>
    let refreshToken: Redacted<String>?
    let idToken: Redacted<String>?
    let scopes: [String]?
    /// Seconds from the arrival of the answer; nil where the server said nothing that makes sense.
    let lifetime: TimeInterval?

    /// Longer lifetimes count as this one.
    static let maximumLifetime: TimeInterval = 10 * 365 * 86_400

    /// Reads an answer, tolerant of what servers get wrong, never of what would make the token useless.
    init(_ answer: EndpointAnswer) throws(OAuth2Error) {
        let members = try answer.success()
        let type = members["token_type"]?.text ?? "Bearer"
        guard type.lowercased() == "bearer" else {
            throw answer.error(
                .unsupportedTokenType,
                "\(answer.endpoint) issued a token of \(Self.shown(type)): only Bearer can be sent.")
        }
        guard let token = members["access_token"]?.text else {
            throw answer.error(.malformedResponse, "The answer of \(answer.endpoint) has no access_token.")
        }
        // It goes into a header field: nothing may end that early.
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw answer.error(
                .malformedResponse, "The access token of \(answer.endpoint) contains characters that none may have.")
        }
        accessToken = Redacted(token)
        refreshToken = (members["refresh_token"]?.text).map { Redacted($0) }
        idToken = (members["id_token"]?.text).map { Redacted($0) }
        scopes = members["scope"]?.texts?.flatMap { $0.split(separator: " ").map(String.init) }
        lifetime = Self.lifetime(members["expires_in"])
    }

    /// A server that mixes its members up may send a token here.
    private static func shown(_ type: String) -> String {
        ["dpop", "mac", "n_a", "pop"].contains(type.lowercased()) ? "type \(type)" : "a type that is not known"
    }

    /// A number or its text. Zero, negative and unreadable count as missing: the server's challenge decides then.
    private static func lifetime(_ value: JSONValue?) -> TimeInterval? {
        guard let seconds = value?.number, !seconds.isNaN, seconds > 0 else { return nil }
        return min(seconds, maximumLifetime)
    }

    /// The tokens, as they are stored.
    ///
    /// - Parameter old: kept where the answer has no refresh or ID token (RFC 6749 §6)
    func tokens(at now: Date, source: OAuth2Tokens.Source, keeping old: OAuth2Tokens? = nil) -> OAuth2Tokens {
        OAuth2Tokens(
            accessToken: accessToken.value, refreshToken: refreshToken?.value ?? old?.refreshToken?.value,
            idToken: idToken?.value ?? old?.idToken?.value, scopes: scopes ?? old?.scopes,
            expiresAt: lifetime.map { now.addingTimeInterval($0) }, receivedAt: now, source: source)
    }
}
