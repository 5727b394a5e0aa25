import HttpConvConcurrency
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// A successful answer of a token endpoint (RFC 6749 §5.1).
struct TokenResponse: Sendable {
    let accessToken: Redacted<String>
    let refreshToken: Redacted<String>?
    let idToken: Redacted<String>?
    let scopes: [String]?
    /// The time from the arrival of the answer; nil if the server gave no valid lifetime.
    let lifetime: Duration?
    /// The key that the access token is bound to (RFC 9449 §5).
    let dpopKey: DPoPKey?
    /// The certificate that the access token is bound to (RFC 8705 §3).
    let certificateThumbprint: String?

    /// The upper limit; longer lifetimes are reduced to it.
    static let maximumLifetime = Duration.seconds(10 * 365 * 86_400)
    /// The maximum length of a token in bytes.
    private static let maximumToken = 64 << 10

    /// Reads an answer. Tolerates common mistakes of servers, unless they make the token useless.
    ///
    /// - Parameters:
    ///   - bindsTokens: whether the server binds tokens to the certificate that it got
    ///   - key: the key whose possession the request proved; then only a token that is bound to it will do
    init(_ answer: EndpointAnswer, bindsTokens: Bool = false, key: DPoPKey? = nil) throws(OAuth2Error) {
        let members = try answer.success()
        let type = members["token_type"]?.text ?? "Bearer"
        guard Self.isExpected(type.asciiLowercased, key) else { throw Self.unsupported(type, answer, key) }
        guard let token = members["access_token"]?.text else {
            throw answer.error(.malformedResponse, "The answer of \(answer.endpoint) has no access_token.")
        }
        // The token goes into a header field, so it must not contain separators or line ends.
        guard token.isVisibleASCII else {
            throw answer.error(
                .malformedResponse, "The access token of \(answer.endpoint) contains characters that none may have.")
        }
        for name in ["access_token", "refresh_token", "id_token"] {
            guard members[name]?.text?.utf8.count ?? 0 <= Self.maximumToken else {
                throw answer.error(
                    .malformedResponse,
                    "The \(name) of \(answer.endpoint) is longer than \(Self.maximumToken) bytes.")
            }
        }
        accessToken = Redacted(token)
        refreshToken = (members["refresh_token"]?.text).map { Redacted($0) }
        idToken = (members["id_token"]?.text).map { Redacted($0) }
        scopes = members["scope"]?.texts?.flatMap { $0.split(separator: " ").map(String.init) }
        lifetime = Self.lifetime(members["expires_in"])
        let confirmation = JSONWebTokenText(token)?.claims["cnf"]
        certificateThumbprint = confirmation?["x5t#S256"]?.text ?? (bindsTokens ? answer.shownCertificate : nil)
        dpopKey = key
        if let bound = confirmation?["jkt"]?.text, bound != key?.thumbprint {
            throw answer.error(
                .unsupportedTokenType, "\(answer.endpoint) issued a token that is bound to a key of somebody else.")
        }
    }

    /// - Parameter type: the `token_type` in lower case. Apigee calls a bearer token `BearerToken`.
    private static func isExpected(_ type: String, _ key: DPoPKey?) -> Bool {
        key == nil ? type == "bearer" || type == "bearertoken" : type == "dpop"
    }

    private static func unsupported(_ type: String, _ answer: EndpointAnswer, _ key: DPoPKey?) -> OAuth2Error {
        guard key == nil else {
            return answer.error(
                .unsupportedTokenType,
                "\(answer.endpoint) issued a token of \(shown(type)), which is not bound to a key: it does not support DPoP for this client."
            )
        }
        let advice = type.asciiLowercased == "dpop" ? "this client has to use DPoP" : "only Bearer can be sent"
        return answer.error(
            .unsupportedTokenType, "\(answer.endpoint) issued a token of \(shown(type)): \(advice).")
    }

    /// The type for an error, if it is known: a confused server may send a token here.
    private static func shown(_ type: String) -> String {
        ["bearer", "dpop", "mac", "n_a", "pop"].contains(type.lowercased())
            ? "type \(type)" : "a type that is not known"
    }

    /// A number or its text. Zero, negative and unreadable values count as missing: then the server's challenge
    /// decides.
    private static func lifetime(_ value: JSONValue?) -> Duration? {
        value?.number.flatMap { PeerNumber.seconds($0, clampingTo: .zero...maximumLifetime) }.flatMap {
            $0 > .zero ? $0 : nil
        }
    }

    /// The tokens in their stored form.
    ///
    /// - Parameters:
    ///   - old: the former tokens, used if the answer has no refresh or ID token (RFC 6749 §6)
    ///   - demand: the demand that the login satisfied
    func tokens(
        at now: Date, source: OAuth2Tokens.Source, keeping old: OAuth2Tokens? = nil,
        satisfying demand: OAuth2AuthenticationDemand? = nil
    ) -> OAuth2Tokens {
        OAuth2Tokens(
            accessToken: accessToken.value, refreshToken: refreshToken?.value ?? old?.refreshToken?.value,
            idToken: idToken?.value ?? old?.idToken?.value, scopes: scopes ?? old?.scopes,
            expiresAt: lifetime.map { now + $0 }, receivedAt: now, source: source,
            certificateThumbprint: certificateThumbprint, dpopKey: dpopKey, demand: demand ?? old?.demand)
    }
}
