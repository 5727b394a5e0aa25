import HTTPTypes
public import HttpConversation

extension AuthenticationChallenge {
    /// A challenge as filters and providers get it.
    ///
    /// - Parameters:
    ///   - text: as in `WWW-Authenticate`, such as `Basic realm="Staff"`; of several challenges the first
    ///   - url: whose exchange was challenged
    ///   - sent: the credential that the exchange had carried, and that was not accepted
    ///   - proxy: that asks, in `Proxy-Authenticate`; nil: the server of `url` does
    ///   - context: nil makes one for `url`
    /// - Throws: ``/HttpConversation/ConversationError/Code/malformedResponse`` for what is no challenge
    public static func testing(
        _ text: String, at url: String = "https://example.com/", sent: (any Credential)? = nil,
        previousFailureCount: Int = 0, proxy: ProxyServer? = nil, in context: ConversationContext? = nil
    ) throws(ConversationError) -> AuthenticationChallenge {
        guard let offered = ChallengeParser.parse(text).challenges.first else {
            throw ConversationError(.malformedResponse, "That is no challenge as WWW-Authenticate has them.")
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
