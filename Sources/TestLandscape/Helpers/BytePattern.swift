import Crypto
import NIOCore

/// Deterministic bytes of any length, the same in every run.
package enum BytePattern {
    /// A prime, so that blocks in a wrong order or place are noticed.
    private static let period = 65_521

    private static let block: [UInt8] = {
        var state: UInt32 = 0x2545_F491
        return (0..<period).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }()

    /// The first `count` bytes.
    package static func bytes(count: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count { result += block.prefix(count - result.count) }
        return result
    }

    /// The SHA-256 of the first `count` bytes in hexadecimal, computed in constant memory.
    package static func sha256(count: Int) -> String {
        var hash = SHA256()
        var left = count
        while left > 0 {
            hash.update(data: block.prefix(left))
            left -= min(left, period)
        }
        return Hex.string(hash.finalize())
    }

    /// Calls `write` with consecutive pieces of the first `count` bytes.
    static func pieces(count: Int, size: Int = period, write: (ByteBuffer) async throws -> Void) async throws {
        let twice = ByteBuffer(bytes: block + block)
        var (sent, step) = (0, min(max(1, size), period))
        while sent < count {
            step = min(step, count - sent)
            guard let piece = twice.getSlice(at: sent % period, length: step) else { return }
            try await write(piece)
            sent += step
        }
    }
}
