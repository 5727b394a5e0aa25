import Foundation

/// An authentication request as read by the identity provider (saml-core-2.0, 3.4.1).
struct SignOn: Sendable {
    let request: String
    /// The entity id of the service provider.
    let serviceProvider: String
    /// The URL for the response.
    let consumer: String
    let binding: SAMLBinding
    let relayState: String?
    let forcesLogin: Bool
    let style: SAMLLoginStyle

    /// Reads a request to the exchange's identity provider. Only service providers of the landscape are accepted.
    init(_ document: [UInt8], relayState: String?, style: SAMLLoginStyle, _ exchange: ServerExchange) throws {
        guard let root = MarkupElement.read(document), root.name == "AuthnRequest",
            let id = root.attributes["ID"], let issuer = root.only("Issuer")?.text,
            let consumer = root.attributes["AssertionConsumerServiceURL"],
            let binding = SAMLBinding(uri: root.attributes["ProtocolBinding"]), binding != .redirect
        else { throw SAMLFailure("This is not an authentication request.") }
        guard root.attributes["Destination"] == SAMLParty.signOn(exchange.ownBase, style) else {
            throw SAMLFailure("The request is for somebody else.")
        }
        let base = String(issuer.dropLast("/saml".count))
        guard SAMLParty.serviceProvider(base) == issuer, SAMLParty.consumer(base) == consumer,
            exchange.shared.addresses.origin(ofBase: base) != nil
        else { throw SAMLFailure("The service provider is not known here.") }
        request = id
        serviceProvider = issuer
        self.consumer = consumer
        self.binding = binding
        self.relayState = relayState
        forcesLogin = root.attributes["ForceAuthn"] == "true"
        self.style = style
    }

    /// Writes a request.
    static func document(
        id: String, variant: SAMLVariant, base: String, destination: String, date: Date
    ) -> String {
        var attributes = [
            "xmlns:saml": Markup.assertionNamespace, "xmlns:samlp": Markup.protocolNamespace, "ID": id,
            "AssertionConsumerServiceURL": SAMLParty.consumer(base), "Destination": destination,
            "IssueInstant": date.ISO8601Format(), "ProtocolBinding": variant.response.uri, "Version": "2.0",
        ]
        if variant.forcesLogin { attributes["ForceAuthn"] = "true" }
        return Markup.element(
            "samlp:AuthnRequest", attributes,
            Markup.element("saml:Issuer", [:], Markup.text(SAMLParty.serviceProvider(base))))
    }
}

/// The purpose of a form of the identity provider.
enum SignOnPurpose: Sendable {
    /// A browser was redirected to the form and has not loaded it yet.
    case show(SignOn)
    case credentials(SignOn)
    case password(SignOn, user: String)
    case passcode(SignOn, user: String)
    case consent(SignOn)
}
