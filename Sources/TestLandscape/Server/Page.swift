import HTTPTypes
import HummingbirdCore

/// The common parts of the pages for people: a head, a stylesheet, and a title above the content.
enum Page {
    /// The kind of page.
    enum Kind: String {
        /// A narrow card: a form, or a few words.
        case card
        /// As wide as the window, for tables.
        case contents
    }

    /// The content security policy: no scripts, no frames.
    static let policy = "default-src 'none'; style-src 'self'; frame-ancestors 'none'"

    /// - Parameters:
    ///   - content: HTML
    ///   - charset: the charset in the page, which many products leave out; the text then must be ASCII
    static func html(_ title: String, _ content: String, kind: Kind = .card, charset: String? = nil) -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head>\(charset.map { "<meta charset=\"\($0)\">" } ?? "")<title>\(escape(title))</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <link rel="stylesheet" href="\(PageStyle.path)"></head>
        <body class="\(kind.rawValue)"><h1>\(escape(title))</h1>
        \(content)
        </body></html>

        """
    }

    /// The text with references for the special characters of HTML.
    static func escape(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            default: String(character)
            }
        }.joined()
    }
}
