import Foundation
import LandscapeSupport
import TestSupport
import Testing

// Serialized, because each test sends many requests, and all of them at once would delay each other.
@Suite(.landscape, .serialized, .timeLimit(.minutes(1))) struct SAMLResponseTests {
    private let landscape: Landscape
    private let person: SAMLPerson

    init() throws {
        landscape = try .current
        person = try SAMLPerson(landscape)
    }

    private static func isAnswer(_ page: SAMLPerson.Page) -> Bool {
        page.form?.fields["SAMLResponse"] != nil || page.answer["location"]?.contains("SAMLart=") == true
    }

    /// The page of the identity provider that carries the answer.
    private static func answer(_ person: SAMLPerson, _ variant: String = "post-post") async throws -> SAMLPerson.Page {
        try await person.logIn(try await person.start("/saml/\(variant)/page"), until: isAnswer)
    }

    private static func document(_ page: SAMLPerson.Page) throws -> String {
        let data = try #require(page.form?.fields["SAMLResponse"].flatMap { Data(base64Encoded: $0) })
        return String(decoding: data, as: UTF8.self)
    }

    private static func encode(_ text: String) -> [String: String] {
        ["SAMLResponse": Data(text.utf8).base64EncodedString()]
    }

    /// Whether xmlsec1 accepts the assertion's signature.
    private static func isVerified(_ document: String, _ landscape: Landscape) async throws -> Bool {
        let key = try TemporaryFile("key.pem", contents: Data(try landscape.identityProviderKeyPEM().utf8))
        let file = try TemporaryFile("response.xml", contents: Data(document.utf8))
        let outcome = try await Program.run(
            "/usr/bin/xmlsec1",
            [
                "--verify", "--pubkey-pem", key.path, "--id-attr:ID",
                "urn:oasis:names:tc:SAML:2.0:assertion:Assertion", file.path,
            ])
        return outcome.status == 0
    }

    @Test func xmlsecVerifiesTheAssertion() async throws {
        // A name that needs escaping, in text and in an attribute.
        landscape.addUser("<&\"zoë\">", password: "p")
        let form = try await person.start("/saml/post-post/page?a=<&")
        let page = try await person.logIn(form, user: "<&\"zoë\">", password: "p", until: Self.isAnswer)
        let document = try Self.document(page)
        #expect(try await Self.isVerified(document, landscape))
        let changed = document.replacingOccurrences(of: "zoë", with: "zoe")
        #expect(changed != document)
        #expect(try await !Self.isVerified(changed, landscape))
        #expect(
            try await person.request(landscape.identityProvider() + "/idp/key.pem").answer.body
                .contains("BEGIN PUBLIC KEY"))
        #expect(try await person.follow(page).user == "<&\"zoë\">")
    }

    @Test(arguments: [
        ("alice</saml:NameID>", "mallory</saml:NameID>"), ("<ds:DigestValue>", "<ds:DigestValue>AAAA"),
        ("<ds:SignatureValue>", "<ds:SignatureValue>AAAA"), ("#rsa-sha256", "#rsa-sha1"),
        ("<saml:Assertion ", "<saml:Assertion><saml:Subject></saml:Subject></saml:Assertion><saml:Assertion "),
        ("</samlp:Response>", "<!-- --></samlp:Response>"), ("</samlp:Response>", ""),
        ("alice</saml:NameID>", "alice<!-- -->.evil</saml:NameID>"),
    ])
    func aChangedResponseIsRefused(old: String, new: String) async throws {
        let page = try await Self.answer(person)
        let document = try Self.document(page)
        let changed = document.replacingOccurrences(of: old, with: new)
        try #require(changed != document)
        let refusal = try await person.submit(page, Self.encode(changed))
        #expect(refusal.answer.status == 403 && refusal.answer["set-cookie"] == nil)
        #expect(landscape.samlCounters.assertionsRefused == 1 && landscape.samlCounters.assertionsConsumed == 0)
        // The request is still unanswered, so the right response is accepted.
        #expect(try await person.follow(page).user == "alice")
    }

    @Test(arguments: SAMLAssertionFault.allCases, ["post-post", "redirect-artifact"])
    func faultsAreRefused(fault: SAMLAssertionFault, variant: String) async throws {
        landscape.failAssertions(fault)
        let page = try await Self.answer(person, variant)
        if variant == "post-post", [.tampered, .badSignature, .unsigned, .unknownKey].contains(fault) {
            #expect(try await !Self.isVerified(try Self.document(page), landscape))
        }
        let end = try await person.follow(page)
        #expect(end.answer.status == 403 && end.url.path == "/saml/acs")
        #expect(landscape.samlCounters.injectedFaults == 1 && landscape.samlCounters.assertionsRefused == 1)
        // The next one is right, and needs no password.
        #expect(try await person.start("/saml/\(variant)/page").user == "alice")
    }

    @Test func aResponseWorksOnceAndNotLate() async throws {
        let page = try await Self.answer(person)
        #expect(try await person.submit(page).answer.status == 302)
        let replay = try await SAMLPerson(landscape).submit(page)
        #expect(replay.answer.status == 403 && replay.answer["set-cookie"] == nil)
        #expect(landscape.samlCounters.replays == 1)
        landscape.expireSAMLSessions()
        landscape.expireIdentityProviderSessions()
        let late = try await Self.answer(person)
        landscape.clock.advance(by: .seconds(301))
        #expect(try await person.submit(late).answer.body.contains("not valid now"))
        // A response for another service provider, on another port.
        let foreign = try await Self.answer(SAMLPerson(landscape))
        let fields = try #require(foreign.form?.fields)
        let arguments = fields.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
        let other = try await person.request(landscape.urlString(.other, "/saml/acs"), arguments)
        #expect(other.answer.status == 403)
    }

    @Test func anArtifactWorksOnce() async throws {
        let page = try await Self.answer(person, "post-artifact")
        let location = try #require(page.answer["location"])
        #expect(page.answer.status == 303)
        #expect(try await person.request(location).answer.status == 302)
        let again = try await SAMLPerson(landscape).request(location)
        #expect(again.answer.status == 403 && again.answer["set-cookie"] == nil)
        #expect(try await person.open("/saml/acs?SAMLart=AAQAAA").answer.status == 403)
        #expect(landscape.samlCounters.artifactsResolved == 1 && landscape.samlCounters.artifactsRefused == 1)
        #expect(landscape.count(path: "/idp/artifact") == 2)
    }

    @Test func aSessionIsGoodForItsServiceProviderOnly() async throws {
        _ = try await person.logIn(try await person.start("/saml/post-post/page"))
        let cookies = try String(contentsOf: person.cookies.url, encoding: .utf8)
        let line = try #require(cookies.split(separator: "\n").first { $0.contains("SAML_SESSION_main") })
        #expect(line.hasPrefix("#HttpOnly_127.0.0.1"))
        let value = try #require(line.split(separator: "\t").last)
        let forged = ["-H", "Cookie: SAML_SESSION_other=\(value)"]
        let other = try await Curl.run(forged + [landscape.urlString(.other, "/saml/post-post/page")])
        #expect(HTMLForm(other.text)?.fields["SAMLRequest"] != nil)
        let renamed = ["-H", "Cookie: SAML_SESSION_main=\(value)"]
        #expect(
            try await Curl.run(renamed + [landscape.urlString(.main, "/saml/post-post/page")])
                .json()["user"] as? String == "alice")
        landscape.clock.advance(by: .seconds(1801))
        #expect(try await person.open("/saml/post-post/page").isSelfSubmitting)
    }

    @Test func gatesHoldLoginsAndAssertions() async throws {
        let gates = [landscape.holdIdentityProvider(), landscape.holdAssertions()]
        async let login: SAMLPerson.Page = person.start("/saml/post-post/page")
        try await gates[0].waitForWaiters(1)
        #expect(landscape.samlCounters.loginForms == 0)
        gates[0].release()
        let form = try await login
        async let end: SAMLPerson.Page = person.logIn(form)
        try await gates[1].waitForWaiters(1)
        #expect(landscape.samlCounters.assertionsIssued == 1 && landscape.samlCounters.assertionsConsumed == 0)
        gates[1].release()
        #expect(try await end.user == "alice")
    }
}
