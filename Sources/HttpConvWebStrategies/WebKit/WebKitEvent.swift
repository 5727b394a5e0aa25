import HttpConvAuthFlows
import HttpConversation

/// A call-back of WebKit to a view's delegates during a login, in plain values. `docs/apple.md` names the call-back of
/// each event and its source.
enum WebKitEvent: Sendable {
    /// The frame that a navigation is for.
    enum Frame: Sendable {
        case main, other
        /// A frame that does not exist yet: WebKit would open a window for it.
        case new
    }

    /// A frame is about to send a request, the first of a navigation or a redirect's.
    ///
    /// - Parameter type: the raw value of `WKNavigationType`
    case navigationAction(url: String?, method: String?, type: Int, frame: Frame, isDownload: Bool)
    /// The head of the final response has arrived. The status is 0 for other schemes than http and https.
    case navigationResponse(url: String?, status: Int, isMainFrame: Bool, canShow: Bool)
    /// The main frame's request is on its way.
    case started
    /// A server has redirected the main frame's request, which ``navigationAction(url:method:type:frame:isDownload:)``
    /// has announced before.
    case redirected(to: String?)
    /// The main frame shows a new page.
    case committed(url: String?)
    /// The main frame's page could not be loaded, from the start or in the middle.
    case failed(domain: String, code: Int)
    /// A script opens a window.
    case createView(url: String?, method: String?)
    /// A page shows a dialog.
    case dialog(WebLoginPolicy.Dialog)
    /// A script or the person has closed the view.
    case closed
    /// The process of the page has ended.
    case processTerminated
}

/// The reaction to an event.
enum WebKitReply: Sendable {
    /// WebKit goes on.
    case allow
    /// WebKit drops it.
    case cancel
    /// WebKit drops it, and the view itself loads the request, in the main frame.
    case loadInPlace
}

/// A question about a connection, in plain values: a `URLAuthenticationChallenge`.
struct WebKitChallenge: Sendable {
    /// The method of the protection space, as far as a login knows it.
    enum Method: Sendable {
        case basic, digest, clientCertificate, serverTrust
        /// NTLM, Negotiate and others.
        case other
    }

    let method: Method
    let host: String
    /// The port; 0: the scheme's.
    let port: Int
    /// The protocol of the space, such as `https`.
    let scheme: String?
    let realm: String?
    let isProxy: Bool
    /// The number of passwords that were refused for the same request.
    var previousFailures = 0
    /// Judges the server's certificate by the system's roots and these authorities, in DER.
    var judge: @MainActor @Sendable (_ authorities: [[UInt8]]) async -> ServerTrust? = { _ in nil }

    /// The server or proxy that asks.
    var origin: Origin? {
        let isTLS = method == .clientCertificate || method == .serverTrust
        // A proxy's space has no protocol.
        return Self.origin(scheme: isTLS ? "https" : scheme ?? "http", host: host, port: port)
    }

    /// An origin by its parts.
    ///
    /// - Parameter port: the port; 0: the scheme's
    static func origin(scheme: String?, host: String, port: Int) -> Origin? {
        let isSecure = scheme?.lowercased() == "https"
        guard isSecure || scheme?.lowercased() == "http" else { return nil }
        return try? Origin(
            scheme: isSecure ? .https : .http, host: host, port: port == 0 ? (isSecure ? 443 : 80) : port)
    }
}

/// The answer to such a question.
enum WebKitAnswer: Sendable {
    /// The system decides.
    case byDefault
    /// The next method is tried, and without one the page of the 401 is shown.
    case rejected
    /// The connection is not used.
    case cancelled
    case password(UsernamePassword)
    case identity(ClientIdentity)
    /// The handshake goes on without a client certificate.
    case noIdentity
    /// The server is trusted.
    case trusted
}

/// The view, and its cookies and scripts, as a login needs them.
@MainActor
protocol WebKitView: AnyObject {
    func setCookie(_ cookie: Cookie) async
    func cookies() async -> [Cookie]
    /// Shows the view to the person.
    func show()
    func load(_ url: TargetURL)
    /// Stops loading, and removes the view.
    func remove()
    /// Calls a function in the main frame's page, in a world that the page's scripts cannot reach.
    ///
    /// - Parameter arguments: a list in JSON
    /// - Returns: the result in JSON; nil if there is none
    func call(_ function: String, _ arguments: String) async -> String?
}

extension WebLoginPolicy.Failure {
    /// The reason by the domain and code of an error of WebKit or of URL loading.
    init(domain: String, code: Int) {
        switch (domain, code) {
        // A load that another one replaced, or that this view refused, and a 204.
        case ("NSURLErrorDomain", -999), ("WebKitErrorDomain", 102): self = .nothingToShow
        // A file or a link that WebKit cannot show.
        case ("WebKitErrorDomain", 100...101), ("WebKitErrorDomain", 204): self = .nothingToShow
        case ("NSURLErrorDomain", -1206 ... -1205): self = .clientCertificate
        case ("NSURLErrorDomain", -1204 ... -1200): self = .certificate
        case ("kCFErrorDomainCFNetwork", 306...311): self = .proxy
        default: self = .network
        }
    }
}
