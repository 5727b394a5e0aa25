/// The lifetime and use of Digest nonces.
package struct NonceRule: Sendable, Hashable {
    /// The time for which a nonce is valid, by the landscape's clock.
    package var lifetime: Duration
    /// The number of requests for a nonce; nil: any number.
    package var uses: Int?

    /// A rule; by default five minutes and any number of uses.
    package init(lifetime: Duration = .seconds(300), uses: Int? = nil) {
        self.lifetime = lifetime
        self.uses = uses
    }
}
