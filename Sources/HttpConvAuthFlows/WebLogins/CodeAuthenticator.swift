import HttpConvFormats
import HttpConvPlatform
public import HttpConversation

/// Connects a one-time-code form with the application that makes the codes, while the form is shown.
///
/// The form's page has a link to that application. It returns the code in a callback URL, which reaches this process
/// through ``CustomURLSchemeManagement/handleOpenURL(_:)``. A code goes only to the page whose link was opened for it
/// (security rule S21).
public struct CodeAuthenticator: Sendable {
    /// The only scheme that is passed to the operating system.
    public static let scheme = "sapauthenticator"
    /// The suffix of a callback's scheme.
    public static let callbackSuffix = ".xcallbackurl"

    private let origin: Origin
    private let callbacks: PasscodeCallbacks
    private let opener: (any ExternalURLOpener)?

    init(origin: Origin, callbacks: PasscodeCallbacks, opener: (any ExternalURLOpener)?) {
        self.origin = origin
        self.callbacks = callbacks
        self.opener = opener
    }

    /// Whether ``open(_:from:)`` would open a link of a page: there is an opener, and the page belongs to the server
    /// that asks for the code.
    public func canOpen(_ link: String, from page: TargetURL) -> Bool {
        opener != nil && page.origin == origin && Self.url(link) != nil
    }

    /// Opens a link of a page in the other application, which returns the code for this page.
    ///
    /// - Returns: false if nothing was done: the link has another scheme, the page belongs to another server than the
    ///   one that asks for the code, or there is no opener
    public func open(_ link: String, from page: TargetURL) async throws -> Bool {
        guard let opener, page.origin == origin, let url = Self.url(link) else { return false }
        let callback = FormEncoding.query(of: url.absoluteString).first { $0.name.lowercased() == "x-success" }?.value
        callbacks.expect(callback: callback, for: page)
        try await opener.open(url)
        return true
    }

    /// The code that the application returns after ``open(_:from:)``, to be filled in on this page only.
    ///
    /// - Throws: `CancellationError` if the task is cancelled or the form is closed
    public func passcode(for page: TargetURL) async throws -> Redacted<String> { try await callbacks.code(for: page) }

    private static func url(_ link: String) -> URL? {
        guard let url = URL(string: link), url.scheme?.lowercased() == scheme else { return nil }
        return url
    }

    /// Shows a form that receives codes from callbacks while the body runs.
    ///
    /// - Parameters:
    ///   - parameter: the name of the code in the callback's query
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
        return try await body(
            CodeAuthenticator(origin: origin, callbacks: callbacks, opener: web.opener ?? web.strategies.defaultOpener))
    }
}
