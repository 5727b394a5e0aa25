/// Comparison whose time does not depend on where two secrets differ.
package enum ConstantTime {
    /// Whether the two byte strings are equal; only their lengths may be learned from the time it takes.
    package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    /// The same for other kinds of bytes, such as a string's UTF-8.
    package static func isEqual(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
        isEqual(Array(left), Array(right))
    }
}
