import Foundation
import HttpConvFormats
import HttpConversation

/// A successful answer of a token endpoint (RFC 6749 §5.1).
struct TokenResponse: Sendable {
    let accessToken: Redacted<String>
    let refreshToken: Redacted<String>?
    let idToken: Redacted<String>?
    let scopes: [String]?
    /// Seconds from the arrival of the answer; nil if the server gave no valid lifetime.
    let lifetime: TimeInterval?
    /// The certificate that the access token is bound to (RFC 8705 §3).
    let certificateThumbprint: String?

    /// The upper limit; longer lifetimes are reduced to it.
    static let maximumLifetime: TimeInterval = 10 * 365 * 86_400

    /// Reads an answer. Tolerates common mistakes of servers, unless they make the token useless.
    ///
    /// - Parameter bindsTokens: whether the server binds tokens to the certificate that it got
    init(_ answer: EndpointAnswer, bindsTokens: Bool = false) throws(OAuth2Error) {
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
        // The token goes into a header field, so it must not contain separators or line ends.
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw answer.error(
                .malformedResponse, "The access token of \(answer.endpoint) contains characters that none may have.")
        }
        accessToken = Redacted(token)
        refreshToken = (members["refresh_token"]?.text).map { Redacted($0) }
        idToken = (members["id_token"]?.text).map { Redacted($0) }
        scopes = members["scope"]?.texts?.flatMap { $0.split(separator: " ").map(String.init) }
        lifetime = Self.lifetime(members["expires_in"])
        certificateThumbprint = Self.confirmation(of: token) ?? (bindsTokens ? answer.shownCertificate : nil)
    }

    /// The type for an error, if it is known: a confused server may send a token here.
    private static func shown(_ type: String) -> String {
        ["dpop", "mac", "n_a", "pop"].contains(type.lowercased()) ? "type \(type)" : "a type that is not known"
    }

    /// The certificate that the token names, if it is a JSON web token (RFC 8705 §3.1).
    private static func confirmation(of token: String) -> String? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = RandomText.bytes(base64URL: parts[1]).flatMap(JSONValue.object) else {
            return nil
        }
        return claims["cnf"]?["x5t#S256"]?.text
    }

    /// A number or its text. Zero, negative and unreadable values count as missing: then the server's challenge
    /// decides.
    private static func lifetime(_ value: JSONValue?) -> TimeInterval? {
        guard let seconds = value?.number, seconds > 0 else { return nil }
        return min(seconds, maximumLifetime)
    }

    /// The tokens in their stored form.
    ///
    /// - Parameter old: the former tokens, used if the answer has no refresh or ID token (RFC 6749 §6)
    func tokens(at now: Date, source: OAuth2Tokens.Source, keeping old: OAuth2Tokens? = nil) -> OAuth2Tokens {
        OAuth2Tokens(
            accessToken: accessToken.value, refreshToken: refreshToken?.value ?? old?.refreshToken?.value,
            idToken: idToken?.value ?? old?.idToken?.value, scopes: scopes ?? old?.scopes,
            expiresAt: lifetime.map { now.addingTimeInterval($0) }, receivedAt: now, source: source,
            certificateThumbprint: certificateThumbprint)
    }
}
