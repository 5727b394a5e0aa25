/// A record's key and value in plain text. The row holds only a hash of the key.
struct SealedRecord {
    let key: String
    let value: [UInt8]

    /// Length of the key in four bytes, key, value.
    var content: [UInt8] {
        let key = Array(key.utf8)
        let length = UInt32(key.count)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + key + value
    }

    init(key: String, value: [UInt8]) {
        self.key = key
        self.value = value
    }

    init?(content: [UInt8]) {
        guard content.count >= 4 else { return nil }
        let length = content[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= content.count - 4, let key = String(validating: content[4..<4 + length], as: UTF8.self) else {
            return nil
        }
        self.init(key: key, value: Array(content[(4 + length)...]))
    }

    static func place(collection: [UInt8], row: [UInt8], version: Int64) -> ByteEncoding {
        var place = ByteEncoding("record")
        place.add(collection)
        place.add(row)
        place.add(version)
        return place
    }
}
