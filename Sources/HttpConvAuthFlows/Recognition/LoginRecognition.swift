public import HTTPTypes
import HttpConvFormats
public import HttpConversation

/// Recognises logins that nothing is configured for, by the answers of one request: its redirects in order, then the
/// page at their end. No I/O.
///
/// ```swift
/// var recognition = LoginRecognition(of: target)
/// // For each redirect that is about to be followed:
/// if let login = recognition.recognize(redirect: head, from: source, to: destination) { … }
/// // For the final answer:
/// if let login = recognition.recognize(page: body, of: head, at: url) { … }
/// ```
/// The rules, with their evidence, are in `docs/recognition.md`. A request for a login page is left alone: its own URL
/// carries the parameters of a login request. ``RecognizedLoginFilter`` does this for conversations.
public struct LoginRecognition: Sendable {
    /// The number of bytes of a page that count.
    public static let limit = 64 << 10

    /// The requested URL.
    private let asked: TargetURL
    /// Whether the requested URL is itself a request for a login.
    private let asksForLogin: Bool
    /// The destination of the last redirect; nil before the first.
    private var last: TargetURL?
    /// The authorization request that was redirected to and has not returned.
    private var pending: PendingLogin?
    /// The URL from which a temporary redirect led to a page that is to return to it.
    private var returning: TargetURL?
    private var product: LoginProduct?

    /// Starts with a request.
    ///
    /// - Parameter target: the requested URL
    public init(of target: TargetURL) {
        asked = target
        asksForLogin = LoginParameters(of: target).isRequest
    }

    /// Starts with a request whose redirects so far cannot be the beginning of a login (``mayLead(_:to:)``).
    init(of target: TargetURL, redirectedTo last: TargetURL) {
        self.init(of: target)
        if !last.isSamePage(as: target) { self.last = last }
    }

    // MARK: Redirects

    /// Looks at a redirect before it is followed.
    ///
    /// Returns a login if the redirect alone makes it certain. A request of OpenID Connect or CAS does not: the
    /// provider may know the person and return at once. The page at its end decides.
    ///
    /// - Parameters:
    ///   - head: the head of the 3xx
    ///   - source: the URL that answered
    ///   - destination: the resolved `Location`
    public mutating func recognize(
        redirect head: HTTPResponse, from source: TargetURL, to destination: TargetURL
    ) -> RecognizedLogin? {
        // After a restart the first redirect comes again.
        if source.isSamePage(as: asked) || last.map({ !$0.isSamePage(as: source) }) ?? false { forget() }
        last = destination
        if let request = pending, request.hasReturned(to: destination) { pending = nil }
        guard !asksForLogin else { return nil }
        if OTPConfig.sap.isChallenge(head) {
            return RecognizedLogin(
                .oneTimeCode, .certain, at: source, provider: destination.origin, product: .sap,
                evidence: "a redirect with \(OTPConfig.sap.headerName.rawName)", challenge: .oneTimeCode
            ).asked(asked)
        }
        let isMarked = head.headerFields.contains(SAML2Challenge.sapHeader)
        if isMarked { product = .sap }
        if let login = recognize(requestIn: head, from: source, to: destination) { return login.asked(asked) }
        return isMarked ? Self.sapLogin(at: source, provider: destination.origin).asked(asked) : nil
    }

    private mutating func recognize(
        requestIn head: HTTPResponse, from source: TargetURL, to destination: TargetURL
    ) -> RecognizedLogin? {
        guard Self.isTemporary(head), destination.query != nil, !source.differsInFormOnly(from: destination) else {
            return nil
        }
        product = product ?? LoginProduct(setBy: head, from: source, to: destination)
        let parameters = LoginParameters(of: destination)
        let message = parameters.value(of: "SAMLRequest")
        let isLogout = message.map { SAML2Message.isLogout($0, by: .redirect) } ?? false
        if message != nil, !isLogout {
            return RecognizedLogin(
                .saml2, .certain, at: source, provider: destination.origin, product: product,
                evidence: "a redirect with SAMLRequest", challenge: .saml2)
        }
        if parameters.isFederation {
            return RecognizedLogin(
                .wsFederation, .certain, at: source, provider: destination.origin, product: product,
                evidence: "a redirect with wa=wsignin1.0", challenge: .leading(from: source, to: destination))
        }
        if pending == nil { pending = PendingLogin(from: source, to: destination, parameters, product) }
        // A logout may return, too.
        guard !isLogout else { return nil }
        if parameters.names(source) { returning = source } else if parameters.names(asked) { returning = asked }
        return nil
    }

    private mutating func forget() {
        (pending, returning, product, last) = (nil, nil, nil, nil)
    }

    // MARK: Pages

    /// Recognises a login in a final answer.
    ///
    /// - Parameters:
    ///   - body: the start of the body, of which ``limit`` bytes count; empty for an answer to HEAD
    ///   - head: the head
    ///   - target: the URL that answered
    public func recognize(page body: [UInt8], of head: HTTPResponse, at target: TargetURL) -> RecognizedLogin? {
        guard let page = PageHead(head) else { return nil }
        let isParsed =
            Self.mayHaveLogin([body], page) || Self.mayBeScript([body], page) || hasReached(namedLogin: target)
        let login =
            recognize(head: head, at: target) ?? (isParsed ? recognize(parsing: body, of: head, at: target) : nil)
            ?? Self.markedLogin(head, at: target)
        return login?.asked(asked)
    }

    /// Recognises a login by the head of a page.
    func recognize(head: HTTPResponse, at target: TargetURL) -> RecognizedLogin? {
        guard let pending, isCurrent(at: target) else { return nil }
        return pending.login(by: product)
    }

    /// Recognises a login by the forms of a page.
    func recognize(parsing body: [UInt8], of head: HTTPResponse, at target: TargetURL) -> RecognizedLogin? {
        guard !asksForLogin else { return nil }
        let html = HTMLPage(body.prefix(Self.limit), fields: head.headerFields)
        let page = LoginPageShape(html)
        let isMarked = head.headerFields.contains(SAML2Challenge.sapHeader)
        let product = isMarked ? .sap : product ?? LoginProduct(setBy: head, at: target, fields: page.fieldNames)
        let isCurrent = isCurrent(at: target)
        if let login = demand(by: page, head, at: target, product, isRedirected: isCurrent && last != nil) {
            return login
        }
        if isMarked { return Self.sapLogin(at: target, provider: nil) }
        // After a permanent redirect to an identity provider, the page itself has to show a login.
        if isCurrent, last != nil, let message = LoginParameters(of: target).value(of: "SAMLRequest"),
            !SAML2Message.isLogout(message, by: .redirect), let form = page.loginForm, page.isShort(for: form)
        {
            return RecognizedLogin(
                .saml2, .certain, at: asked, provider: target.origin, product: product,
                evidence: "a redirect to a page with a password field and SAMLRequest", challenge: .saml2)
        }
        if isCurrent, let source = returning, source != target, LoginParameters(of: target).names(source),
            page.isLogin(namedAfterLogin: target.isNamedAfterLogin)
        {
            return RecognizedLogin(
                .form, .certain, at: source, provider: target.origin, product: product,
                evidence: "a redirect to a page with a password field that returns to the resource",
                challenge: .leading(from: source, to: target))
        }
        if let login = likelyAfterRedirect(page, at: target, product) { return login }
        if let place = page.isMerelyScript ? ScriptRedirect.authorizationRequest(of: body) : nil {
            return RecognizedLogin(
                .openIDConnect, .likely, at: target, provider: place.origin, product: product,
                evidence: "a page with nothing but a script that leads on with response_type and client_id")
        }
        return likely(page, head, at: target, product)
    }

    /// A page without a password that a redirect led to, and that is named after a login.
    private func likelyAfterRedirect(
        _ page: LoginPageShape, at target: TargetURL, _ product: LoginProduct?
    ) -> RecognizedLogin? {
        guard hasReached(namedLogin: target) else { return nil }
        let source = returning.flatMap { LoginParameters(of: target).names($0) ? $0 : nil }
        let evidence: String
        if page.isMadeByScripts {
            evidence = "a redirect to a page named after a login, which scripts make"
        } else if source != nil, page.asksForUserName {
            evidence = "a redirect to a page named after a login, which asks for a user name"
        } else {
            return nil
        }
        let start = source ?? asked
        return RecognizedLogin(
            .form, .likely, at: start, provider: target.origin, product: product, evidence: evidence,
            challenge: .leading(from: start, to: target))
    }

    /// Whether redirects led to a page that is named after a login, and that is to return or is at the same origin as a
    /// page of another name.
    func hasReached(namedLogin target: TargetURL) -> Bool {
        guard last != nil, isCurrent(at: target), target.isNamedAfterLogin else { return false }
        if let returning, returning != target, LoginParameters(of: target).names(returning) { return true }
        return target.origin == asked.origin && !asked.isNamedAfterLogin && !HTMLPage.endsSession("\(asked.path)")
    }

    /// A form that carries a message between the parties of a login, on a page that is for nothing else.
    private func demand(
        by page: LoginPageShape, _ head: HTTPResponse, at target: TargetURL, _ product: LoginProduct?,
        isRedirected: Bool
    ) -> RecognizedLogin? {
        if let form = page.form(with: "SAMLRequest") {
            // The request goes on to the identity provider, which may also be the sender of this page.
            return RecognizedLogin(
                .saml2, .certain, at: target, provider: provider(of: form, at: target), product: product,
                evidence: "a page with a form that has SAMLRequest", challenge: .saml2)
        }
        if isRedirected, let field = ["SAMLResponse", "wresult"].first(where: { page.form(with: $0) != nil }) {
            return RecognizedLogin(
                field == "wresult" ? .wsFederation : .saml2, .certain, at: asked, provider: target.origin,
                product: product, evidence: "a redirect to a page with a form that has \(field)")
        }
        if let code = head.status.demandingCode, page.isStartOfOAuth2Proxy {
            return RecognizedLogin(
                .openIDConnect, .certain, at: target, product: .oauth2Proxy,
                evidence: "status \(code) with a form for /oauth2/start", challenge: .status(code))
        }
        return nil
    }

    private func likely(
        _ page: LoginPageShape, _ head: HTTPResponse, at target: TargetURL, _ product: LoginProduct?
    ) -> RecognizedLogin? {
        let code = head.status.demandingCode
        let status = code.map { "status \($0) with " } ?? ""
        let form = code == nil ? page.loginForm.flatMap { page.isAboutLogin($0) ? $0 : nil } : page.refusedLoginForm
        if let form {
            return RecognizedLogin(
                .form, .likely, at: target, provider: provider(of: form, at: target), product: product,
                evidence: status + "a form with a password field", challenge: code.map { .status($0) } ?? .passwordForm)
        }
        if page.startsSAML2 {
            return RecognizedLogin(
                .saml2, .likely, at: target, product: product,
                evidence: status + "a form that has SAMLRequest, among other content", challenge: .saml2)
        }
        if let code, let next = page.refresh(at: target), LoginParameters(of: next).names(target) {
            return RecognizedLogin(
                .form, .likely, at: target, provider: next.origin, product: product,
                evidence: "status \(code) with a page that leads on to one that returns", challenge: .status(code))
        }
        // With a challenge, the link is another way in.
        if let code, !head.headerFields.contains(.wwwAuthenticate), let login = page.loginLink(at: target) {
            return RecognizedLogin(
                .form, .likely, at: target, provider: login.origin, product: product,
                evidence: "status \(code) with a link to a login that returns",
                challenge: .status(code, start: login.withoutQuery))
        }
        return nil
    }

    private func provider(of form: HTMLForm, at target: TargetURL) -> Origin? {
        guard let action = form.action else { return target.origin }
        return (try? target.resolving(action))?.origin
    }

    /// Whether the redirects so far led here.
    private func isCurrent(at target: TargetURL) -> Bool { target.isSamePage(as: last ?? asked) }

    /// The login that the header field of SAP's servers announces, on any page.
    static func markedLogin(_ head: HTTPResponse, at target: TargetURL) -> RecognizedLogin? {
        head.headerFields.has(SAML2Challenge.sapHeader) ? sapLogin(at: target, provider: nil) : nil
    }

    private static func sapLogin(at target: TargetURL, provider: Origin?) -> RecognizedLogin {
        RecognizedLogin(
            .saml2, .certain, at: target, provider: provider, product: .sap,
            evidence: "the header field \(SAML2Challenge.sapHeader.rawName)", challenge: .saml2)
    }

    /// The login page at the same origin that a page links to, for a program whose user has said that the page needs a
    /// login: the answer may be a refusal, or a page of the site that says so. Many public pages have such a link.
    ///
    /// - Parameters:
    ///   - body: the start of the body, of which ``limit`` bytes count
    ///   - head: the head
    ///   - target: the URL that answered
    /// - Returns: nil if there is none, or if the page has a link or button to log out
    public static func loginLink(page body: [UInt8], of head: HTTPResponse, at target: TargetURL) -> TargetURL? {
        guard PageHead(head) != nil else { return nil }
        return LoginPageShape(HTMLPage(body.prefix(limit), fields: head.headerFields)).anyLoginLink(at: target)
    }

    // MARK: Challenges

    /// Looks at the challenges of a 401: a demand for an access token whose authorization server can be found out.
    ///
    /// - Parameters:
    ///   - head: the head of the 401
    ///   - target: the URL that answered
    public static func recognize(challenge head: HTTPResponse, at target: TargetURL) -> RecognizedLogin? {
        guard head.status == .unauthorized else { return nil }
        for challenge in OfferedChallenge.offered(by: head).prefix(20) where challenge.method == .bearer {
            if let text = challenge.parameter("resource_metadata"), let metadata = try? TargetURL(text),
                metadata.userinfo == nil
            {
                return RecognizedLogin(
                    .bearer, .certain, at: target, evidence: "a Bearer challenge with resource_metadata",
                    metadata: metadata)
            }
            for name in ["issuer", "authorization_uri", "realm"] {
                guard let text = challenge.parameter(name), text.starts(withASCIILetters: "https://"),
                    let issuer = try? TargetURL(text), issuer.userinfo == nil
                else { continue }
                return RecognizedLogin(
                    .bearer, .certain, at: target, provider: issuer.origin,
                    evidence: "a Bearer challenge whose \(name) is a URL")
            }
        }
        return nil
    }
}

extension HTTPResponse.Status {
    /// 401 and 403.
    fileprivate var demandingCode: Int? { code == 401 || code == 403 ? code : nil }
}
