public import HTTPTypes
public import HttpConversation

/// The decisions of a view that shows a login: what it does with each navigation, window, question and failure.
///
/// A pure value: a view reports an event and performs the action. Events hold only what every kind of view knows,
/// WebKit's included: no bodies of requests, and no fields of a redirect. The terminal's browser and Chromium use it; a
/// strategy of one's own can, too.
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
        /// The proxy refused, or did not answer.
        case proxy
        /// Everything else.
        case network
    }

    /// Something that happens in a view.
    public enum Event: Sendable {
        /// A frame is about to load a URL of any scheme, with a request of this method.
        case navigation(to: String, method: HTTPRequest.Method = .get, NavigationKind, isMainFrame: Bool)
        /// A page opens a URL in a new window.
        case newWindow(String)
        /// The head of the final response has arrived, after all redirects.
        case response(from: String, status: Int, fields: HTTPFields = [:], isMainFrame: Bool)
        /// The main frame shows the page of this URL.
        case arrived(String)
        /// A server or proxy asks for a user name and password.
        case challenge(WebViewChallenge)
        /// A server asks for a client certificate.
        case certificateRequest(Origin)
        /// A page shows a dialog.
        case dialog(Dialog)
        /// A response is to be saved as a file.
        case download(String)
        /// A page could not be loaded. The detail is the view's own name for the failure.
        case failed(Failure, detail: String, isMainFrame: Bool)
        /// The view was closed, by the person or by the page.
        case closed
        /// The view's process has ended.
        case crashed
        /// A trial has ended: whether the login is done.
        case tried(Bool)
    }

    /// The reaction of the view.
    public enum Action: Sendable {
        /// It goes on.
        case allow
        /// It does not load or save it, and stays at its page.
        case refuse
        /// It ends the login with this URL and its cookies, and loads nothing more.
        case finish(String)
        /// It gives its cookies to ``WebLoginTrial/attempt(_:)``, leaves the page alone meanwhile, and reports the result.
        case tryResource
        /// It opens the link with ``CodeAuthenticator/open(_:from:)``, and stays at this page.
        case openApplication(String, from: TargetURL)
        /// It asks the conversation's providers, and otherwise the person if there is one.
        case askProviders
        /// It closes a dialog.
        case closeDialog(isAccepted: Bool)
        /// It ends the login with an error.
        case fail(WebLoginError)
    }

    private let login: WebLogin
    private let isAttended: Bool
    /// The page that the main frame shows.
    private var page: TargetURL?
    private var hasShownPage = false
    /// The URL of a trial that runs, and the one of an arrival meanwhile.
    private var tried: String?
    private var next: String?
    /// Whether the login has ended.
    public private(set) var isOver = false

    /// Creates a policy for one login.
    ///
    /// - Parameters:
    ///   - login: the login
    ///   - isAttended: whether a person sees the pages and can act on them
    public init(_ login: WebLogin, isAttended: Bool) {
        self.login = login
        self.isAttended = isAttended
    }

    /// Decides about the next event.
    public mutating func decide(_ event: Event) -> Action {
        guard !isOver else { return .refuse }
        switch event {
        case .navigation(let url, _, _, let isMainFrame): return isMainFrame ? navigation(to: url) : framed(url)
        case .newWindow(let url): return link(to: url) ?? framed(url)
        case .response(let url, _, _, let isMainFrame): return isMainFrame ? arrival(at: url) : .allow
        case .arrived(let url):
            page = try? TargetURL(url)
            hasShownPage = hasShownPage || page != nil
            return .allow
        case .challenge, .certificateRequest: return .askProviders
        case .dialog(let dialog): return isAttended ? .allow : .closeDialog(isAccepted: dialog == .beforeUnload)
        case .download: return .refuse
        case .failed(let failure, let detail, let isMainFrame):
            return isMainFrame ? failed(failure, detail) : .allow
        case .closed:
            return isAttended
                ? end(.cancelled, "The window of the \(login) was closed.")
                : end(.pageFailed, "The page of the \(login) closed itself.")
        case .crashed: return end(.browserFailed, "The page of the \(login) crashed the browser.")
        case .tried(let isDone):
            guard let url = tried else { return .allow }
            if isDone { return finish(url) }
            (tried, next) = (next, nil)
            return tried == nil ? .allow : .tryResource
        }
    }

    // MARK: Navigations

    private mutating func navigation(to url: String) -> Action {
        if login.isFinish(url) { return finish(url) }
        return link(to: url) ?? framed(url)
    }

    /// A link to the application that makes codes.
    private func link(to url: String) -> Action? {
        guard let page, let authenticator = login.authenticator, authenticator.canOpen(url, from: page) else {
            return nil
        }
        return .openApplication(url, from: page)
    }

    /// A frame, or a window of its own, cannot end a login (security rule S17).
    private func framed(_ url: String) -> Action { Self.isPage(url) ? .allow : .refuse }

    /// Whether a view loads the URL by itself: no other application is opened by a page.
    private static func isPage(_ url: String) -> Bool {
        if (try? TargetURL(url)) != nil { return true }
        let scheme = url.prefix { $0 != ":" }.lowercased()
        return ["about", "blob", "data", "javascript"].contains(scheme)
    }

    /// The main frame has arrived somewhere: perhaps the login is done.
    private mutating func arrival(at url: String) -> Action {
        guard let trial = login.trial, trial.isCandidate(url) else { return .allow }
        guard tried == nil else {
            next = url
            return .allow
        }
        tried = url
        return .tryResource
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
        // A person cannot click away a certificate error. After other errors they may try again, if there was a page.
        guard !isAttended || failure == .certificate || !hasShownPage else { return .allow }
        let advice =
            switch failure {
            case .certificate: "the server's certificate is not trusted"
            case .proxy: "check the proxy and the login for it"
            default: "check the address and the network"
            }
        return end(.pageFailed, "A page of the \(login) could not be loaded (\(detail)): \(advice).")
    }
}
