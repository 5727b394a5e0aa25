import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvWebStrategies

/// Responses of a login's server whose forms a browser does not show or does not send: they may be of somebody else.
@Suite(.timeLimit(.minutes(1))) struct PageTypeTests {
    private static let start = "GET \(PageServer.start)"
    private static let form =
        "<!doctype html><form method=post action=/comments><input name=user><input type=password name=password></form>"

    /// Logs in at a page with these fields.
    ///
    /// - Returns: the requests, and the error's message; empty if there is none
    private func logIn(_ fields: HTTPFields, _ body: String = form) async throws -> (log: [String], message: String) {
        let server = PageServer([
            Self.start: [ScriptedTransport.Answer(.ok, fields, body: body)],
            "POST https://sp.example/comments": [PageServer.redirect("/done")],
            "POST https://sp.example/enter": [PageServer.redirect("/done")],
        ])
        let answers = try FormAnswers(
            ["user": .text("alice"), "password": .text("geheim-canary")], origins: ["https://sp.example"])
        do { _ = try await server.logIn(answers: answers) } catch let error as WebLoginError {
            #expect(error.code == .pageFailed || error.code == .unsupportedPage)
            #expect(!"\(error)".contains("canary"))
            return (server.log, error.message)
        }
        return (server.log, "")
    }

    @Test(arguments: [
        "text/plain", "text/plain; charset=utf-8", "application/json", "text/csv", "application/javascript",
        "image/png",
        "image/svg+xml", "application/octet-stream", "application/xml", "text/html2", "text/plain, text/html",
        "text/html, text/plain", "text/html; charset=utf-8, text/plain", "multipart/x-mixed-replace; boundary=x", "?",
    ])
    func onlyHTMLHasForms(type: String) async throws {
        let (log, message) = try await logIn([.contentType: type])
        #expect(log == [Self.start] && message.contains("its type is"), "\(message)")
    }

    @Test(arguments: [
        "text/html", "TEXT/HTML", " text/html ;charset=utf-8", "application/xhtml+xml", "text/html,text/html",
        "text/html; charset=ISO-8859-1,utf-8", "text/html,",
    ])
    func htmlHasForms(type: String) async throws {
        #expect(try await logIn([.contentType: type]).log.count == 2)
    }

    /// Two fields are as contradicting as a list.
    @Test func twoTypesAreNone() async throws {
        var fields: HTTPFields = [.contentType: "text/html"]
        fields.append(HTTPField(name: .contentType, value: "text/plain"))
        #expect(try await logIn(fields).log == [Self.start])
    }

    /// Without a type, a browser looks at the bytes, unless it is told not to.
    @Test func aPageWithoutAType() async throws {
        #expect(try await logIn([:]).log.count == 2)
        #expect(try await logIn([.contentType: ""]).log.count == 2)
        #expect(try await logIn([.xContentTypeOptions: "nosniff"]).log == [Self.start])
        #expect(try await logIn([:], "my notes " + Self.form).log == [Self.start])
        #expect(try await logIn([:], "{\"comment\": \"\(Self.form)\"}").log == [Self.start])
    }

    @Test(arguments: [
        ("attachment", false), ("attachment; filename=a.html", false), ("ATTACHMENT;filename=a", false), ("x", false),
        ("inline", true), ("inline; filename=a.html", true), ("filename=a.html", true), ("", true),
    ])
    func aFileToBeSavedHasNone(disposition: String, isShown: Bool) async throws {
        let (log, message) = try await logIn([.contentType: "text/html", .contentDisposition: disposition])
        #expect((log.count == 2) == isShown && message.contains("saved") != isShown, "\(message)")
    }

    /// The field counts for all that a browser shows, and an element in HTML only.
    @Test func aRefreshFieldNeedsNoPage() async throws {
        let refresh = try #require(HTTPField.Name("Refresh"))
        for type in ["text/plain", "image/png", ""] {
            let (log, message) = try await logIn([.contentType: type, refresh: "0; url=/done"], "Wait")
            #expect(log == [Self.start] && message.isEmpty, "\(message)")
        }
        let own = "<!doctype html><meta http-equiv=refresh content='0; url=/done'>"
        #expect(try await logIn([.contentType: "text/plain"], own).message.contains("its type is"))
        let saved: HTTPFields = [.contentDisposition: "attachment", refresh: "0; url=/done"]
        #expect(try await logIn(saved, "Wait").message.contains("saved"))
    }

    @Test(arguments: [
        ("sandbox", false), ("sandbox allow-scripts", false), ("sandbox allow-forms", true),
        ("default-src 'none', SANDBOX\tallow-scripts", false), ("default-src 'none'; form-action 'none'", false),
        ("form-action", false), ("form-action 'self'", true), ("form-action https://only.example", false),
        ("form-action https://only.example https://sp.example", true), ("form-action *", true),
        ("form-action https:", true), ("form-action 'self', form-action 'none'", false),
        ("form-action 'self'; form-action 'none'", true), ("default-src 'none'; frame-ancestors 'none'", true),
        ("x-form-action 'none'", true),
    ])
    func aPolicyForbidsForms(policy: String, isSent: Bool) async throws {
        let (log, message) = try await logIn([.contentType: "text/html", .contentSecurityPolicy: policy])
        #expect((log.count == 2) == isSent && message.contains("forbids") != isSent, "\(message)")
    }

    /// The policy counts for each way that a form may be sent.
    @Test(arguments: [
        "<form method=post action=/comments><input type=hidden name=SAMLResponse value=a></form>",
        "<form method=post action=/comments><button>Continue</button></form>",
        "<form method=post action=/enter><input name=user><input type=password name=password>"
            + "<button formaction=/comments>Log in</button></form>",
    ])
    func aPolicyCountsForEachForm(body: String) async throws {
        let policy = "form-action https://sp.example/enter"
        #expect(
            try await logIn([.contentType: "text/html", .contentSecurityPolicy: policy], body).log == [Self.start])
    }

    @Test func aPolicyOfThePageCounts() async throws {
        let policy = "<!doctype html><meta http-equiv=Content-Security-Policy content=\"sandbox; form-action 'none'\">"
        #expect(try await logIn([.contentType: "text/html"], policy + Self.form).log == [Self.start])
        #expect(
            try await logIn([.contentType: "text/html"], policy.replacing("'none'", with: "*") + Self.form).log.count
                == 2)
    }

    /// Each form is compared with all sources, so a page with very many has no forms.
    @Test(arguments: [(998, true), (999, false), (200_000, false)])
    func thereAreNotAnyNumberOfSources(count: Int, isAllowed: Bool) throws {
        let sources = String(repeating: "https://b.example ", count: count) + "https://a.example"
        let (target, page) = (try TargetURL("https://a.example/"), try TargetURL("https://sp.example/").origin)
        #expect(FormPolicy(fields: ["form-action \(sources)"]).allows(target, from: page) == isAllowed)
        #expect(FormPolicy(page: ["form-action \(sources)"]).allows(target, from: page) == isAllowed)
        let lists = String(repeating: "form-action https://a.example,", count: (count + 3) / 2)
        #expect(FormPolicy(fields: [lists]).allows(target, from: page) == isAllowed)
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example/x", true), ("https://a.example", "https://a.example:8443/", false),
        ("https://a.example:*", "https://a.example:8443/", true), ("https://*.a.example", "https://b.a.example/", true),
        ("https://*.a.example", "https://a.example/", false), ("https://*.a.example", "https://ba.example/", false),
        ("a.example", "https://a.example/", true), ("A.Example", "https://a.example/", true),
        ("a.example", "http://a.example/", false), ("http://a.example", "https://a.example/", true),
        ("http://a.example:80", "https://a.example/", true), ("https://a.example", "http://a.example/", false),
        ("https://a.example/in/", "https://a.example/in/x?y", true),
        ("https://a.example/in", "https://a.example/inx", false),
        ("https://a.example/in", "https://a.example/in?y", true), ("https://a.example/", "https://a.example/x", true),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/", true), ("http://[::1]:8080", "http://[::1]:8080/", true),
        ("'self'", "https://sp.example:8443/", false), ("'none'", "https://none/", false),
        ("app:", "https://app/", false),
        ("'unsafe-inline'", "https://sp.example/", false), ("://", "https://sp.example/", false),
        ("*:443", "https://a.example/", true), ("http:", "https://a.example/", true),
        ("https:", "http://a.example/", false),
    ])
    func sources(source: String, target: String, isAllowed: Bool) throws {
        let policy = FormPolicy(fields: ["form-action \(source)"])
        #expect(policy.allows(try TargetURL(target), from: try TargetURL("https://sp.example/").origin) == isAllowed)
    }
}
