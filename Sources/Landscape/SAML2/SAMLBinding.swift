/// How a SAML2 message travels (saml-bindings-2.0).
package enum SAMLBinding: String, Sendable, Hashable, CaseIterable, Codable {
    /// In a form that submits itself.
    case post
    /// In the query of a redirect, deflated; for requests only.
    case redirect
    /// As a reference that the service provider resolves at the identity provider; for responses only.
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
