import HttpConversation

/// How the certificate of a server is judged where filters have a say about it. A class: it is part of every pool key, which is
/// handed around a lot, and nearly always nil.
final class ServerJudgement: Sendable {
    let policy: ServerTrustPolicy
    /// What filters said beforehand about this server.
    let terms: ServerTrustTerms
    /// The keys of which the server must have one, for a connection that BoringSSL doesn't judge: keys that were accepted
    /// for this origin, or pins where verification is switched off. Nil: BoringSSL judges.
    let keys: Set<[UInt8]>?
    /// Whether the transport verifies servers.
    let isVerified: Bool

    private init(_ policy: ServerTrustPolicy, _ terms: ServerTrustTerms, _ keys: Set<[UInt8]>?, isVerified: Bool) {
        self.policy = policy
        self.terms = terms
        self.keys = keys
        self.isVerified = isVerified
    }

    convenience init(_ policy: ServerTrustPolicy, for origin: Origin, isVerified: Bool) {
        let terms = policy.terms(for: origin)
        let keys = isVerified ? (terms.acceptedKeys.isEmpty ? nil : terms.acceptedKeys) : terms.pins
        self.init(policy, terms, keys, isVerified: isVerified)
    }

    /// The same with BoringSSL as the judge.
    func verified() -> ServerJudgement { ServerJudgement(policy, terms, nil, isVerified: isVerified) }
}

extension ServerJudgement: Hashable {
    static func == (one: ServerJudgement, other: ServerJudgement) -> Bool {
        one === other || one.policy == other.policy && one.keys == other.keys && one.terms == other.terms
    }

    func hash(into hasher: inout Hasher) { hasher.combine(policy) }
}

/// A server has another key than those that a connection was made for.
struct OtherKey: Error {}
