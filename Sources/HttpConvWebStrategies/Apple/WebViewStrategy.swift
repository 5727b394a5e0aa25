// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(WebKit)
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
        let view = await LoginWebView(login, presenter: presenter, policy: context.connectionPolicy)
        return try await view.run(bringing: login.cookiesToBring(from: context.session.cookies))
    }
}

/// One login.
@MainActor
private final class LoginWebView: NSObject {
    private let login: WebLogin
    private let presenter: any WebViewPresenter
    private let policy: ConnectionPolicy
    private var decisions: WebLoginPolicy
    private let view: WKWebView
    private var continuation: CheckedContinuation<String, any Error>?

    init(_ login: WebLogin, presenter: any WebViewPresenter, policy: ConnectionPolicy) {
        self.login = login
        self.presenter = presenter
        self.policy = policy
        decisions = WebLoginPolicy(login, isAttended: true)
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
                presenter.present(view, for: login) { [weak self] in
                    self?.end(.failure(WebLoginError(.cancelled, "The login was closed.")))
                }
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

// An extension, because only there the compiler warns of a method that nearly matches one of the delegate's.
extension LoginWebView: WKNavigationDelegate {
    // The main frame only: a frame inside the page cannot end the login (security rule S17).
    func webView(_ view: WKWebView, decidePolicyFor action: WKNavigationAction) async -> WKNavigationActionPolicy {
        guard let url = action.request.url?.absoluteString else { return .allow }
        if action.targetFrame?.isMainFrame == true, login.isFinish(url) {
            end(.success(url))
            return .cancel
        }
        // The view cannot apply the settings for connections to such a server (security rule S28).
        guard let target = try? TargetURL(url), !policy.settings(for: target.origin).isEmpty else { return .allow }
        end(
            .failure(
                WebLoginError(
                    .invalidConfiguration,
                    "The \(login) leads to \(target.origin), and a web view cannot hold what is set for connections there."
                )))
        return .cancel
    }

    // A login page cannot download files. The resource, which ends the login, may be one.
    func webView(
        _ view: WKWebView, decidePolicyFor response: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy {
        if response.isForMainFrame, await isEnd(response) { return .cancel }
        return response.canShowMIMEType ? .allow : .cancel
    }

    /// Whether the login has ended at a response, after a trial of the resource.
    private func isEnd(_ response: WKNavigationResponse) async -> Bool {
        guard let url = response.response.url?.absoluteString, let trial = login.trial else { return false }
        let status = (response.response as? HTTPURLResponse)?.statusCode ?? 0
        var action = decisions.decide(.response(from: url, status: status, isMainFrame: true))
        do {
            while case .tryResource = action {
                let cookies = await view.configuration.websiteDataStore.httpCookieStore.allCookies()
                let isDone = try await trial.attempt(cookies.map(Cookie.init(platformCookie:)))
                action = decisions.decide(.tried(isDone))
            }
        } catch {
            end(.failure(error))
            return true
        }
        guard case .finish(let url) = action else { return false }
        end(.success(url))
        return true
    }

    func webView(_ view: WKWebView, didFailProvisionalNavigation navigation: WKNavigation?, withError error: any Error)
    {
        // A navigation that was replaced by another (-999), or that we refused (102), is not a failure.
        guard ![NSURLErrorCancelled, 102].contains((error as NSError).code) else { return }
        end(.failure(WebLoginError(.pageFailed, "A page of the \(login) could not be loaded.", underlyingError: error)))
    }

    func webViewWebContentProcessDidTerminate(_ view: WKWebView) {
        end(.failure(WebLoginError(.browserFailed, "The web view's process ended during the \(login).")))
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
