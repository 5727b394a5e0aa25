import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvWebStrategies

/// The origins that entered values may be sent to, whatever a page says (security rule S14).
@Suite(.timeLimit(.minutes(1))) struct AnswerOriginTests {
    private static let start = "GET \(PageServer.start)"
    private static let evil = "evil.example"

    private func answers(_ origins: String...) throws -> FormAnswers {
        try FormAnswers(["pw": .text("canary"), "word": .text("canary")], origins: origins)
    }

    /// The requests that carry the entered value.
    private func carriers(_ server: PageServer) -> [String] { server.log.filter { $0.contains("canary") } }

    /// A path that starts with two slashes is a path, not another host.
    @Test(arguments: ["", " action=''", " action='#'"], ["get", "post"])
    func aPathIsNoHost(action: String, method: String) async throws {
        let page = "https://sp.example//evil.example:1/login"
        let form = "<form method=\(method)\(action)><input name=word></form>"
        let server = PageServer([
            Self.start: [PageServer.redirect(page)], "GET \(page)": [PageServer.html(form)],
            "GET \(page)?word=canary": [PageServer.redirect("/done")], "POST \(page)": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(answers: answers("https://sp.example"))
        #expect(carriers(server) == [method == "get" ? "GET \(page)?word=canary" : "POST \(page) word=canary"])
    }

    /// Actions that browsers read as another origin, or as invalid.
    @Test(
        arguments: [
            "//evil.example/x", "/\t/evil.example/x", "\\\\evil.example/x", "/\\evil.example/x",
            "https:\\\\evil.example\\x", "https://sp.example@evil.example/", "https://alice:pw@sp.example/x",
            "https://evil.example\\@sp.example/", "ht\ntps://evil.example/", " //evil.example",
            "https:///evil.example/x",
            "https&#58;//evil.example", "https://sp.example:1/", "https://sp.example.evil.example/",
        ], ["get", "post"])
    func otherOriginsGetNothing(action: String, method: String) async throws {
        for form in [
            "<form method=\(method) action='\(action)'><input name=word></form>",
            "<form method=\(method) action=/x><input name=word><button formaction='\(action)'>Go</button></form>",
        ] {
            let server = PageServer([Self.start: form])
            await #expect(throws: WebLoginError.self) {
                try await server.logIn(answers: answers("https://sp.example"))
            }
            #expect(server.log == [Self.start], "the page was seen, and nothing else was asked")
        }
    }

    @Test(arguments: ["https://evil.example/", "//evil.example/a/", "/\t/evil.example/"], ["get", "post"])
    func aBaseMovesNothingElsewhere(base: String, method: String) async throws {
        let form = "<base href='\(base)'><form method=\(method) action=x><input name=word></form>"
        let server = PageServer([Self.start: form, "POST https://sp.example/x": "", "GET https://sp.example/x": ""])
        _ = try? await server.logIn(answers: answers("https://sp.example"))
        #expect(server.log.first == Self.start && !server.log.contains { $0.contains(Self.evil) })
    }

    /// The button that a prepared answer names sends the form elsewhere than the first button.
    @Test(arguments: [true, false]) func theButtonThatIsUsedCounts(isAttended: Bool) async throws {
        let form = """
            <form method=post action=/x><input name=pw type=password><button name=go value=a>A</button>
            <button name=go value=b formaction='https://evil.example/'>B</button></form>
            """
        let server = PageServer([Self.start: form])
        let answers = try FormAnswers(
            ["pw": .text("canary"), "go": .text("b")], origins: ["https://sp.example"])
        // Even a person who agrees to everything does not send prepared answers to other origins.
        let question = "Your input for https://sp.example will be sent to https://evil.example. Send it there?"
        let person = isAttended ? FakePerson([question: ["yes", "yes"]]) : nil
        let error = await #expect(throws: WebLoginError.self) { try await server.logIn(person, answers: answers) }
        #expect(error?.code == .answersNotAllowed)
        #expect(server.log == [Self.start])
    }

    /// A redirect of the submission may repeat its body.
    @Test(arguments: [301, 302, 303, 307, 308]) func redirectsOfTheSubmission(status: Int) async throws {
        let server = PageServer([
            Self.start: [PageServer.html("<form method=post action=/a><input name=pw type=password></form>")],
            "POST https://sp.example/a": [
                PageServer.redirect("https://evil.example/", .init(code: status, reasonPhrase: ""))
            ],
            "GET https://evil.example/": [PageServer.redirect("https://sp.example/done")],
        ])
        let replays = [307, 308].contains(status)
        if replays {
            let error = await #expect(throws: WebLoginError.self) {
                try await server.logIn(answers: answers("https://sp.example"))
            }
            #expect(error?.message.contains("https://evil.example") == true)
        } else {
            _ = try await server.logIn(answers: answers("https://sp.example"))
        }
        #expect(carriers(server) == ["POST https://sp.example/a pw=canary"])
        #expect(server.log.contains("GET https://evil.example/") == !replays)
    }
}
