/// The elements of an array.
struct UnkeyedDocument: UnkeyedDecodingContainer {
    private let decoder: DocumentDecoder
    private let document: JSONDocument
    private let end: Int
    private var next: Int
    private(set) var currentIndex = 0

    init(decoder: DocumentDecoder, array: Int) {
        self.decoder = decoder
        document = decoder.document
        next = array + 1
        end = Int(decoder.document.tokens[array].next)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { nil }
    var isAtEnd: Bool { next >= end }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw missing(Any?.self) }
        guard decoder.isNull(next) else { return false }
        _ = try take(Any?.self)
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !isAtEnd else { throw missing(type) }
        let element = below
        let value = try element.value(at: next, as: type)
        _ = try take(type)
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> { try take([String: Any].self).container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take([Any].self).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try take(Any.self) }

    private var below: DocumentDecoder {
        DocumentDecoder(document: document, index: next, path: .index(currentIndex, decoder.path))
    }

    private mutating func take(_ type: any Any.Type) throws -> DocumentDecoder {
        guard !isAtEnd else { throw missing(type) }
        let element = below
        next = Int(document.tokens[next].next)
        currentIndex += 1
        return element
    }

    private func missing(_ type: any Any.Type) -> DecodingError {
        DecodingError.valueNotFound(
            type, DecodingError.Context(codingPath: codingPath, debugDescription: "There are no more elements."))
    }
}
