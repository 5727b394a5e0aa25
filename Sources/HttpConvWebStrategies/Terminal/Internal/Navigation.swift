import HTMLForms
import HttpConvAuthFlows
import HttpConversation

/// Where a page, form, link or redirect leads.
enum Destination: Sendable {
    /// A page of http or https.
    case page(TargetURL)
    /// The end of the login, at a URL that is not asked, whatever its scheme.
    case finish(String)
}

/// One step from page to page.
struct Navigation: Sendable {
    /// What is posted; nil for GET.
    struct Body: Sendable {
        let bytes: Redacted<[UInt8]>
        let contentType: String
    }

    var destination: Destination
    var body: Body?
    /// The page that it started from.
    var source: Origin?
    /// The only origin that it may be sent to, because it carries what was entered (security rule S14); nil for what a
    /// server wrote.
    var recipient: Origin?

    init(to destination: Destination, body: Body? = nil, from source: Origin? = nil, recipient: Origin? = nil) {
        self.destination = destination
        self.body = body
        self.source = source
        self.recipient = recipient
    }
}

/// A page that the browser arrived at.
struct LoadedPage: Sendable {
    let url: TargetURL
    let status: Int
    let html: HTMLPage

    /// What it says, sanitised.
    var message: String { TerminalText.sanitise(html.message) }
}

extension Origin {
    /// Whether a page of https leads here unencrypted: to http, and not on this machine, as in a browser (security rule S18).
    func isDowngrade(from source: Origin) -> Bool { source.scheme == .https && scheme == .http && !isLoopback }
}
