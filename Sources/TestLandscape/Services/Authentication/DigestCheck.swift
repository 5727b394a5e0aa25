import HTTPTypes
import HummingbirdCore
import NIOCore

/// Checks an exchange against a Digest realm.
struct DigestCheck: Sendable {
    /// The result of the check.
    enum Outcome {
        case passed(LandscapeUser, DigestAnswer)
        case refused(stale: Bool)
    }

    let realm: DigestRealm

    func check(_ exchange: ServerExchange, body: [UInt8]) -> Outcome {
        guard exchange.field("Authorization") != nil else { return .refused(stale: false) }
        let shared = exchange.shared
        guard let answer = DigestAnswer(exchange, realm: realm),
            let user = shared.users.user(named: answer.username, in: realm.realm),
            answer.proves(user, method: exchange.method, bodyHash: answer.algorithm.hex(body))
        else {
            shared.counters.count(\.failedLogins)
            return .refused(stale: false)
        }
        switch shared.nonces.use(answer.nonce, realm: realm.realm, count: answer.qop == nil ? nil : answer.count) {
        case .good where !realm.isAlwaysStale:
            shared.counters.count(\.authenticated)
            return .passed(user, answer)
        case .good, .expired:
            shared.counters.count(\.staleNonces)
            return .refused(stale: true)
        case .replayed:
            shared.counters.count(\.replayedNonceCounts)
            return .refused(stale: false)
        }
    }

    /// The value of `Authentication-Info` (RFC 7616, 3.5).
    func information(_ answer: DigestAnswer, _ user: LandscapeUser, body: [UInt8], shared: SharedState) -> String {
        var parts: [String] = []
        if realm.announcesNext {
            parts.append("nextnonce=\"\(shared.nonces.issue(realm: realm.realm, uses: realm.nonceUses))\"")
        }
        if let qop = answer.qop {
            parts.append("qop=\(qop)")
            parts.append("rspauth=\"\(answer.proofOfServer(user, bodyHash: answer.algorithm.hex(body)))\"")
            parts.append("cnonce=\"\(answer.parameters["cnonce"] ?? "")\"")
            parts.append("nc=\(answer.parameters["nc"] ?? "")")
        }
        return parts.joined(separator: ", ")
    }
}
