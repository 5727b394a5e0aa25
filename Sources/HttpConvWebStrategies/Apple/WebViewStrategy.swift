// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(WebKit)
import HTTPTypes
public import HttpConvAuthFlows
public import HttpConversation
public import WebKit

/// Shows a web view to the person, and removes it.
@MainActor
public protocol WebViewPresenter: Sendable {
    /// Shows the view in a sheet or a window of the application.
    ///
    /// - Parameter onClose: call it when the person closes the view
    func present(_ view: WKWebView, for login: WebLogin, onClose: @escaping @MainActor () -> Void)
    /// Removes the view. Also called after `onClose`.
    func dismiss(_ view: WKWebView)
}

/// Logins in a `WKWebView` with its own data store: SAML2 and one-time codes. Cookies are copied in both directions.
///
/// For OAuth2 use the system's authentication session (RFC 8252 §8.12): ``AuthenticationSessionStrategy``.
public struct WebViewStrategy: WebLoginStrategy {
    private let presenter: any WebViewPresenter

    /// Creates a strategy that shows its view with `presenter`.
    public init(presenter: some WebViewPresenter) { self.presenter = presenter }

    public func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        try context.requireHeldElsewhere(login, by: "A web view")
        let view = await LoginWebView(login, in: context, presenter: presenter)
        return try await view.run(bringing: login.cookiesToBring(from: context.session.cookies))
    }
}

/// One login: reports WebKit's call-backs to the policy, and performs its actions.
@MainActor
private final class LoginWebView: NSObject {
    private let login: WebLogin
    private let context: ConversationContext
    private let presenter: any WebViewPresenter
    private var policy: WebLoginPolicy
    private let view: WKWebView
    private var continuation: CheckedContinuation<String, any Error>?

    init(_ login: WebLogin, in context: ConversationContext, presenter: any WebViewPresenter) {
        self.login = login
        self.context = context
        self.presenter = presenter
        policy = WebLoginPolicy(login, in: WebLoginPolicy.View(isAttended: true, in: context))
        let configuration = WKWebViewConfiguration()
        configuration.websiteDataStore = .nonPersistent()
        view = WKWebView(frame: .zero, configuration: configuration)
        super.init()
        view.navigationDelegate = self
    }

    func run(bringing cookies: [Cookie]) async throws -> WebLoginOutcome {
        defer {
            view.stopLoading()
            presenter.dismiss(view)
        }
        let store = view.configuration.websiteDataStore.httpCookieStore
        for cookie in cookies.compactMap(\.platformCookie) { await store.setCookie(cookie) }
        let url = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.continuation = continuation
                if Task.isCancelled { return end(.failure(CancellationError())) }
                presenter.present(view, for: login) { [weak self] in self?.report(.closed) }
                view.load(URLRequest(url: login.start.foundationURL))
            }
        } onCancel: {
            Task { @MainActor in self.end(.failure(CancellationError())) }
        }
        return WebLoginOutcome(url: url, cookies: await store.allCookies().map(Cookie.init(platformCookie:)))
    }

    private func end(_ result: Result<String, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
    }
}

extension LoginWebView {
    /// Reports an event, and performs the action.
    ///
    /// - Returns: whether the view goes on
    @discardableResult private func report(_ event: WebLoginPolicy.Event) -> Bool {
        switch policy.decide(event) {
        case .allow: return true
        case .finish(let url): end(.success(url))
        case .fail(let error): end(.failure(error))
        case .openApplication(let link, let page):
            Task { [authenticator = login.authenticator] in try await authenticator?.open(link, from: page) }
        default: break
        }
        return false
    }

    /// Tries the resource if the policy says so.
    ///
    /// - Returns: whether the view goes on
    private func reportArrival(_ event: WebLoginPolicy.Event) async -> Bool {
        guard let trial = login.trial, case .tryResource = policy.decide(event) else { return true }
        do {
            while true {
                let cookies = await view.configuration.websiteDataStore.httpCookieStore.allCookies()
                let isDone = try await trial.attempt(cookies.map(Cookie.init(platformCookie:)))
                switch policy.decide(.tried(isDone)) {
                case .tryResource: continue
                case .finish(let url):
                    end(.success(url))
                    return false
                default: return true
                }
            }
        } catch {
            end(.failure(error))
            return false
        }
    }
}

// An extension, because only there the compiler warns of a method that nearly matches one of the delegate's.
extension LoginWebView: WKNavigationDelegate {
    func webView(_ view: WKWebView, decidePolicyFor action: WKNavigationAction) async -> WKNavigationActionPolicy {
        guard let url = action.request.url?.absoluteString else { return .cancel }
        if action.shouldPerformDownload { return report(.download(url)) ? .download : .cancel }
        // Without a target frame it is a new window, which this view loads in place.
        guard let frame = action.targetFrame else {
            if report(.newWindow(url)) { view.load(action.request) }
            return .cancel
        }
        let kind: WebLoginPolicy.NavigationKind =
            switch action.navigationType {
            case .linkActivated: .link
            case .formSubmitted: .form
            case .backForward, .reload, .formResubmitted: .again
            default: .other
            }
        let method = action.request.httpMethod.flatMap { HTTPRequest.Method($0) } ?? .get
        let event = WebLoginPolicy.Event.navigation(to: url, method: method, kind, isMainFrame: frame.isMainFrame)
        return report(event) ? .allow : .cancel
    }

    // A login page cannot download files. The resource, which ends the login, may be one.
    func webView(
        _ view: WKWebView, decidePolicyFor response: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy {
        guard let url = response.response.url?.absoluteString else { return .cancel }
        let status = (response.response as? HTTPURLResponse)?.statusCode ?? 0
        guard
            await reportArrival(.response(from: url, status: status, isMainFrame: response.isForMainFrame))
        else { return .cancel }
        return response.canShowMIMEType || report(.download(url)) ? .allow : .cancel
    }

    func webView(_ view: WKWebView, didCommit navigation: WKNavigation?) {
        report(.arrived(view.url?.absoluteString ?? ""))
    }

    func webView(_ view: WKWebView, didFailProvisionalNavigation navigation: WKNavigation?, withError error: any Error)
    {
        failed(error)
    }

    func webView(_ view: WKWebView, didFail navigation: WKNavigation?, withError error: any Error) { failed(error) }

    private func failed(_ error: any Error) {
        let code = (error as NSError).code
        let failure: WebLoginPolicy.Failure =
            switch code {
            // Replaced by another navigation, or refused by this view.
            case -999, 102: .nothingToShow
            case -1206 ... -1200: .certificate
            default: .network
            }
        report(.failed(failure, detail: "\(code)", isMainFrame: true))
    }

    func webViewWebContentProcessDidTerminate(_ view: WKWebView) { report(.crashed) }

    // The system verifies certificates of servers. Client certificates are not presented yet.
    func webView(
        _ view: WKWebView, respondTo challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let space = challenge.protectionSpace
        let methods = [
            NSURLAuthenticationMethodHTTPBasic: AuthenticationMethod.basic,
            NSURLAuthenticationMethodHTTPDigest: .digest,
        ]
        guard let method = methods[space.authenticationMethod] else { return (.performDefaultHandling, nil) }
        let scheme: Origin.Scheme = ["https", "HTTPS"].contains(space.`protocol`) ? .https : .http
        guard let origin = try? Origin(scheme: scheme, host: space.host, port: space.port) else {
            return (.cancelAuthenticationChallenge, nil)
        }
        let asked = WebLoginPolicy.Challenge(
            from: origin, isProxy: space.isProxy(), method: method, realm: space.realm ?? "")
        guard case .askProviders(let question, let failures) = policy.decide(.challenge(asked)) else {
            return (.rejectProtectionSpace, nil)
        }
        do {
            let answer = try await context.answer(to: question, previousFailures: failures)
            switch policy.decide(.answer(answer, to: question)) {
            case .logIn(let login):
                let credential = URLCredential(
                    user: login.username, password: login.password.value, persistence: .none)
                return (.useCredential, credential)
            case .fail(let error): throw error
            default: return (.rejectProtectionSpace, nil)
            }
        } catch {
            end(.failure(error))
            return (.cancelAuthenticationChallenge, nil)
        }
    }
}

extension Cookie {
    /// The cookie as the platform's type. A leading dot of the domain marks a cookie that is not host-only.
    fileprivate var platformCookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .path: path, .domain: isHostOnly ? domain : ".\(domain)",
        ]
        if let expires { properties[.expires] = expires }
        if isSecure { properties[.secure] = "TRUE" }
        if isHttpOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        return HTTPCookie(properties: properties)
    }

    fileprivate init(platformCookie cookie: HTTPCookie) {
        self.init(
            name: cookie.name, value: cookie.value,
            domain: cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain,
            isHostOnly: !cookie.domain.hasPrefix("."), path: cookie.path, expires: cookie.expiresDate,
            isSecure: cookie.isSecure, isHttpOnly: cookie.isHTTPOnly)
    }
}
#endif
