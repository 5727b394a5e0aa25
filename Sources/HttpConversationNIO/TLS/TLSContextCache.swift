import HttpConversation
import NIOPosix
import NIOSSL
import Synchronization

/// The transport's NIOSSLContexts. They are expensive, so they are made on first use, on the thread pool, and kept. One
/// context serves all connections without a client certificate. Each source of client certificates has its own, because
/// NIOSSL binds the source to it, and so does each list of protocols.
final class TLSContextCache: Sendable {
    private typealias Making = Task<Result<TLSClient, ConversationError>, Never>

    private enum Purpose {
        /// BoringSSL verifies, if the settings say so.
        case verifying
        /// A callback compares the server's key.
        case acceptedKey
        /// A callback takes the certificates, and nothing is sent.
        case explaining
    }

    private struct Key: Hashable {
        let source: ClientIdentitySource?
        let purpose: Purpose
        /// Additional authorities of one origin, in DER.
        var authorities: [[UInt8]] = []
        let protocols: ApplicationProtocols
        let renegotiates: Bool

        init(_ key: PoolKey) {
            renegotiates = key.renegotiates
            source = key.identity
            purpose = key.trust?.keys == nil ? .verifying : .acceptedKey
            if purpose == .verifying { authorities = key.trust?.terms.authorities ?? [] }
            protocols = key.protocols
        }

        /// The key for a proxy: no client certificate, and HTTP/1.1 only.
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

        /// Whether there may be any number of such contexts.
        var isEvictable: Bool { source != nil || !authorities.isEmpty }
    }

    private struct State {
        var clients: [Key: TLSClient] = [:]
        var making: [Key: Making] = [:]
        /// The keys of the contexts that may be evicted, the least recently used first.
        var order: [Key] = []

        /// The context, which is used now.
        mutating func use(_ key: Key) -> TLSClient? {
            guard let client = clients[key] else { return nil }
            if key.isEvictable, let index = order.firstIndex(of: key) { order.append(order.remove(at: index)) }
            return client
        }
    }

    /// The maximum number of contexts with a source or authorities of their own; the least recently used is evicted.
    /// Connections that were made with it stay.
    static let maximumSources = 128

    private let settings: NIOTransport.TLSSettings
    private let state = Mutex(State())

    init(_ settings: NIOTransport.TLSSettings) { self.settings = settings }

    /// Returns the context for a connection that is made now, if it is in the cache.
    func ready(for key: PoolKey) -> TLSClient? { state.withLock { $0.use(Key(key)) } }

    /// Makes the context once for concurrent callers. A failure is not cached: a missing file may be there next time.
    @discardableResult
    func prepare(for key: PoolKey) async throws(ConversationError) -> TLSClient { try await prepare(Key(key)) }

    /// The context that reads the certificates of a refused server.
    func prepareForDiagnosis() async throws(ConversationError) -> TLSClient {
        try await prepare(Key(.explaining))
    }

    /// The context for proxies.
    func prepareForProxy() async throws(ConversationError) -> TLSClient { try await prepare(Key()) }

    private func prepare(_ key: Key) async throws(ConversationError) -> TLSClient {
        let (ready, making) = state.withLock { state -> (TLSClient?, Making?) in
            if let client = state.use(key) { return (client, nil) }
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
        guard key.isEvictable else { return }
        state.order.append(key)
        if state.order.count > maximumSources { state.clients[state.order.removeFirst()] = nil }
    }

    private static func make(
        _ settings: NIOTransport.TLSSettings, _ key: Key
    ) async -> Result<TLSClient, ConversationError> {
        do {
            // A question during a connection must be answered at once, so the identity is asked for beforehand.
            let shown = key.renegotiates ? try await key.source?.identity() : nil
            return .success(try await NIOThreadPool.singleton.runIfActive { try makeClient(settings, key, shown) })
        } catch {
            return .failure(
                settings.lacksRoots(error)
                    ?? .wrapping(error, as: .tlsFailed, "The TLS settings cannot be used: \(error)."))
        }
    }

    /// Blocks.
    private static func makeClient(
        _ settings: NIOTransport.TLSSettings, _ key: Key, _ shown: ClientIdentity?
    ) throws -> TLSClient {
        var configuration = try settings.configuration(key.protocols)
        let explanation = key.purpose == .explaining ? try settings.explanation() : nil
        if key.purpose == .verifying {
            let authorities = key.authorities.compactMap { try? NIOSSLCertificate(bytes: $0, format: .der) }
            if !authorities.isEmpty { configuration.additionalTrustRoots = [.certificates(authorities)] }
        } else {
            // NIOSSL calls the callback only if it verifies something. The roots are never used.
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([])
        }
        if key.renegotiates { try LateClientCertificate.allow(shown, in: &configuration) }
        guard let source = key.source, !key.renegotiates else {
            return TLSClient(context: try NIOSSLContext(configuration: configuration), explanation: explanation)
        }
        let questions = HandshakeQuestions(source)
        configuration.sslContextCallback = { _, promise in questions.answer(promise) }
        return TLSClient(context: try NIOSSLContext(configuration: configuration), questions: questions)
    }
}

extension LateClientCertificate {
    /// Allows one renegotiation on connections that use a configuration.
    ///
    /// - Parameter identity: the identity that servers are shown then; nil: none
    fileprivate static func allow(
        _ identity: ClientIdentity?, in configuration: inout TLSConfiguration
    ) throws(ConversationError) {
        configuration.maximumTLSVersion = .tlsv12
        configuration.renegotiationSupport = .once
        guard let identity else { return }
        let shown = try HandshakeQuestions.override(identity)
        configuration.certificateChain = shown.certificateChain ?? []
        configuration.privateKey = shown.privateKey
    }
}
