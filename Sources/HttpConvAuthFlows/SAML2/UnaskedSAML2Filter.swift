public import HttpConversation

/// Fails a conversation that gets a SAML2 login which no ``SAML2ConfigProvider`` knows: a login page must not pass for
/// the resource. Added after the filter of configured logins.
///
/// Recognises a redirect that adds `SAMLRequest` to the query (Redirect binding), which is not followed; a page with a
/// form that has it as a hidden field (POST binding), including the login form of an identity provider that keeps it;
/// and the header field of SAP's servers, which marks a HEAD, too. A request whose own URL has `SAMLRequest` in its
/// query is left alone.
public struct UnaskedSAML2Filter: RedirectFilter, ResponseFilter {
    /// The id for configurations.
    public static let id = "HttpConvAuthFlows.UnaskedSAML2"

    private let passesUnauthorized: Bool

    /// - Parameter passesUnauthorized: whether a 401 is returned to the caller, as the answer to the caller's
    ///   credentials
    public init(passesUnauthorized: Bool) { self.passesUnauthorized = passesUnauthorized }

    public func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        guard !context.isPartOfLogin, !SAML2Challenge.isRequest(location: redirect.source.requestTarget) else {
            return .follow
        }
        guard SAML2Challenge.isRequest(location: redirect.location) else {
            guard redirect.response.headerFields.contains(SAML2Challenge.sapHeader) else { return .follow }
            throw UnaskedSAML2Login(at: redirect.source, header: SAML2Challenge.sapHeader.rawName).error
        }
        throw UnaskedSAML2Login(at: redirect.source, identityProvider: redirect.destination?.origin).error
    }

    public func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        let status = response.status.code
        guard !context.isPartOfLogin, !(300..<400).contains(status), status != 401 || !passesUnauthorized,
            !SAML2Challenge.isRequest(location: response.target.requestTarget)
        else { return .proceed }
        if let form = try await SAML2Challenge.hiddenForm(in: response) {
            let place = form.action.map { try? response.target.resolving($0) } ?? response.target
            throw UnaskedSAML2Login(at: response.target, identityProvider: place?.origin).error
        }
        guard response.headerFields.contains(SAML2Challenge.sapHeader) else { return .proceed }
        throw UnaskedSAML2Login(at: response.target, header: SAML2Challenge.sapHeader.rawName).error
    }
}

/// An unexpected SAML2 login that is not configured. It is the `underlyingError` of a ``/HttpConversation/ConversationError``.
public struct UnaskedSAML2Login: Error {
    /// The URL that answered with it.
    public let target: TargetURL
    /// The identity provider of the login; nil if the answer does not name it.
    public let identityProvider: Origin?
    /// The header field that revealed it; nil if the page or the redirect did.
    public let header: String?

    init(at target: TargetURL, identityProvider: Origin? = nil, header: String? = nil) {
        self.target = target
        self.identityProvider = identityProvider
        self.header = header
    }

    /// A sentence about the login.
    public var message: String {
        let place = identityProvider.map { " of the identity provider \($0)" } ?? ""
        let sign = header.map { " (it says so by \($0))" } ?? ""
        return "\(target.origin) answered with a SAML2 login\(place)\(sign), not with the resource."
    }

    var error: ConversationError { ConversationError(.authenticationFailed, message, underlyingError: self) }
}
