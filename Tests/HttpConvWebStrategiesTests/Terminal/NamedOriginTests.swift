import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvWebStrategies

/// The origins whose questions need no consent (security rule S21).
@Suite(.timeLimit(.minutes(1))) struct NamedOriginTests {
    private static let start = "GET \(PageServer.start)"
    private static let question =
        "The SAML2 login at https://sp.example has led to https://idp.example, which neither you nor your settings have "
        + "named. Do you trust it with what it asks for?"

    /// A login that leads to a page of another origin, which asks twice.
    private func server(_ field: String) -> PageServer {
        let form = "<form method=post action=/a>\(field)</form>"
        return PageServer([
            Self.start: [PageServer.redirect("https://idp.example/")],
            "GET https://idp.example/": [PageServer.html(form)],
            "POST https://idp.example/a": [PageServer.html(form), PageServer.redirect("https://sp.example/done")],
        ])
    }

    @Test(arguments: ["<input name=pw type=password>", "<input name=pw>", "<textarea name=pw></textarea>"])
    func anUnknownOriginIsConfirmedOnce(field: String) async throws {
        let server = server(field)
        let person = FakePerson([Self.question: ["yes"], "pw": ["one", "two"]])
        _ = try await server.logIn(person)
        #expect(person.asked.first == Self.question && person.asked.count == 3)
        #expect(server.log.suffix(2) == ["POST https://idp.example/a pw=one", "POST https://idp.example/a pw=two"])
    }

    @Test func whoIsNotTrustedGetsNothing() async throws {
        let server = server("<input name=pw type=password>")
        let person = FakePerson([Self.question: ["no"], "pw": ["canary"]])
        let error = await #expect(throws: WebLoginError.self) { try await server.logIn(person) }
        #expect(error?.code == .cancelled && person.asked == [Self.question])
        #expect(server.log == [Self.start, "GET https://idp.example/"], "the page was seen")
    }

    @Test(arguments: [true, false]) func namedOriginsAreNotConfirmed(byAnswers: Bool) async throws {
        let person = FakePerson(["pw": ["one", "two"]])
        let origin = try TargetURL("https://idp.example/").origin
        _ = try await server("<input name=pw type=password>").logIn(
            person, answers: byAnswers ? try FormAnswers([:], origins: [origin]) : nil,
            named: byAnswers ? [] : ["https://idp.example"])
        #expect(person.asked == ["pw (secret)", "pw (secret)"])
    }

    /// The configured start of a login is a named origin.
    @Test func theStartIsNamed() async throws {
        let server = PageServer([
            Self.start: [PageServer.html("<form method=post><input name=pw type=password></form>")],
            "POST \(PageServer.start)": [PageServer.redirect("/done")],
        ])
        let person = FakePerson(["pw": ["x"]])
        _ = try await server.logIn(person)
        #expect(person.asked == ["pw (secret)"])
    }

    /// Consent to sending values to an origin includes its later questions.
    @Test func consentCountsForTheLogin() async throws {
        let server = PageServer([
            Self.start: [
                PageServer.html("<form method=post action='https://idp.example/a'><input name=u></form>")
            ],
            "POST https://idp.example/a": [
                PageServer.html("<form method=post><input name=pw type=password></form>"),
                PageServer.redirect("https://sp.example/done"),
            ],
        ])
        let question = "Your input for https://sp.example will be sent to https://idp.example. Send it there?"
        let person = FakePerson([question: ["yes"], "u": ["alice"], "pw": ["x"]])
        _ = try await server.logIn(person)
        #expect(person.asked == [question, "u", "pw (secret)"])
    }
}
