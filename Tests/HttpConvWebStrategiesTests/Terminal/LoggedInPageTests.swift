import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import Testing

@testable import HttpConvWebStrategies

/// Forms that nobody has asked to send, without a person: those of pages for people who are logged in, and of the site
/// that a login leads to.
@Suite(.timeLimit(.minutes(1))) struct LoggedInPageTests {
    private static let start = "GET \(PageServer.start)"
    private static let login =
        "<form method=post action=/in><input name=user><input type=password name=password><button>Log in</button></form>"

    /// Logs in, and looks at the page that the password leads to.
    ///
    /// - Parameter first: the page without a login before it
    private func failure(
        _ page: String, _ answers: [String: FormAnswers.Answer] = [:], first: Bool = false,
        status: HTTPResponse.Status = .ok
    ) async throws -> (error: WebLoginError, server: PageServer) {
        let known: [String: FormAnswers.Answer] = ["user": .text("alice"), "password": .text("canary")]
        let server = PageServer([
            Self.start: [PageServer.html(first ? page : Self.login)],
            "POST https://sp.example/in": [PageServer.html(page, status: status)],
        ])
        let all = try FormAnswers(known.merging(answers) { $1 }, origins: ["https://sp.example"])
        let error = try #require(
            await #expect(throws: WebLoginError.self) { _ = try await server.logIn(answers: all) })
        let last = first ? Self.start : "POST https://sp.example/in user=alice&password=canary"
        #expect(server.log.last == last, "nothing was sent after the page")
        return (error, server)
    }

    private static let link = "<a href=/out>Log out</a>"
    private static let button = "<form method=post action=/bye><button>Sign out</button></form>"

    /// A page for a new user, and one for a profile, beside a link or a button to log out.
    @Test(
        arguments: [
            "<form method=post action=/users><input name=user><input type=password name=password><button>Create</button></form>",
            "<form method=post action=/me><input type=password name=newpass required><input type=password name=passchk required>"
                + "<input type=password name=oldpass><button>Save</button></form>",
            "<form action=/find><input name=q><button>Search</button></form>"
                + "<form method=post action=/me><input type=password name=password><button>Delete my account</button></form>",
            "<form method=post action=/me><input type=password name=passcode autocomplete=current-password><button>Delete</button></form>",
        ], [link, button, "<a href='/session/logout?x=1'>Bye</a>", "<a href=/off>Abmelden</a>"])
    func noPasswordIsSentToPeopleWhoAreLoggedIn(_ form: String, _ leaves: String) async throws {
        let (error, _) = try await failure(leaves + form, first: true)
        #expect(error.code == .pageFailed && error.missingFields.isEmpty)
        #expect(error.message.contains("log out"), "\(error)")
    }

    /// The page after a login asks for nothing that a login needs.
    @Test(arguments: [
        "<form action=/find><input name=q><button>Search</button></form>",
        "<form action=/find><input name=q value=hello><button>Search</button></form>",
        "<form action=/find><input name=q></form><form action=/go><input name=id></form>",
        "<form action=/find><input name=q></form><form method=post action=/backup><button>Start</button></form>",
        "\(link)<form action=/find><input name=q><button>Search</button></form>",
        "\(link)<form method=post action=/note><input name=note><button>Post</button></form>",
        "\(link)<form method=post action=/note><input name=title value=Note><textarea name=note required></textarea><button>Post</button></form>",
        "\(link)<form method=post action=/backup><button>Start</button></form>",
        "\(link)<form method=post action=/lang><select name=l><option>de<option>en</select><button>OK</button></form>",
        "\(button)<form method=post action=/a><input name=a></form><form method=post action=/b><input name=b></form>",
    ])
    func noFormOfTheSiteIsSent(_ page: String) async throws {
        let (error, _) = try await failure(page)
        #expect(error.code == .pageFailed && error.missingFields.isEmpty, "\(error)")
    }

    /// A text without an answer is named, and never sent empty.
    @Test func anEmptyTextIsNotSent() async throws {
        let (error, _) = try await failure(
            "<form method=post action=/note><input name=note><button>Post</button></form>")
        #expect(error.code == .missingAnswer)
        // A form with one text may be the first step of a login.
        #expect(error.missingFields == [.init("note", .text, purpose: .login)])
    }

    /// A filled-in text is the page's own.
    @Test func aFilledInTextIsSent() async throws {
        let server = PageServer([
            Self.start: [
                PageServer.html("<form method=post action=/on><input name=step value=2><button>Next</button></form>")
            ],
            "POST https://sp.example/on": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn()
        #expect(server.log.last == "POST https://sp.example/on step=2")
    }

    /// Some pages for a code offer to log out.
    @Test(arguments: [link, button])
    func aCodeIsPartOfTheLogin(_ leaves: String) async throws {
        for field in ["<input name=otp>", "<input name=challenge required>", "<input type=password name=otp>"] {
            let page = "\(leaves)<form method=post action=/code>\(field)<button>Go</button></form>"
            let (error, _) = try await failure(page)
            let name = field.contains("otp") ? "otp" : "challenge"
            #expect(error.code == .missingAnswer && error.missingFields.map(\.name) == [name], "\(error)")
            let server = PageServer([
                Self.start: [PageServer.html(Self.login)], "POST https://sp.example/in": [PageServer.html(page)],
                "POST https://sp.example/code": [PageServer.redirect("/done")],
            ])
            let answers = try FormAnswers(
                ["user": .text("alice"), "password": .text("canary"), name: .text("424242")],
                origins: ["https://sp.example"])
            _ = try await server.logIn(answers: answers)
            #expect(server.log.last == "POST https://sp.example/code \(name)=424242")
        }
    }

    /// Some sites have a link to log out on every page.
    @Test(arguments: [link, button]) func aFormThatCallsItselfALoginIsSent(_ leaves: String) async throws {
        let server = PageServer([
            Self.start: [PageServer.html(leaves + Self.login)],
            "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        let answers = try FormAnswers(
            ["user": .text("alice"), "password": .text("canary")], origins: ["https://sp.example"])
        _ = try await server.logIn(answers: answers)
        #expect(server.log.last == "POST https://sp.example/in user=alice&password=canary")
    }

    /// A person decides.
    @Test func aPersonMayEnterAPassword() async throws {
        let server = PageServer([
            Self.start: [PageServer.html(Self.link + Self.login)],
            "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(FakePerson(["user": ["alice"], "password": ["canary"]]))
        #expect(server.log.last == "POST https://sp.example/in user=alice&password=canary")
    }

    /// A browser would not help where the server has refused the password.
    @Test(arguments: [(HTTPResponse.Status.ok, true), (.unauthorized, false), (.forbidden, false)])
    func aRefusalByStatusHasNoHintAboutScripts(_ status: HTTPResponse.Status, hasHint: Bool) async throws {
        let (error, _) = try await failure("<script src=a.js></script>" + Self.login, status: status)
        #expect(error.code == .answersRefused)
        #expect(error.message.contains("--web chromium") == hasHint, "\(error)")
    }
}
