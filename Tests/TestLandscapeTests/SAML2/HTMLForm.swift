import Foundation

/// The first form of a page, read with patterns. It suffices for the landscape's pages and shares no code with the
/// library.
struct HTMLForm {
    let action: String?
    /// The values of inputs and selects, by name.
    var fields: [String: String] = [:]

    init?(_ page: String) {
        guard let form = Self.matches("(?is)<form([^>]*)>(.*?)</form>", page).first else { return nil }
        action = Self.attribute("action", form[1])
        for input in Self.matches("(?is)<input([^>]*)>", form[2]) {
            if let name = Self.attribute("name", input[1]) { fields[name] = Self.attribute("value", input[1]) ?? "" }
        }
        for select in Self.matches("(?is)<select([^>]*)>", form[2]) {
            if let name = Self.attribute("name", select[1]) { fields[name] = "" }
        }
    }

    /// The groups of all matches.
    static func matches(_ pattern: String, _ text: String) -> [[String]] {
        guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
        let whole = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: whole).map { match in
            (0..<match.numberOfRanges).map { index in
                Range(match.range(at: index), in: text).map { String(text[$0]) } ?? ""
            }
        }
    }

    private static func attribute(_ name: String, _ tag: String) -> String? {
        let pattern = "(?is)\\s\(name)\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^\\s>\"']*))"
        return matches(pattern, tag).first.map { decode($0[1] + $0[2] + $0[3]) }
    }

    private static func decode(_ text: String) -> String {
        var result = text
        for match in matches("&#(x?)([0-9a-fA-F]+);", text) {
            let value = UInt32(match[2], radix: match[1].isEmpty ? 10 : 16).flatMap(Unicode.Scalar.init)
            result = result.replacingOccurrences(of: match[0], with: value.map { String(Character($0)) } ?? "")
        }
        return result.replacingOccurrences(of: "&amp;", with: "&")
    }
}
