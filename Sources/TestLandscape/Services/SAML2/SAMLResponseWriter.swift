import Foundation

/// Writes the response with its signed assertion (saml-core-2.0, 2.3 and 3.3.3).
struct SAMLResponseWriter {
    let signOn: SignOn
    let user: String
    let authenticated: Date
    /// The entity id of the identity provider.
    let issuer: String
    let now: Date
    let lifetime: Duration
    let fault: SAMLAssertionFault?
    // The assertion is written twice, without and with its signature, and must be the same both times.
    private let session = makeID()
    private let unknownRequest = makeID()

    init(
        signOn: SignOn, login: BrowserStore<SignOnPurpose>.Login, issuer: String, now: Date, lifetime: Duration,
        fault: SAMLAssertionFault?
    ) {
        (self.signOn, user, authenticated) = (signOn, login.user, login.date)
        (self.issuer, self.now, self.lifetime, self.fault) = (issuer, now, lifetime, fault)
    }

    private static let status = "urn:oasis:names:tc:SAML:2.0:status:"
    private static let context = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"

    /// The response. It has no assertion if the user declined or a test denies the login.
    func document(isDenied: Bool) throws -> String {
        let fails = isDenied || fault == .denied
        let status = Markup.element(
            "samlp:StatusCode", ["Value": Self.status + (fails ? "Responder" : "Success")],
            fails ? Markup.element("samlp:StatusCode", ["Value": Self.status + "RequestDenied"]) : "")
        return Markup.element(
            "samlp:Response",
            [
                "xmlns:saml": Markup.assertionNamespace, "xmlns:samlp": Markup.protocolNamespace,
                "Destination": signOn.consumer, "ID": Self.makeID(), "InResponseTo": request,
                "IssueInstant": now.ISO8601Format(), "Version": "2.0",
            ],
            issuerElement + Markup.element("samlp:Status", [:], status) + (fails ? "" : try signedAssertion()))
    }

    private static func makeID() -> String { "_" + RandomToken.make() }

    private var request: String { fault == .wrongInResponseTo ? unknownRequest : signOn.request }

    private var issuerElement: String {
        let name = fault == .wrongIssuer ? "https://attacker.example/idp" : issuer
        return Markup.element("saml:Issuer", [:], Markup.text(name))
    }

    private func signedAssertion() throws -> String {
        let id = Self.makeID()
        let unsigned = assertion(id: id, signature: "")
        if fault == .unsigned { return unsigned }
        let key = try fault == .unknownKey ? SAMLServer.unknownSignature() : SAMLServer.signature()
        var signature = try key.signature(of: unsigned, id: id)
        if fault == .badSignature { signature = Self.spoil(signature) }
        let signed = assertion(id: id, signature: signature)
        guard fault == .tampered else { return signed }
        let name = Markup.text(user)
        return signed.replacingOccurrences(of: ">\(name)</saml:NameID>", with: ">mallory</saml:NameID>")
    }

    private func assertion(id: String, signature: String) -> String {
        Markup.element(
            "saml:Assertion",
            [
                "xmlns:saml": Markup.assertionNamespace, "ID": id, "IssueInstant": now.ISO8601Format(),
                "Version": "2.0",
            ], issuerElement + signature + subject + conditions + statement + attributes)
    }

    private var end: String {
        let offset = fault == .expired ? -3600 : Double(lifetime.components.seconds)
        return now.addingTimeInterval(offset).ISO8601Format()
    }

    private var subject: String {
        let recipient = fault == .wrongRecipient ? "https://attacker.example/saml/acs" : signOn.consumer
        let data = Markup.element(
            "saml:SubjectConfirmationData",
            ["InResponseTo": request, "NotOnOrAfter": end, "Recipient": recipient])
        let name = Markup.element(
            "saml:NameID", ["Format": "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"], Markup.text(user))
        return Markup.element(
            "saml:Subject", [:],
            name
                + Markup.element(
                    "saml:SubjectConfirmation", ["Method": SAMLResponseReader.bearer], data))
    }

    private var conditions: String {
        let audience = fault == .wrongAudience ? "https://attacker.example/saml" : signOn.serviceProvider
        return Markup.element(
            "saml:Conditions",
            ["NotBefore": now.addingTimeInterval(-60).ISO8601Format(), "NotOnOrAfter": end],
            Markup.element(
                "saml:AudienceRestriction", [:], Markup.element("saml:Audience", [:], Markup.text(audience))))
    }

    private var statement: String {
        Markup.element(
            "saml:AuthnStatement",
            ["AuthnInstant": authenticated.ISO8601Format(), "SessionIndex": session],
            Markup.element(
                "saml:AuthnContext", [:], Markup.element("saml:AuthnContextClassRef", [:], Self.context)))
    }

    private var attributes: String {
        Markup.element(
            "saml:AttributeStatement", [:],
            Markup.element(
                "saml:Attribute", ["Name": "uid"], Markup.element("saml:AttributeValue", [:], Markup.text(user))))
    }

    /// Changes a character of the signature's value.
    private static func spoil(_ signature: String) -> String {
        guard let start = signature.range(of: "<ds:SignatureValue>")?.upperBound else { return signature }
        let next = signature.index(after: start)
        return signature.replacingCharacters(in: start..<next, with: signature[start] == "A" ? "B" : "A")
    }
}
