public import HTTPTypes
import HttpConvFormats
public import HttpConversation

/// How the challenges of a web login are recognised, and where the login starts and ends: for relying parties of OpenID
/// Connect, login forms, gateways, and everything else that ends in cookies.
///
/// ```swift
/// let portal = try WebLoginConfiguration(challenges: [.redirect(to: TargetURL("https://login.example.com/")), .status(401)])
/// ```
public struct WebLoginConfiguration: Hashable, Sendable {
    /// A sign that a server wants a login.
    ///
    /// Write a `default` into a `switch` over it: a minor version may add a case.
    public enum Challenge: Hashable, Sendable {
        /// A redirect to this URL, or below its path by whole segments. Its query is ignored.
        case redirect(to: TargetURL)
        /// A redirect to another origin, with an authentication request of OpenID Connect or OAuth2 (`response_type`
        /// and `client_id`, RFC 6749 §4.1.1), or of WS-Federation (`wa`, §13.2.1).
        case loginRequest
        /// A response with this status.
        case status(Int)
        /// A response or redirect with this header field, and with this value unless it is nil. The value is compared
        /// as a whole and case-sensitively.
        case header(HTTPField.Name, value: String? = nil)
        /// An HTML page at the origin of the resource with a form that asks for one password, which exists already, and
        /// without a link or button to log out: pages for people who are logged in may ask for passwords, too. After a
        /// HEAD whose answer may stand for a page, a GET shows the page.
        case passwordForm
    }

    /// The end of a login.
    public enum End: Hashable, Sendable {
        /// The resource answers without a challenge. Tried is a GET of the resource if the pending request is GET or
        /// HEAD, and otherwise a GET of the start (``WebLoginTrial``).
        case resource
        /// A navigation to this URL, or below its path by whole segments, with all these parameters in the query: each
        /// a name, with any value, or a name with its value.
        case navigation(TargetURL, parameters: [String] = [])
    }

    /// The signs that a server wants a login; one of them suffices.
    public let challenges: [Challenge]
    /// The page that a login opens first; nil: the URL that was challenged.
    public let start: TargetURL?
    /// The end of the login.
    public let end: End

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - challenges: the signs that a server wants a login; one of them suffices
    ///   - start: the page that a login opens first; nil: the URL that was challenged
    ///   - end: the end of the login
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``
    public init(
        challenges: [Challenge] = [.loginRequest, .passwordForm], start: (any TargetURLConvertible)? = nil,
        end: End = .resource
    ) throws(WebLoginError) {
        guard !challenges.isEmpty else {
            throw WebLoginError(.invalidConfiguration, "A web login needs a sign by which it is recognised.")
        }
        for case .status(let status) in challenges where !(300..<600).contains(status) {
            throw WebLoginError(
                .invalidConfiguration,
                "The status \(status) cannot be the sign of a web login, because resources have it: give one from 300 to 599."
            )
        }
        self.challenges = challenges
        if let start { self.start = try WebLoginError.checked("start page", start) } else { self.start = nil }
        self.end = end
    }
}

/// Provides the configuration of web logins.
public protocol WebLoginConfigurationProvider: Sendable {
    /// The configuration for requests to this URL; nil if there is none. Called often: make it fast.
    func webLoginConfiguration(for target: TargetURL) async throws -> WebLoginConfiguration?
    /// The configuration, taking into account values that the caller has put into the conversation's context. Default:
    /// ``webLoginConfiguration(for:)``.
    func webLoginConfiguration(
        for target: TargetURL, in context: ConversationContext
    ) async throws -> WebLoginConfiguration?
}

extension WebLoginConfigurationProvider {
    public func webLoginConfiguration(
        for target: TargetURL, in context: ConversationContext
    ) async throws -> WebLoginConfiguration? { try await webLoginConfiguration(for: target) }
}

extension TargetURL {
    /// Whether the URL is `other`, or below its path by whole segments. Ignores queries. A path with dot segments is
    /// below no path: servers differ in how they resolve it.
    func isAt(_ other: TargetURL) -> Bool {
        guard origin == other.origin, let path = PathSpace.segments(of: path),
            let prefix = PathSpace.segments(of: other.path)
        else { return false }
        return prefix.isEmpty || PathSpace.contains("/", self) && path.starts(with: prefix)
    }

    /// Whether the query has all these parameters; an empty value stands for any.
    func hasParameters(_ wanted: [FormEncoding.Parameter]) -> Bool {
        guard !wanted.isEmpty else { return true }
        let present = FormEncoding.decode(query ?? "")
        return wanted.allSatisfy { wanted in
            present.contains { $0.name == wanted.name && (wanted.value.isEmpty || $0.value == wanted.value) }
        }
    }
}
