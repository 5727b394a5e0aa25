import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConvFormats
import HttpConversation
import HttpConversationNIO

@testable import HttpConvAuthFlows

/// Goes through login pages with plain requests, as a person with a browser would.
final class PageWalker: Sendable {
    /// A page that it cannot handle.
    struct Stuck: Error { let page: String }

    private let transport: any HTTPTransport
    private let answer: @Sendable (_ field: String) -> String?

    /// - Parameter answer: the input for a visible field
    init(_ transport: any HTTPTransport, answer: @escaping @Sendable (_ field: String) -> String?) {
        self.transport = transport
        self.answer = answer
    }

    /// Follows redirects and fills in forms until the login is done; a repeated form means a refusal.
    func walk(_ opened: ScriptedWebLoginStrategy.Opened) async throws -> WebLoginOutcome {
        var configuration = HttpConversationManager.Configuration()
        configuration.redirects.follows = false
        configuration.session = HttpSession(cookies: CookieStore(.init(cookies: opened.cookies)))
        let browser = HttpConversationManager(transport: transport, configuration: configuration)
        var (request, body) = (HTTPRequest(.get, opened.login.start), RequestBody?.none)
        var filled: Set<[String]> = []
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
            let html = HTMLPage(response.data, contentType: response.headerFields[.contentType])
            guard let form = html.forms.first else { throw Stuck(page: response.text) }
            let names = form.fields.filter { $0.kind != .hidden }.compactMap(\.name)
            guard names.isEmpty || filled.insert(names).inserted else {
                throw WebLoginError(.answersRefused, "The form came again.", pageText: html.alert)
            }
            (request, body) = try fill(form, on: page)
        }
        throw Stuck(page: "too many pages")
    }

    private func fill(_ form: HTMLForm, on page: TargetURL) throws -> (HTTPRequest, RequestBody?) {
        let parameters = form.fields.compactMap { field -> FormEncoding.Parameter? in
            guard let name = field.name, field.kind != .submit else { return nil }
            return (name, field.kind == .hidden ? field.value ?? "" : answer(name) ?? field.value ?? "")
        }
        var request = HTTPRequest(.post, try page.resolving(form.action ?? ""))
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        return (request, .text(FormEncoding.encode(parameters)))
    }
}
