import Foundation
import HttpConvVault
import HttpConversation
import Synchronization

#if PostgreSQL
import HttpConvPostgresStorage
#endif

/// The moments of a rotation: before and after it is sent, received, written and committed.
package enum RotationStep: String, Codable, CaseIterable, Sendable {
    case beforeSend
    /// The server has the request and has not answered.
    case afterSend
    /// The server has issued new tokens; the answer's body was not read.
    case beforeReceive
    case afterReceive
    case beforeWrite
    /// Written and not committed.
    case afterWrite
    case afterCommit

    /// Whether the server has issued new tokens that we have not committed.
    package var losesTokens: Bool {
        switch self {
        case .beforeReceive, .afterReceive, .beforeWrite, .afterWrite: true
        case .beforeSend, .afterSend, .afterCommit: false
        }
    }
}

/// Observes each step of a rotation in this process.
final class RotationWatch: Sendable {
    private let reached: @Sendable (RotationStep) -> Void
    /// Set once new tokens were received: the vault commits other things, too, such as leases.
    private let isReceived = Atomic(false)

    init(_ reached: @escaping @Sendable (RotationStep) -> Void) { self.reached = reached }

    /// Ends the process at a step.
    ///
    /// - Parameter file: for ``RotationStep/afterSend``: created once the server has the request
    static func killing(at step: RotationStep, once file: String) -> RotationWatch {
        RotationWatch { reached in
            guard reached == step else { return }
            if step == .afterSend { waitForFile(file) }
            kill(getpid(), SIGKILL)
        }
    }

    /// Suspends the process at a step; it continues once a file exists.
    static func stopping(at step: RotationStep, ready: String, until file: String) -> RotationWatch {
        RotationWatch { reached in
            guard reached == step, !FileManager.default.fileExists(atPath: ready) else { return }
            try? Data("\(getpid())".utf8).write(to: URL(fileURLWithPath: ready), options: .atomic)
            kill(getpid(), SIGSTOP)
            // The signal may take effect a moment late: continue only when the others are done.
            waitForFile(file)
        }
    }

    private static func waitForFile(_ path: String) {
        while !FileManager.default.fileExists(atPath: path) { usleep(2000) }
    }

    func reach(_ step: RotationStep) {
        if step == .afterReceive { isReceived.store(true, ordering: .sequentiallyConsistent) }
        reached(step)
    }

    func vault(_ point: FailPoint) {
        guard isReceived.load(ordering: .sequentiallyConsistent) else { return }
        switch point {
        case .transactionBegun: reached(.beforeWrite)
        case .beforeCommit: reached(.afterWrite)
        case .committed:
            isReceived.store(false, ordering: .sequentiallyConsistent)
            reached(.afterCommit)
        default: break
        }
    }

    #if PostgreSQL
    /// - Returns: false: the connection is never cut
    func postgres(_ step: PostgresStep) -> Bool {
        guard step.statement == .save, isReceived.load(ordering: .sequentiallyConsistent) else { return false }
        switch step.moment {
        case .beforeSend: reached(.beforeWrite)
        case .afterSend: reached(.afterWrite)
        case .afterAnswer:
            isReceived.store(false, ordering: .sequentiallyConsistent)
            reached(.afterCommit)
        }
        return false
    }
    #endif
}

/// Reports token requests to a watch.
struct WatchedTransport: HTTPTransport {
    let inner: any HTTPTransport
    let watch: RotationWatch?

    var capabilities: TransportCapabilities { inner.capabilities }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        guard let watch, request.target.path.hasSuffix("/token") else { return try await inner.send(request) }
        watch.reach(.beforeSend)
        let sending = Task { [inner] () async -> Result<TransportResponse, ConversationError> in
            do throws(ConversationError) { return .success(try await inner.send(request)) } catch {
                return .failure(error)
            }
        }
        // On a thread that may block: the watch holds it until the server has the request.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                watch.reach(.afterSend)
                continuation.resume()
            }
        }
        let response = try await sending.value.get()
        watch.reach(.beforeReceive)
        let bytes = try await response.body.collect(upTo: 1 << 20)
        watch.reach(.afterReceive)
        return TransportResponse(head: response.head, body: ResponseBody(bytes: bytes))
    }

    func shutdown() async { await inner.shutdown() }
}
