import HttpConvAuthFlows
import HttpConversation

/// The end of a login in the system's authentication session.
enum OAuth2SessionCallback: Hashable, Sendable {
    /// A URL with a scheme of the application's.
    case scheme(String)
    /// A URL of a domain that is associated with the application.
    case https(host: String, path: String)

    /// - Throws: ``/HttpConvAuthFlows/OAuth2Error/Code/invalidConfiguration`` for a redirect URI that ends no session
    init(_ redirect: OAuth2RedirectURI) throws(OAuth2Error) {
        switch redirect.kind {
        case .customScheme: self = .scheme(redirect.scheme)
        case .web:
            // The system ignores the port here, so another port would lead to another origin.
            guard let target = redirect.target, target.origin.port == 443 else { throw Self.refusal(of: redirect) }
            self = .https(host: target.origin.host, path: String(target.path))
        case .loopback: throw Self.refusal(of: redirect)
        }
    }

    private static func refusal(of redirect: OAuth2RedirectURI) -> OAuth2Error {
        OAuth2Error(
            .invalidConfiguration,
            "The redirect URI \(redirect) cannot end an authentication session: use a custom scheme or https.")
    }
}

extension OAuth2Error {
    /// The end of a session without a result.
    ///
    /// - Parameter isClosed: whether the person closed it
    static func ofSession(_ isClosed: Bool, _ error: (any Error)?) -> OAuth2Error {
        isClosed
            ? OAuth2Error(.cancelled, "The login was closed.")
            : OAuth2Error(.loginFailed, "The authentication session failed.", underlyingError: error)
    }
}
