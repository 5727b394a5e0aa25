/// The reason why a party of the landscape refuses a SAML2 message.
struct SAMLFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
