import HTTPTypes
import HttpConvFormats
import HttpConversation
import Synchronization

/// Sends requests to authorization servers: each in a separate child conversation, without cookies, filters or
/// redirects, with a bounded answer (security rule S11).
struct OAuth2Requests: Sendable {
    /// The conversation that needs the tokens.
    let context: ConversationContext
    static let maximumAnswer = 1 << 20
    private static let longestTime = Duration.seconds(120)

    init(_ context: ConversationContext) { self.context = context }

    /// The clock for waiting between polls; tests replace it.
    var clock: any Clock<Duration> & Sendable { context.configuration.clock }

    /// Reads a public document.
    func get(_ target: TargetURL) async throws -> EndpointAnswer { try await send(.get, target, [:]) }

    /// - Parameters:
    ///   - certificate: the certificate for a server that asks; nil: the conversation's
    ///   - secrets: the secrets in the request, removed from the server's texts
    func send(
        _ method: HTTPRequest.Method, _ endpoint: TargetURL, _ fields: HTTPFields, body: RequestBody? = nil,
        showing certificate: OAuth2ClientCertificate? = nil, secrets: [String] = []
    ) async throws -> EndpointAnswer {
        try SecureEndpoint.require(endpoint, "endpoint")
        var fields = fields
        fields[.accept] = "application/json"
        context.note(secrets: secrets)
        let shown = ShownCertificate()
        do throws(ConversationError) {
            let response = try await context.start(HTTPRequest(method, endpoint, fields: fields), body: body) {
                Self.restrict(&$0)
                show(certificate, in: &$0)
                $0.observers.add(shown, id: ShownCertificate.id)
            }
            return EndpointAnswer(
                endpoint: endpoint, status: response.status.code, fields: response.headerFields, bytes: response.bytes,
                secrets: secrets, shownCertificate: shown.thumbprint)
        } catch {
            throw Self.failure(error, endpoint)
        }
    }

    private func show(
        _ certificate: OAuth2ClientCertificate?, in configuration: inout HttpConversationManager.Configuration
    ) {
        guard let certificate else { return }
        // A separate session: the conversation's providers and its TLS sessions are not used.
        configuration.session = HttpSession(proxiesOf: context.session)
        configuration.challengeFilters.add(ClientCertificateFilter(providers: [certificate.forEndpoints]))
    }

    private static func restrict(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.redirects.follows = false
        configuration.maximumBufferedBytes = maximumAnswer
        configuration.limitNetworkTime(to: longestTime)
    }

    private static func tooLarge(_ error: ConversationError, _ endpoint: TargetURL) -> OAuth2Error {
        var failure = OAuth2Error(
            .malformedResponse, "The answer of \(endpoint) is larger than \(maximumAnswer) bytes.",
            endpoint: endpoint, underlyingError: error)
        failure.saysNothingOfTokens = true
        return failure
    }

    private static func failure(_ error: ConversationError, _ endpoint: TargetURL) -> any Error {
        switch error.code {
        case .cancelled: CancellationError()
        case .tooLarge: tooLarge(error, endpoint)
        case .clientCertificateRequired, .clientCertificateRefused, .clientCertificateUnusable:
            OAuth2Error(.clientCertificateUnusable, error.message, endpoint: endpoint, underlyingError: error)
        default:
            OAuth2Error(
                .endpointUnreachable, "\(endpoint) could not be reached (\(error.code)).", endpoint: endpoint,
                underlyingError: error)
        }
    }
}

/// Observes which client certificate the server of one request got.
final class ShownCertificate: ConversationObserver {
    /// Given, because to make one from the type's name takes longer than to send the request.
    static let id = "HttpConvAuthFlows.ShownCertificate"
    private let fingerprint = Mutex<[UInt8]?>(nil)

    func observe(_ event: ConversationEvent) {
        guard case .clientCertificateUsed(let use) = event.kind else { return }
        fingerprint.withLock { $0 = use.verdict == .present ? use.certificate?.fingerprint : nil }
    }

    /// The certificate as `x5t#S256` (RFC 8705 §3.1); nil if the server did not ask, or got none.
    var thumbprint: String? {
        fingerprint.withLock { $0 }.map { Base64URL.text($0) }
    }
}
