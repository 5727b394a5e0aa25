import HttpConvFormats
import HttpConversation

/// The parameters of a URL's query that logins use.
struct LoginParameters {
    private static let limit = 50
    private let parameters: [FormEncoding.Parameter]

    init(of url: TargetURL) { parameters = url.query.map { Array(FormEncoding.decode($0).prefix(Self.limit)) } ?? [] }

    subscript(name: String) -> String? { parameters.first { $0.name == name && !$0.value.isEmpty }?.value }

    func has(_ name: String) -> Bool { value(of: name) != nil }

    /// The value of a parameter, which may be empty.
    func value(of name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// A sign-in request (WS-Federation 1.2 §13.2.1).
    var isFederation: Bool { self["wa"] == "wsignin1.0" }

    /// An authorization request (RFC 6749 §4.1.1), or the handle of one (RFC 9126 §4).
    var isAuthorizationRequest: Bool {
        self["client_id"] != nil && (self["response_type"] != nil || self["request_uri"] != nil)
    }

    /// Whether the URL is a request for a login.
    var isRequest: Bool {
        !parameters.isEmpty
            && (has("SAMLRequest") || has("SAMLResponse") || isFederation || isAuthorizationRequest
                || self["service"]?.contains(bytesOf: "://") == true)
    }

    /// Whether one of the values is this URL, or its path. A proxy may have changed scheme and port, and many pages
    /// leave out the query.
    func names(_ url: TargetURL) -> Bool {
        parameters.contains { _, value in
            let isPath = value.utf8.first == UInt8(ascii: "/")
            guard isPath || value.contains(bytesOf: "://"),
                let named = isPath ? try? url.resolving(value) : try? TargetURL(value)
            else { return false }
            return named.origin.host == url.origin.host && named.path == url.path
        }
    }
}
