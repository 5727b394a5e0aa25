import Foundation

/// A form of a page. The parser only handles these servers' pages.
struct WebForm {
    let action: String
    /// The named fields with their values.
    private(set) var fields: [(name: String, value: String)] = []
    /// The buttons with the name and value that they send, if any.
    private(set) var buttons: [(name: String, value: String)] = []

    /// The first form of a page.
    init?(in page: String) {
        guard let form = page.firstMatch(of: /(?s)<form([^>]*)>(.*?)<\/form>/) else { return nil }
        action = Self.attribute("action", of: form.1) ?? ""
        for match in form.2.matches(of: /<(input|button)([^>]*)>/) {
            let type = Self.attribute("type", of: match.2) ?? (match.1 == "button" ? "submit" : "text")
            let pair = (Self.attribute("name", of: match.2) ?? "", Self.attribute("value", of: match.2) ?? "")
            if type == "submit" { buttons.append(pair) } else if !pair.0.isEmpty { fields.append(pair) }
        }
    }

    func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

    mutating func fill(_ name: String, _ value: String) {
        for index in fields.indices where fields[index].name == name { fields[index].value = value }
    }

    /// The body that a browser would send.
    func encoded(clicking button: (name: String, value: String)) -> String {
        (fields + (button.name.isEmpty ? [] : [button]))
            .map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
    }

    private static func attribute(_ name: String, of tag: Substring) -> String? {
        for match in tag.matches(of: /([a-zA-Z_-]+)\s*=\s*"([^"]*)"/) where match.1.lowercased() == name {
            return decode(String(match.2))
        }
        return nil
    }

    private static func decode(_ text: String) -> String {
        [("&quot;", "\""), ("&#x27;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
            .reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    private static func encode(_ text: String) -> String {
        let harmless = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._")
        return text.addingPercentEncoding(withAllowedCharacters: harmless) ?? ""
    }
}
