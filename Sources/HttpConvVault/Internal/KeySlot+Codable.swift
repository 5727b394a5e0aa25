/// For key slots that are kept outside of a database. A decoded slot is checked against the same limits.
extension KeySlot: Codable {
    private enum Name: String, CodingKey {
        case kind, salt, cost, blockSize, parallelism, wrapped
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Name.self)
        guard let kind = Kind(rawValue: try values.decode(Int64.self, forKey: .kind)) else {
            throw DataVaultError(.unsupportedFormat, "The key is wrapped in a way that this version does not know.")
        }
        var scrypt: ScryptParameters?
        if kind == .passcode {
            scrypt = try ScryptParameters(
                cost: values.decode(Int.self, forKey: .cost), blockSize: values.decode(Int.self, forKey: .blockSize),
                parallelism: values.decode(Int.self, forKey: .parallelism))
        }
        self.init(
            kind: kind, salt: try values.decode([UInt8].self, forKey: .salt), scrypt: scrypt,
            wrapped: try values.decode([UInt8].self, forKey: .wrapped))
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Name.self)
        try values.encode(kind.rawValue, forKey: .kind)
        try values.encode(salt, forKey: .salt)
        try values.encodeIfPresent(scrypt?.cost, forKey: .cost)
        try values.encodeIfPresent(scrypt?.blockSize, forKey: .blockSize)
        try values.encodeIfPresent(scrypt?.parallelism, forKey: .parallelism)
        try values.encode(wrapped, forKey: .wrapped)
    }
}
