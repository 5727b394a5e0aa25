/// A fault of a response of the identity provider, see ``Landscape/failAssertions(_:times:)``.
package enum SAMLAssertionFault: String, Sendable, Hashable, CaseIterable, Codable {
    /// The name is changed after signing.
    case tampered
    /// A bit of the signature is flipped.
    case badSignature
    /// There is no signature.
    case unsigned
    /// The signature is made with an unknown key.
    case unknownKey
    /// The assertion expired an hour ago.
    case expired
    /// The assertion is for another service provider.
    case wrongAudience
    /// The recipient is another URL.
    case wrongRecipient
    /// The response answers an unknown request.
    case wrongInResponseTo
    /// The response is from another identity provider.
    case wrongIssuer
    /// The status is a failed login, without an assertion.
    case denied
    /// The relay state is missing.
    case lostRelayState
}
