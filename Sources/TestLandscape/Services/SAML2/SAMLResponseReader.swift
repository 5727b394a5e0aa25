import Foundation

/// The contents of a valid response at the service provider.
///
/// It is a test double: it checks only the parts that matter to the tests, and only documents of the landscape's own
/// identity provider.
struct SAMLResponseReader {
    static let bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"

    let user: String
    /// The id of the answered request.
    let request: String

    /// Throws ``SAMLFailure`` with the first problem.
    ///
    /// - Parameters:
    ///   - response: the `Response` element, at any place in the document
    ///   - base: scheme, host and port of the service provider
    ///   - issuer: the entity id of its identity provider
    init(_ response: MarkupElement, in document: [UInt8], base: String, issuer: String, now: Date) throws {
        func demand(_ condition: Bool, _ problem: String) throws {
            if !condition { throw SAMLFailure(problem) }
        }
        try demand(response.name == "Response", "This is not a response.")
        let consumer = SAMLParty.consumer(base)
        try demand(response.attributes["Destination"] == consumer, "The response is for somebody else.")
        let status = response.at("Status", "StatusCode")
        try demand(
            status?.attributes["Value"]?.hasSuffix(":status:Success") == true,
            "The identity provider says: \(status?.all.last?.attributes["Value"] ?? "nothing").")
        // The response has exactly one assertion, so no other one can be taken for the signed one.
        guard response.all.filter({ $0.name == "Assertion" }).count == 1, let assertion = response.only("Assertion")
        else { throw SAMLFailure("There is no assertion, or more than one.") }
        if let fault = try SAMLServer.signature().fault(of: assertion, in: document) {
            throw SAMLFailure("The assertion is not to be trusted: \(fault).")
        }
        try demand(assertion.only("Issuer")?.text == issuer, "The assertion is from somebody else.")
        let conditions = assertion.only("Conditions")
        try demand(
            conditions?.at("AudienceRestriction", "Audience")?.text == SAMLParty.serviceProvider(base),
            "The assertion is meant for somebody else.")
        let confirmation = assertion.at("Subject", "SubjectConfirmation")
        let data = confirmation?.only("SubjectConfirmationData")?.attributes ?? [:]
        try demand(confirmation?.attributes["Method"] == Self.bearer, "Nobody may bring the assertion.")
        try demand(data["Recipient"] == consumer, "The assertion should have gone elsewhere.")
        try demand(
            Self.date(conditions?.attributes["NotBefore"]).map { $0 <= now } == true
                && Self.date(conditions?.attributes["NotOnOrAfter"]).map { now < $0 } == true
                && Self.date(data["NotOnOrAfter"]).map { now < $0 } == true, "The assertion is not valid now.")
        guard let request = data["InResponseTo"], response.attributes["InResponseTo"] == request,
            let user = assertion.at("Subject", "NameID")?.text
        else { throw SAMLFailure("The response answers no request.") }
        (self.user, self.request) = (user, request)
    }

    private static func date(_ text: String?) -> Date? {
        text.flatMap { try? Date($0, strategy: .iso8601) }
    }
}
