package import HttpConversation

/// A page at which the main frame of a login has arrived, as far as a view knows it.
package struct ArrivedPage: Sendable {
    /// The question that a page asks.
    package enum Question: Sendable {
        /// Nothing, or something that any page may ask for, such as a text to search for.
        case nothing
        /// A text, in a form that is sent with POST.
        ///
        /// - Parameter isDemanded: whether the page asks for nothing else, and does not go on without it
        case text(isDemanded: Bool)
        /// A decision, such as consent to terms.
        case decision
        /// Something that only a login needs: a password, a code, or something for which an answer is prepared.
        case login
    }

    /// The path of its URL, without a slash at its end.
    let path: String
    package let question: Question

    package init(at url: TargetURL, asking question: Question) {
        path = Self.path(of: url)
        self.question = question
    }

    /// The page of a URL given as text; nil if it is not a web page.
    package init?(at url: String, asking question: Question) {
        guard let url = try? TargetURL(url) else { return nil }
        self.init(at: url, asking: question)
    }

    /// The path of a URL without a slash at its end.
    static func path(of url: TargetURL) -> String {
        String(url.path.hasSuffix("/") ? url.path.dropLast() : url.path[...])
    }
}
