import HttpConvFormats
public import HttpConversation

/// A login that a server demands in place of a resource, as ``LoginRecognition`` recognises it.
///
/// ``RecognizedLoginFilter`` throws it as the `underlyingError` of a ``/HttpConversation/ConversationError``. Nothing
/// of it is a reason to send a credential: `provider` and `metadata` are claims of the server (security rule S33).
public struct RecognizedLogin: Error, Hashable {
    /// The kind of login.
    public let kind: Kind
    /// Whether the answer can be anything but a login.
    public let certainty: Certainty
    /// The URL that answered with the login.
    public let target: TargetURL
    /// The URL of the request, before any redirects.
    public internal(set) var asked: TargetURL
    /// The origin of the login's page, if the answer names one.
    public let provider: Origin?
    /// The software that demands the login, if its paths or cookies show it.
    public let product: LoginProduct?
    /// The evidence, as a clause without a full stop, such as `a redirect with SAMLRequest`. No query and no value.
    public let evidence: String
    /// The address of the protected resource's metadata (RFC 9728 §5.1), for ``Kind/bearer``. A claim of the server.
    public let metadata: TargetURL?
    /// How the demand is recognised again; nil if no configuration describes it.
    let challenge: Challenge?

    /// The kind of a login.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name as people know it.
        public let description: String
        /// Name and article, for sentences.
        let phrase: String

        private init(_ description: String, _ phrase: String) {
            self.description = description
            self.phrase = phrase
        }

        /// SAML2 Web SSO (saml-profiles-2.0 §4.1).
        public static let saml2 = Kind("SAML2", "a SAML2 login")
        /// The passive requestor profile of WS-Federation 1.2 (§13).
        public static let wsFederation = Kind("WS-Federation", "a WS-Federation login")
        /// An authorization request of OpenID Connect or OAuth2 by a relying party (RFC 6749 §4.1.1).
        public static let openIDConnect = Kind("OpenID Connect", "an OpenID Connect login")
        /// The Central Authentication Service, protocol 3 (§2.1).
        public static let cas = Kind("CAS", "a CAS login")
        /// A form with a password.
        public static let form = Kind("form", "a login form")
        /// A one-time code, after another login.
        public static let oneTimeCode = Kind("one-time code", "a form for a one-time code")
        /// An access token (RFC 6750 §3).
        public static let bearer = Kind("Bearer", "a demand for an access token")
    }

    /// The certainty that the answer is a login and not the resource.
    public enum Certainty: Hashable, Sendable {
        /// The answer is a login.
        case certain
        /// The answer has a login form, and may be the resource all the same.
        case likely
    }

    /// The part of an answer that shows the demand the next time, too.
    enum Challenge: Hashable, Sendable {
        /// A SAML2 request, which `SAML2Filter` finds by itself.
        case saml2
        /// A redirect to a URL that starts with this one.
        case redirect(to: TargetURL)
        /// A status, and the page where its login starts; nil: the URL that answered.
        case status(Int, start: TargetURL? = nil)
        case passwordForm
        case oneTimeCode
    }

    init(
        _ kind: Kind, _ certainty: Certainty, at target: TargetURL, provider: Origin? = nil,
        product: LoginProduct? = nil, evidence: String, metadata: TargetURL? = nil, challenge: Challenge? = nil
    ) {
        self.kind = kind
        self.certainty = certainty
        self.target = target
        asked = target
        self.provider = provider
        self.product = product
        self.evidence = evidence
        self.metadata = metadata
        self.challenge = challenge
    }

    /// A sentence about the login.
    public var message: String {
        let place = provider.map { $0 == target.origin ? "" : " of the identity provider \($0)" } ?? ""
        let seen = product.map { "\(evidence), by \($0)" } ?? evidence
        switch certainty {
        case .certain:
            return "\(target.origin) answered with \(kind.phrase)\(place) (\(seen)), not with the resource."
        case .likely: return "The answer of \(target.origin) may be \(kind.phrase)\(place) (\(seen))."
        }
    }

    /// The same login, for a request that may have been redirected.
    func asked(_ target: TargetURL) -> RecognizedLogin {
        var copy = self
        copy.asked = target
        return copy
    }

    /// The error of a conversation that ends with it.
    var error: ConversationError { ConversationError(.authenticationFailed, message, underlyingError: self) }
}
