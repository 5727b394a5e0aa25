import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// The sign ``WebLoginConfiguration/Challenge/passwordForm``: pages of people without a session have it, and those of
/// people who are logged in do not.
@Suite("Password forms that stand for a login", .timeLimit(.minutes(1)))
struct PasswordFormTests {
    private static let base = "https://sp.example.com"
    private static let user = "<input name=user>"
    private static let password = "<input type=password name=password>"
    private static let new = "<input type=password name=password autocomplete=new-password>"

    private static func form(_ fields: String, _ button: String = "Go") -> String {
        "<form method=post action=/in>\(fields)<button>\(button)</button></form>"
    }

    /// The answer to a GET, and whether a login was started.
    private func get(_ page: String) async throws -> (response: ConversationResponse?, hasStarted: Bool) {
        try await get(Array(page.utf8))
    }

    private func get(
        _ page: [UInt8], _ fields: HTTPFields = [:]
    ) async throws -> (response: ConversationResponse?, hasStarted: Bool) {
        var fields = fields
        fields[.contentType] = "text/html"
        fields[.setCookie] = "sid=new; Path=/"
        let answer = ScriptedTransport.Answer(.ok, fields, bytes: page)
        let transport = ScriptedTransport { _, _ in answer }
        let web = ScriptedWebLoginStrategy { _ in WebLoginOutcome(url: Self.base, cookies: []) }
        let session = HttpSession()
        session.cookies.insert(Cookie(name: "sid", value: "old", domain: "sp.example.com", isHostOnly: true))
        var configurator = CommonAuthenticationConfigurator.webLogin(
            for: Self.base, challenges: [.passwordForm])
        configurator.session = session
        configurator.webStrategies = WebStrategies(default: web)
        configurator.multiplexer = UserInteractionMultiplexer()
        let manager = HttpConversationManager(transport: transport, configurator)
        let response = try? await manager.get(Self.base + "/users/new")
        let value = session.cookies.snapshot.cookies.first { $0.name == "sid" }?.value
        #expect(value == (web.opened.isEmpty ? "new" : "old"), "a challenge's cookie is taken back, and no other one")
        return (response, !web.opened.isEmpty)
    }

    @Test(arguments: [
        form(user + password), form(password), form(user + password + "<input type=password name=otp>"),
        form("<input type=password name=pin>"), form("<input type=password name=token>"),
        // Browsers shall not fill them in.
        form(user + new, "Sign in"), form(user + new, "Log in"),
        "<form id=login-form method=post>\(user)\(new)<button>Go</button></form>",
        // Filled in, and with a choice.
        form("<input name=server value=db><input name=user value=root>\(password)<input name=database>"),
        form(user + "<input type=password name=password readonly>"),
        form(user + password + "<textarea readonly>Rules</textarea>"),
        form(user + password) + form("<input name=mail>" + new, "Sign up"),
        form(user + password) + "<p>You have been logged out.</p><a href=/forgot>Forgot?</a>",
        form(user + password) + "<a href=/blogoffers>Our blog outlines the plan</a>",
        form(user + password) + "<a href=/blog-outlook>Blog-Outlook</a><a href=/design-outlet>Design outlet</a>",
        form(user + password) + "<a href=/newsletter/abmelden>Newsletter abmelden</a>",
        String(repeating: "<p>text</p>", count: 7000) + form(user + password),
    ])
    func aPageForPeopleWithoutASession(_ page: String) async throws {
        // Beyond the part that is read, the form does not count.
        let isSeen = page.utf8.count < 1 << 16
        #expect(try await get(page).hasStarted == isSeen)
    }

    /// A caller who has asked for it gets pages compressed.
    @Test func aCompressedPage() async throws {
        // <form method=post><input name=user><input type=password name=password><button>Log in</button></form>
        let packed = try #require(
            Data(
                base64Encoded: "H4sIAAAAAAACAzWMwQ2AIAwAV2EDFiidwCUgVOVB29AS4/bGKM+7Sw52GT108lNqUjFH"
                    + "aKzTA+dOaRqNJfxWSprNLhn1y4sQynQXxk2O0BjijxDfOz7DTXZpZAAAAA=="))
        #expect(try await get(Array(packed), [.contentEncoding: "gzip"]).hasStarted)
        #expect(try await !get(Array(packed)).hasStarted)
    }

    private static let link = "<a href=/out>Log out</a>"

    @Test(arguments: [
        // Two passwords, or one that is being chosen.
        form(password + "<input type=password name=again>"), form(user + new, "Sign up"), form(new, "Log in"),
        form("<input type=password name=current><input type=password name=fresh>"),
        form(user + "<input type=password name=new_password>"),
        // Settings, and forms that replace something.
        form("<input type=hidden name=_method value=put>" + user + password),
        form("<input name=smtp_host><input type=password name=secret>"),
        form(password + "<textarea name=about></textarea>"),
        form(password + "<input type=file name=f>"),
        form("<input name=a><input name=b><input name=c><input name=d><input name=e>" + password),
        // A link, or a button.
        link + form(user + password), form(user + password, "Create user") + link,
        form(user + password) + "<form method=post action=/admin/logout/><button>Log out</button></form>",
        form(user + password) + "<form method=post action=/end><button>Sign out</button></form>",
        form(user + password) + "<a href='/authentication/logout'><i></i></a>",
        form(user + password) + "<a href='javascript:end()'>Sign out</a>",
        form(user + password) + "<a href=/doLogoff>x</a>", form(user + password) + "<a href=/x>Log off</a>",
        // The rest of a long page may have one.
        form("<input name=a value=1><input name=b value=2>" + password) + String(repeating: "<p>text</p>", count: 7000),
    ])
    func aPageForPeopleWhoAreLoggedIn(_ page: String) async throws {
        let (response, hasStarted) = try await get(page)
        #expect(!hasStarted && response?.text == page)
    }

    /// A login form is one on a long page, too.
    @Test func aLoginFormOnALongPage() async throws {
        let page = Self.form(Self.user + Self.password) + String(repeating: "<p>text</p>", count: 7000)
        #expect(try await get(page).hasStarted)
    }
}
