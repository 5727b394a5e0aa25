/// The `Cookie` field of a request (RFC 6265, 5.4).
enum CookieHeader {
    /// The first value of the cookie of that name in the fields.
    static func value(of name: String, in fields: [HeaderField]) -> String? {
        pairs(in: fields).first { $0.name == name }?.value
    }

    /// All cookies in the order of the wire.
    static func pairs(in fields: [HeaderField]) -> [HeaderField] {
        fields.filter { $0.name.lowercased() == "cookie" }.flatMap { field in
            field.value.unicodeScalars.split(separator: ";").map { part in
                let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return HeaderField(
                    name: pair.first.map { String($0) } ?? "", value: pair.count > 1 ? String(pair[1]) : "")
            }
        }
    }
}
