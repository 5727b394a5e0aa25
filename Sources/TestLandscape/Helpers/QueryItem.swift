/// A parameter of a query, percent-decoded to bytes.
struct QueryItem: Sendable, Hashable {
    let name: String
    let value: [UInt8]

    var text: String { String(decoding: value, as: UTF8.self) }

    /// Splits a query at `&`, and each part at its first `=`.
    static func parse(_ query: Substring) -> [QueryItem] {
        query.split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count > 1 ? PercentCoding.decode(pair[1]) : []
            return QueryItem(name: PercentCoding.decodeText(pair[0]), value: value)
        }
    }

    /// Splits an HTML form's body, in which `+` is a space.
    static func parseForm(_ form: String) -> [QueryItem] {
        parse(Substring(String(form.map { $0 == "+" ? " " : $0 })))
    }
}
