/// A parameter of a query, percent-decoded to bytes.
struct QueryItem: Sendable, Hashable {
    let name: String
    let value: [UInt8]

    var text: String { String(decoding: value, as: UTF8.self) }

    /// Splits at `&` and at the first `=` of each part.
    static func parse(_ query: Substring) -> [QueryItem] {
        query.split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count > 1 ? PercentCoding.decode(pair[1]) : []
            return QueryItem(name: PercentCoding.decodeText(pair[0]), value: value)
        }
    }

    /// An HTML form's body, where `+` is a space.
    static func parseForm(_ form: String) -> [QueryItem] {
        parse(Substring(String(form.map { $0 == "+" ? " " : $0 })))
    }
}
