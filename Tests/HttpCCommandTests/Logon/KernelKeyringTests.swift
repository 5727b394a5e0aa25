#if os(Linux)
import CKeyring
import Foundation
import HttpC
import Synchronization
import Testing

@testable import HttpCClient

/// With this machine's kernel. If it refuses keys, as in some containers, none is kept, and nothing fails.
@Suite(.timeLimit(.minutes(1))) struct KernelKeyringTests {
    private let name = "httpc test \(UUID().uuidString)"
    private let key = Redacted([UInt8](1...32))
    /// Whether the kernel keeps keys, found out without the code under test.
    private static let isAllowed: Bool = {
        defer { _ = keyring_clear_private() }
        guard keyring_possess_user_keyring() == 0 else { return false }
        return keyring_add_privately("httpc test", "x", 1) > 0
    }()

    /// Puts a key into the keyring as another program could.
    private func plant(_ payload: [UInt8], permissions: UInt32) throws {
        let planted = try #require(Int32(exactly: keyring_add_privately(name, payload, payload.count)))
        try #require(keyring_publish(planted) == 0)
        try #require(keyring_set_permissions(planted, permissions) == 0)
        _ = keyring_clear_private()
    }

    @Test func keepsAndForgets() {
        let keyring = KernelKeyring()
        #expect(keyring.key(of: name, renewedFor: .seconds(60)) == nil)
        #expect(keyring.keep(key, of: name, for: .seconds(60)) == Self.isAllowed)
        for _ in 0..<2 { #expect(keyring.key(of: name, renewedFor: .seconds(60)) == (Self.isAllowed ? key : nil)) }
        #expect(keyring.key(of: name + "2", renewedFor: .seconds(60)) == nil)
        let other = Redacted([UInt8](repeating: 9, count: 32))
        #expect(keyring.keep(other, of: name, for: .seconds(60)) == Self.isAllowed)
        #expect(keyring.key(of: name, renewedFor: .seconds(60)) == (Self.isAllowed ? other : nil))
        keyring.forget(name)
        keyring.forget(name)
        #expect(keyring.key(of: name, renewedFor: .seconds(60)) == nil)
    }

    @Test func endsByItselfUnlessItIsUsed() async throws {
        let keyring = KernelKeyring()
        _ = keyring.keep(key, of: name, for: .seconds(1))
        #expect((keyring.key(of: name, renewedFor: .seconds(3600)) != nil) == Self.isAllowed, "renewed")
        #expect(keyring.key(of: name, renewedFor: .seconds(1)) == (Self.isAllowed ? key : nil))
        // The kernel's own clock ends the key; there is nothing else to wait for.
        while keyring_find(name) > 0 { try await Task.sleep(for: .milliseconds(50)) }
        #expect(keyring.key(of: name, renewedFor: .seconds(60)) == nil)
    }

    /// A clock that was set back would make the kernel end the key late; one set ahead, a use renew it for long.
    @Test(arguments: [(-3600, false), (3600, false), (-5, true), (5, true), (Int64.min / 2, false)])
    func clockThatWasSet(seconds: Int64, isKept: Bool) {
        let moved = Mutex<Int64>(0)
        var keyring = KernelKeyring()
        let honest = keyring.clockDifference
        keyring.clockDifference = { honest() + moved.withLock { $0 } }
        _ = keyring.keep(key, of: name, for: .seconds(60))
        defer { keyring.forget(name) }
        moved.withLock { $0 = seconds }
        #expect((keyring.key(of: name, renewedFor: .seconds(60)) != nil) == (isKept && Self.isAllowed))
        moved.withLock { $0 = 0 }
        #expect((keyring.key(of: name, renewedFor: .seconds(60)) != nil) == (isKept && Self.isAllowed), "gone for good")
    }

    @Test(
        .enabled(if: isAllowed),
        arguments: [
            // Wrong sizes, and a difference of clocks that no clock has.
            ([UInt8](repeating: 1, count: 32), 0x3B00_0000),
            ([UInt8](repeating: 1, count: 41), 0x3B00_0000), ([UInt8](repeating: 0x80, count: 40), 0x3B00_0000),
            // Keys that others may read.
            ([UInt8](repeating: 0, count: 40), 0x3F3F_3F3F), ([UInt8](repeating: 0, count: 40), 0x3B02_0000),
        ] as [([UInt8], UInt32)])
    func plantedKeyIsNotUsed(payload: [UInt8], permissions: UInt32) throws {
        var keyring = KernelKeyring()
        // Makes the difference of clocks in the payload of zeros correct.
        if payload.first == 0 { keyring.clockDifference = { 0 } }
        defer { keyring.forget(name) }
        try plant(payload, permissions: permissions)
        #expect(keyring.key(of: name, renewedFor: .seconds(60)) == nil)
        // A new key does not inherit the planted one's permissions.
        try plant(payload, permissions: permissions)
        #expect(keyring.keep(key, of: name, for: .seconds(60)))
        #expect(keyring.key(of: name, renewedFor: .seconds(60)) == key)
        try plant(payload, permissions: permissions)
        keyring.forget(name)
        #expect(keyring_find(name) < 0, "forgotten, whoever made it")
    }
}
#endif
