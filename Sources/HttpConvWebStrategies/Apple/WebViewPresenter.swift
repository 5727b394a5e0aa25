// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(WebKit)
public import HttpConvAuthFlows
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
    /// The view shows another page: the person has to see its server. Default: nothing.
    func arrived(at place: LoginPagePlace, in view: WKWebView)
    /// Shows a dialog of the page. Default: it is not shown, and refused.
    ///
    /// - Returns: nil if the person refuses; else the text of a prompt, empty for other dialogs
    func ask(_ dialog: LoginPageDialog, over view: WKWebView) async -> String?
}

extension WebViewPresenter {
    public func arrived(at place: LoginPagePlace, in view: WKWebView) {}
    public func ask(_ dialog: LoginPageDialog, over view: WKWebView) async -> String? { nil }
}
#endif
