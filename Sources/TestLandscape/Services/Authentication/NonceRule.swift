/// The lifetime and use of Digest nonces.
package struct NonceRule: Sendable, Hashable {
    /// The time for which a nonce is valid, by the landscape's clock.
    package var lifetime: Duration
    /// The number of requests for a nonce; nil means any number.
    package var uses: Int?
    /// The answer to a repeated nonce count: false as to a wrong password, true as to an old nonce.
    package var replayIsStale: Bool

    /// A rule; by default five minutes and any number of uses.
    package init(lifetime: Duration = .seconds(300), uses: Int? = nil, replayIsStale: Bool = false) {
        self.lifetime = lifetime
        self.uses = uses
        self.replayIsStale = replayIsStale
    }
}
