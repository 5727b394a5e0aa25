extension HTMLPage {
    /// The text alone, without forms and links: of a response that a browser does not show as a page.
    ///
    /// - Parameter isShown: whether the browser shows it in another way, and not at all if false. Then the field
    ///   `Refresh` counts, as for a page
    package func textOnly(isShown: Bool) -> HTMLPage {
        var page = self
        (page.forms, page.links, page.baseHref, page.hasScripts) = ([], [], nil, false)
        if !isShown || refresh?.isField != true { page.refresh = nil }
        return page
    }

    /// Whether a browser takes bytes without a type for a page (WHATWG MIME Sniffing §7.1): whether they begin with a
    /// tag of pages, or a comment.
    package static func isSniffed(_ bytes: some Collection<UInt8>) -> Bool {
        let start = bytes.prefix(1445).drop(while: \.isHTMLSpace)
        guard start.first == UInt8(ascii: "<") else { return false }
        let text = start.dropFirst().prefix(20).map(\.asciiLowercased)
        if text.starts(with: "!--".utf8) { return true }
        return beginnings.contains { name in
            guard text.starts(with: name.utf8), let next = text.dropFirst(name.utf8.count).first else { return false }
            return next == 0x20 || next == UInt8(ascii: ">")
        }
    }

    private static let beginnings = [
        "!doctype html", "html", "head", "script", "iframe", "h1", "div", "font", "table", "a", "style", "title", "b",
        "body", "br", "p",
    ]
}
