import Foundation
import HttpC
import HttpConversationNIO

/// Somebody with a browser of their own, who fills in the forms that they meet on the way.
struct Person: Sendable {
    /// A page on which this person does not know what to do.
    struct Stuck: Error, CustomStringConvertible {
        let description: String
    }

    let user: TestUsers.User
    /// Whether they grant what they are asked for.
    let consents: Bool
    private let browser: HttpConversationManager

    init(_ user: TestUsers.User, consents: Bool = true) {
        self.user = user
        self.consents = consents
        var configuration = HttpConversationManager.Configuration()
        configuration.redirects.follows = false
        browser = HttpConversationManager(transport: NIOTransport(), configuration: configuration)
    }

    /// Opens a page and goes on from form to form and redirect to redirect.
    ///
    /// - Parameters:
    ///   - code: typed where a page asks for a device's code
    ///   - isEnd: told where each redirect leads; that page is not opened any more
    /// - Returns: the URL of the end; of the last page where no form is left
    func visit(
        _ start: URL, typing code: String = "", until isEnd: (String) -> Bool = { _ in false }
    ) async throws -> String {
        var url = start
        var hasTypedPassword = false
        var response = try await browser.data(for: HTTPRequest(.get, url.absoluteString))
        for _ in 0..<15 {
            if let location = response.headerFields[.location] {
                if isEnd(location) { return location }
                url = try Self.resolve(location, url)
                response = try await browser.data(for: HTTPRequest(.get, url.absoluteString))
                continue
            }
            guard response.status == .ok else { throw Stuck(description: "\(url) \(response.status) \(response.text)") }
            guard let form = WebForm(in: response.text) else { return url.absoluteString }
            // The same form again: it says what was wrong.
            if form.has("password"), hasTypedPassword { throw Stuck(description: "wrong password") }
            hasTypedPassword = hasTypedPassword || form.has("password")
            url = try Self.resolve(form.action, url)
            response = try await submit(form, to: url, code)
        }
        throw Stuck(description: "no end after fifteen pages, at \(url)")
    }

    private func submit(_ form: WebForm, to url: URL, _ code: String) async throws -> ConversationResponse {
        var form = form
        form.fill("username", user.name)
        form.fill("password", user.password)
        form.fill("user_code", code)
        let yes = form.buttons.last { ["allow", "action"].contains($0.name) && $0.value != "deny" }
        let no = form.buttons.first { $0.value == "deny" } ?? form.buttons.first
        var request = try HTTPRequest(.post, url.absoluteString)
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        let button = (consents ? yes : no) ?? form.buttons.first ?? ("", "")
        return try await browser.data(for: request, body: .text(form.encoded(clicking: button)))
    }

    private static func resolve(_ reference: String, _ base: URL) throws -> URL {
        // An empty action is the page itself.
        guard let url = reference.isEmpty ? base : URL(string: reference, relativeTo: base)?.absoluteURL else {
            throw Stuck(description: "no URL: \(reference)")
        }
        return url
    }
}

extension Person: OAuth2WebStrategy {
    func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer {
        let url = try await visit(request.url()) { request.isAnswer($0) }
        return OAuth2AuthorizationAnswer(url: url, redirectURI: request.redirectURI)
    }
}

/// The system's browser, as far as the loopback strategy is concerned.
extension Person: ExternalURLOpener {
    func open(_ url: URL) async throws {
        let back = try await visit(url) { $0.contains("/callback?") }
        _ = try await browser.data(for: HTTPRequest(.get, back))
    }
}

/// The other device on which a person types the code.
extension Person: DeviceAuthorizationPresenter {
    func present(_ prompt: DeviceAuthorizationPrompt) async throws {
        _ = try await visit(prompt.verificationURL.foundationURL, typing: prompt.userCode.value)
    }

    func dismiss() async {}
}
