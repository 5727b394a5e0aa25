import Foundation

/// A response in the output of `curl -i`.
struct OAuthAnswer {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: String

    init(_ text: String) {
        let parts = text.components(separatedBy: "\r\n\r\n")
        let lines = parts[0].components(separatedBy: "\r\n")
        status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? -1
        fields = lines.dropFirst().map { line in
            let pair = line.split(separator: ":", maxSplits: 1)
            return (pair.first.map { $0.lowercased() } ?? "", pair.last?.trimmingCharacters(in: .whitespaces) ?? "")
        }
        body = parts.dropFirst().joined(separator: "\r\n\r\n")
    }

    subscript(field: String) -> String? {
        fields.first { $0.name == field.lowercased() }?.value
    }

    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]) ?? [:]
    }

    /// A text member of the JSON body.
    func text(_ name: String) -> String? { json[name] as? String }

    var error: String? { text("error") }

    /// The target of the redirect, without its query.
    var target: String? { self["location"].map { String($0.prefix { $0 != "?" }) } }

    /// A parameter of the redirect.
    func parameter(_ name: String) -> String? {
        self["location"].flatMap { URLComponents(string: $0)?.queryItems?.first { $0.name == name }?.value }
    }

    /// The hidden token of the form.
    var csrf: String? {
        body.components(separatedBy: #"name="csrf" value=""#).dropFirst().first.map { String($0.prefix { $0 != "\"" }) }
    }
}
