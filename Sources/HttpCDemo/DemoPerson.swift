import Foundation
import HttpC

/// A person with a browser who logs in at the landscape's pages: opens the given URLs, and fills the forms in.
struct DemoPerson: ExternalURLOpener, DeviceAuthorizationPresenter {
    private let browser: HttpConversationManager

    /// - Parameter observer: observes the browser's conversations
    init(over transport: any HTTPTransport, observer: (any ConversationObserver)? = nil) {
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .none
        if let observer { configuration.observers.add(observer) }
        browser = HttpConversationManager(transport: transport, configuration: configuration)
    }

    func open(_ url: URL) async throws { _ = try await visit(url.absoluteString) }

    func present(_ prompt: DeviceAuthorizationPrompt) async throws {
        _ = try await visit((prompt.completeURL ?? prompt.verificationURL).absoluteString)
    }

    func dismiss() async {}

    /// Fills in one form after the other.
    ///
    /// - Returns: the page after the last form
    func visit(_ url: String) async throws -> ConversationResponse {
        var page = try await browser.data(for: HTTPRequest(.get, url))
        for _ in 0..<4 {
            guard page.status == .ok, page.text.contains("<form method=\"post\"") else { break }
            var request = try HTTPRequest(.post, String(page.url.absoluteString.prefix { $0 != "?" }))
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            page = try await browser.data(for: request, body: .text(form(page.text)))
        }
        return page
    }

    private func form(_ page: String) -> String {
        var fields = page.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map { match in
            (String(match.1), String(match.2))
        }
        if page.contains("name=\"username\"") { fields += [("username", "alice"), ("password", "wonderland")] }
        if page.contains("name=\"consent\"") { fields.append(("consent", "allow")) }
        return fields.map { name, value in
            "\(name)=" + (value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }.joined(separator: "&")
    }
}
