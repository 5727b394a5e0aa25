import HTTPTypes
import HttpConvFormats
import HttpConversation

/// A token, and the cookies of the session that it is valid in.
struct CSRFToken: Sendable {
    let value: Redacted<String>
    let cookies: CSRFCookies
    /// The number of the fetch: a server may give the same token twice.
    let fetch: UInt64
}

/// The cookies by which a service identifies the session of a token.
struct CSRFCookies: Sendable {
    private var values: [String: Redacted<String>]

    /// The session's present cookies for a URL.
    init(of session: HttpSession, for target: TargetURL) {
        let named = session.cookies.cookies(for: target).filter { !$0.name.isEmpty }
        values = Dictionary(named.map { ($0.name, Redacted($0.value)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds the cookies that an answer set.
    mutating func receive(_ head: HTTPResponse) {
        for line in head.headerFields[values: .setCookie] {
            guard !line.hasControlsBesidesTab, let (name, value) = line.prefix(upToASCII: ";").cut(atASCII: "="),
                !name.trimmingSpaces.isEmpty
            else { continue }
            values[String(name.trimmingSpaces)] = Redacted(String(value.trimmingSpaces))
        }
    }

    /// Sends these cookies, even if answers to other requests have changed them in the session meanwhile. Cookies that
    /// the session has removed are left out. A `Cookie` field of the caller stays unchanged.
    func attach(to request: inout ConversationRequest, in session: HttpSession) {
        guard !values.isEmpty, !request.headerFields.contains(.cookie) else { return }
        let pairs = session.cookies.cookies(for: request.target).compactMap { cookie in
            values[cookie.name].map { "\(cookie.name)=\($0.value)" }
        }
        guard !pairs.isEmpty else { return }
        request.headerFields.append(HTTPField(name: .cookie, value: pairs.joined(separator: "; ")))
    }
}
