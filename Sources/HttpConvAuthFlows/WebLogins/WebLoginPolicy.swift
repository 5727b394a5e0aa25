import HTTPTypes
public import HttpConversation

/// The decisions of a view that shows a login: what it does with each navigation, window, question, certificate request
/// and failure.
///
/// A value without input and output: a view reports an event and performs the action. Only ``WebLogin/trial`` hears of
/// forms that are sent, which are a reason to try the resource. Events hold only what every kind of view knows,
/// WebKit's included: no bodies of requests, and no fields of a redirect. ``Event/request(to:by:isReadable:)`` is the
/// exception. A view that does not know it loses no login. The terminal's browser and Chromium use the policy; a
/// strategy of one's own can, too. In the terminal the conversation loads the pages, so it answers challenges and
/// certificate requests there, with the same providers.
///
/// ```swift
/// var policy = WebLoginPolicy(login, isAttended: true)
/// switch policy.decide(.navigation(to: url, .link, isMainFrame: true)) {
/// case .finish(let url): …
/// ```
public struct WebLoginPolicy: Sendable {
    /// The origin of a navigation.
    public enum NavigationKind: Hashable, Sendable, CaseIterable {
        /// The first page of the login.
        case start
        /// A link that the person followed.
        case link
        /// A form, sent by the person or by a script.
        case form
        /// A redirect of the server.
        case redirect
        /// A page that is loaded again, or one of the history.
        case again
        /// Anything else, such as a script or a refresh.
        case other
    }

    /// A dialog of a page.
    public enum Dialog: Hashable, Sendable, CaseIterable {
        /// A message.
        case alert
        /// A question whose answer is yes or no.
        case confirmation
        /// A question whose answer is a text.
        case prompt
        /// The page asks whether it may be left.
        case beforeUnload
    }

    /// The reason why a page was not loaded.
    public enum Failure: Hashable, Sendable, CaseIterable {
        /// There is nothing to show: 204, a file, a link to an application, or a navigation that another one replaced.
        case nothingToShow
        /// The certificate of the server is not trusted, or TLS failed.
        case certificate
        /// The server wants a client certificate, or refused the one that it got.
        case clientCertificate
        /// The proxy refused, or did not answer.
        case proxy
        /// Everything else.
        case network
    }

    /// The demand for a user name and password by a server (401) or proxy (407).
    public struct Challenge: Hashable, Sendable {
        /// The server or proxy that asks.
        public let origin: Origin
        /// Whether it is a proxy.
        public let isProxy: Bool
        /// The scheme, such as `basic`.
        public let method: AuthenticationMethod
        /// The realm; text from a peer.
        public let realm: String
        /// The requested URL; nil if the view does not know it, as in WebKit.
        public let target: TargetURL?
        /// The number of logins that the server or proxy has already refused for this request; nil if the view does not
        /// know it. Then every login that was used before counts as refused.
        public let previousFailures: Int?

        /// Creates a challenge.
        public init(
            from origin: Origin, isProxy: Bool = false, method: AuthenticationMethod, realm: String,
            target: TargetURL? = nil, previousFailures: Int? = nil
        ) {
            self.origin = origin
            self.isProxy = isProxy
            self.method = method
            self.realm = realm
            self.target = target
            self.previousFailures = previousFailures
        }
    }

    /// The logins that were used for a protection space.
    private struct UsedLogins {
        var logins: [UsernamePassword] = []
        /// The number of logins, from the first, that were refused.
        var refused = 0
        /// The login that was used and not refused: the answer to all simultaneous challenges.
        var current: UsernamePassword? { logins.count > refused ? logins.last : nil }
    }

    /// The sender of a request.
    public enum Requester: Hashable, Sendable, CaseIterable {
        /// A frame that loads a document.
        case navigation
        /// A document of the server that the request goes to.
        case ownDocument
        /// Another document, or one that is not known.
        case foreignDocument
    }

    /// The abilities of a view, and the settings of its conversation.
    public struct View: Sendable {
        /// Whether a person sees the pages and can act on them.
        public var isAttended: Bool
        /// Whether the view itself can ask the person for a user name and password.
        public var asksForPasswords = false
        /// Whether the conversation can send single requests of the view (``Event/request(to:by:isReadable:)``).
        public var delegatesRequests = false
        /// Whether a navigation from https to plain http on another machine fails the login. Browsers follow it, and
        /// show it in their address bar.
        public var refusesDowngrades = false
        /// The settings for connections that the view cannot apply itself (security rule S28).
        public var connectionPolicy = ConnectionPolicy()
        /// The proxies that may ask for a password.
        public var proxies = ProxySettings.none
        /// Whether the conversation may show a client certificate to a server. Asks nobody.
        public var presentsIdentity: @Sendable (TargetURL) -> Bool = { _ in false }

        /// A view without anything set.
        public init(isAttended: Bool) { self.isAttended = isAttended }

        /// A view with the settings of a conversation, none of which it can apply itself.
        public init(isAttended: Bool, in context: ConversationContext) {
            self.isAttended = isAttended
            connectionPolicy = context.connectionPolicy
            proxies = context.configuration.proxies
            presentsIdentity = { context.presentsIdentity(to: $0) }
        }
    }

    /// The maximum number of answers to the challenges of one protection space in a login, and of its protection
    /// spaces.
    private static let maximumAnswers = 2
    private static let maximumSpaces = 100
    /// The maximum number of remembered origins of pages.
    private static let maximumOrigins = 20

    private let login: WebLogin
    private let view: View
    /// The page that the main frame shows.
    private var page: TargetURL?
    /// The page that the main frame was last about to load.
    private var next: TargetURL?
    /// The URL of a trial that runs, and the one of an arrival meanwhile.
    private(set) package var tried: String?
    private var waiting: String?
    private var used: [ProtectionSpace: UsedLogins] = [:]
    /// The status of the main frame's last response, until the frame is about to load something else.
    package private(set) var status: Int?
    /// The failure of the page that is being tried.
    private var failure: (kind: Failure, detail: String)?
    /// Whether the page that is being tried could not be loaded.
    package var hasFailed: Bool { failure != nil }
    /// The origins of the pages that the main frame has shown, at most 20.
    public private(set) var shownOrigins: Set<Origin> = []
    /// Whether the login has ended.
    public private(set) var isOver = false

    /// Creates a policy for one login.
    ///
    /// - Parameters:
    ///   - login: the login
    ///   - isAttended: whether a person sees the pages and can act on them
    public init(_ login: WebLogin, isAttended: Bool) { self.init(login, in: View(isAttended: isAttended)) }

    /// Creates a policy for one login in a view.
    public init(_ login: WebLogin, in view: View) {
        self.login = login
        self.view = view
    }

    /// Decides about the next event.
    public mutating func decide(_ event: Event) -> Action {
        guard !isOver else { return .refuse }
        switch event {
        case .navigation(let url, _, let kind, let isMainFrame):
            return isMainFrame ? navigation(to: url, kind) : framed(url)
        case .newWindow(let url): return link(to: url) ?? framed(url)
        case .response(let url, let status, _, let isMainFrame):
            return isMainFrame ? arrival(at: url, status) : .allow
        case .arrived(let url):
            page = try? TargetURL(url)
            if let page, shownOrigins.count < Self.maximumOrigins { shownOrigins.insert(page.origin) }
            return .allow
        case .challenge(let challenge): return answer(to: challenge)
        case .answer(let answer, let challenge): return use(answer, challenge)
        case .certificateRequest(let origin): return certificate(for: origin)
        case .request(let target, let requester, let isReadable): return sender(target, requester, isReadable)
        case .dialog(let dialog): return view.isAttended ? .allow : .closeDialog(isAccepted: dialog == .beforeUnload)
        case .download: return .refuse
        case .failed(let failure, let detail, let isMainFrame):
            return isMainFrame ? failed(failure, detail) : .allow
        case .closed:
            return view.isAttended
                ? end(.cancelled, "The window of the \(login) was closed.")
                : end(.pageFailed, "The page of the \(login) closed itself.")
        case .crashed: return end(.browserFailed, "The page of the \(login) crashed the browser.")
        case .tried(let isDone):
            guard let url = tried else { return .allow }
            if isDone { return finish(url) }
            (tried, waiting) = (waiting, nil)
            guard tried == nil else { return .tryResource }
            guard let failure else { return .allow }
            self.failure = nil
            return failed(failure.kind, failure.detail)
        }
    }

    // MARK: Navigations

    private mutating func navigation(to url: String, _ kind: NavigationKind) -> Action {
        (status, failure) = (nil, nil)
        if login.isFinish(url) { return finish(url) }
        if let action = link(to: url) { return action }
        guard let target = try? TargetURL(url) else { return framed(url) }
        let source = kind == .redirect ? next ?? page : page
        next = target
        if kind == .form { login.trial?.noteInput() }
        // Security rule S1: only the person types a user name into a URL.
        guard target.userinfo == nil else {
            return end(
                .pageFailed, "The \(login) leads to a URL at \(target.origin) with a user name or password in it.")
        }
        if view.refusesDowngrades, let source = source?.origin, target.origin.isDowngrade(from: source) {
            return end(
                .pageFailed,
                "The \(login) leads from \(source) to \(target.origin): from https to plain http on another machine nothing is sent."
            )
        }
        return framed(url)
    }

    /// A link to the application that makes codes.
    private func link(to url: String) -> Action? {
        guard let page, let authenticator = login.authenticator, authenticator.canOpen(url, from: page) else {
            return nil
        }
        return .openApplication(url, from: page)
    }

    /// A frame or a separate window cannot end a login (security rule S17). A page in it cannot open another
    /// application or anything on this machine.
    private mutating func framed(_ url: String) -> Action {
        guard let target = try? TargetURL(url) else {
            let scheme = url.prefix { $0 != ":" }.lowercased()
            return ["about", "blob", "data", "javascript"].contains(scheme) ? .allow : .refuse
        }
        guard !view.delegatesRequests, !view.connectionPolicy.settings(for: target.origin).isEmpty else {
            return .allow
        }
        return end(
            .invalidConfiguration,
            "The \(login) leads to \(target.origin), but this view cannot apply the connection settings for that server."
        )
    }

    /// The main frame has arrived somewhere: perhaps the login is done.
    private mutating func arrival(at url: String, _ status: Int) -> Action {
        self.status = status
        guard let trial = login.trial, trial.isCandidate(url) else { return .allow }
        guard tried == nil else {
            waiting = url
            return .allow
        }
        tried = url
        return .tryResource
    }

    // MARK: Questions

    /// A challenge of the request's own server, or of the proxy that is configured for it (security rule S5).
    private mutating func answer(to challenge: Challenge) -> Action {
        guard let target = challenge.target ?? (challenge.isProxy ? next : try? challenge.origin.targetURL()) else {
            return .refuse
        }
        var proxy: ProxyServer?
        if challenge.isProxy {
            proxy = try? view.proxies.proxy(for: target)
            guard proxy?.origin == challenge.origin else { return .refuse }
        } else {
            guard target.origin == challenge.origin else { return .refuse }
        }
        let full = WebViewChallenge(target: target, method: challenge.method, realm: challenge.realm, proxy: proxy)
        guard var logins = used[full.space] else {
            return used.count < Self.maximumSpaces ? .askProviders(full, previousFailures: 0) : .refuse
        }
        let count = logins.logins.count
        logins.refused = max(logins.refused, min(challenge.previousFailures ?? count, count))
        used[full.space] = logins
        if let login = logins.current { return .logIn(login) }
        return count < Self.maximumAnswers ? .askProviders(full, previousFailures: count) : .refuse
    }

    private mutating func use(_ answer: ProvidedCredential, _ challenge: WebViewChallenge) -> Action {
        let space = challenge.space
        switch answer {
        case .cancel: return end(.cancelled, "The question for a password for \(space) was cancelled.")
        case .none: return view.isAttended && view.asksForPasswords ? .askPerson : .refuse
        case .credential(let login, _):
            // Another request has asked at the same time.
            if let current = used[space]?.current { return .logIn(current) }
            // A refused login is not sent again.
            guard used[space]?.logins.contains(login) != true else { return .refuse }
            used[space, default: UsedLogins()].logins.append(login)
            return .logIn(login)
        }
    }

    /// A client certificate is for the server of the main frame's page, and of the page that it is loading (security
    /// rule S7).
    private func certificate(for origin: Origin) -> Action {
        guard origin == page?.origin || origin == next?.origin, let target = try? origin.targetURL(),
            view.presentsIdentity(target)
        else { return .refuse }
        return .presentIdentity(origin)
    }

    /// A request to a server that may be shown a client certificate, or for which there are settings that the view
    /// cannot apply, is the conversation's. A document of another server makes it send neither certificate nor
    /// password.
    private func sender(_ target: TargetURL, _ requester: Requester, _ isReadable: Bool) -> Action {
        let isKept = view.connectionPolicy.restricts(target.origin)
        guard isKept || view.presentsIdentity(target) else { return .allow }
        guard isReadable, view.delegatesRequests else { return isKept ? .refuse : .allow }
        guard requester == .foreignDocument else { return .delegate(isAnonymous: false) }
        return isKept ? .delegate(isAnonymous: true) : .allow
    }

    // MARK: Ends

    private mutating func finish(_ url: String) -> Action {
        isOver = true
        return .finish(url)
    }

    private mutating func end(_ code: WebLoginError.Code, _ message: String) -> Action {
        isOver = true
        return .fail(WebLoginError(code, message))
    }

    private mutating func failed(_ failure: Failure, _ detail: String) -> Action {
        // The page before stays.
        if failure == .nothingToShow { return .allow }
        let isFinal = failure == .certificate || failure == .clientCertificate
        // The response came before the failure, perhaps with the login's cookies.
        if !isFinal, tried != nil {
            self.failure = (failure, detail)
            return .allow
        }
        // A person cannot click away a certificate error. After other errors they may try again, if there was a page.
        guard !view.isAttended || isFinal || shownOrigins.isEmpty else { return .allow }
        let advice =
            switch failure {
            case .certificate: "the server's certificate is not trusted"
            case .clientCertificate: "the server did not get a client certificate that it accepts"
            case .proxy: "check the proxy and the login for it"
            case .network where (status ?? 0) >= 400: "the server answered \(status ?? 0)"
            default: "check the address and the network"
            }
        isOver = true
        let error = WebLoginError(
            .pageFailed, "A page of the \(login) could not be loaded (\(detail)): \(advice).")
        return .fail((400..<500).contains(status ?? 0) ? error.at(status: status) : error.ofOutage())
    }
}

extension Origin {
    /// Whether an https page leads to unencrypted http on another machine, which browsers call a downgrade (security
    /// rule S18).
    package func isDowngrade(from source: Origin) -> Bool {
        source.scheme == .https && !isSecure
    }
}
