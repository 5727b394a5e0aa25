import Foundation
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvWebStrategies

@Suite(.timeLimit(.minutes(1))) struct FormAnswersTests {
    private static let here = origin("https://idp.example")
    private static let there = origin("https://other.example")

    private static func origin(_ text: String) -> Origin {
        guard let target = try? TargetURL(text) else { preconditionFailure("a literal") }
        return target.origin
    }

    private func form(
        _ fields: [FillableForm.Field], page: Origin = here, action: Origin = here, says text: String = "Log in"
    ) -> FillableForm { FillableForm(page: page, action: action, fields: fields, pageText: text) }

    private func singleUse(_ origins: [Origin] = [here]) throws -> SingleUseAnswers {
        try FormAnswers(["user": .text("alice"), "password": .text("geheim-canary")], origins: origins).forOneLogin()
    }

    private let user = FillableForm.Field(name: "user")
    private let password = FillableForm.Field(name: "password", isPassword: true)

    private func fail(
        _ singleUse: SingleUseAnswers, _ form: FillableForm, canAsk: Bool = false
    ) async throws -> WebLoginError {
        let failure = await #expect(throws: WebLoginError.self) { try await singleUse.fill(form, canAsk: canAsk) }
        let error = try #require(failure)
        #expect(!"\(error)".contains("canary"))
        return error
    }

    @Test func eachAnswerGoesOutOnce() async throws {
        let singleUse = try singleUse()
        let values = try await singleUse.fill(form([user, password]), canAsk: false)
        #expect(values.mapValues(\.value) == ["user": "alice", "password": "geheim-canary"])
        let error = try await fail(singleUse, form([user, password], says: "Wrong password."), canAsk: true)
        #expect(error.code == .answersRefused && error.pageText == "Wrong password.")
        // Another login starts over.
        #expect(try await self.singleUse().fill(form([user]), canAsk: false).count == 1)
    }

    @Test func pagesInTurnAreNoRefusal() async throws {
        let singleUse = try singleUse()
        #expect(try await singleUse.fill(form([user]), canAsk: false).keys.sorted() == ["user"])
        let shown = FillableForm.Field(name: "user", value: "alice")
        #expect(try await singleUse.fill(form([shown, password]), canAsk: false).keys.sorted() == ["password"])
        let error = try await fail(singleUse, form([shown, password]))
        #expect(error.code == .answersRefused && error.message.contains("\"password\""))
    }

    @Test(arguments: [
        (here, there, "https://other.example"), (there, here, "https://other.example"),
        (here, origin("http://idp.example"), "http://idp.example"),
        (here, origin("https://idp.example:8443"), "https://idp.example:8443"),
    ]) func answersStayWhereTheyBelong(page: Origin, action: Origin, named: String) async throws {
        // Plain http gets no answers, even if it is listed.
        let singleUse = try singleUse([Self.here, Self.origin("http://idp.example")])
        let error = try await fail(singleUse, form([user], page: page, action: action), canAsk: true)
        #expect(error.code == .answersNotAllowed && error.message.contains(named))
        #expect(try await singleUse.fill(form([user]), canAsk: true).count == 1)
    }

    @Test func thisMachineNeedsNoTLS() async throws {
        let local = Self.origin("http://127.0.0.1:8080")
        let values = try await singleUse([local]).fill(form([user], page: local, action: local), canAsk: false)
        #expect(values.count == 1)
    }

    @Test func aFormThatNoAnswerConcernsMayBeAnywhere() async throws {
        let other = FillableForm.Field(name: "other", value: "x")
        #expect(try await singleUse().fill(form([other], page: Self.there), canAsk: false).isEmpty)
    }

    @Test(arguments: [
        FillableForm.Field(name: "code", isRequired: true), FillableForm.Field(name: "code", isPassword: true),
    ]) func whatIsMissingIsNamed(field: FillableForm.Field) async throws {
        let singleUse = try singleUse()
        let error = try await fail(singleUse, form([user, field]))
        #expect(error.code == .missingAnswer && error.message.contains("\"code\""))
        // No answer was used, and a person can help.
        #expect(try await singleUse.fill(form([user, field]), canAsk: true).count == 1)
    }

    @Test func theOnlyFieldIsRequired() async throws {
        let error = try await fail(singleUse(), form([FillableForm.Field(name: "code")]))
        #expect(error.code == .missingAnswer)
        let optional = FillableForm.Field(name: "remark")
        #expect(try await singleUse().fill(form([user, optional]), canAsk: false).count == 1)
    }

    /// A user name without an answer spends no try of the password.
    @Test func aTextBesideAPasswordIsRequired() async throws {
        let singleUse = try singleUse()
        let name = FillableForm.Field(name: "j_username")
        let error = try await fail(singleUse, form([name, password]))
        #expect(error.code == .missingAnswer && error.missingFields == [.init("j_username", .text)])
        // The password was not used. Another text with an answer or a value is enough, and so is a person.
        #expect(try await singleUse.fill(form([name, user, password]), canAsk: false).count == 2)
        let shown = FillableForm.Field(name: "account", value: "alice")
        #expect(try await self.singleUse().fill(form([shown, name, password]), canAsk: false).count == 1)
        #expect(try await self.singleUse().fill(form([name, password]), canAsk: true).count == 1)
        #expect(try await self.singleUse().fill(form([password]), canAsk: false).count == 1)
        // The page before has had the user name.
        let later = try self.singleUse()
        #expect(try await later.fill(form([user]), canAsk: false).count == 1)
        #expect(try await later.fill(form([name, password]), canAsk: false).count == 1)
    }

    /// A page may call its password "passcode", and mark it as a password that exists already (Okta).
    @Test func aPasswordThatIsCalledPasscode() async throws {
        var field = FillableForm.Field(name: "credentials.passcode", isPassword: true)
        #expect(try await fail(singleUse(), form([user, field])).missingFields == [.init(field.name, .code)])
        field.isExistingPassword = true
        #expect(try await fail(singleUse(), form([user, field])).missingFields == [.init(field.name, .secret)])
        let read = FillableForm.Field(
            .object([
                "name": .string("passcode"), "password": .bool(true), "autocomplete": .string("current-password"),
            ]), nil)
        #expect(read?.missing().kind == .secret)
    }

    @Test func aCodeIsMadeWhenItIsNeeded() async throws {
        let secret = try TOTPSecret(base32: TOTPSecret.unused())
        let clock = TestClock.forCodes()
        let answers = try FormAnswers(["code": .totp(secret)], origins: [Self.here], clock: clock)
        let first = try await answers.forOneLogin().fill(form([FillableForm.Field(name: "code")]), canAsk: false)
        let second = try await answers.forOneLogin().fill(form([FillableForm.Field(name: "code")]), canAsk: false)
        #expect(first["code"]?.value == secret.code(counter: 100))
        #expect(second["code"]?.value == secret.code(counter: 101))
    }

    @Test func answersAreNeverShown() throws {
        let answers = try FormAnswers(["user": .text("geheim-canary")], origins: [])
        var dumped = ""
        dump(answers, to: &dumped)
        #expect(!"\(answers) \(dumped)".contains("canary"))
    }
}
