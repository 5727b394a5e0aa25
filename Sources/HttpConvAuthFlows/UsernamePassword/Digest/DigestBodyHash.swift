import Foundation
import HttpConversation

/// The hash of a request body, for `qop=auth-int` (RFC 7616 §3.4.3).
enum DigestBodyHash {
    private static let chunkSize = 64 << 10

    /// Reads the body once, in constant memory; it is read a second time when it is sent.
    ///
    /// - Throws: ``ConversationError/Code/bodyNotReplayable`` for a one-shot stream, which cannot be read twice
    static func hex(
        _ body: RequestBody?, _ algorithm: DigestAlgorithm, for space: ProtectionSpace
    ) async throws(ConversationError) -> String {
        var hasher = algorithm.hasher()
        do {
            switch body?.kind {
            case nil: break
            case .bytes(let bytes): hasher.update(bytes)
            case .file(let url):
                let file = try FileHandle(forReadingFrom: url)
                defer { try? file.close() }
                while let chunk = try file.read(upToCount: chunkSize), !chunk.isEmpty { hasher.update(Array(chunk)) }
            case .stream(_, let open):
                let stream = try await open()
                while let chunk = try await stream.next() { hasher.update(chunk) }
            case .oneShot:
                throw ConversationError(
                    .bodyNotReplayable,
                    """
                    \(space) wants the request body to be part of the login (Digest with qop=auth-int only), so it has \
                    to be read before it is sent, which a one-shot stream cannot be. Use bytes, a file or a \
                    restartable stream.
                    """)
            }
        } catch {
            throw .wrapping(error, as: .bodyUnavailable, "The request body cannot be read.")
        }
        return hasher.hex()
    }
}
