/// Random bytes that nobody can guess, for nonces, salts, names and secrets.
package enum RandomBytes {
    /// Makes some.
    package static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        // Each number is a system call, so it is used whole.
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes += $0.prefix(count - bytes.count) } }
        return bytes
    }
}
