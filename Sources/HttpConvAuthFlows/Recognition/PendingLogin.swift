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
