import Foundation
public import HttpConversation

/// The application that makes one-time codes, while a one-time-code form is shown.
///
/// The form's page has a link to it; it comes back with the code in a call-back URL, which reaches this process through
/// ``CustomURLSchemeManagement/handleOpenURL(_:)``. A code goes only to the page whose link was opened for it (security
/// rule S21).
public struct CodeAuthenticator: Sendable {
    /// The only scheme that is handed to the operating system.
    public static let scheme = "sapauthenticator"
    /// How the scheme of a call-back ends.
    public static let callbackSuffix = ".xcallbackurl"

    private let origin: Origin
    private let callbacks: PasscodeCallbacks
    private let opener: (any ExternalURLOpener)?

    init(origin: Origin, callbacks: PasscodeCallbacks, opener: (any ExternalURLOpener)?) {
        self.origin = origin
        self.callbacks = callbacks
        self.opener = opener
    }

    /// Whether ``open(_:from:)`` would open a link of a page: there is something to open it with, and the page is of the
    /// server that asks for the code.
    public func canOpen(_ link: String, from page: TargetURL) -> Bool {
        opener != nil && page.origin == origin && Self.url(link) != nil
    }

    /// Opens a link of a page in the other application. The code that it calls back with is for this page.
    ///
    /// - Returns: false where nothing was done: a link of another scheme, a page of another server than the one that asks
    ///   for the code, or nothing to open it with
    public func open(_ link: String, from page: TargetURL) async throws -> Bool {
        guard let opener, page.origin == origin, let url = Self.url(link) else { return false }
        let callback = FormEncoding.query(of: url.absoluteString).first { $0.name.lowercased() == "x-success" }?.value
        callbacks.expect(callback: callback, for: page)
        try await opener.open(url)
        return true
    }

    /// The code that the application calls back with after ``open(_:from:)``; to be filled in on this page and nowhere
    /// else.
    ///
    /// - Throws: `CancellationError` where the task is cancelled or the form is gone
    public func passcode(for page: TargetURL) async throws -> Redacted<String> { try await callbacks.code(for: page) }

    private static func url(_ link: String) -> URL? {
        guard let url = URL(string: link), url.scheme?.lowercased() == scheme else { return nil }
        return url
    }

    /// Lets a form be shown that takes codes from call-backs as long as the body runs.
    ///
    /// - Parameters:
    ///   - parameter: the name of the code in the call-back's query
    ///   - origin: the server that asks for the code
    static func using<Result>(
        _ web: WebLoginEnvironment, parameter: String, at origin: Origin,
        _ body: (CodeAuthenticator) async throws -> Result
    ) async throws -> Result {
        let callbacks = PasscodeCallbacks(parameter: parameter)
        let number = web.schemes.addHandler(callbacks)
        defer {
            web.schemes.removeHandler(number)
            callbacks.close()
        }
        return try await body(CodeAuthenticator(origin: origin, callbacks: callbacks, opener: web.opener))
    }
}
