/// The members of a page beside its rows.
package struct PageEnvelope: Sendable {
    package var nextLink: String?
    /// The address that the page names for its relative links: its context URL (OData JSON 4.01 §4.3) or its
    /// `xml:base`.
    package var base: String?
    package var count: Int64?
    /// The error that a service wrote into a page after it had begun the page (OData JSON 4.01 §21.2).
    package var error: [UInt8]?
    package var hasError: Bool { error != nil }

    package init() {}

    /// Notes a member of the page's envelope.
    mutating func note(_ name: String, _ document: JSONDocument) throws(FormatFailure) {
        let value = document.root
        switch name.drop(while: { $0 == "@" || $0 == "_" }).replacing("odata.", with: "") {
        case "nextLink", "next":
            // Some services of OData 2.0 write it like other links: `{"uri": …}`.
            guard let text = value.text ?? value["uri"]?.text ?? (value.isNull ? "" : nil) else {
                throw FormatFailure("the link to the next page is not text")
            }
            nextLink = text.isEmpty ? nil : text
        case "count":
            guard let number = value.integer else { throw FormatFailure("the count of the rows is not a number") }
            count = number
        case "context", "metadata": base = value.text
        case "error": error = Array("{\"error\":".utf8) + value.source + [UInt8(ascii: "}")]
        default: break
        }
    }
}
