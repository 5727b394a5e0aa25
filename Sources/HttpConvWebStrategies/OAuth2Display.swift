import HttpConvAuthFlows
import HttpConversation

/// The place where an OAuth2 login is shown. The redirect URI decides (RFC 8252 §7).
enum OAuth2Display: Hashable, Sendable {
    /// In the person's browser, with a listener on this machine for the answer.
    case listener
    /// In the system's authentication session, which gets the answer.
    case authenticationSession
    /// In a view of our own, which sees the redirect before it is loaded.
    case view
    /// In the application that handles the scheme of the authorization endpoint.
    case otherApplication

    /// The abilities of a system.
    enum System: Sendable {
        /// Everything but a listener's redirect is shown in a browser of our own, apart from the application.
        case ownBrowser
        /// An application of Apple's systems. Only a redirect URI with a scheme of its own, or of a domain that is
        /// associated with it, leads back from an authentication session.
        case application(associatedDomains: Set<String>, hasListener: Bool)
    }

    /// Decides for one login.
    ///
    /// - Parameters:
    ///   - redirect: the redirect URI
    ///   - endpoint: the authorization endpoint; nil if another application handles it
    ///   - needsListener: whether the redirect leads to a listener of our own
    ///   - allowsWebView: whether the server allows a web view of the application (RFC 8252 §8.12)
    /// - Throws: ``/HttpConvAuthFlows/OAuth2Error/Code/invalidConfiguration`` with what to register
    init(
        for redirect: OAuth2RedirectURI, at endpoint: TargetURL?, needsListener: Bool, allowsWebView: Bool,
        on system: System
    ) throws(OAuth2Error) {
        if endpoint == nil {
            self = .otherApplication
            return
        }
        switch system {
        case .ownBrowser: self = needsListener ? .listener : .view
        case .application(let domains, let hasListener):
            if redirect.kind == .customScheme {
                self = .authenticationSession
            } else if needsListener, hasListener {
                self = .listener
            } else if !needsListener, Self.isAssociated(redirect, domains) {
                self = .authenticationSession
            } else if !needsListener, allowsWebView {
                self = .view
            } else {
                throw Self.refusal(of: redirect, needsListener: needsListener)
            }
        }
    }

    /// The system ignores the port of a redirect URI, so another port would lead to another origin.
    private static func isAssociated(_ redirect: OAuth2RedirectURI, _ domains: Set<String>) -> Bool {
        guard redirect.kind == .web, let origin = redirect.target?.origin, origin.port == 443 else { return false }
        return domains.contains { $0.lowercased() == origin.host }
    }

    private static func refusal(of redirect: OAuth2RedirectURI, needsListener: Bool) -> OAuth2Error {
        let reason =
            needsListener
            ? "needs a listener on this machine, which does not run behind a browser here"
            : "is not of a domain that is associated with this application, and this server allows no web view"
        return OAuth2Error(
            .invalidConfiguration,
            "The redirect URI \(redirect) \(reason): register one with a scheme of this application with the server, such as com.example.app:/callback."
        )
    }
}
