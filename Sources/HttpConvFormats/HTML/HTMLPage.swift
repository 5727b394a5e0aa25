/// The parts of an HTML page that a program needs to fill in its forms without running its scripts.
///
/// All texts are a peer's: sanitise them before they are shown (security rule S21).
package struct HTMLPage: Sendable {
    /// The limits of a page. The rest is cut off.
    package enum Limit {
        /// The size of the page, in bytes.
        package static let bytes = 1 << 20
        static let depth = 256
        static let forms = 50
        static let fields = 1000
        static let options = 5000
        static let links = 200
        static let text = 4000
        static let label = 200
        static let blocks = 200
    }

    /// A link with a text.
    package struct Link: Sendable {
        /// The attribute as written.
        package var href: String
        package var text: String
        /// Whether it is for browsers that run no scripts (`noscript`).
        package var isForScriptless = false
    }

    /// `<meta http-equiv=refresh>`, or the field `Refresh`.
    package struct Refresh: Sendable {
        /// The delay in seconds.
        package var delay: Int
        /// The URL as written; nil to reload the page.
        package var url: String?
        /// Whether it is the field's.
        var isField = false
        /// Whether it is for browsers that run no scripts (`noscript`).
        package internal(set) var isForScriptless = false
    }

    /// Whether bytes without a `Content-Type` begin like a page, within the first 512.
    package static func begins(_ bytes: [UInt8]) -> Bool {
        let start = String(decoding: bytes.prefix(512), as: UTF8.self).lowercased()
        return start.contains("<!doctype html") || start.contains("<html")
    }

    package internal(set) var title = ""
    /// The first heading, or else the first block of text.
    package internal(set) var heading = ""
    /// The visible text, white space collapsed, cut at 4,000 characters.
    package internal(set) var text = ""
    /// The text of what looks like an error message; empty if there is none.
    package internal(set) var alert = ""
    /// The blocks of ``alert``, in order.
    package internal(set) var alerts: [String] = []
    /// The blocks of the visible text up to the end of the last form, such as headings and paragraphs; all without a
    /// form. At most 200, each cut at 200 characters.
    package internal(set) var blocks: [String] = []
    package internal(set) var baseHref: String?
    /// The forms in the order of the page, including those without fields.
    package internal(set) var forms: [HTMLForm] = []
    package internal(set) var links: [Link] = []
    package internal(set) var refresh: Refresh?
    /// The content of the last `<meta name=referrer>`; nil without one.
    package internal(set) var referrerPolicy: String?
    /// The contents of `<meta http-equiv=content-security-policy>`.
    package internal(set) var contentPolicies: [String] = []
    package internal(set) var hasScripts = false
    /// Whether it shows another page in a frame.
    package internal(set) var hasFrames = false
    package internal(set) var charset = HTMLCharset.utf8
    /// Whether a limit was reached. The rest is missing, even within a form.
    package internal(set) var isCutOff = false

    init() {}

    /// Whether pages can be read at all: without libxml2 each would look empty.
    package static var canBeRead: Bool { HTMLEventParser.isAvailable }

    /// Parses a page. Any bytes result in a page, in time proportional to their number.
    ///
    /// - Parameters:
    ///   - contentType: the field's value, for its charset
    ///   - refresh: the value of the field `Refresh`, which precedes the page's own
    package init(_ bytes: some Collection<UInt8>, contentType: String? = nil, refresh: String? = nil) {
        let bytes = Array(bytes.prefix(Limit.bytes + 1))[...]
        let (charset, mark) = HTMLCharset.detect(bytes, contentType: contentType)
        let text = Self.withoutNUL(charset.decode(bytes.prefix(Limit.bytes).dropFirst(mark)))
        let builder = HTMLPageBuilder(refresh: refresh.flatMap { Refresh($0) })
        let isXML = contentType?.starts(withASCIILetters: "application/xhtml+xml") == true
        let isWhole = HTMLEventParser.parse(HTMLPreparation.prepare(text, isXML: isXML), into: builder)
        self = builder.finish()
        self.charset = charset
        isCutOff = !isWhole || bytes.count > Limit.bytes
    }

    /// The page as its scripts would show it later: a form with a text field shows its only password.
    ///
    /// - Parameter isWanted: whether to show this password
    package func showingPasswords(where isWanted: (HTMLField) -> Bool) -> HTMLPage {
        guard hasScripts else { return self }
        var page = self
        for (index, form) in forms.enumerated() {
            let passwords = form.fields.indices.filter { form.fields[$0].kind == .password }
            guard passwords.count == 1, let password = passwords.first, form.fields[password].isInvisible,
                form.fields.contains(where: { $0.kind == .text && !$0.isInvisible && !$0.isDisabled }),
                isWanted(form.fields[password])
            else { continue }
            page.forms[index].fields[password].isInvisible = false
            page.forms[index].fields[password].isShownAhead = true
        }
        return page
    }

    /// libxml2 takes a NUL for the end of the text.
    private static func withoutNUL(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 }))
    }

    /// The page's message for a person: its error message, else its text, else its title.
    package var message: String { [alert, text, title].first { !$0.isEmpty } ?? "" }
}
