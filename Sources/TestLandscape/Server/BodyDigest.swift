import Crypto
import HummingbirdCore
import NIOCore

/// Length and SHA-256 of a body, read in constant memory.
struct BodyDigest: Encodable {
    let length: Int
    let sha256: String

    /// Reads the body to its end. `keep` receives its pieces.
    static func read(_ body: RequestBody, keep: (ByteBuffer) -> Void = { _ in }) async throws -> BodyDigest {
        var hash = SHA256()
        var length = 0
        for try await buffer in body {
            buffer.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
            length += buffer.readableBytes
            keep(buffer)
        }
        return BodyDigest(length: length, sha256: Hex.string(hash.finalize()))
    }
}
