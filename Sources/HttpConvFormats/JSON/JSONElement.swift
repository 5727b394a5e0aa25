/// A value in a document.
package struct JSONElement {
    package let document: JSONDocument
    package let index: Int

    package init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    package var kind: JSONToken.Kind { document.tokens[index].kind }
    package var isNull: Bool { kind == .null }

    /// The text of a string; nil for another kind of value, or invalid UTF-8.
    package var text: String? { kind == .string ? try? document.text(of: index) : nil }
    /// The text of a string, number or word as written.
    package var scalar: String? {
        switch kind {
        case .string, .number, .true, .false: try? document.text(of: index)
        case .null, .array, .object: nil
        }
    }
    /// A whole number, also from a string.
    package var integer: Int64? {
        guard kind == .number || kind == .string else { return nil }
        return PeerNumber.integer(document.raw(of: index), as: Int64.self)
    }
    /// The bytes of the value as written.
    package var source: ArraySlice<UInt8> {
        let token = document.tokens[index]
        return kind == .string
            ? document.bytes[(Int(token.start) - 1)...Int(token.end)] : document.bytes[token.range]
    }

    /// A member of an object.
    package subscript(name: String) -> JSONElement? {
        guard kind == .object else { return nil }
        return document.member(name, of: index).map { JSONElement(document: document, index: $0) }
    }

    /// The elements of an array; empty for another kind of value.
    package var elements: [JSONElement] {
        guard kind == .array else { return [] }
        var result: [JSONElement] = []
        var next = index + 1
        while next < Int(document.tokens[index].next) {
            result.append(JSONElement(document: document, index: next))
            next = Int(document.tokens[next].next)
        }
        return result
    }

    /// The members of an object in their order; empty for another kind of value.
    package func members() throws(FormatFailure) -> [(name: String, value: JSONElement)] {
        guard kind == .object else { return [] }
        var result: [(String, JSONElement)] = []
        var next = index + 1
        while next < Int(document.tokens[index].next) {
            result.append((try document.text(of: next), JSONElement(document: document, index: next + 1)))
            next = Int(document.tokens[next + 1].next)
        }
        return result
    }
}
