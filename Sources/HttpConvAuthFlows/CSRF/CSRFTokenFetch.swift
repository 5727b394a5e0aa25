import HTTPTypes
import HttpConversation

/// Asks a service for a token: `X-CSRF-Token: Fetch` with a GET of its root.
///
/// A conversation of the same session with the same filters: the token is for who is logged in, and where nobody is,
/// this is where they log in.
struct CSRFTokenFetch: Sendable {
    let root: TargetURL
    let context: ConversationContext

    private static let maximumTries = 3

    /// The value of the answer with the cookies of its session; nil where the service gives none.
    func run() async throws -> (value: String, cookies: [String: Redacted<String>])? {
        var found: (value: String, cookies: [String: Redacted<String>])?
        // Other answers may have brought another session while this one was on its way: then the two do not belong
        // together.
        for _ in 0..<Self.maximumTries {
            let before = CSRFToken.cookies(of: context.session, root)
            let response = try await send()
            guard let value = Self.token(in: response, from: root.origin) else { return nil }
            let after = CSRFToken.cookies(of: context.session, root)
            found = (value, after)
            if Self.isUndisturbed(before, after, Self.cookiesSet(by: response)) { break }
        }
        return found
    }

    private func send() async throws(ConversationError) -> ConversationResponse {
        let request = HTTPRequest(.get, root, fields: [.accept: "*/*", .csrfToken: "Fetch"])
        return try await context.start(request) { child in
            child.session = context.session
            child.requestFilters = context.configuration.requestFilters
            child.redirectFilters = context.configuration.redirectFilters
            child.challengeFilters = context.configuration.challengeFilters
            child.responseFilters = context.configuration.responseFilters
            child.responseFilters.add(HeadOnly())
        }
    }

    private static func token(in response: ConversationResponse, from origin: Origin) -> String? {
        guard response.url.origin == origin, let value = response.headerFields[.csrfToken] else {
            return nil
        }
        let isToken = !["", "required", "fetch"].contains(value.lowercased())
        return isToken && value.utf8.count <= 4096 && value.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? value : nil
    }

    private static func cookiesSet(by response: ConversationResponse) -> [String: Redacted<String>] {
        let pairs = response.headerFields[values: .setCookie].compactMap { line -> (String, Redacted<String>)? in
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { return nil }
            let texts = pair.map { $0.drop { $0 == " " } }
            return (String(texts[0]), Redacted(String(texts[1])))
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    /// Whether nobody but the answer itself changed the cookies.
    private static func isUndisturbed(
        _ before: [String: Redacted<String>], _ after: [String: Redacted<String>], _ set: [String: Redacted<String>]
    ) -> Bool {
        Set(before.keys).union(after.keys).allSatisfy { name in
            guard let own = set[name] else { return before[name] == after[name] }
            return after[name] == nil || after[name] == own
        }
    }

    /// The service document is none of anybody's business here, however large it is.
    private struct HeadOnly: ResponseFilter {
        func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
            .replace(ReplacementResponse(head: response.head, body: []))
        }
    }
}

extension HTTPField.Name {
    static let csrfToken = HTTPField.Name("X-CSRF-Token")!  // a literal token
}
