import Foundation
import HttpC
import HttpConversationNIO

/// A user with a browser, who submits the forms on the way.
struct Person: Sendable {
    /// The error for a page that this user cannot handle.
    struct Stuck: Error, CustomStringConvertible {
        let description: String
    }

    let user: TestUsers.User
    /// Whether the user consents.
    let consents: Bool
    private let browser: HttpConversationManager

    init(_ user: TestUsers.User, consents: Bool = true) {
        self.user = user
        self.consents = consents
        var configuration = HttpConversationManager.Configuration()
        configuration.redirects.follows = false
        browser = HttpConversationManager(transport: NIOTransport(), configuration: configuration)
    }

    /// Opens a page and follows forms and redirects.
    ///
    /// - Parameters:
    ///   - code: the code to type on a page that asks for a device's code
    ///   - isEnd: called with the target of each redirect; true ends the visit without opening it
    /// - Returns: the URL of the end, or of the last page if it has no form
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
            // The same form again means that the password was wrong.
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
        // An empty action means the page itself.
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
        let url = try await visit(await request.url()) { request.isAnswer($0) }
        return OAuth2AuthorizationAnswer(url: url, redirectURI: request.redirectURI)
    }
}

/// Takes the place of the system's browser in the loopback strategy.
extension Person: ExternalURLOpener {
    func open(_ url: URL) async throws {
        let back = try await visit(url) { $0.contains("/callback?") }
        _ = try await browser.data(for: HTTPRequest(.get, back))
    }
}

/// Takes the place of the other device on which a user types the code.
extension Person: DeviceAuthorizationPresenter {
    func present(_ prompt: DeviceAuthorizationPrompt) async throws {
        _ = try await visit(prompt.verificationURL.foundationURL, typing: prompt.userCode.value)
    }

    func dismiss() async {}
}
