internal import Dispatch

/// Work that blocks a thread for long (scrypt, opening files), kept off the cooperative thread pool.
package enum Blocking {
    /// Runs `body` on a thread that may be blocked.
    package static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async { continuation.resume(with: Result { try body() }) }
        }
    }
}
