/// What can be wrong with a response of the identity provider, see ``Landscape/failAssertions(_:times:)``.
package enum SAMLAssertionFault: String, Sendable, Hashable, CaseIterable, Codable {
    /// The name is changed after signing.
    case tampered
    /// A bit of the signature is flipped.
    case badSignature
    /// There is no signature.
    case unsigned
    /// Signed with a key that nobody knows.
    case unknownKey
    /// Expired an hour ago.
    case expired
    /// For another service provider.
    case wrongAudience
    /// To be delivered elsewhere.
    case wrongRecipient
    /// Answers a request that nobody made.
    case wrongInResponseTo
    /// From another identity provider.
    case wrongIssuer
    /// A status that says that the login failed, and no assertion.
    case denied
    /// The relay state does not come back.
    case lostRelayState
}
