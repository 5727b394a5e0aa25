import Foundation
import HttpConversation
import NIOPosix
import NIOSSL
import Synchronization

/// The transport's NIOSSLContext for each list of protocols: expensive, so made at the first use, on the thread pool,
/// and kept.
final class TLSContextCache: Sendable {
    private struct State {
        var context: NIOSSLContext?
        var making: Task<Result<NIOSSLContext, ConversationError>, Never>?
    }

    private let settings: NIOTransport.TLSSettings
    private let states = Mutex<[ApplicationProtocols: State]>([:])

    init(_ settings: NIOTransport.TLSSettings) { self.settings = settings }

    /// The context, where it was made before.
    func ready(_ protocols: ApplicationProtocols) -> NIOSSLContext? { states.withLock { $0[protocols]?.context } }

    /// Makes the context once, whoever asks first. A failure is not kept: the file may be there next time.
    func prepare(_ protocols: ApplicationProtocols) async throws(ConversationError) {
        let making: Task<Result<NIOSSLContext, ConversationError>, Never>? = states.withLock { states in
            if states[protocols]?.context != nil { return nil }
            if let making = states[protocols]?.making { return making }
            let making = Task { [settings] in await Self.make(settings, protocols) }
            states[protocols, default: State()].making = making
            return making
        }
        guard let making else { return }
        let result = await making.value
        states.withLock { states in
            var state = states[protocols] ?? State()
            if state.making == making { state.making = nil }
            if case .success(let context) = result, state.context == nil { state.context = context }
            states[protocols] = state
        }
        _ = try result.get()
    }

    private static func make(
        _ settings: NIOTransport.TLSSettings, _ protocols: ApplicationProtocols
    ) async -> Result<NIOSSLContext, ConversationError> {
        do {
            return .success(try await NIOThreadPool.singleton.runIfActive { try makeContext(settings, protocols) })
        } catch {
            return .failure(
                .wrapping(error, as: .tlsFailed, "The TLS settings cannot be used: \(error)."))
        }
    }

    /// Blocking.
    private static func makeContext(
        _ settings: NIOTransport.TLSSettings, _ protocols: ApplicationProtocols
    ) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols.names
        switch settings.trustRoots {
        case .system: break
        case .file(let url):
            let path = url.path(percentEncoded: false)
            configuration.trustRoots = .certificates(
                try certificates("the file \"\(url.lastPathComponent)\"") { try NIOSSLCertificate.fromPEMFile(path) })
        case .pem(let bytes):
            configuration.trustRoots = .certificates(
                try certificates("the given PEM") { try NIOSSLCertificate.fromPEMBytes(bytes) })
        }
        if !settings.verifiesCertificates { configuration.certificateVerification = .none }
        return try NIOSSLContext(configuration: configuration)
    }

    private static func certificates(
        _ source: String, _ load: () throws -> [NIOSSLCertificate]
    ) throws -> [NIOSSLCertificate] {
        do {
            let certificates = try load()
            if !certificates.isEmpty { return certificates }
        } catch {
            throw unusable(source, error)
        }
        throw unusable(source, nil)
    }

    private static func unusable(_ source: String, _ error: (any Error)?) -> ConversationError {
        ConversationError(
            .trustRootsUnusable,
            "The trusted certificates cannot be read from \(source): it must exist and hold certificates in PEM.",
            underlyingError: error)
    }
}
