/// Comparison whose time does not depend on where two secrets differ.
package enum ConstantTime {
    /// Whether the two byte sequences are equal; only their lengths may be learned from the time it takes.
    package static func isEqual(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
        let left = Array(left)
        let right = Array(right)
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
