/// Comparison whose time does not depend on where two secrets differ.
package enum ConstantTime {
    /// Whether the two byte sequences are equal; only their lengths may be learned from the time it takes.
    package static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left, right) { difference |= one ^ other }
        return difference == 0
    }
}
