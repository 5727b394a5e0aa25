import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// References as pages and redirects write them.
enum Reference {
    /// Resolves a reference. A scheme other than http and https is an error, unless the reference ends the login.
    ///
    /// - Throws: ``WebLoginError/Code/unsupportedPage``
    static func resolve(
        _ reference: String, on base: TargetURL, for login: WebLogin
    ) throws(WebLoginError) -> Destination {
        // Like browsers, ignores line breaks within and white space around.
        let lines = reference.unicodeScalars.filter { !"\t\r\n".unicodeScalars.contains($0) }
        let text = String(String(String.UnicodeScalarView(lines)).trimmingBlanks)
        if login.isFinish(text) { return .finish(text) }
        do throws(ConversationError) { return .page(try base.resolving(text)) } catch {
            throw WebLoginError(
                .unsupportedPage, "\(base.origin) leads to something that cannot be opened here. \(error.message)",
                underlyingError: error)
        }
    }

    /// The base URL for a page's references.
    static func base(of page: LoadedPage) -> TargetURL {
        page.html.baseHref.flatMap { try? page.url.resolving($0) } ?? page.url
    }
}
