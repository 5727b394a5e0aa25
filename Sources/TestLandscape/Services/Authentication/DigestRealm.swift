import HummingbirdCore

/// A protection space with Digest authentication (RFC 7616, RFC 2069).
struct DigestRealm: Sendable {
    let realm: String
    let algorithms: [DigestAlgorithm]
    /// `-sess`: the session key includes the first client nonce.
    var isSession = false
    /// The offered qualities of protection; empty means RFC 2069.
    var qop = ["auth"]
    /// The URIs that share the space.
    var domain: String?
    /// Whether every right answer is called stale.
    var isAlwaysStale = false
    /// The number of requests for a nonce, if this realm is stricter than the rule.
    var nonceUses: Int?
    /// Whether a successful answer names the next nonce.
    var announcesNext = false
    /// Whether the challenge names the algorithm. Servers of RFC 2069 do not.
    var namesAlgorithm = true

    /// One challenge per algorithm, each with its own nonce.
    func challenges(shared: SharedState, stale: Bool) -> [String] {
        algorithms.map { algorithm in
            let nonce = shared.nonces.issue(realm: realm, uses: nonceUses)
            var parts = ["realm=\(QuotedString.make(realm))", "nonce=\"\(nonce)\"", "opaque=\"landscape\""]
            if namesAlgorithm { parts.append("algorithm=\(name(of: algorithm))") }
            if !qop.isEmpty { parts.append("qop=\"\(qop.joined(separator: ", "))\"") }
            if let domain { parts.append("domain=\"\(domain)\"") }
            if !qop.isEmpty { parts.append("charset=UTF-8") }
            if stale { parts.append("stale=true") }
            return "Digest " + parts.joined(separator: ", ")
        }
    }

    func name(of algorithm: DigestAlgorithm) -> String {
        algorithm.rawValue + (isSession ? "-sess" : "")
    }

    /// The algorithm that the client names; MD5 if it names none.
    func algorithm(named name: String?) -> DigestAlgorithm? {
        let wanted = (name ?? "MD5").lowercased()
        return algorithms.first { self.name(of: $0).lowercased() == wanted }
    }
}
