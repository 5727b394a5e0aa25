import HTTPTypes
import HttpConvFormats
import HttpConversation
import Synchronization

/// The last nonce of each server (RFC 9449 §8.2, §9). Their number and length are bounded.
final class DPoPNonces: Sendable {
    /// The role of a server. One origin may have both, with separate nonces.
    enum Role: Hashable, Sendable {
        case authorization, resource
    }

    private struct Server: Hashable {
        let origin: Origin
        let role: Role
    }

    static let maximumServers = 64
    static let maximumLength = 1024
    private let nonces = Mutex<[Server: String]>([:])

    func nonce(of origin: Origin, _ role: Role) -> String? {
        nonces.withLock { $0[Server(origin: origin, role: role)] }
    }

    /// Remembers the nonce of any response, also of a success.
    ///
    /// - Returns: whether the response has exactly one, and its characters are those of RFC 9449 §8.1
    @discardableResult
    func note(_ fields: HTTPFields, from origin: Origin, _ role: Role) -> Bool {
        guard let nonce = fields[.dpopNonce] else { return false }
        guard fields[values: .dpopNonce].count == 1, (1...Self.maximumLength).contains(nonce.utf8.count),
            nonce.isNQChars
        else { return false }
        let server = Server(origin: origin, role: role)
        nonces.withLock { nonces in
            if nonces[server] == nil, nonces.count >= Self.maximumServers, let other = nonces.keys.first {
                nonces[other] = nil
            }
            nonces[server] = nonce
        }
        return true
    }
}
