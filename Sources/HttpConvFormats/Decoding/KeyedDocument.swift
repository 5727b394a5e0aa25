/// The members of an object.
struct KeyedDocument<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: DocumentDecoder

    private var document: JSONDocument { decoder.document }
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        let object = JSONElement(document: document, index: decoder.index)
        return ((try? object.members()) ?? []).compactMap { Key(stringValue: $0.name) }
    }

    func contains(_ key: Key) -> Bool { document.member(key.stringValue, of: decoder.index) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { decoder.isNull(try index(key)) }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try found(decoder.bool(at: index(key)), key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try found(decoder.string(at: index(key)), key)
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try found(decoder.double(at: index(key)), key)
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        Float(try found(decoder.double(at: index(key)), key))
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try number(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try number(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try number(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try number(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try number(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try number(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try number(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try number(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try number(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try number(key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let index = try index(key)
        guard !decoder.isNull(index) else { return try nothing(type, key) }
        return try below(key, index).value(at: index, as: type)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let index = document.member(key.stringValue, of: decoder.index), !decoder.isNull(index) else {
            return nil
        }
        return try below(key, index).value(at: index, as: type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try below(key, index(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try below(key, index(key)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try below(key, index(key)) }

    private func index(_ key: Key) throws -> Int {
        guard let index = document.member(key.stringValue, of: decoder.index) else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: codingPath, debugDescription: "There is no \(key.stringValue)."))
        }
        return index
    }

    private func below(_ key: Key, _ index: Int) -> DocumentDecoder {
        DocumentDecoder(document: document, index: index, path: .key(key, decoder.path))
    }

    private func number<Number: FixedWidthInteger>(_ key: Key) throws -> Number {
        try found(decoder.number(at: index(key), as: Number.self), key)
    }

    private func found<Value>(_ value: Value?, _ key: Key) throws -> Value {
        guard let value else {
            if let index = document.member(key.stringValue, of: decoder.index), decoder.isNull(index) {
                return try nothing(Value.self, key)
            }
            throw DecodingError.typeMismatch(
                Value.self,
                DecodingError.Context(
                    codingPath: codingPath + [key], debugDescription: "\(Value.self) was expected."))
        }
        return value
    }

    private func nothing<Value>(_ type: Value.Type, _ key: Key) throws -> Value {
        throw DecodingError.valueNotFound(
            type,
            DecodingError.Context(codingPath: codingPath + [key], debugDescription: "There is null instead of \(type).")
        )
    }
}
