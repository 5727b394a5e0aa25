import HttpConvFormats
import HttpConversation

/// A request for a login at a provider that has not returned.
struct PendingLogin: Sendable {
    private let kind: RecognizedLogin.Kind
    private let source: TargetURL
    private let destination: TargetURL
    /// The address that the provider returns to, if the request names it.
    private let back: TargetURL?

    init?(
        from source: TargetURL, to destination: TargetURL, _ parameters: LoginParameters, _ product: LoginProduct?
    ) {
        self.source = source
        self.destination = destination
        if parameters.isAuthorizationRequest {
            kind = .openIDConnect
            back = parameters["redirect_uri"].flatMap { try? TargetURL($0) }
        } else if let service = parameters["service"].flatMap({ try? TargetURL($0) }),
            service.origin.host == source.origin.host,
            product == .cas || destination.path.ends(withBytesOf: "/login")
        {
            kind = .cas
            back = service
        } else if Self.leadsToPortal(of: product, from: source, to: destination), parameters.names(source) {
            kind = .form
            back = source
        } else {
            return nil
        }
    }

    /// Whether a redirect leads to the login of a proxy, whose cookie alone says little: its other answers set it, too.
    private static func leadsToPortal(
        of product: LoginProduct?, from source: TargetURL, to destination: TargetURL
    ) -> Bool {
        product == .cloudflare && destination.path.contains(bytesOf: "/cdn-cgi/access/login")
            || product == .authelia && destination.origin.host != source.origin.host
    }

    func hasReturned(to url: TargetURL) -> Bool {
        if let back {
            // A proxy may name another scheme and port than this client's.
            let isThere = kind == .form ? url.origin.host == back.origin.host : url.origin == back.origin
            return isThere && url.path == back.path
        }
        let answers = LoginParameters(of: url)
        return url.origin == source.origin && (answers.has("code") || answers.has("error") || answers.has("state"))
    }

    func login(by product: LoginProduct?) -> RecognizedLogin {
        let evidence =
            switch kind {
            case .cas: "a redirect with service"
            case .form: "a redirect with this URL in it"
            default: "a redirect with response_type and client_id"
            }
        return RecognizedLogin(
            kind, .certain, at: source, provider: destination.origin, product: product, evidence: evidence,
            challenge: .leading(from: source, to: destination))
    }
}

extension RecognizedLogin.Challenge {
    /// A redirect to the page of a login. If the page's path is also that of other pages, such as `/index.php`, the
    /// form of the page is the sign: the query, which tells them apart, may have values of one run.
    static func leading(from source: TargetURL, to page: TargetURL) -> Self {
        let isShared = source.isAt(page) || page.isIndex && page.origin == source.origin
        return isShared ? .passwordForm : .redirect(to: page.withoutQuery)
    }
}

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

extension TargetURL {
    /// The URL without query and fragment. Its path may begin with `//`, so it must not be resolved as a reference.
    var withoutQuery: TargetURL {
        (try? origin.url(requestTarget: String(path))) ?? (try? origin.targetURL()) ?? self
    }

    /// Whether the last segment of the path is named after a login, such as `login.php`, `sign_in` or `wp-login.php`.
    var isNamedAfterLogin: Bool {
        guard let name = path.split(ascii: "/").last else { return false }
        return [String(name), name.replacing(ascii: ["-": "", "_": ""])].contains {
            LoginPageShape.has(
                ["login*", "logon*", "signin*", "auth", "authenticat*", "session", "sessions"], in: $0)
        }
    }

    /// Whether the path is that of a directory's page, such as `index.php`, which may be all pages of a site.
    fileprivate var isIndex: Bool {
        guard let name = path.split(ascii: "/").last?.asciiLowercased else { return false }
        return name == "index" || name.starts(withBytesOf: "index.") || name.starts(withBytesOf: "default.")
    }

    /// Whether it is the same resource; fragments do not count.
    func isSamePage(as other: TargetURL) -> Bool {
        requestTarget == other.requestTarget && origin == other.origin
    }

    /// Whether two URLs differ only in scheme, `www.`, a slash at the end, the language or the query.
    func differsInFormOnly(from other: TargetURL) -> Bool {
        Self.plainHost(origin.host) == Self.plainHost(other.origin.host) && plainPath == other.plainPath
    }

    private static func plainHost(_ host: String) -> Substring {
        host.starts(withBytesOf: "www.") ? host.dropFirst(4) : host[...]
    }

    /// The segments of the path without a language such as `de` or `pt-BR` at the start or the end.
    private var plainPath: [Substring] {
        var segments = path.split(ascii: "/")
        if let first = segments.first, Self.isLanguage(first) { segments.removeFirst() }
        if let last = segments.last, Self.isLanguage(last) { segments.removeLast() }
        return segments
    }

    private static func isLanguage(_ segment: Substring) -> Bool {
        let parts = segment.replacing(ascii: ["_": "-"])[...].split(ascii: "-", keepsEmpty: true)
        guard let language = parts.first, language.utf8.count == 2, parts.count <= 2 else { return false }
        return parts.allSatisfy { $0.utf8.count >= 2 && $0.utf8.count <= 4 }
            && segment.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == 0x2D || $0 == 0x5F }
    }
}
