import HttpConversation

/// Text of an HTML page. Literals are markup, and interpolated values are escaped.
///
/// ```swift
/// let cell: HTMLText = "<td>\(whateverAServerSaid)</td>"
/// ```
struct HTMLText: ExpressibleByStringInterpolation {
    private(set) var markup: String

    init(stringLiteral literal: String) { markup = literal }
    init(stringInterpolation pieces: Interpolation) { markup = pieces.markup }

    static func + (left: HTMLText, right: HTMLText) -> HTMLText { "\(left)\(right)" }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { markup += literal }
        mutating func appendInterpolation(_ text: String) { markup += HTMLText.escape(text) }
        mutating func appendInterpolation(_ other: HTMLText) { markup += other.markup }
        mutating func appendInterpolation(_ others: [HTMLText]) { for other in others { markup += other.markup } }
    }

    /// Escapes by scalars, because a character may hide a mark among its combining scalars. Control characters are
    /// replaced as for a terminal.
    private static func escape(_ text: String) -> String {
        var result = ""
        for scalar in TerminalText.sanitise(text, limit: 1000).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
