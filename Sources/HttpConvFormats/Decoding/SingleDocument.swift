/// One value by itself.
struct SingleDocument: SingleValueDecodingContainer {
    let decoder: DocumentDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNull(decoder.index) }
    func decode(_ type: Bool.Type) throws -> Bool { try found(decoder.bool(at: decoder.index)) }
    func decode(_ type: String.Type) throws -> String { try found(decoder.string(at: decoder.index)) }
    func decode(_ type: Double.Type) throws -> Double { try found(decoder.double(at: decoder.index)) }
    func decode(_ type: Float.Type) throws -> Float { Float(try found(decoder.double(at: decoder.index))) }
    func decode(_ type: Int.Type) throws -> Int { try number() }
    func decode(_ type: Int8.Type) throws -> Int8 { try number() }
    func decode(_ type: Int16.Type) throws -> Int16 { try number() }
    func decode(_ type: Int32.Type) throws -> Int32 { try number() }
    func decode(_ type: Int64.Type) throws -> Int64 { try number() }
    func decode(_ type: UInt.Type) throws -> UInt { try number() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try number() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try number() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try number() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try number() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decoder.value(at: decoder.index, as: type)
    }

    private func number<Number: FixedWidthInteger>() throws -> Number {
        try found(decoder.number(at: decoder.index, as: Number.self))
    }

    private func found<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw decoder.mismatch(Value.self) }
        return value
    }
}
