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

/// The cookies by which a service identifies the session of a token. Two of one name may differ in path or domain.
struct CSRFCookies: Sendable {
    private var values: [CookieIdentity: Redacted<String>]

    /// The session's present cookies for a URL.
    init(of session: HttpSession, for target: TargetURL) {
        values = Dictionary(session.cookies.cookies(for: target).map(Self.entry)) { first, _ in first }
    }

    private static func entry(_ cookie: Cookie) -> (CookieIdentity, Redacted<String>) {
        (CookieIdentity(cookie), Redacted(cookie.value))
    }

    /// Adds the cookies that an answer set.
    mutating func receive(_ response: ConversationResponse, in context: ConversationContext) {
        let set = context.session.cookies.emptied()
        set.store(
            setCookie: response.headerFields[values: .setCookie], from: response.url,
            suffixes: context.configuration.publicSuffixes)
        values.merge(set.snapshot.cookies.map(Self.entry)) { $1 }
    }

    /// Sends these cookies, even if answers to other requests have changed them in the session meanwhile. Cookies that
    /// the session has removed are left out. A `Cookie` field of the caller stays unchanged.
    func attach(to request: inout ConversationRequest, in session: HttpSession) {
        guard !values.isEmpty, !request.headerFields.contains(.cookie) else { return }
        let pairs = session.cookies.cookies(for: request.target).compactMap { cookie in
            values[CookieIdentity(cookie)].map { cookie.name.isEmpty ? $0.value : "\(cookie.name)=\($0.value)" }
        }
        guard !pairs.isEmpty else { return }
        request.headerFields.append(HTTPField(name: .cookie, value: pairs.joined(separator: "; ")))
    }
}
