public import HTTPTypes

/// Header fields as text, such as the literal `["X-Tenant": "blue"]`. They are checked when the request is made.
///
/// Every verb with `fields:` accepts such a literal instead of `HTTPFields`:
///
/// ```swift
/// let report = try await manager.get("https://example.com/report", fields: ["X-Tenant": "blue", "Accept": "text/csv"])
/// ```
/// An invalid name or value throws ``ConversationError/Code/invalidRequest`` before anything is sent. Nothing is
/// changed silently.
public struct FieldLiterals: ExpressibleByDictionaryLiteral, Sendable {
    private let fields: [(name: String, value: String)]

    /// The fields of a literal, in order; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }

    /// Fields from a program's own list.
    public init(_ fields: [(String, String)]) { self.fields = fields.map { (name: $0.0, value: $0.1) } }

    /// The fields, checked.
    ///
    /// - Throws: ``ConversationError/Code/invalidRequest``
    public func checked() throws(ConversationError) -> HTTPFields {
        var result = HTTPFields()
        for (name, value) in fields { result.append(try HTTPField(checking: name, value)) }
        return result
    }
}
