// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(WebKit)
public import HttpConvAuthFlows
public import HttpConversation
public import WebKit

/// Puts a web view in front of the person, and takes it away.
@MainActor
public protocol WebViewPresenter: Sendable {
    /// Shows the view, in a sheet or a window of the application's own making.
    ///
    /// - Parameter onClose: to be called where the person closes it
    func present(_ view: WKWebView, for login: WebLogin, onClose: @escaping @MainActor () -> Void)
    /// Takes it away; also called after `onClose`.
    func dismiss(_ view: WKWebView)
}

/// Logins in a `WKWebView` with a data store of its own: SAML2 and one-time codes, with cookies handed over both ways.
///
/// For OAuth2 the system's authentication session is the better place (RFC 8252 §8.12):
/// ``AuthenticationSessionStrategy``.
public struct WebViewStrategy: WebLoginStrategy {
    private let presenter: any WebViewPresenter

    /// A strategy that shows its view by `presenter`.
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
    private let view: WKWebView
    private var continuation: CheckedContinuation<String, any Error>?

    init(_ login: WebLogin, presenter: any WebViewPresenter, policy: ConnectionPolicy) {
        self.login = login
        self.presenter = presenter
        self.policy = policy
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

// An extension: only there does the compiler warn of a method that is nearly one of the delegate's.
extension LoginWebView: WKNavigationDelegate {
    // The main frame only: what a frame inside the page does is no end (security rule S17).
    func webView(_ view: WKWebView, decidePolicyFor action: WKNavigationAction) async -> WKNavigationActionPolicy {
        guard let url = action.request.url?.absoluteString else { return .allow }
        if action.targetFrame?.isMainFrame == true, login.isFinish(url) {
            end(.success(url))
            return .cancel
        }
        // The view cannot hold what is set for connections to such a server (security rule S28).
        guard let target = try? TargetURL(url), !policy.settings(for: target.origin).isEmpty else { return .allow }
        end(
            .failure(
                WebLoginError(
                    .invalidConfiguration,
                    "The \(login) leads to \(target.origin), and a web view cannot hold what is set for connections there."
                )))
        return .cancel
    }

    // Nothing is downloaded from a login.
    func webView(
        _ view: WKWebView, decidePolicyFor response: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy {
        response.canShowMIMEType ? .allow : .cancel
    }

    func webView(_ view: WKWebView, didFailProvisionalNavigation navigation: WKNavigation?, withError error: any Error)
    {
        // A navigation that another one replaced (-999), or that we refused (102), is no failure.
        guard ![NSURLErrorCancelled, 102].contains((error as NSError).code) else { return }
        end(.failure(WebLoginError(.pageFailed, "A page of the \(login) could not be loaded.", underlyingError: error)))
    }

    func webViewWebContentProcessDidTerminate(_ view: WKWebView) {
        end(.failure(WebLoginError(.browserFailed, "The web view's process ended during the \(login).")))
    }
}

extension Cookie {
    /// The cookie as the platform's type. A domain with a leading dot is what tells it from a host-only one.
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
