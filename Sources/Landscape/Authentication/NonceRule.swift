/// How long a Digest nonce is good for.
package struct NonceRule: Sendable, Hashable {
    /// How long after its issue it may be used, by the landscape's clock.
    package var lifetime: Duration
    /// How many requests it is good for; nil means any number.
    package var uses: Int?
    /// What a repeated nonce count is answered with: false like a wrong password, true like an old nonce.
    package var replayIsStale: Bool

    /// Five minutes and any number of uses, unless told otherwise.
    package init(lifetime: Duration = .seconds(300), uses: Int? = nil, replayIsStale: Bool = false) {
        self.lifetime = lifetime
        self.uses = uses
        self.replayIsStale = replayIsStale
    }
}
