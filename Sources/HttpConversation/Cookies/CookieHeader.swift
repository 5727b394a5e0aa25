import HttpConvFormats

/// Reads `Cookie` field values.
enum CookieHeader {
    /// The name of a pair.
    static func name(of pair: Substring) -> Substring {
        pair.prefix(upToASCII: "=").trimmingSpaces
    }

    /// The cookies of a field that have a name.
    static func pairs(of field: String) -> [(name: String, value: String)] {
        field.split(ascii: ";").compactMap { pair in
            guard let (name, value) = pair.cut(atASCII: "=").map({ ($0.before, $0.after) }) else { return nil }
            return (String(name.trimmingSpaces), String(value.trimmingSpaces))
        }
    }
}
