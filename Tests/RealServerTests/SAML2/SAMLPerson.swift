import Foundation
import HttpC
import HttpConvAuthFlows
import HttpConversationTesting

/// Goes through the real login pages with a manager of its own, as a person with a browser would.
struct SAMLPerson: Sendable {
    let user: TestUsers.User
    let transport: any HTTPTransport

    func logIn(_ opened: ScriptedWebLoginStrategy.Opened) async throws -> WebLoginOutcome {
        var configuration = HttpConversationManager.Configuration()
        configuration.redirects.follows = false
        configuration.session = HttpSession(cookies: CookieStore(.init(cookies: opened.cookies)))
        let browser = HttpConversationManager(transport: transport, configuration: configuration)
        var (request, body) = (HTTPRequest(.get, opened.login.start), RequestBody?.none)
        var hasAnswered = false
        for _ in 0..<20 {
            let response = try await browser.data(for: request, body: body)
            let page = try TargetURL(request)
            if let location = response.headerFields[.location] {
                let next = try page.resolving(location)
                if opened.login.isFinish(next.absoluteString) {
                    let cookies = configuration.session.cookies.snapshot.cookies
                    return WebLoginOutcome(url: next.absoluteString, cookies: cookies)
                }
                (request, body) = (HTTPRequest(.get, next), nil)
                continue
            }
            let html = HTMLPage(response.bytes, contentType: response.headerFields[.contentType])
            guard let form = html.forms.first else { throw SetupFailure("no form: \(html.message)") }
            let asks = form.fields.contains { $0.kind == .password }
            guard !(asks && hasAnswered) else {
                throw WebLoginError(.answersRefused, "The form came again.", pageText: html.message)
            }
            hasAnswered = hasAnswered || asks
            (request, body) = try fill(form, on: page)
        }
        throw SetupFailure("too many pages")
    }

    private func fill(_ form: HTMLForm, on page: TargetURL) throws -> (HTTPRequest, RequestBody?) {
        let answers = ["username": user.name, "password": user.password]
        let pairs = form.fields.compactMap { field -> String? in
            guard let name = field.name, field.kind != .submit else { return nil }
            let value = field.kind == .hidden ? field.value : answers[name]
            return "\(name)=\((value ?? "").addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        var request = HTTPRequest(.post, try page.resolving(form.action ?? ""))
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        return (request, .text(pairs.joined(separator: "&")))
    }
}
