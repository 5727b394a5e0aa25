import HttpConvAuthFlows

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
