#if os(Linux)
import CKeyring
import HttpC
import HttpConvFormats
import HttpConvPlatform

/// Stores the keys of unlocked vaults in the user's keyring of the kernel (keyrings(7)). They are never swapped, and
/// disappear at the next boot or when their time is over.
///
/// Only a process that possesses the keyring of the same user, in the same user namespace, can read a key. Others, such
/// as those of that user in another container, have no permission. The calling thread links the keyring for the moment,
/// because a session need not have it.
struct KernelKeyring: UnlockedKeys {
    /// All permissions for possessors, except to change the payload.
    private static let permissions: UInt32 = 0x3B00_0000
    private static let keySize = 32
    /// The tolerated change of the clock difference, in seconds; it is corrected while a vault is in use.
    private static let tolerance: Int64 = 10
    private static let longestTime: Int64 = 24 * 3600

    /// The difference of the wall clock, by which the kernel ends keys, and the clock that cannot be set; in seconds.
    var clockDifference: @Sendable () -> Int64 = { Self.seconds(CLOCK_REALTIME) - Self.seconds(CLOCK_BOOTTIME) }

    func key(of vault: String, renewedFor time: Duration) -> Redacted<[UInt8]>? {
        withUserKeyring { () -> Redacted<[UInt8]>? in
            guard let key = find(vault) else { return nil }
            var payload = [UInt8](repeating: 0, count: Self.payloadSize)
            defer { Self.overwrite(&payload) }
            let isWhole = keyring_read(key, &payload, payload.count) == payload.count
            let now = clockDifference()
            // Setting the clock could otherwise keep a key beyond its time.
            guard isWhole, (now - Self.tolerance...now + Self.tolerance).contains(Self.difference(in: payload)),
                keyring_set_timeout(key, Self.seconds(time)) == 0
            else {
                forget(key)
                return nil
            }
            return Redacted(Array(payload.prefix(Self.keySize)))
        } ?? nil
    }

    func keep(_ key: Redacted<[UInt8]>, of vault: String, for time: Duration) -> Bool {
        guard key.value.count == Self.keySize else { return false }
        var payload = key.value + withUnsafeBytes(of: clockDifference().littleEndian) { Array($0) }
        defer { Self.overwrite(&payload) }
        return withUserKeyring {
            // The key is private until it has its permissions and its end, and it replaces a planted one completely.
            let new = keyring_add_privately(vault, payload, payload.count)
            guard let key = Int32(exactly: new), key > 0 else { return false }
            if keyring_set_permissions(key, Self.permissions) == 0, keyring_set_timeout(key, Self.seconds(time)) == 0,
                keyring_publish(key) == 0
            {
                return true
            }
            _ = keyring_revoke(key)
            return false
        } ?? false
    }

    func forget(_ vault: String) {
        _ = withUserKeyring {
            if let key = find(vault, includingReadableByOthers: true) { forget(key) }
        }
    }

    // MARK: One thread, without a suspension

    private func withUserKeyring<Value>(_ work: () -> Value) -> Value? {
        guard keyring_possess_user_keyring() == 0 else { return nil }
        defer { _ = keyring_clear_private() }
        return work()
    }

    /// - Parameter includingReadableByOthers: whether to find keys that other users may read, too; only for removing
    ///   them
    private func find(_ vault: String, includingReadableByOthers: Bool = false) -> Int32? {
        guard let key = Int32(exactly: keyring_find(vault)), key > 0 else { return nil }
        return includingReadableByOthers || isOurs(key) ? key : nil
    }

    private func isOurs(_ key: Int32) -> Bool {
        var text = [CChar](repeating: 0, count: 256)
        guard (1...text.count).contains(keyring_describe(key, &text, text.count)) else { return false }
        let fields = text.prefix { $0 != 0 }.split(separator: CChar(UInt8(ascii: ";"))).map {
            String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return fields.count >= 4 && fields[1] == String(geteuid()) && UInt32(fields[3], radix: 16) == Self.permissions
    }

    private func forget(_ key: Int32) {
        _ = keyring_revoke(key)
        _ = keyring_withdraw(key)
    }

    // MARK: Values

    private static var payloadSize: Int { keySize + MemoryLayout<Int64>.size }

    private static func difference(in payload: [UInt8]) -> Int64 {
        payload.suffix(MemoryLayout<Int64>.size).reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    private static func seconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec)
    }

    /// Zero would mean no end.
    private static func seconds(_ time: Duration) -> UInt32 {
        UInt32(min(max(1, time.components.seconds), longestTime))
    }

    private static func overwrite(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
        }
    }
}
#endif
