import HttpConversation
import NIOPosix
import NIOSSL
import Synchronization

/// The transport's NIOSSLContexts: expensive, so made at the first use, on the thread pool, and kept. There is one for all
/// connections that show no certificate, and one for each source of client certificates, which NIOSSL binds to it; and so
/// for each list of protocols.
final class TLSContextCache: Sendable {
    private typealias Making = Task<Result<TLSClient, ConversationError>, Never>

    private enum Purpose {
        /// BoringSSL verifies, where the settings say so.
        case verifying
        /// A call-back compares the server's key.
        case acceptedKey
        /// A call-back takes the certificates, and nothing is sent.
        case explaining
    }

    private struct Key: Hashable {
        let source: ClientIdentitySource?
        let purpose: Purpose
        /// Authorities of one origin, in DER.
        var authorities: [[UInt8]] = []
        let protocols: ApplicationProtocols
        let renegotiates: Bool
        /// Whether addresses are compared by us.
        var checksAddress = false

        init(_ key: PoolKey) {
            renegotiates = key.renegotiates
            checksAddress = key.checksAddress
            source = key.identity
            purpose = key.trust?.keys == nil ? .verifying : .acceptedKey
            if purpose == .verifying { authorities = key.trust?.terms.authorities ?? [] }
            protocols = key.protocols
        }

        /// For a proxy, which gets no certificate and is asked for no HTTP/2.
        init() {
            source = nil
            renegotiates = false
            purpose = .verifying
            protocols = .http1
        }

        init(_ purpose: Purpose) {
            source = nil
            renegotiates = false
            self.purpose = purpose
            protocols = .http1
        }
    }

    private struct State {
        var clients: [Key: TLSClient] = [:]
        var making: [Key: Making] = [:]
        /// Sources, the one that was made last at the end.
        var order: [Key] = []
    }

    /// More sources than that take turns.
    static let maximumSources = 128

    private let settings: NIOTransport.TLSSettings
    private let state = Mutex(State())

    init(_ settings: NIOTransport.TLSSettings) { self.settings = settings }

    /// What was made before.
    func ready(for key: PoolKey) -> TLSClient? { state.withLock { $0.clients[Key(key)] } }

    /// Makes it once, whoever asks first. A failure is not kept: the file may be there next time.
    @discardableResult
    func prepare(for key: PoolKey) async throws(ConversationError) -> TLSClient { try await prepare(Key(key)) }

    /// To see the certificates of a server that was refused.
    func prepareForDiagnosis() async throws(ConversationError) -> TLSClient {
        try await prepare(Key(.explaining))
    }

    /// For proxies.
    func prepareForProxy() async throws(ConversationError) -> TLSClient { try await prepare(Key()) }

    private func prepare(_ key: Key) async throws(ConversationError) -> TLSClient {
        let (ready, making) = state.withLock { state -> (TLSClient?, Making?) in
            if let client = state.clients[key] { return (client, nil) }
            if let making = state.making[key] { return (nil, making) }
            let making = Making { [settings] in await Self.make(settings, key) }
            state.making[key] = making
            return (nil, making)
        }
        if let ready { return ready }
        guard let making else { throw .cancelled }
        let result = await making.value
        state.withLock { state in
            guard state.making[key] == making else { return }
            state.making[key] = nil
            if case .success(let client) = result { Self.keep(client, for: key, &state) }
        }
        return try result.get()
    }

    private static func keep(_ client: TLSClient, for key: Key, _ state: inout State) {
        state.clients[key] = client
        guard key.source != nil || !key.authorities.isEmpty else { return }
        state.order.append(key)
        if state.order.count > maximumSources { state.clients[state.order.removeFirst()] = nil }
    }

    private static func make(
        _ settings: NIOTransport.TLSSettings, _ key: Key
    ) async -> Result<TLSClient, ConversationError> {
        do {
            // A question in the middle of a connection is answered at once or not at all: it was asked before.
            let shown = key.renegotiates ? try await key.source?.identity() : nil
            return .success(try await NIOThreadPool.singleton.runIfActive { try makeClient(settings, key, shown) })
        } catch {
            return .failure(
                settings.lacksRoots(error)
                    ?? .wrapping(error, as: .tlsFailed, "The TLS settings cannot be used: \(error)."))
        }
    }

    /// Blocking.
    private static func makeClient(
        _ settings: NIOTransport.TLSSettings, _ key: Key, _ shown: ClientIdentity?
    ) throws -> TLSClient {
        var configuration = try settings.configuration(key.protocols)
        let explanation = key.purpose == .explaining ? try settings.explanation() : nil
        if key.purpose == .verifying {
            if key.checksAddress, settings.verifiesCertificates {
                configuration.certificateVerification = .noHostnameVerification
            }
            let authorities = key.authorities.compactMap { try? NIOSSLCertificate(bytes: $0, format: .der) }
            if !authorities.isEmpty { configuration.additionalTrustRoots = [.certificates(authorities)] }
        } else {
            // NIOSSL asks the call-back only where something is verified. No root would ever be used.
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([])
        }
        if key.renegotiates { try LocationCertificate.allow(shown, in: &configuration) }
        guard let source = key.source, !key.renegotiates else {
            return TLSClient(context: try NIOSSLContext(configuration: configuration), explanation: explanation)
        }
        let questions = HandshakeQuestions(source)
        configuration.sslContextCallback = { _, promise in questions.answer(promise) }
        return TLSClient(context: try NIOSSLContext(configuration: configuration), questions: questions)
    }
}
