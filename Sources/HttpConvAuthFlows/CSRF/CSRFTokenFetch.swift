import HTTPTypes
import HttpConvFormats
import HttpConversation
import Synchronization

/// Fetches a token from a service: `X-CSRF-Token: Fetch` with a GET of its root.
///
/// The fetch is a conversation in the same session with the same filters: the token belongs to the person who is logged
/// in, and the fetch logs in if necessary.
struct CSRFTokenFetch: Sendable {
    let place: CSRFPlace
    let context: ConversationContext
    /// The time limit for the service, including redirects and logins by 401.
    private static let longestTime = Duration.seconds(120)

    /// The caller's own login and client, for the origin that they were given for. Other fields may differ between
    /// requests that share a fetch.
    static func fields(of context: ConversationContext, for origin: Origin) -> HTTPFields {
        guard origin == context.target.origin else { return [:] }
        return HTTPFields(context.callersFields.filter { identifying.contains($0.name.canonicalName) })
    }

    private static let identifying: Set<String> = [
        "authorization", "cookie", "sap-client", "apikey", "api-key", "x-api-key", "user-agent",
    ]

    /// The token's value with the cookies of its session; nil if the service gives none.
    func run() async throws -> (value: String, cookies: CSRFCookies)? {
        let pin = CookiePin()
        let response = try await send(pin)
        guard let value = token(in: response), var cookies = pin.sent else { return nil }
        cookies.receive(response, in: context)
        return (value, cookies)
    }

    private func send(_ pin: CookiePin) async throws(ConversationError) -> ConversationResponse {
        var fields = place.fields
        fields[.accept] = "*/*"
        fields[.csrfToken] = "Fetch"
        let request = HTTPRequest(.get, place.root, fields: fields)
        return try await context.start(request) { child in
            child.session = context.session
            child.requestFilters = context.configuration.requestFilters
            child.requestFilters.add(pin)
            child.redirectFilters = context.configuration.redirectFilters
            child.challengeFilters = context.configuration.challengeFilters
            child.responseFilters = context.configuration.responseFilters
            child.responseFilters.add(HeadOnly())
            child.limitNetworkTime(to: Self.longestTime)
        }
    }

    private func token(in response: ConversationResponse) -> String? {
        guard response.url.origin == place.root.origin, let value = response.headerFields[.csrfToken] else {
            return nil
        }
        let isToken = !["", "required", "fetch"].contains(value.lowercased())
        return isToken && value.utf8.count <= 4096 && value.isVisibleASCII ? value : nil
    }

    /// Records the cookies of the last exchange: answers to other requests may change the session's at any time.
    private final class CookiePin: RequestFilter {
        private let state = Mutex<CSRFCookies?>(nil)
        var sent: CSRFCookies? { state.withLock { $0 } }

        func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            let cookies = CSRFCookies(of: context.session, for: request.target)
            cookies.attach(to: &request, in: context.session)
            state.withLock { $0 = cookies }
        }
    }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    static let csrfToken = HTTPField.Name("X-CSRF-Token")!
}
