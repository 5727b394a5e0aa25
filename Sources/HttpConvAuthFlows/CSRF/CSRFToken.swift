import HTTPTypes
import HttpConversation

/// A token, and the session that it is good in.
struct CSRFToken: Sendable {
    let value: Redacted<String>
    let cookies: CSRFCookies
    /// Which fetch brought it: a server may give the same token twice.
    let fetch: UInt64
}

/// The cookies by which a service knows the session that a token belongs to.
struct CSRFCookies: Sendable {
    private var values: [String: Redacted<String>]

    /// Those that the session has for a URL now.
    init(of session: HttpSession, for target: TargetURL) {
        let named = session.cookies.cookies(for: target).filter { !$0.name.isEmpty }
        values = Dictionary(named.map { ($0.name, Redacted($0.value)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Notes what an answer set.
    mutating func receive(_ head: HTTPResponse) {
        for line in head.headerFields[values: .setCookie] {
            guard !line.hasControlsBesidesTab, let (name, value) = line.prefix(upToASCII: ";").cut(atASCII: "="),
                !name.trimmingSpaces.isEmpty
            else { continue }
            values[String(name.trimmingSpaces)] = Redacted(String(value.trimmingSpaces))
        }
    }

    /// Sends these cookies, whatever answers to other requests have made of them meanwhile; none that the session has
    /// lost. A `Cookie` field of the caller's stays as it is.
    func attach(to request: inout ConversationRequest, in session: HttpSession) {
        guard !values.isEmpty, !request.headerFields.contains(.cookie) else { return }
        let pairs = session.cookies.cookies(for: request.target).compactMap { cookie in
            values[cookie.name].map { "\(cookie.name)=\($0.value)" }
        }
        guard !pairs.isEmpty else { return }
        request.headerFields.append(HTTPField(name: .cookie, value: pairs.joined(separator: "; ")))
    }
}
