import HTTPTypes
import HttpConvFormats
public import HttpConversation

/// How a client authenticates at the token endpoint (RFC 6749 §2.3).
///
/// ```swift
/// let card = IdentityFileProvider(file: file, format: .pkcs12) { _, _ in passphrase }
/// let byCertificate = OAuth2ClientAuthentication.tlsClientAuth(card)
/// let byKey = OAuth2ClientAuthentication.privateKeyJWT(key).bindingTokens(to: card)
/// ```
public struct OAuth2ClientAuthentication: Hashable, Sendable {
    enum Method: Hashable, Sendable {
        case none
        case basic(Redacted<String>)
        case post(Redacted<String>)
        case privateKeyJWT(OAuth2ClientKey, audience: String?)
        case tls(isSelfSigned: Bool)
    }

    let method: Method
    /// The client's own certificate; nil: the one of the conversation for the endpoint, if there is one.
    private(set) var certificate: OAuth2ClientCertificate?

    /// A public client: it sends only its id (RFC 8252 §8.4).
    public static let none = OAuth2ClientAuthentication(method: .none)
    /// Id and secret in `Authorization: Basic`, each form-encoded first (RFC 6749 §2.3.1). If that changes them,
    /// `X-CF-ENCODED-CREDENTIALS: true` tells Cloud Foundry's UAA to decode them.
    public static func basic(secret: String) -> OAuth2ClientAuthentication {
        OAuth2ClientAuthentication(method: .basic(Redacted(secret)))
    }
    /// Id and secret as parameters of the form, for servers that require it.
    public static func post(secret: String) -> OAuth2ClientAuthentication {
        OAuth2ClientAuthentication(method: .post(Redacted(secret)))
    }

    /// A signed assertion, made anew for each request, and valid for a minute at one server (RFC 7523 §2.2).
    ///
    /// - Parameters:
    ///   - key: signs the assertions
    ///   - audience: the server's identifier; nil: its configured issuer, never one from metadata, or the configured
    ///     token endpoint if there is no issuer
    public static func privateKeyJWT(_ key: OAuth2ClientKey, audience: String? = nil) -> OAuth2ClientAuthentication {
        OAuth2ClientAuthentication(method: .privateKeyJWT(key, audience: audience))
    }

    /// The client's certificate in the TLS handshake (RFC 8705 §2). Servers may bind tokens to it (§3).
    ///
    /// - Parameters:
    ///   - certificate: asked once, and shown to the endpoints of the authorization server and to the servers that get
    ///     the tokens; nil: the conversation's providers of client certificates are used
    ///   - isSelfSigned: whether the server knows the certificate itself (`self_signed_tls_client_auth`) instead of its
    ///     name (`tls_client_auth`)
    public static func tlsClientAuth(
        _ certificate: (any ClientCertProvider)? = nil, isSelfSigned: Bool = false
    ) -> OAuth2ClientAuthentication {
        OAuth2ClientAuthentication(
            method: .tls(isSelfSigned: isSelfSigned), certificate: certificate.map { OAuth2ClientCertificate($0) })
    }

    /// A copy with a certificate that its tokens are bound to, with any method of authentication (RFC 8705 §3 and §4).
    /// - Parameter certificate: asked once, and shown to the endpoints of the authorization server and to the servers
    ///   that get the tokens
    public func bindingTokens(to certificate: any ClientCertProvider) -> OAuth2ClientAuthentication {
        var copy = self
        copy.certificate = OAuth2ClientCertificate(certificate)
        return copy
    }

    /// The secret; nil for methods without one.
    var secret: String? {
        switch method {
        case .none, .privateKeyJWT, .tls: nil
        case .basic(let secret), .post(let secret): secret.value
        }
    }

    /// Whether the client authenticates by a certificate.
    var isByCertificate: Bool { if case .tls = method { true } else { false } }
    /// Whether the token endpoint gets a certificate (RFC 8705 §5).
    var usesCertificate: Bool { isByCertificate || certificate != nil }

    /// The fields that authenticate a client by its secret; empty for other methods.
    func fields(clientID: String) -> HTTPFields {
        guard case .basic(let secret) = method else { return [:] }
        let pair = "\(FormEncoding.encode(clientID)):\(FormEncoding.encode(secret.value))"
        var fields: HTTPFields = [.authorization: BasicEncoding.field(of: Array(pair.utf8))]
        // Cloud Foundry's UAA, and with it XSUAA, decodes the pair only if this field says that it is encoded.
        if pair != "\(clientID):\(secret.value)" { fields[Self.encodedName] = "true" }
        return fields
    }

    // swift-format-ignore: NeverForceUnwrap
    private static let encodedName = HTTPField.Name("X-CF-ENCODED-CREDENTIALS")!

    /// The parameters that authenticate the client in the form.
    func parameters(for configuration: OAuth2Configuration) async throws -> [FormEncoding.Parameter] {
        let id: FormEncoding.Parameter = ("client_id", configuration.clientID)
        switch method {
        case .none, .tls: return [id]
        case .basic: return []
        case .post(let secret): return [id, ("client_secret", secret.value)]
        case .privateKeyJWT(let key, let audience):
            let assertion = try await ClientAssertion(
                clientID: configuration.clientID,
                audience: audience ?? configuration.identifier
            ).signed(by: key)
            return [id, ("client_assertion_type", ClientAssertion.type), ("client_assertion", assertion.value)]
        }
    }
}

extension OAuth2ClientAuthentication: CustomStringConvertible, CustomReflectable {
    /// The name of the method in server metadata (RFC 8414 §2, RFC 8705 §2).
    public var description: String {
        switch method {
        case .none: "none"
        case .basic: "client_secret_basic"
        case .post: "client_secret_post"
        case .privateKeyJWT: "private_key_jwt"
        case .tls(let isSelfSigned): isSelfSigned ? "self_signed_tls_client_auth" : "tls_client_auth"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: ["method": description]) }
}
