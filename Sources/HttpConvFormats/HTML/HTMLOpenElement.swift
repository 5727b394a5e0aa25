/// An open element, with the properties that its descendants inherit.
struct HTMLOpenElement {
    let name: String
    /// Whether its content is ignored.
    let isIgnored: Bool
    /// Whether its content is not shown.
    let isInvisible: Bool
    /// Whether its content looks like an error message.
    let isAlert: Bool
    /// Whether its content is a heading.
    let isHeading: Bool
    /// Whether its content is for browsers that run no scripts.
    let isForScriptless: Bool
    /// The form that encloses it, or that it is.
    var form: Int?

    /// The elements whose content is ignored. `noscript` is not among them, because scripts do not run here. `textarea`
    /// and `title` contain text only, which libxml2 knows from 2.14 on.
    private static let ignored: Set = [
        "script", "style", "template", "iframe", "frameset", "noframes", "noembed", "object", "embed", "applet", "svg",
        "math", "xmp",
    ]
    private static let inline: Set = [
        "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "small", "span",
        "strong", "sub", "sup", "tt", "u", "var",
    ]

    /// The elements that do not hide their content: a page that hides itself is shown by its script, unless it is in a
    /// frame of another site.
    private static let whole: Set = ["html", "body"]
    private static let headings: Set = ["h1", "h2", "h3", "h4", "h5", "h6"]

    init(_ name: String, _ attributes: [String: String], in parent: HTMLOpenElement?) {
        self.name = name
        form = parent?.form
        let isTextOnly = parent?.name == "textarea" || parent?.name == "title"
        isIgnored = parent?.isIgnored ?? false || isTextOnly || Self.ignored.contains(name)
        isInvisible = parent?.isInvisible ?? false || !Self.whole.contains(name) && Self.hides(attributes)
        isHeading = parent?.isHeading ?? false || Self.headings.contains(name) || attributes["role"] == "heading"
        isForScriptless = parent?.isForScriptless ?? false || name == "noscript"
        // A field that was refused is often marked as a whole; its name is not a message.
        isAlert = name != "label" && !isForScriptless && (parent?.isAlert ?? false || Self.alerts(attributes))
    }

    /// Parts of the classes and ids of error messages.
    private static let alarming = ["error", "alert", "danger", "warning", "invalid", "failure"]

    var isInline: Bool { Self.inline.contains(name) }

    private static func hides(_ attributes: [String: String]) -> Bool {
        guard attributes["hidden"] == nil else { return true }
        guard let style = attributes["style"]?.lowercased().filter({ !$0.isWhitespace }) else { return false }
        return style.contains("display:none") || style.contains("visibility:hidden")
    }

    private static func alerts(_ attributes: [String: String]) -> Bool {
        if attributes["role"] == "alert" || attributes["aria-live"] == "assertive" { return true }
        let words = [attributes["class"], attributes["id"]].compactMap { $0?.lowercased() }
        return words.contains { text in Self.alarming.contains { text.contains($0) } }
    }
}
