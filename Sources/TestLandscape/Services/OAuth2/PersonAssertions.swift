import Foundation
import Synchronization

/// The assertions about a person that clients exchange for tokens: SAML 2.0 (RFC 7522) and JSON web tokens (RFC 7523,
/// 2.1), which ``AssertionCheck`` verifies.
final class PersonAssertions: Sendable {
    private let clock: LandscapeClock
    private let used = Mutex<Set<String>>([])

    init(clock: LandscapeClock) {
        self.clock = clock
    }

    func reset() { used.withLock { $0.removeAll() } }

    /// A signed SAML assertion for a token endpoint.
    ///
    /// - Parameters:
    ///   - audience: the issuer of the authorization server
    ///   - recipient: its token endpoint
    func makeSAML(
        user: String, audience: String, recipient: String, lifetime: Duration
    ) throws -> String {
        let id = "_" + RandomToken.make()
        let now = clock.date
        let end = now.addingTimeInterval(lifetime / .seconds(1)).ISO8601Format()
        let confirmation = Markup.element(
            "saml:SubjectConfirmation", ["Method": SAMLResponseReader.bearer],
            Markup.element("saml:SubjectConfirmationData", ["NotOnOrAfter": end, "Recipient": recipient]))
        let audiences = Markup.element(
            "saml:AudienceRestriction", [:], Markup.element("saml:Audience", [:], Markup.text(audience)))
        func assertion(_ signature: String) -> String {
            Markup.element(
                "saml:Assertion",
                [
                    "xmlns:saml": Markup.assertionNamespace, "ID": id, "IssueInstant": now.ISO8601Format(),
                    "Version": "2.0",
                ],
                Markup.element("saml:Issuer", [:], Markup.text("https://idp.example")) + signature
                    + Markup.element(
                        "saml:Subject", [:], Markup.element("saml:NameID", [:], Markup.text(user)) + confirmation)
                    + Markup.element("saml:Conditions", ["NotOnOrAfter": end], audiences))
        }
        return assertion(try SAMLServer.signature().signature(of: assertion(""), id: id))
    }

    /// The user of a SAML assertion in base64url.
    func user(ofSAML text: String, issuer: String, tokenEndpoint: String) throws -> String {
        guard let bytes = Base64URL.bytes(text), let assertion = MarkupElement.read(bytes),
            assertion.name == "Assertion", let id = assertion.attributes["ID"]
        else { throw OAuthFailure.invalidGrant("this is not an assertion in base64url") }
        if let fault = try SAMLServer.signature().fault(of: assertion, in: bytes) {
            throw OAuthFailure.invalidGrant("the assertion is not to be trusted: \(fault)")
        }
        let conditions = assertion.only("Conditions")
        let data = assertion.at("Subject", "SubjectConfirmation", "SubjectConfirmationData")?.attributes ?? [:]
        guard conditions?.at("AudienceRestriction", "Audience")?.text == issuer, data["Recipient"] == tokenEndpoint
        else { throw OAuthFailure.invalidGrant("the assertion is for another server") }
        guard let end = conditions?.attributes["NotOnOrAfter"].flatMap({ try? Date($0, strategy: .iso8601) }),
            clock.date < end
        else { throw OAuthFailure.invalidGrant("the assertion has expired") }
        guard used.withLock({ $0.insert(id).inserted }) else {
            throw OAuthFailure.invalidGrant("the assertion was used before")
        }
        guard let user = assertion.at("Subject", "NameID")?.text else {
            throw OAuthFailure.invalidGrant("the assertion is about nobody")
        }
        return user
    }
}
