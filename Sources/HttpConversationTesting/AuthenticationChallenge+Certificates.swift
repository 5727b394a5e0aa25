public import HttpConversation

extension AuthenticationChallenge {
    /// A server's request for a client certificate, as `ClientCertProvider`s get it in the TLS handshake.
    ///
    /// - Parameters:
    ///   - url: the requested URL of the server
    ///   - callersURL: the URL that the application asked for, if a redirect has led from there to `url`; nil: `url`
    ///   - acceptableAuthorities: distinguished names in DER
    ///   - context: nil makes one for the caller's URL
    public static func testing(
        clientCertificateAt url: String, callersURL: String? = nil, acceptableAuthorities: [[UInt8]] = [],
        previousFailureCount: Int = 0, in context: ConversationContext? = nil
    ) throws(ConversationError) -> AuthenticationChallenge {
        let target = try TargetURL(url)
        return AuthenticationChallenge(
            space: ProtectionSpace(origin: target.origin, method: .clientCertificate, realm: ""),
            offered: OfferedChallenge(scheme: "\(AuthenticationMethod.clientCertificate)", realm: ""), target: target,
            response: nil, context: try .testing(callersURL ?? url, unless: context),
            previousFailureCount: previousFailureCount, acceptableAuthorities: acceptableAuthorities)
    }
}
