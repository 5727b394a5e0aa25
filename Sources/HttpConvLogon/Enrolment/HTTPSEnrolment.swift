internal import HTTPTypes
internal import HttpConvAuthFlows
internal import HttpConvCertificates
internal import HttpConvConcurrency
public import HttpConversation

/// Gets certificates from a server over https: a request (PKCS#10) goes up, the certificate comes down in PEM.
///
/// ```swift
/// let manager = HttpConversationManager(transport: transport, .password("alice", secret, for: "https://ca.example.com"))
/// let enrolment = try HTTPSEnrolment(manager, at: "https://ca.example.com/enrol")
/// let enrolled = try await enrolment.enrol(EnrolmentRequest(commonName: "alice"))
/// ```
/// The manager's conversations log in when the server asks for it. The wire format is described in <doc:Enrolment>.
public struct HTTPSEnrolment: CertificateEnrolment {
    /// A kind of key.
    public enum Key: Hashable, Sendable, CaseIterable {
        /// The curve P-256.
        case p256
        /// RSA of 2048 bits, for servers that do not support P-256.
        case rsa2048
    }

    /// The kind of key to make. The private key never leaves the device.
    public var key = Key.p256
    /// The authorities that certificates must lead to, in PEM; nil: any issuer is accepted.
    public var authorities: [UInt8]?
    /// The time limit of a request, not counting logins by a person.
    public var timeout: Duration = .seconds(60)

    private let manager: HttpConversationManager
    private let address: TargetURL
    private let renewalAddress: TargetURL

    /// Creates an enrolment that uses a manager's conversations.
    ///
    /// - Parameters:
    ///   - manager: preferably a separate one, configured for this server's logins
    ///   - url: the address for requests; https
    ///   - renewal: the address for renewals, which show the old certificate in the TLS handshake; nil: `url`
    /// - Throws: ``EnrolmentError/Code/invalidRequest``
    public init(
        _ manager: HttpConversationManager, at url: some TargetURLConvertible,
        renewingAt renewal: (any TargetURLConvertible)? = nil
    ) throws(EnrolmentError) {
        self.manager = manager
        address = try Self.checked(url)
        renewalAddress = if let renewal { try Self.checked(renewal) } else { address }
    }

    /// Creates an enrolment over a transport, with the logins that the server asks for.
    ///
    /// - Parameters: as ``init(_:at:renewingAt:)``
    public init(
        transport: any HTTPTransport, at url: some TargetURLConvertible,
        renewingAt renewal: (any TargetURLConvertible)? = nil, _ logins: any ManagerConfigurator...
    ) throws(EnrolmentError) {
        let configuration = HttpConversationManager.Configuration(applying: logins)
        try self.init(
            HttpConversationManager(transport: transport, configuration: configuration), at: url, renewingAt: renewal)
    }

    private static func checked(_ url: any TargetURLConvertible) throws(EnrolmentError) -> TargetURL {
        let target: TargetURL
        do throws(ConversationError) { target = try url.targetURL() } catch {
            throw EnrolmentError(
                .invalidRequest, "The address for certificates cannot be used: \(error.message)", underlyingError: error
            )
        }
        guard target.origin.scheme == .https, target.userinfo == nil else {
            throw EnrolmentError(
                .invalidRequest, "Certificates are asked for over https only, without a name in the URL.")
        }
        return target
    }

    // MARK: Asking

    public func enrol(_ request: EnrolmentRequest) async throws(EnrolmentError) -> EnrolledIdentity {
        let made = try await make { kind throws(CertificateError) in
            try CertificateRequest(
                commonName: request.commonName, organizationalUnit: request.organizationalUnit,
                organization: request.organization, key: kind, challengePassword: request.challengePassword?.value)
        }
        let manager = manager.copy()
        manager.update { [timeout, address] configuration in
            configuration.networkTimeout = timeout
            // The request may hold a challenge password, so it goes to this server only.
            let allows = configuration.redirects.allows
            configuration.redirects.allows = { source, destination in
                destination.origin == address.origin && allows?(source, destination) ?? true
            }
            configuration.redirects.refusal = .fail
        }
        return try await EnrolmentExchange(address).identity(for: made, authorities) {
            (message, body) throws(ConversationError) in
            let stream = try await manager.bytes(for: message, body: body) { context in
                if let password = request.challengePassword { context.note(secrets: [password.value]) }
            }
            return EnrolmentAnswer(
                status: stream.status.code, fields: stream.headerFields, url: stream.url,
                bytes: try await stream.body.collect(upTo: EnrolmentAnswer.maximumBytes))
        }
    }

    public func renew(_ identity: EnrolledIdentity) async throws(EnrolmentError) -> EnrolledIdentity {
        guard let old = identity.identity.certificates.first else {
            throw EnrolmentError(.invalidRequest, "There is no certificate to renew.")
        }
        let made = try await make { kind throws(CertificateError) in try CertificateRequest(renewing: old, key: kind) }
        let provider = StaticIdentityProvider(identity.identity, for: [renewalAddress.origin])
        let context = manager.detachedContext(for: renewalAddress)
        return try await EnrolmentExchange(renewalAddress).identity(for: made, authorities) {
            [timeout] (message, body) throws(ConversationError) in
            let response = try await context.start(message, body: body) { child in
                // The old certificate alone authenticates the request.
                child.session = HttpSession()
                child.challengeFilters.add(ClientCertificateFilter(providers: [provider]))
                child.redirects.follows = false
                child.networkTimeout = timeout
                child.maximumBufferedBytes = EnrolmentAnswer.maximumBytes
            }
            return EnrolmentAnswer(
                status: response.status.code, fields: response.headerFields, url: response.url,
                bytes: response.bytes)
        }
    }

    private func make(
        _ request: @escaping @Sendable (CertificateRequest.Key) throws(CertificateError) -> CertificateRequest
    ) async throws(EnrolmentError) -> CertificateRequest {
        let kind: CertificateRequest.Key = key == .rsa2048 ? .rsa2048 : .p256
        do throws(CertificateError) {
            return try await Blocking.run { () throws(CertificateError) in try request(kind) }
        } catch {
            throw EnrolmentError(.invalidRequest, "\(error.message) Nothing was sent.", underlyingError: error)
        }
    }
}
