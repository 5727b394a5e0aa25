import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvWebStrategies

/// Sessions at identity providers in the terminal, request by request (security rule S33).
@Suite(.timeLimit(.minutes(1))) struct SingleSignOnTests {
    private static let idp = "https://idp.example/"
    private static let form = "<form method=post><input name=pw type=password></form>"
    private static let done = PageServer.redirect("https://sp.example/done")

    private let session = HttpSession()
    private let policy: SingleSignOnPolicy

    init() throws { policy = try SingleSignOnPolicy(origins: [Self.idp]) }

    /// A login that leads to the identity provider, whose form sets a cookie.
    private func server(
        _ setCookie: String = "SSO=1; Path=/", _ more: [String: [ScriptedTransport.Answer]] = [:]
    ) -> PageServer {
        PageServer(
            [
                "GET \(PageServer.start)": [PageServer.redirect(Self.idp, cookie: "SP=1")],
                "GET \(Self.idp)": [PageServer.html(Self.form)],
                "POST \(Self.idp)": [PageServer.redirect("https://sp.example/done", cookie: setCookie)],
            ].merging(more) { $1 })
    }

    private func answers(_ origins: [String] = [idp]) throws -> FormAnswers {
        try FormAnswers(["pw": .text("x")], origins: origins)
    }

    private func logIn(_ server: PageServer, _ person: FakePerson? = nil, at policy: SingleSignOnPolicy? = nil)
        async throws -> WebLoginOutcome
    {
        try await server.logIn(
            person, answers: person == nil ? try answers() : nil, session: session, singleSignOn: policy ?? self.policy)
    }

    /// The `Cookie` fields that a server's requests to a place have had.
    private func cookies(_ server: PageServer, _ prefix: String) -> [String] {
        server.arrivals.filter { $0.line.contains(prefix) }.map { $0.fields[.cookie] ?? "" }
    }

    @Test func theNextLoginBringsTheSessionToItsOriginAlone() async throws {
        let first = server()
        let outcome = try await logIn(first)
        #expect(cookies(first, Self.idp) == ["", ""])
        #expect(outcome.cookies.contains { $0.name == "SP" })
        // A login at another service provider, over pages of the same host on other ports and schemes.
        let second = server(
            "X=1",
            [
                "GET \(PageServer.start)": [PageServer.redirect("https://other.example/")],
                "GET https://other.example/": [PageServer.redirect("https://idp.example:8443/")],
                "GET https://idp.example:8443/": [PageServer.redirect(Self.idp)],
                "GET \(Self.idp)": [PageServer.redirect("https://sub.idp.example/")],
                "GET https://sub.idp.example/": [Self.done],
            ])
        let next = try await logIn(second)
        #expect(second.log.count == 5)
        #expect(cookies(second, Self.idp) == ["SSO=1"])
        for place in [PageServer.start, "https://other.example", "idp.example:8443", "sub.idp.example"] {
            #expect(cookies(second, place) == [""], "\(place) gets no session")
        }
        #expect(!next.cookies.contains { $0.name == "SSO" }, "the conversation does not get it")
        // The conversation's own requests have no cookie of it.
        try await second.visit(Self.idp, session: session)
        #expect(cookies(second, Self.idp) == ["SSO=1", ""])
    }

    @Test func aPolicyThatNamesAnotherOriginGetsNothing() async throws {
        _ = try await logIn(server())
        let second = server()
        _ = try await logIn(second, at: SingleSignOnPolicy(origins: ["https://other.example"]))
        #expect(cookies(second, Self.idp) == ["", ""])
        _ = try await second.logIn(answers: answers(), session: HttpSession(), singleSignOn: policy)
        #expect(cookies(second, Self.idp) == ["", "", "", ""], "another session is another person")
    }

    /// Only the identity provider's own answers make and change its session.
    @Test(arguments: ["https://idp.example:8443/", "https://sub.idp.example/", "https://evil.example/"])
    func aPlantedCookieIsNotKept(by place: String) async throws {
        let plant = "SSO=evil; Domain=idp.example; Path=/"
        let first = server(
            "X=1; Path=/",
            [
                "GET \(PageServer.start)": [PageServer.redirect(place, cookie: "SSO=evil; Domain=idp.example")],
                "GET \(place)": [PageServer.redirect(Self.idp, cookie: plant)],
            ])
        _ = try await logIn(first)
        #expect(first.log.contains("GET \(place)"))
        let second = server()
        _ = try await logIn(second)
        #expect(cookies(second, Self.idp).first == "X=1")
    }

    @Test func aFailedLoginKeepsNothing() async throws {
        let first = server(
            "SSO=1; Path=/", ["POST \(Self.idp)": [PageServer.html("<p>No.</p>", [.setCookie: "SSO=1"])]])
        await #expect(throws: WebLoginError.self) { try await logIn(first) }
        #expect(first.log.count == 3)
        let second = server()
        _ = try await logIn(second)
        #expect(cookies(second, Self.idp) == ["", ""])
    }

    /// The next login starts afresh.
    @Test func aLoginThatFailsWithASessionRemovesIt() async throws {
        _ = try await logIn(server())
        let second = server("", ["GET \(Self.idp)": [PageServer.html("<p>Bad session</p>", status: .badRequest)]])
        await #expect(throws: WebLoginError.self) { try await logIn(second) }
        #expect(cookies(second, Self.idp) == ["SSO=1"])
        let third = server()
        _ = try await logIn(third)
        #expect(cookies(third, Self.idp) == ["", ""])
    }

    /// The next login would ask for the password and the second factor again.
    @Test(arguments: [503, 429, 0]) func anOutageKeepsTheSession(status: Int) async throws {
        _ = try await logIn(server())
        // Without an answer, there is no connection.
        let page = PageServer.html("<p>Come back later</p>", status: .init(code: status))
        let second = server("", ["GET \(Self.idp)": status == 0 ? [] : [page]])
        await #expect(throws: WebLoginError.self) { try await logIn(second) }
        let third = server()
        _ = try await logIn(third)
        #expect(cookies(third, Self.idp).first == "SSO=1")
    }

    @Test func theIdentityProviderChangesAndEndsItsSession() async throws {
        _ = try await logIn(server())
        let second = server(
            "",
            ["GET \(Self.idp)": [PageServer.redirect("https://sp.example/done", cookie: "SSO=2; Path=/")]])
        _ = try await logIn(second)
        let third = server(
            "SSO=; Path=/; Max-Age=0", ["GET \(Self.idp)": [PageServer.html(Self.form)]])
        _ = try await logIn(third)
        #expect(cookies(third, Self.idp) == ["SSO=2", "SSO=2"])
        let fourth = server()
        _ = try await logIn(fourth)
        #expect(cookies(fourth, Self.idp) == ["", ""])
    }

    @Test(arguments: ["", "; Domain=idp.example"]) func aRenewedCookieStaysWithItsOrigin(_ more: String) async throws {
        _ = try await logIn(server())
        let second = server(
            "",
            [
                "GET \(Self.idp)": [
                    PageServer.redirect("https://idp.example:8443/", cookie: "SSO=2; Path=/\(more)"), Self.done,
                ],
                "GET https://idp.example:8443/": [PageServer.redirect(Self.idp)],
            ])
        _ = try await logIn(second)
        #expect(second.log.count == 4)
        #expect(cookies(second, Self.idp) == ["SSO=1", "SSO=2"])
        #expect(cookies(second, "idp.example:8443") == [""])
        let third = server("", ["GET \(Self.idp)": [Self.done]])
        _ = try await logIn(third)
        #expect(cookies(third, Self.idp) == ["SSO=2"])
    }

    /// The identity provider is another port of the resource's host.
    @Test func aRenewedCookieIsNotTheConversations() async throws {
        let idp = "https://sp.example:8443/"
        let policy = try SingleSignOnPolicy(origins: [idp])
        let start = "GET \(PageServer.start)"
        let pages = [
            start: [PageServer.redirect(idp, cookie: "SP=1")], "GET \(idp)": [PageServer.html(Self.form)],
            "POST \(idp)": [PageServer.redirect("https://sp.example/done", cookie: "SSO=1; Path=/")],
        ]
        _ = try await PageServer(pages).logIn(answers: answers([idp]), session: session, singleSignOn: policy)
        let second = PageServer(
            [
                start: [PageServer.redirect(idp, cookie: "SP=2")],
                "GET \(idp)": [PageServer.redirect("https://sp.example/done", cookie: "SSO=2; Path=/")],
            ])
        let outcome = try await second.logIn(answers: answers([idp]), session: session, singleSignOn: policy)
        #expect(cookies(second, idp).first?.contains("SSO=1") == true)
        #expect(outcome.cookies.map(\.name) == ["SP"])
    }

    /// During the login a cookie acts as in any browser.
    @Test func aDeletedCookieIsNotSentAgain() async throws {
        _ = try await logIn(server())
        let second = server(
            "SSO=3; Path=/",
            ["GET \(Self.idp)": [PageServer.html(Self.form, [.setCookie: "SSO=; Path=/; Max-Age=0"])]])
        _ = try await logIn(second)
        #expect(cookies(second, Self.idp) == ["SSO=1", ""])
    }

    @Test func aConfirmedOriginIsRemembered() async throws {
        let question =
            "The SAML2 login at https://sp.example has led to https://idp.example, which neither you nor your settings "
            + "have named. Do you trust it with what it asks for?"
        let nothing = try SingleSignOnPolicy(origins: [])
        let person = FakePerson([question: ["yes"], "pw": ["x"]])
        _ = try await logIn(server(), person, at: nothing)
        #expect(person.asked.first == question)
        let second = server("", ["GET \(Self.idp)": [Self.done]])
        _ = try await logIn(second, FakePerson(), at: nothing)
        #expect(cookies(second, Self.idp) == ["SSO=1"])
    }

    /// Links lead through an origin without a question, so it was not confirmed.
    @Test func anOriginThatAskedNothingIsNotRemembered() async throws {
        let nothing = try SingleSignOnPolicy(origins: [])
        let pages = ["GET \(Self.idp)": [PageServer.redirect("https://sp.example/done", cookie: "SSO=1; Path=/")]]
        _ = try await logIn(server("", pages), FakePerson(), at: nothing)
        let second = server("", pages)
        _ = try await logIn(second, FakePerson(), at: nothing)
        #expect(cookies(second, Self.idp) == [""])
    }
}
