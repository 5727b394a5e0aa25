import HTTPTypes
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// The raw answer of an authorization server's endpoint.
struct EndpointAnswer: Sendable {
    let endpoint: TargetURL
    let status: Int
    let fields: HTTPFields
    let bytes: [UInt8]
    /// The secrets in the request; removed from the server's error texts.
    let secrets: [String]
    /// The certificate that the client has shown, as `x5t#S256` (RFC 8705 §3.1).
    var shownCertificate: String?

    /// The JSON object of a success.
    ///
    /// - Throws: for an error status, an `error` member with any status, and a body that is not a JSON object
    func success() throws(OAuth2Error) -> [String: JSONValue] {
        if let refusal { throw refusal }
        guard let members = JSONValue.object(bytes) else { throw unreadable }
        return members
    }

    /// The error of the answer; nil for a success, whatever its body.
    var refusal: OAuth2Error? {
        // After too many requests or a server failure, the body says nothing about the token.
        if status == 429 || status >= 500 {
            return error(.temporarilyUnavailable, "\(endpoint) answered \(status): it cannot answer now.")
        }
        if let members = JSONValue.object(bytes) {
            if let name = members["error"]?.text { return refused(name, members) }
            if status == 400 || status == 401 {
                return error(.refused, "\(endpoint) refused the request (\(status)), without an error code of OAuth2.")
            }
        }
        if (300..<400).contains(status) {
            return nothing("\(endpoint) answered \(status), a redirect, which is not followed.")
        }
        return (200..<300).contains(status) ? nil : unreadable
    }

    private func refused(_ name: String, _ members: [String: JSONValue]) -> OAuth2Error {
        let code: OAuth2Error.Code =
            switch name {
            case "invalid_grant": .invalidGrant
            case "access_denied": .accessDenied
            case "expired_token": .expired
            case "temporarily_unavailable", "server_error": .temporarilyUnavailable
            default: .refused
            }
        var error = error(
            code, "\(endpoint) refused the request.", serverError: scrubbed(name),
            serverDescription: (members["error_description"]?.text).map(scrubbed))
        // A gateway's answers may have an `error` of their own.
        error.saysNothingOfTokens = code == .refused && !error.refusesClient && ![200, 400, 401].contains(status)
        return error
    }

    private var unreadable: OAuth2Error {
        guard JSONValue.object(bytes) == nil else {
            return nothing(
                "\(endpoint) answered \(status) without an OAuth2 error where tokens were expected.")
        }
        let isPage = fields[.contentType]?.lowercased().contains("html") == true || bytes.first == UInt8(ascii: "<")
        let why =
            isPage ? "an HTML page, perhaps of a captive portal or a login," : "something that is not a JSON object"
        return nothing("\(endpoint) answered \(status) with \(why) where tokens were expected.")
    }

    /// The error of an answer that says nothing about the tokens.
    private func nothing(_ message: String) -> OAuth2Error {
        var error = error(.malformedResponse, message)
        error.saysNothingOfTokens = true
        return error
    }

    /// Creates an error about this answer.
    func error(
        _ code: OAuth2Error.Code, _ message: String, serverError: String? = nil, serverDescription: String? = nil
    ) -> OAuth2Error {
        OAuth2Error(
            code, message, serverError: serverError, serverDescription: serverDescription, endpoint: endpoint,
            status: status, retryAfter: retryAfter)
    }

    /// `Retry-After` in seconds or as a date (RFC 9110 §10.2.3), at most an hour.
    private var retryAfter: Duration? {
        RetryAfter.read(fields, now: Date(), atMost: .seconds(3600))
    }

    /// The maximum length of a server's text in an error, in bytes. The time to search it for secrets is limited with
    /// it.
    private static let maximumText = 2048

    private func scrubbed(_ text: String) -> String {
        let isCut = text.utf8.count > Self.maximumText
        let beginning = String(decoding: text.utf8.prefix(Self.maximumText), as: UTF8.self)
        let known = KnownSecrets(secrets.filter { $0.utf8.count >= 4 })
        return known.hidden(in: beginning, mark: "<redacted>", beginningsFrom: isCut ? 1 : nil)
    }
}
