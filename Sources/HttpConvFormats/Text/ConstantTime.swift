/// Comparison of secrets in constant time.
package enum ConstantTime {
    /// Whether the two byte strings are equal; the time reveals only their lengths.
    package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    /// Compares other sequences of bytes, such as a string's UTF-8.
    package static func isEqual(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
        isEqual(Array(left), Array(right))
    }
}
