package import HttpConversation

/// Ends a conversation that a SAML2 login got in the way of and that no ``SAML2ConfigProvider`` knows: a login page is
/// never the resource. Added after ``SAML2Filter``, which takes what it knows.
///
/// Recognises a redirect that brings `SAMLRequest` into the query (Redirect binding), which is not followed; a page with
/// a form that has it as a hidden field (POST binding), also the login form of an identity provider that keeps it there;
/// and the header field of SAP's servers, which tells a HEAD, too. What is asked for by a URL with `SAMLRequest` in its
/// query is what was wanted.
package struct UnaskedSAML2Filter: RedirectFilter, ResponseFilter {
    /// The id for configurations.
    package static let id = "HttpConvAuthFlows.UnaskedSAML2"

    private let passesUnauthorized: Bool

    /// - Parameter passesUnauthorized: whether a 401 goes to the caller, as the answer to credentials of the caller's
    package init(passesUnauthorized: Bool) { self.passesUnauthorized = passesUnauthorized }

    package func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        guard !context.isPartOfLogin, !SAML2Challenge.isRequest(location: redirect.source.requestTarget) else {
            return .follow
        }
        guard SAML2Challenge.isRequest(location: redirect.location) else {
            guard redirect.response.headerFields.contains(SAML2Challenge.sapHeader) else { return .follow }
            throw UnaskedSAML2Login(at: redirect.source, header: SAML2Challenge.sapHeader.rawName).error
        }
        throw UnaskedSAML2Login(at: redirect.source, identityProvider: redirect.destination?.origin).error
    }

    package func inspect(
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

/// A SAML2 login that got in the way of a conversation, and that nothing is configured for. Travels as the
/// `underlyingError` of a ``ConversationError``.
package struct UnaskedSAML2Login: Error {
    /// What answered with it.
    package let target: TargetURL
    /// Where the login goes; nil where the answer does not say.
    package let identityProvider: Origin?
    /// The header field that it was recognised by; nil where it was the page or the redirect.
    package let header: String?

    init(at target: TargetURL, identityProvider: Origin? = nil, header: String? = nil) {
        self.target = target
        self.identityProvider = identityProvider
        self.header = header
    }

    /// What was seen, in a sentence.
    package var message: String {
        let place = identityProvider.map { " of the identity provider \($0)" } ?? ""
        let sign = header.map { " (it says so by \($0))" } ?? ""
        return "\(target.origin) answered with a SAML2 login\(place)\(sign), not with the resource."
    }

    var error: ConversationError { ConversationError(.authenticationFailed, message, underlyingError: self) }
}
