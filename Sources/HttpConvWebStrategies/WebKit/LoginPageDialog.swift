public import HttpConvAuthFlows
public import HttpConversation

/// A dialog of a login's page, such as a JavaScript `confirm`, as it may be shown to the person.
public struct LoginPageDialog: Hashable, Sendable {
    /// The kind of dialog.
    public let kind: WebLoginPolicy.Dialog
    /// Our own words with the page's server, so that no page can speak for another one or for the application.
    public let title: String
    /// The page's words, sanitised and at most 1,000 characters.
    public let message: String
    /// The page's suggestion for the answer of a ``/HttpConvAuthFlows/WebLoginPolicy/Dialog/prompt``.
    public let suggestion: String

    /// Describes a dialog.
    ///
    /// - Parameters:
    ///   - kind: the kind of dialog
    ///   - server: the server of the frame that shows it; nil if it has none
    ///   - message: the page's words
    ///   - suggestion: the page's suggestion for the answer
    public init(_ kind: WebLoginPolicy.Dialog, from server: Origin?, message: String, suggestion: String = "") {
        self.kind = kind
        let server = server.map { "\($0)" } ?? "A page without a server"
        title = kind == .alert ? "\(server) says" : "\(server) asks"
        self.message = TerminalText.sanitise(message, limit: 1000)
        self.suggestion = TerminalText.sanitise(suggestion, limit: 1000)
    }
}

/// The server and the title of the page that a login's view shows.
public struct LoginPagePlace: Hashable, Sendable {
    /// The server, such as `login.example.com`, and with another scheme than https the whole origin; empty before the
    /// first page.
    public let server: String
    /// The page's title, sanitised and at most 100 characters.
    public let title: String

    /// Describes the page of a URL.
    public init(url: String, title: String) {
        let origin = (try? TargetURL(url))?.origin
        server = origin.map { $0.scheme == .https && $0.port == 443 ? $0.host : "\($0)" } ?? ""
        self.title = TerminalText.sanitise(title, limit: 100)
    }
}
