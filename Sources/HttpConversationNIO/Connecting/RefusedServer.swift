import HttpConvConcurrency
import HttpConversation
import NIOCore

/// Handles a request whose server was refused: returns another connection's key or an error with the reason.
struct RefusedServer: Sendable {
    let diagnosis: CertificateDiagnosis
    /// Servers that had another key than the accepted one. BoringSSL is asked first for these.
    private let changed = RecentSet<PoolKey>(atLeast: 64)

    init(_ diagnosis: CertificateDiagnosis) { self.diagnosis = diagnosis }

    /// The key that a request uses first.
    func first(_ key: PoolKey) -> PoolKey { changed.contains(key) ? key.verified() : key }

    /// The key of the connection that may serve the request now.
    ///
    /// - Parameter limit: the time that is left for connecting
    /// - Throws: the error, explained as far as possible, or a filter's error
    func next(
        after error: ConversationError, _ key: PoolKey, within limit: Duration
    ) async throws(ConversationError) -> PoolKey {
        if error.underlyingError is OtherKey, key.trust?.isVerified == true {
            changed.insert(key)
            return key.verified()
        }
        guard error.code == .certificateNotTrusted, key.origin.scheme == .https, TLSFailure.isRefusal(error)
        else { throw error }
        let end = ContinuousClock.now + limit
        guard let trust = await diagnosis.trust(of: key, within: limit) else { throw error }
        let refusal = trust.failure(at: key.origin)
        guard let judgement = key.trust else { throw refusal }
        if !judgement.terms.accepts(trust) {
            let judged = await Deadline.race(end - .now, clock: ContinuousClock()) { () -> ConversationError? in
                do throws(ConversationError) {
                    try await judgement.policy.check(trust, of: key.origin)
                    return nil
                } catch { return error }
            }
            guard let judged else { throw refusal }
            if let judged { throw judged }
        }
        var next = key
        next.trust = ServerJudgement(judgement.policy, for: key.origin, isVerified: true)
        guard let keys = next.trust?.keys, let found = trust.summary, keys.contains(found.publicKeyFingerprint) else {
            throw refusal
        }
        return next
    }
}

/// The server's key differs from those that a connection was made for.
struct OtherKey: Error {}
