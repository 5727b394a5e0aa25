import HttpConversation

/// The judgement of a server's certificate by filters and BoringSSL. A class, because it is part of every pool key;
/// keys are passed around a lot, and it is nearly always nil.
final class ServerJudgement: Sendable {
    let policy: ServerTrustPolicy
    /// The filters' terms for this server, given before the handshake.
    let terms: ServerTrustTerms
    /// The accepted keys for a connection that BoringSSL does not judge; the server must have one of them. They are the
    /// keys that were accepted for this origin, or pins if verification is off. Nil: BoringSSL judges.
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

    /// The same judgement with BoringSSL as the judge.
    func verified() -> ServerJudgement { ServerJudgement(policy, terms, nil, isVerified: isVerified) }
}

extension ServerJudgement: Hashable {
    static func == (one: ServerJudgement, other: ServerJudgement) -> Bool {
        one === other || one.policy == other.policy && one.keys == other.keys && one.terms == other.terms
    }

    func hash(into hasher: inout Hasher) { hasher.combine(policy) }
}
