/// The key of an entity: one value, or several with their names.
///
/// ```swift
/// let key: ODataKey = 7
/// let compound: ODataKey = ["OrderID": 7, "ProductID": .string("A/1")]
/// ```
public struct ODataKey: Hashable, Sendable {
    /// The values with their names. The name of a single value may be nil.
    let parts: [Part]

    struct Part: Hashable, Sendable {
        let name: String?
        let value: ODataValue
    }

    /// A key of one property.
    public init(_ value: ODataValue) { parts = [Part(name: nil, value: value)] }

    /// A key of several properties, in this order.
    public init(_ parts: KeyValuePairs<String, ODataValue>) {
        self.parts = parts.map { Part(name: $0.key, value: $0.value) }
    }

    init(parts: [Part]) { self.parts = parts }

    /// The key with its parentheses, percent-encoded.
    func text(_ version: ODataVersion) throws(ODataError) -> String {
        var texts: [String] = []
        for part in parts {
            let literal = PercentEncoding.encoded(try EdmLiteral.text(part.value, version))
            guard let name = part.name else {
                texts.append(literal)
                continue
            }
            try ODataName.check(name)
            texts.append("\(PercentEncoding.encoded(name))=\(literal)")
        }
        guard !texts.isEmpty, texts.count == 1 || parts.allSatisfy({ $0.name != nil }) else {
            throw ODataError(.invalidRequest, "A key has no values, or several without names.")
        }
        return "(\(texts.joined(separator: ",")))"
    }
}

extension ODataKey: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    public init(integerLiteral value: Int64) { self.init(.integer(value)) }
    public init(stringLiteral value: String) { self.init(.string(value)) }
    public init(dictionaryLiteral elements: (String, ODataValue)...) {
        parts = elements.map { Part(name: $0.0, value: $0.1) }
    }
}
