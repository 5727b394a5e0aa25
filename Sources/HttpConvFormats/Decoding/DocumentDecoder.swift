import HttpConvPlatform

/// Decodes values from OData's JSON: whole numbers and decimals may be strings, times may be `/Date(…)/`, collections
/// may be in `results`, and a deferred link counts as a missing value.
package struct DocumentDecoder: Decoder {
    let document: JSONDocument
    let index: Int
    let path: DecodingPath

    /// Decodes a value from the whole document.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from value: JSONElement
    ) throws -> Value {
        try DocumentDecoder(document: value.document, index: value.index, path: .root)
            .value(at: value.index, as: type)
    }

    package var codingPath: [any CodingKey] { path.keys }

    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard document.tokens[index].kind == .object else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(KeyedDocument<Key>(decoder: self))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let array = elements else { throw mismatch([Any].self) }
        return UnkeyedDocument(decoder: self, array: array)
    }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleDocument(decoder: self) }

    /// The token of this array, or of the array in its `results`, as OData 2.0 writes it.
    private var elements: Int? {
        if document.tokens[index].kind == .array { return index }
        guard document.tokens[index].kind == .object, let results = document.member("results", of: index),
            document.tokens[results].kind == .array
        else { return nil }
        return results
    }

    func isNull(_ index: Int) -> Bool {
        let token = document.tokens[index]
        if token.kind == .null { return true }
        // A link in place of entities that were not expanded.
        return token.kind == .object && token.next > index + 1 && document.isText(index + 1, "__deferred")
    }

    func mismatch(_ type: any Any.Type) -> DecodingError {
        DecodingError.typeMismatch(
            type, DecodingError.Context(codingPath: codingPath, debugDescription: "\(type) was expected."))
    }
}

extension DocumentDecoder {
    func number<Number: FixedWidthInteger>(at index: Int, as type: Number.Type) -> Number? {
        switch document.tokens[index].kind {
        case .number, .string: PeerNumber.integer(document.raw(of: index), as: type)
        default: nil
        }
    }

    func double(at index: Int) -> Double? {
        switch document.tokens[index].kind {
        case .number, .string: EdmText.double(document.raw(of: index))
        default: nil
        }
    }

    func bool(at index: Int) -> Bool? {
        switch document.tokens[index].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    func string(at index: Int) throws -> String? {
        guard document.tokens[index].kind == .string else { return nil }
        return try document.text(of: index)
    }

    /// Decodes a value of any type, Foundation's types in OData's notation.
    func value<Value: Decodable>(at index: Int, as type: Value.Type) throws -> Value {
        let found: Any?
        switch type {
        case is String.Type: found = try string(at: index)
        case is Int.Type: found = number(at: index, as: Int.self)
        case is Date.Type:
            found = document.tokens[index].kind == .string ? Timestamp(textBytes(index))?.date : nil
        case is Decimal.Type: found = EdmText.decimal(scalarBytes(index))
        case is UUID.Type: found = EdmText.guid(scalarBytes(index))
        case is Data.Type: found = try string(at: index).flatMap { EdmText.binary($0) }
        case is URL.Type: found = try string(at: index).flatMap { URL(string: $0) }
        default:
            return try Value(from: DocumentDecoder(document: document, index: index, path: path))
        }
        guard let value = found as? Value else { throw mismatch(type) }
        return value
    }

    /// The bytes of a number or text; empty for anything else.
    private func scalarBytes(_ index: Int) -> ArraySlice<UInt8> {
        switch document.tokens[index].kind {
        case .number: document.raw(of: index)
        case .string: textBytes(index)
        default: []
        }
    }

    /// The bytes of a text, unescaped: a date may have its slashes escaped.
    private func textBytes(_ index: Int) -> ArraySlice<UInt8> {
        guard document.tokens[index].isEscaped else { return document.raw(of: index) }
        return (try? document.text(of: index)).map { Array($0.utf8)[...] } ?? []
    }
}
