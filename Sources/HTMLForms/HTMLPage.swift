/// What matters of an HTML page to somebody who fills in its forms without running its scripts.
///
/// All its texts are a peer's: sanitise them before they are shown (security rule S21).
package struct HTMLPage: Sendable {
    /// What a page may have; beyond that it is cut off there.
    package enum Limit {
        /// Bytes of the page.
        package static let bytes = 1 << 20
        static let depth = 256
        static let forms = 50
        static let fields = 1000
        static let options = 5000
        static let links = 200
        static let text = 4000
        static let label = 200
    }

    /// A link with something to say.
    package struct Link: Sendable {
        /// As written.
        package var href: String
        package var text: String
        /// Whether it is there for browsers that run no scripts (`noscript`).
        package var isForScriptless = false
    }

    /// `<meta http-equiv=refresh>`.
    package struct Refresh: Sendable {
        /// Seconds.
        package var delay: Int
        /// As written; nil loads the page again.
        package var url: String?
    }

    package internal(set) var title = ""
    /// The visible text, white space collapsed, cut at 4,000 characters.
    package internal(set) var text = ""
    /// The text of what looks like an error message; empty where nothing does.
    package internal(set) var alert = ""
    package internal(set) var baseHref: String?
    /// Forms in the order of the page, also such as have no fields.
    package internal(set) var forms: [HTMLForm] = []
    package internal(set) var links: [Link] = []
    package internal(set) var refresh: Refresh?
    package internal(set) var hasScripts = false
    package internal(set) var charset = HTMLCharset.utf8
    /// Whether a limit was reached: what came after is missing, of a form too.
    package internal(set) var isCutOff = false

    init() {}

    /// Parses a page. Whatever the bytes are, there is a page, and it takes time proportional to their number.
    ///
    /// - Parameter contentType: the field's value, for its charset
    package init(_ bytes: some Collection<UInt8>, contentType: String? = nil) {
        let bytes = Array(bytes.prefix(Limit.bytes + 1))[...]
        let (charset, mark) = HTMLCharset.detect(bytes, contentType: contentType)
        let text = Self.withoutNUL(charset.decode(bytes.prefix(Limit.bytes).dropFirst(mark)))
        let builder = HTMLPageBuilder()
        let isWhole = HTMLEventParser.parse(text, into: builder)
        self = builder.finish()
        self.charset = charset
        isCutOff = !isWhole || bytes.count > Limit.bytes
    }

    /// libxml2 takes a NUL for the end.
    private static func withoutNUL(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 }))
    }

    /// What the page says, for a person who wants to know why: its error message, else its text, else its title.
    package var message: String { [alert, text, title].first { !$0.isEmpty } ?? "" }

    /// Whether there is nothing to do here without scripts.
    package var needsJavaScript: Bool {
        let isUsable = forms.contains { form in
            form.fields.contains { $0.kind == .submit || $0.kind == .password || $0.kind == .text }
                || form.hasHidden("SAMLRequest") || form.hasHidden("SAMLResponse")
        }
        return hasScripts && !isUsable && refresh == nil
    }
}
