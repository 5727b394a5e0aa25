import HTTPTypes
import HummingbirdCore

/// `/`: the table of contents, as a page for browsers and as text for other clients.
struct ContentsPage: Service {
    func register(in table: inout EndpointTable) {
        table.add("") { exchange in
            let contents = TableOfContents(shared: exchange.shared)
            guard exchange.field("Accept")?.contains("text/html") == true else { return .text(contents.text) }
            var response = Response.text(Page.html("Landscape", Self.html(contents), kind: .contents, charset: "utf-8"))
            response.headers[.contentType] = "text/html; charset=utf-8"
            response.headers[.contentSecurityPolicy] = Page.policy
            return response
        }
    }

    private static func html(_ contents: TableOfContents) -> String {
        let introduction =
            "<p>Servers on this machine with everything that a client may meet, for tests and trials.</p>\n"
        return introduction
            + contents.sections.map { section in
                let rows = section.rows.map { "<tr><td>\(link($0.name))<td>\(link($0.text))\n" }
                return "<h2>\(section.title)</h2>\n<table>\n\(rows.joined())</table>\n"
            }.joined()
    }

    /// The text, as a link if a browser can open it: another origin, or a path without placeholders.
    private static func link(_ text: String) -> String {
        let (place, rest) = text.firstIndex(of: " ").map { (text[..<$0], text[$0...]) } ?? (text[...], "")
        let isPath = place.first == "/" && place.utf8.allSatisfy { $0 < 0x80 && !"{}|[],&='".utf8.contains($0) }
        guard rest.isEmpty && isPath && !place.hasPrefix("/admin/") || place.hasPrefix("http") else {
            return Page.escape(text)
        }
        let shown = Page.escape(String(place))
        return "<a href=\"\(shown)\">\(shown)</a>\(Page.escape(String(rest)))"
    }
}
