import HttpConvAuthFlows
import HttpConversation
import Testing

@testable import HttpConvWebStrategies

/// Pages that repeat what was entered, in each text that an error shows (security rule S20).
@Suite(.timeLimit(.minutes(1))) struct RepeatedAnswerTests {
    private static let secret = "hunter2secret"
    private static let form = form(of: "password")

    private static func form(of type: String) -> String {
        "<form method=post><input name=user><input type=\(type) name=password><button>Log in</button></form>"
    }

    /// Logs in at a page that is followed by another one.
    private func failure(_ password: String, _ first: String, _ next: String) async throws -> WebLoginError {
        let server = PageServer(["GET \(PageServer.start)": first, "POST \(PageServer.start)": next])
        let answers = try FormAnswers(
            ["user": .text("alice"), "password": .text(password)], origins: ["https://sp.example"])
        let failure = await #expect(throws: WebLoginError.self) { _ = try await server.logIn(answers: answers) }
        #expect(server.arrivals.count == 2, "the page never got the answers")
        return try #require(failure)
    }

    private func expectHidden(_ error: WebLoginError, _ secret: String = "hunter2") {
        let texts =
            ["\(error)", error.message, error.pageText ?? ""] + error.missingFields.flatMap { [$0.name] + $0.choices }
        #expect(!texts.contains { $0.contains(secret) }, "\(texts)")
    }

    @Test(arguments: [
        "No login with \(secret).", "No login with \(secret)&#x301;.", "No login with \(secret)&#x200d;.",
        "No login with hunter2%73ecret.", "\(String(repeating: "x", count: 189)) \(secret).",
    ])
    func reasons(text: String) async throws {
        for form in [Self.form, Self.form(of: "text")] {
            let error = try await failure(Self.secret, form, "<p class=error>\(text)</p>" + form)
            #expect(error.code == .answersRefused && error.pageText?.unicodeScalars.contains("…") == true)
            expectHidden(error)
        }
    }

    /// HTML shows several spaces as one.
    @Test func spaces() async throws {
        let error = try await failure(
            "hunter2  sec ret", Self.form, "<p class=error>Not hunter2  sec ret.</p>" + Self.form)
        #expect(error.pageText == "Not ….")
        expectHidden(error)
    }

    /// Each part may be cut by itself.
    @Test func reasonsInParts() async throws {
        let part = "<p class=error>\(String(repeating: "x", count: 190)) \(Self.secret)</p>"
        expectHidden(try await failure(Self.secret, Self.form, part + "<p class=error>Wrong.</p>" + Self.form))
    }

    /// The names, choices and buttons of the next page.
    @Test(arguments: [
        "<input name=\(secret) required><button>x</button>", "<input type=password name=x-\(secret)><button>x</button>",
        "<select name=k required><option value=''><option value=\(secret)>a</select><button>x</button>",
        "<button name=a value=\(secret)>Allow</button><button name=b value=1>\(secret)</button>",
        "<button name=\(secret)>Allow</button><button>Deny</button>",
    ])
    func partsOfTheNextForm(controls: String) async throws {
        let error = try await failure(Self.secret, Self.form, "<form method=post action=/next>\(controls)</form>")
        #expect(error.code == .missingAnswer && !error.missingFields.isEmpty)
        expectHidden(error)
    }

    /// A name is never cut, so a secret's beginning is no sign of the secret.
    @Test func theBeginningOfASecretInAName() async throws {
        let error = try await failure(
            "password1", Self.form,
            "<form method=post action=/next><input type=password name=oldpassword><button>x</button></form>")
        #expect(error.missingFields.map(\.name) == ["oldpassword"])
    }

    /// The questions of the next page. The value of a field is sent as the page has it.
    @Test func questionsOfTheNextPage() async throws {
        let next =
            "<form method=post action=/next><label>L \(Self.secret)<input name=k value=\"v \(Self.secret)\"></label>"
            + "<select name=s required><option value=''>c<option value=x>O \(Self.secret)</select>"
            + "<button name=b value=1>B \(Self.secret)</button><button name=b value=2>c</button></form>"
        let server = PageServer(["GET \(PageServer.start)": Self.form, "POST \(PageServer.start)": next])
        let person = FakePerson([
            "user": ["alice"], "password": [Self.secret], "L …": [""], "s": ["O …"], "Go on with": ["B …"],
        ])
        _ = await #expect(throws: WebLoginError.self) {
            try await server.logIn(person, named: ["https://sp.example"])
        }
        #expect(person.asked.contains("L …=v …"), "\(person.asked)")
        #expect(!person.asked.contains { $0.contains(Self.secret) }, "\(person.asked)")
    }

    /// A user name stays, and so does a word.
    @Test func ordinaryWords() async throws {
        let page = "<p class=error>alice: wrong password, wrong.</p>" + Self.form
        #expect(try await failure("wrong", Self.form, page).pageText == "alice: wrong password, wrong.")
    }
}
