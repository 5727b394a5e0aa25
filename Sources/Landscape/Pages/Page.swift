import HTTPTypes
import HummingbirdCore

/// What the pages for people have in common: a head, one stylesheet for all of them, a title above the content.
enum Page {
    /// Which kinds there are.
    enum Kind: String {
        /// A narrow card: a form, or a few words.
        case card
        /// As wide as the window, for tables.
        case contents
    }

    /// All that a page may load; none of them has a script or is shown in a frame.
    static let policy = "default-src 'none'; style-src 'self'; frame-ancestors 'none'"

    /// - Parameters:
    ///   - content: HTML
    ///   - charset: what the page says of itself, which products often leave out; the text has to be ASCII then
    static func html(_ title: String, _ content: String, kind: Kind = .card, charset: String? = nil) -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head>\(charset.map { "<meta charset=\"\($0)\">" } ?? "")<title>\(OAuthPage.escape(title))</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <link rel="stylesheet" href="\(PageStyle.path)"></head>
        <body class="\(kind.rawValue)"><h1>\(OAuthPage.escape(title))</h1>
        \(content)
        </body></html>

        """
    }
}
