import HTTPTypes
public import HttpConversation

extension AuthenticationChallenge {
    /// A challenge as filters and providers get it.
    ///
    /// - Parameters:
    ///   - text: the field's value as in `WWW-Authenticate`, such as `Basic realm="Staff"`; the first of several
    ///     challenges counts
    ///   - url: the URL of the challenged exchange
    ///   - sent: the credential of the exchange, which was not accepted
    ///   - proxy: the proxy that sent the challenge in `Proxy-Authenticate`; nil: the server of `url` sent it
    ///   - context: nil makes one for `url`
    /// - Throws: ``/HttpConversation/ConversationError/Code/malformedResponse`` for an invalid challenge
    public static func testing(
        _ text: String, at url: String = "https://example.com/", sent: (any Credential)? = nil,
        previousFailureCount: Int = 0, proxy: ProxyServer? = nil, in context: ConversationContext? = nil
    ) throws(ConversationError) -> AuthenticationChallenge {
        guard let offered = ChallengeParser.parse(text).challenges.first else {
            throw ConversationError(.malformedResponse, "That is not a challenge as WWW-Authenticate has them.")
        }
        let target = try TargetURL(url)
        return AuthenticationChallenge(
            space: ProtectionSpace(
                origin: proxy?.origin ?? target.origin, method: offered.method, realm: offered.realm ?? "",
                isProxy: proxy != nil),
            offered: offered, target: target,
            response: proxy == nil
                ? HTTPResponse(status: .unauthorized, headerFields: [.wwwAuthenticate: text])
                : HTTPResponse(status: .proxyAuthenticationRequired, headerFields: [.proxyAuthenticate: text]),
            context: try .testing(url, unless: context), sent: sent, previousFailureCount: previousFailureCount,
            refused: sent.map { [$0] } ?? [], proxy: proxy)
    }
}
