/// Unambiguous concatenation: each field is preceded by its length.
struct ByteEncoding {
    private(set) var bytes: [UInt8]

    /// - Parameter purpose: separates uses: bytes for one purpose never equal bytes for another.
    init(_ purpose: String) {
        bytes = []
        add(Array(purpose.utf8))
    }

    mutating func add(_ field: [UInt8]) {
        add(Int64(field.count))
        bytes.append(contentsOf: field)
    }

    mutating func add(_ number: Int64) {
        let number = UInt64(bitPattern: number)
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }
}
