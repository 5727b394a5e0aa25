// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(WebKit)
import HttpConvCertificates
public import HttpConvAuthFlows
public import HttpConversation
import WebKit

/// Logins in a `WKWebView` with its own data store: SAML2 and one-time codes. Cookies are copied in both directions.
/// The conversation's providers answer its servers' challenges, and its filters judge them.
///
/// For OAuth2 use the system's authentication session (RFC 8252 §8.12): ``AuthenticationSessionStrategy``.
public struct WebViewStrategy: WebLoginStrategy {
    private let presenter: any WebViewPresenter

    /// Creates a strategy that shows its view with `presenter`.
    public init(presenter: some WebViewPresenter) { self.presenter = presenter }

    public func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        try await LoginWebView(login, presenter).run(in: context)
    }
}

/// The view of one login: hands WebKit's call-backs to ``WebKitLogin``, and WebKit its replies.
@MainActor
private final class LoginWebView: NSObject, WebKitView {
    private let login: WebLogin
    private let presenter: any WebViewPresenter
    private let view: WKWebView
    private var store: WKHTTPCookieStore { view.configuration.websiteDataStore.httpCookieStore }
    private var state: WebKitLogin?

    init(_ login: WebLogin, _ presenter: any WebViewPresenter) {
        self.login = login
        self.presenter = presenter
        let configuration = WKWebViewConfiguration()
        configuration.websiteDataStore = .nonPersistent()
        view = WKWebView(frame: .zero, configuration: configuration)
        super.init()
        view.navigationDelegate = self
        view.uiDelegate = self
    }

    func run(in context: ConversationContext) async throws -> WebLoginOutcome {
        let state = try WebKitLogin(login, in: context, view: self)
        self.state = state
        defer { self.state = nil }
        return try await state.run()
    }

    func setCookie(_ cookie: Cookie) async {
        if let cookie = HTTPCookie(cookie) { await store.setCookie(cookie) }
    }

    func cookies() async -> [Cookie] { await store.allCookies().map { Cookie($0) } }

    func show() { presenter.present(view, for: login) { [weak self] in self?.report(.closed) } }

    func load(_ url: TargetURL) { view.load(URLRequest(url: url.foundationURL)) }

    func remove() {
        view.stopLoading()
        presenter.dismiss(view)
    }

    func call(_ function: String, _ arguments: String) async -> String? {
        let body = "return JSON.stringify(await (\(function))(...JSON.parse(list)))"
        return try? await view.callAsyncJavaScript(
            body, arguments: ["list": arguments], in: nil, contentWorld: .defaultClient) as? String
    }

    @discardableResult private func report(_ event: WebKitEvent) -> WebKitReply { state?.receive(event) ?? .cancel }
}

// Extensions, because only there the compiler warns of a method that nearly matches one of the delegate's.
extension LoginWebView: WKNavigationDelegate {
    func webView(_ view: WKWebView, decidePolicyFor action: WKNavigationAction) async -> WKNavigationActionPolicy {
        let frame: WebKitEvent.Frame = action.targetFrame.map { $0.isMainFrame ? .main : .other } ?? .new
        switch report(
            .navigationAction(
                url: action.request.url?.absoluteString, method: action.request.httpMethod,
                type: action.navigationType.rawValue, frame: frame, isDownload: action.shouldPerformDownload))
        {
        case .allow: return .allow
        case .cancel: return .cancel
        case .loadInPlace:
            view.load(action.request)
            return .cancel
        }
    }

    func webView(
        _ view: WKWebView, decidePolicyFor response: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy {
        let reply = await state?.receiveResponse(
            url: response.response.url?.absoluteString,
            status: (response.response as? HTTPURLResponse)?.statusCode ?? 0, isMainFrame: response.isForMainFrame,
            canShow: response.canShowMIMEType)
        return if case .allow? = reply { .allow } else { .cancel }
    }

    func webView(_ view: WKWebView, didStartProvisionalNavigation navigation: WKNavigation?) { report(.started) }

    func webView(_ view: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation?) {
        if case .cancel = report(.redirected(to: view.url?.absoluteString)) { view.stopLoading() }
    }

    func webView(_ view: WKWebView, didCommit navigation: WKNavigation?) {
        report(.committed(url: view.url?.absoluteString))
        presenter.arrived(at: place, in: view)
    }

    func webView(_ view: WKWebView, didFinish navigation: WKNavigation?) { presenter.arrived(at: place, in: view) }

    private var place: LoginPagePlace { LoginPagePlace(url: view.url?.absoluteString ?? "", title: view.title ?? "") }

    func webView(_ view: WKWebView, didFailProvisionalNavigation navigation: WKNavigation?, withError error: any Error)
    {
        report(.failed(domain: (error as NSError).domain, code: (error as NSError).code))
    }

    func webView(_ view: WKWebView, didFail navigation: WKNavigation?, withError error: any Error) {
        report(.failed(domain: (error as NSError).domain, code: (error as NSError).code))
    }

    func webViewWebContentProcessDidTerminate(_ view: WKWebView) { report(.processTerminated) }

    func webView(
        _ view: WKWebView, respondTo challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        switch await state?.answer(WebKitChallenge(challenge)) ?? .cancelled {
        case .byDefault: return (.performDefaultHandling, nil)
        case .rejected: return (.rejectProtectionSpace, nil)
        case .cancelled: return (.cancelAuthenticationChallenge, nil)
        case .noIdentity: return (.useCredential, nil)
        case .trusted: return (.useCredential, challenge.protectionSpace.serverTrust.map { .init(trust: $0) })
        case .password(let login):
            return (.useCredential, .init(user: login.username, password: login.password.value, persistence: .none))
        case .identity(let identity):
            let credential = state?.made { () throws(ConversationError) in try ImportedIdentity.credential(identity) }
            return credential.map { (.useCredential, $0) } ?? (.cancelAuthenticationChallenge, nil)
        }
    }
}

extension LoginWebView: WKUIDelegate {
    func webView(
        _ view: WKWebView, createWebViewWith configuration: WKWebViewConfiguration, for action: WKNavigationAction,
        windowFeatures: WKWindowFeatures
    ) -> WKWebView? {
        let request = action.request
        let reply = report(.createView(url: request.url?.absoluteString, method: request.httpMethod))
        if case .loadInPlace = reply { view.load(request) }
        return nil
    }

    func webViewDidClose(_ view: WKWebView) { report(.closed) }

    func webView(
        _ view: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo
    ) async { _ = await ask(.alert, message, frame) }

    func webView(
        _ view: WKWebView, runJavaScriptConfirmPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo
    ) async -> Bool { await ask(.confirmation, message, frame) != nil }

    func webView(
        _ view: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo
    ) async -> String? { await ask(.prompt, prompt, frame, suggestion: defaultText ?? "") }

    private func ask(
        _ kind: WebLoginPolicy.Dialog, _ message: String, _ frame: WKFrameInfo, suggestion: String = ""
    ) async -> String? {
        guard case .allow = report(.dialog(kind)) else { return nil }
        let place = frame.securityOrigin
        let server = WebKitChallenge.origin(scheme: place.`protocol`, host: place.host, port: place.port)
        return await presenter.ask(
            LoginPageDialog(kind, from: server, message: message, suggestion: suggestion), over: view)
    }
}

extension WebKitChallenge {
    fileprivate init(_ challenge: URLAuthenticationChallenge) {
        let space = challenge.protectionSpace
        let methods: [String: Method] = [
            NSURLAuthenticationMethodHTTPBasic: .basic, NSURLAuthenticationMethodHTTPDigest: .digest,
            NSURLAuthenticationMethodClientCertificate: .clientCertificate,
            NSURLAuthenticationMethodServerTrust: .serverTrust,
        ]
        self.init(
            method: methods[space.authenticationMethod] ?? .other, host: space.host, port: space.port,
            scheme: space.`protocol`, realm: space.realm, isProxy: space.isProxy(),
            previousFailures: challenge.previousFailureCount)
        // WebKit waits for the answer, and does not use it meanwhile.
        nonisolated(unsafe) let trust = space.serverTrust
        judge = { authorities in
            if let trust { await TrustEvaluation.judge(trust, authorities: authorities) } else { nil }
        }
    }
}
#endif
