import HttpConvFormats
import HttpConvPlatform
import HttpConversation
import Synchronization

/// Counts the uses of server nonces for a session, so that no count is ever used twice (RFC 7616 §3.4, rule S10).
///
/// A server may give the same nonce several times, so the count belongs to the nonce, not to a conversation or
/// credential.
final class NonceCounts: Sendable {
    /// One use of a nonce.
    struct Use: Sendable {
        /// The number of the use, from 1.
        let count: UInt32
        /// The client nonce for `-sess` keys: the same for all uses of this nonce.
        let sessionNonce: String

        /// Eight hexadecimal digits.
        var digits: String { String(count, radix: 16).zeroPadded(to: 8) }
    }

    private struct Key: Hashable {
        let space: ProtectionSpace
        let nonce: String
    }

    private struct Entry {
        var count: UInt32 = 0
        let sessionNonce = ClientNonce.make()
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The same keys, oldest first.
        var order: [Key] = []
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: the maximum number of nonces; the oldest half is dropped when it is reached
    init(capacity: Int = 16_384) { self.capacity = capacity }

    /// The next use of a nonce.
    func use(_ nonce: String, in space: ProtectionSpace) -> Use {
        change(nonce, space) { entry in
            entry.count &+= 1
            return Use(count: entry.count, sessionNonce: entry.sessionNonce)
        }
    }

    /// The client nonce that all uses of a nonce share under a `-sess` algorithm.
    func sessionNonce(for nonce: String, in space: ProtectionSpace) -> String {
        change(nonce, space) { $0.sessionNonce }
    }

    private func change<Result>(_ nonce: String, _ space: ProtectionSpace, _ body: (inout Entry) -> Result) -> Result {
        let key = Key(space: space, nonce: nonce)
        return state.withLock { state in
            var entry = state.entries[key] ?? Entry()
            if state.entries[key] == nil {
                if state.order.count >= capacity {
                    for old in state.order.prefix(capacity / 2) { state.entries[old] = nil }
                    state.order.removeFirst(capacity / 2)
                }
                state.order.append(key)
            }
            let result = body(&entry)
            state.entries[key] = entry
            return result
        }
    }
}

/// Makes client nonces.
enum ClientNonce {
    /// 128 random bits as hexadecimal digits.
    static func make() -> String { Hexadecimal.text(RandomBytes.make(16)) }
}
