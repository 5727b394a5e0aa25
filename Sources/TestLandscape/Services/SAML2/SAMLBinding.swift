/// The transport of a SAML2 message (saml-bindings-2.0).
package enum SAMLBinding: String, Sendable, Hashable, CaseIterable, Codable {
    /// A form that submits itself.
    case post
    /// The query of a redirect, deflated; for requests only.
    case redirect
    /// A reference that the service provider resolves at the identity provider; for responses only.
    case artifact

    var uri: String {
        switch self {
        case .post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
        case .redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
        case .artifact: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact"
        }
    }

    init?(uri: String?) {
        guard let found = Self.allCases.first(where: { $0.uri == uri }) else { return nil }
        self = found
    }
}
