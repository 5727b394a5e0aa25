import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// The destination of a page, form, link or redirect.
enum Destination: Sendable {
    /// An http or https page.
    case page(TargetURL)
    /// The end of the login. Its URL is not requested, whatever its scheme.
    case finish(String)
}

/// One step from page to page.
struct Navigation: Sendable {
    /// The body of a POST; nil for GET.
    struct Body: Sendable {
        let bytes: Redacted<[UInt8]>
        let contentType: String
    }

    var destination: Destination
    var body: Body?
    /// The origin of the page that it started from.
    var source: Origin?
    /// The only origin that it may be sent to, because it carries entered values (security rule S14); nil if it carries
    /// only values that a server wrote.
    var recipient: Origin?

    /// Whether the page's policy keeps its origin out of `Referer`.
    var hidesReferrer = false
    /// Whether the page before it waited, such as for an approval on a phone: such pages are limited by time only.
    var hasWaited = false
    /// Whether it leads from a page with scripts to one for browsers that run none.
    var isForScriptless = false

    /// The reason for it.
    let kind: WebLoginPolicy.NavigationKind

    init(
        to destination: Destination, body: Body? = nil, from source: Origin? = nil, recipient: Origin? = nil,
        kind: WebLoginPolicy.NavigationKind? = nil
    ) {
        self.destination = destination
        self.body = body
        self.source = source
        self.recipient = recipient
        self.kind = kind ?? (source == nil ? .start : body == nil ? .link : .form)
    }
}

/// A page that was loaded.
struct LoadedPage: Sendable {
    let url: TargetURL
    let status: Int
    var html: HTMLPage
    /// The policy for `Referer`, from the page or else from its field; nil without one.
    var referrerPolicy: String?
    /// The page's rules for its forms.
    var formPolicy = FormPolicy()
    /// Whether a page with scripts has led here because none run.
    var isForScriptless = false
    /// The reason why a browser shows no forms of the response, as the end of a sentence; nil if it shows its page.
    var obstacle: String?
    /// The reason why the page's text is missing although it may be the resource; nil if it is not missing.
    var failure: WebLoginError?

    /// Whether `Referer` is left out of a request to an origin (W3C Referrer Policy §3).
    func hidesReferrer(from target: Origin) -> Bool {
        switch referrerPolicy {
        case "no-referrer", "never": true
        case "same-origin": target != url.origin
        default: false
        }
    }

    /// The page's message, sanitised.
    var message: String { TerminalText.sanitise(html.message) }
}
