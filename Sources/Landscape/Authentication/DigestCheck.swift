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

    func check(_ exchange: ServerExchange, body: [UInt8] = []) -> Outcome {
        guard exchange.field("Authorization") != nil else { return .refused(stale: false) }
        let world = exchange.world
        guard let answer = DigestAnswer(exchange, realm: realm),
            let user = world.users.user(named: answer.username, in: realm.realm),
            answer.proves(user, method: exchange.method, bodyHash: answer.algorithm.hex(body))
        else {
            world.tally.count(\.failedLogins)
            return .refused(stale: false)
        }
        switch world.nonces.use(answer.nonce, realm: realm.realm, count: answer.qop == nil ? nil : answer.count) {
        case .good where !realm.isAlwaysStale:
            world.tally.count(\.authenticated)
            return .passed(user, answer)
        case .good, .expired:
            world.tally.count(\.staleNonces)
            return .refused(stale: true)
        case .replayed:
            world.tally.count(\.replayedNonceCounts)
            return .refused(stale: world.nonces.rule.replayIsStale)
        }
    }

    /// The value of `Authentication-Info` (RFC 7616, 3.5).
    func information(_ answer: DigestAnswer, _ user: LandscapeUser, body: [UInt8], world: World) -> String {
        var parts: [String] = []
        if realm.announcesNext {
            parts.append("nextnonce=\"\(world.nonces.issue(realm: realm.realm, uses: realm.nonceUses))\"")
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
