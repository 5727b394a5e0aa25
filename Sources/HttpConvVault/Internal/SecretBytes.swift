internal import Crypto
internal import HttpConvPlatform

/// Overwrites copies of a secret outside of a `SymmetricKey`, which overwrites its own.
enum SecretBytes {
    static func wipe(_ bytes: inout [UInt8]) { bytes.withUnsafeMutableBytes { wipe($0) } }

    static func wipe(_ data: inout Data) { data.withUnsafeMutableBytes { wipe($0) } }

    /// A key with its own copy of the bytes; the given bytes are overwritten.
    static func key(_ bytes: inout [UInt8]) -> SymmetricKey {
        defer { wipe(&bytes) }
        return SymmetricKey(data: bytes)
    }

    private static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        #if canImport(Darwin)
        _ = memset_s(start, bytes.count, 0, bytes.count)
        #else
        explicit_bzero(start, bytes.count)
        #endif
    }
}
