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
        if let members = JSONValue.object(bytes), let name = members["error"]?.text {
            return refused(name, members)
        }
        if (300..<400).contains(status) {
            return error(.malformedResponse, "\(endpoint) answered \(status), a redirect, which is not followed.")
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
        return error(
            code, "\(endpoint) refused the request.", serverError: scrubbed(name),
            serverDescription: (members["error_description"]?.text).map(scrubbed))
    }

    private var unreadable: OAuth2Error {
        let isPage = fields[.contentType]?.lowercased().contains("html") == true || bytes.first == UInt8(ascii: "<")
        let why =
            isPage ? "an HTML page, perhaps of a captive portal or a login," : "something that is not a JSON object"
        return error(.malformedResponse, "\(endpoint) answered \(status) with \(why) where tokens were expected.")
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
        // By the server's clock, if it sends a date.
        RetryAfter.read(fields, now: fields[.date].flatMap(HTTPDate.parse) ?? Date(), atMost: .seconds(3600))
    }

    /// Compares bytes: a combining mark after the secret, or another composition of its letters, would hide it.
    private static func redacting(_ secret: String, in text: String) -> String {
        let secret = Array(secret.utf8)
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if rest.starts(with: secret) {
                result += "<redacted>".utf8
                rest = rest.dropFirst(secret.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func scrubbed(_ text: String) -> String {
        secrets.filter { $0.utf8.count >= 4 }.reduce(text) { text, secret in
            Self.redacting(FormEncoding.encode(secret), in: Self.redacting(secret, in: text))
        }
    }
}
