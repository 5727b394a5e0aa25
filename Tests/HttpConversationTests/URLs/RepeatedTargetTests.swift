import HTTPTypes
import Testing

@testable import HttpConversation

/// A target that is known from the last request is the one that parsing gives.
@Suite struct RepeatedTargetTests {
    private static func request(
        _ scheme: String?, _ authority: String?, _ path: String?, _ method: HTTPRequest.Method = .get
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
    }

    private static let requests = [
        request("https", "example.com", "/a?b=c"),
        request("https", "EXAMPLE.com:443", "/a?b=c#d"),
        request("http", "example.com", "/a?b=c"),
        request("https", "example.com:8443", "/a?b=c"),
        request("https", "example.com", "/a?b=d"),
        request("https", "example.com", "*", .options),
        request("https", "example.com", "*"),
        request("https", "example.com", nil),
        request("https", "example.com", ""),
        request("https", "", "/"),
        request(nil, "example.com", "/"),
        request("https", "user:secret@example.com", "/"),
        request("https", "exa mple.com", "/"),
        request("ftp", "example.com", "/"),
        // The Kelvin sign and the Greek question mark are equal to K and the semicolon as characters.
        request("https", "example.com", "/K;"),
        request("https", "example.com", "/\u{212A};"),
        request("https", "example.com", "/K\u{37E}"),
        request("https", "K.example.com", "/"),
        request("https", "\u{212A}.example.com", "/"),
        request("https", "example.com", "/\u{E9}"),
        request("https", "example.com", "/e\u{301}"),
    ]

    @Test("every request after every other one", arguments: requests.indices)
    func afterEveryOther(first: Int) {
        for second in Self.requests {
            let repeated = RepeatedTarget()
            for request in [Self.requests[first], second, second, Self.requests[first]] {
                let parsed = Result { () throws(ConversationError) in try TargetURL(request) }
                let known = Result { () throws(ConversationError) in try repeated.target(of: request) }
                #expect(known == parsed)
            }
        }
    }
}
