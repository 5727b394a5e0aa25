/// An element whose end has not come yet, with what it hands down to those within it.
struct HTMLOpenElement {
    let name: String
    /// Nothing within is looked at.
    let isIgnored: Bool
    /// Within, nothing is shown.
    let isInvisible: Bool
    /// Within is an error message, as far as one can tell.
    let isAlert: Bool
    /// Within is what browsers show that run no scripts.
    let isForScriptless: Bool

    /// Scripts do not run here, so what is for browsers without them (`noscript`) counts like the rest. `textarea` and
    /// `title` have text only, which this parser does not know.
    private static let ignored: Set = [
        "script", "style", "template", "iframe", "frameset", "noframes", "noembed", "object", "embed", "applet", "svg",
        "math", "xmp",
    ]
    private static let inline: Set = [
        "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "small", "span",
        "strong", "sub", "sup", "tt", "u", "var",
    ]

    init(_ name: String, _ attributes: [String: String], in parent: HTMLOpenElement?) {
        self.name = name
        let isTextOnly = parent?.name == "textarea" || parent?.name == "title"
        isIgnored = parent?.isIgnored ?? false || isTextOnly || Self.ignored.contains(name)
        isInvisible = parent?.isInvisible ?? false || Self.hides(attributes)
        isForScriptless = parent?.isForScriptless ?? false || name == "noscript"
        isAlert = parent?.isAlert ?? false || Self.alerts(attributes)
    }

    var isInline: Bool { Self.inline.contains(name) }

    private static func hides(_ attributes: [String: String]) -> Bool {
        guard attributes["hidden"] == nil else { return true }
        guard let style = attributes["style"]?.lowercased().filter({ !$0.isWhitespace }) else { return false }
        return style.contains("display:none") || style.contains("visibility:hidden")
    }

    private static func alerts(_ attributes: [String: String]) -> Bool {
        if attributes["role"] == "alert" { return true }
        let words = [attributes["class"], attributes["id"]].compactMap { $0?.lowercased() }
        return words.contains { $0.contains("error") || $0.contains("alert") || $0.contains("danger") }
    }
}
