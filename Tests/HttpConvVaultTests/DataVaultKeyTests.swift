import Crypto
import Foundation
import Synchronization
import Testing

@testable import HttpConvVault

@Suite(.timeLimit(.minutes(1))) struct DataVaultKeyTests {
    let place: TemporaryVault

    init() throws { place = try TemporaryVault() }

    @Test func wrongPasscode() async throws {
        try await DataVault.create(at: place.directory, key: .cheap("right")).close()
        for passcode in ["wrong", "right ", "Right"] {
            #expect(
                await code { _ = try await DataVault.open(at: place.directory, key: .cheap(passcode)) } == .wrongKey)
        }
        #expect(await code { _ = try await DataVault.open(at: place.directory, key: place.key) } == .wrongKey)
        // The stored parameters count, not the key's.
        try await DataVault.open(at: place.directory, key: .passcode("right")).close()
    }

    @Test func wrongKeyBytes() async throws {
        try await place.create().close()
        #expect(await code { _ = try await DataVault.open(at: place.directory, key: .random()) } == .wrongKey)
        #expect(await code { _ = try await DataVault.open(at: place.directory, key: .cheap("p")) } == .wrongKey)
        try await place.open().close()
    }

    @Test func passcodesAreNormalised() async throws {
        try await DataVault.create(at: place.directory, key: .cheap("caf\u{E9}")).close()
        try await DataVault.open(at: place.directory, key: .cheap("cafe\u{301}")).close()
    }

    @Test func standardParameters() async throws {
        try await DataVault.create(at: place.directory, key: .passcode("p")).close()
        try await DataVault.open(at: place.directory, key: .passcode("p")).close()
    }

    @Test func unusable() async {
        #expect(await code { _ = try DataVaultKey.passcode("") } == .keyUnusable)
        #expect(await code { _ = try DataVaultKey.bytes([UInt8](repeating: 1, count: 31)) } == .keyUnusable)
        #expect(await code { _ = try DataVaultKey.bytes([UInt8](repeating: 1, count: 1025)) } == .keyUnusable)
    }

    @Test func environment() async throws {
        let bytes = (0..<32).map { UInt8($0 * 7) }
        try await DataVault.create(at: place.directory, key: .bytes(bytes)).close()
        let base64 = Data(bytes).base64EncodedString()
        let texts = [
            base64, " \(base64)\n", base64.replacing("=", with: ""),
            base64.replacing("+", with: "-").replacing("/", with: "_"),
            bytes.map { String(format: "%02x", $0) }.joined(), bytes.map { String(format: "%02X", $0) }.joined(),
        ]
        for text in texts {
            try await DataVault.open(at: place.directory, key: .environment("KEY", in: ["KEY": text])).close()
        }
        for text in ["", "secret", "=", "====", String(repeating: "0", count: 40), String(repeating: "ä", count: 64)] {
            let error = #expect(throws: DataVaultError.self) { try DataVaultKey.environment("KEY", in: ["KEY": text]) }
            #expect(error?.code == .keyUnusable)
            #expect(text.count < 6 || error?.message.contains(text) == false)
        }
        #expect(await code { _ = try DataVaultKey.environment("KEY", in: [:]) } == .keyUnusable)
    }

    @Test func fileRoundTrip() async throws {
        let file = place.url("key")
        let key = try DataVaultKey.createFile(file)
        try await DataVault.create(at: place.directory, key: key).close()
        try await DataVault.open(at: place.directory, key: .file(file)).close()
        #expect(try mode(file.path) == 0o600)
        #expect(await code { _ = try DataVaultKey.createFile(file) } == .alreadyExists)
        try await DataVault.open(at: place.directory, key: .file(file)).close()
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o602, 0o610] as [mode_t])
    func fileOpenToOthers(_ mode: mode_t) throws {
        let file = place.url("key")
        try DataVaultKey.createFile(file)
        chmod(file.path, mode)
        let error = #expect(throws: DataVaultError.self) { try DataVaultKey.file(file) }
        #expect(error?.code == .insecurePermissions)
        #expect(error?.message.contains("chmod 600") == true)
    }

    @Test func fileOfTheWrongKind() async throws {
        let (file, link, pipe) = (place.url("key"), place.url("link"), place.url("pipe"))
        try DataVaultKey.createFile(file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect(await code { _ = try DataVaultKey.file(link) } == .unsafeFile)
        #expect(await code { _ = try DataVaultKey.file(pipe) } == .unsafeFile)
        #expect(await code { _ = try DataVaultKey.file(place.root) } == .unsafeFile)
        #expect(await code { _ = try DataVaultKey.file(place.url("none")) } == .notFound)
        #expect(await code { _ = try DataVaultKey.createFile(link) } == .alreadyExists)
        for content in [Data(), Data("secret".utf8), Data([0xFF, 0xFE]), Data(repeating: 65, count: 5000)] {
            try content.write(to: file)
            chmod(file.path, 0o600)
            #expect(await code { _ = try DataVaultKey.file(file) } == .keyUnusable)
        }
    }

    @Test func aFileOfAnotherUserIsRefused() async throws {
        let file = place.url("key")
        try DataVaultKey.createFile(file)
        if geteuid() == 0 {
            #expect(chown(file.path, 65534, 65534) == 0)
            #expect(await code { _ = try DataVaultKey.file(file) } == .insecurePermissions)
        }
        var status = stat()
        #expect(stat(file.path, &status) == 0)
        status.st_uid = geteuid() + 1
        #expect(await code { try FileGuard.check(status, path: file.path, kind: .file) } == .insecurePermissions)
    }

    @Test func changeKey() async throws {
        let (old, new) = (try DataVaultKey.cheap("old"), try DataVaultKey.cheap("new"))
        let vault = try await DataVault.create(at: place.directory, key: old)
        try await vault.write([1], for: "k", in: "c")
        let before = try await vault.connections.read { try $0.row("SELECT wrapped FROM key_slot")?.bytes(0) }
        #expect(await code { try await vault.changeKey(from: new, to: new) } == .wrongKey)
        try await vault.changeKey(from: old, to: new)
        // The open handle stays open, and the old wrapped key is removed from the files.
        #expect(try await vault.read("k", in: "c")?.value == [1])
        #expect(try !LeakSearch(for: Array(try #require(before))).isFound(below: place.directory))
        #expect(await code { _ = try await DataVault.open(at: place.directory, key: old) } == .wrongKey)
        let reopened = try await DataVault.open(at: place.directory, key: new)
        #expect(try await reopened.read("k", in: "c")?.value == [1])
        try await reopened.changeKey(from: new, to: place.key)
        #expect(try await place.open().read("k", in: "c")?.value == [1])
    }

    /// The old wrapped data key opens nothing of the present content, even if somebody restores it.
    @Test func theOldKeyRecordOpensNothing() async throws {
        let (old, new) = (try DataVaultKey.cheap("old"), try DataVaultKey.cheap("new"))
        let vault = try await DataVault.create(at: place.directory, key: old)
        try await vault.write([1], for: "before", in: "c")
        let columns = "kind, salt, cost, block_size, parallelism, wrapped"
        let row = try await vault.connections.read { try $0.row("SELECT \(columns) FROM key_slot") }
        let sealed = try await vault.connections.read { try $0.row("SELECT sealed FROM record")?.bytes(0) }
        try await vault.changeKey(from: old, to: new)
        try await vault.write([2], for: "after", in: "c")
        try await vault.close()
        // Nothing that the old key could decrypt is left in the files.
        #expect(try !LeakSearch(for: Array(try #require(sealed))).isFound(below: place.directory))
        try place.tamper {
            try $0.execute("UPDATE key_slot SET (\(columns)) = (?, ?, ?, ?, ?, ?)", try #require(row).values)
        }
        let hybrid = try await DataVault.open(at: place.directory, key: old)
        for name in ["before", "after"] {
            #expect(await code { _ = try await hybrid.read(name, in: "c") } == .damaged)
        }
        #expect(await code { _ = try await hybrid.keys(in: "c") } == .damaged)
    }

    /// A handle with the old key gets neither wrong data nor "there is none".
    @Test func otherHandlesNoticeTheNewKey() async throws {
        let (one, other) = (try await place.create(), try await place.open())
        try await one.write([1], for: "k", in: "c")
        #expect(try await other.read("k", in: "c")?.value == [1])
        let (before, next) = (place.key, DataVaultKey.random())
        try await one.changeKey(from: before, to: next)
        #expect(await code { _ = try await other.read("k", in: "c") } == .keyChanged)
        #expect(await code { _ = try await other.keys(in: "c") } == .keyChanged)
        #expect(await code { _ = try await other.write([2], for: "k", in: "c") } == .keyChanged)
        #expect(await code { _ = try await other.deleteAll(in: "c") } == .keyChanged)
        #expect(await code { _ = try await other.acquireLease("l", holder: "h", duration: .seconds(9)) } == .keyChanged)
        other.adoptKeys(of: one)
        #expect(try await other.read("k", in: "c")?.value == [1])
        #expect(try await one.read("k", in: "c")?.version == 1)
    }

    /// Reads during the reencryption see either the old or the new state.
    @Test func readersContinueDuringAChange() async throws {
        let vault = try await place.create()
        for number in 0..<50 { try await vault.write([UInt8(number)], for: "\(number)", in: "c") }
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for round in 0..<200 {
                        let value = try await vault.read("\(round % 50)", in: "c")?.value
                        #expect(value == [UInt8(round % 50)])
                    }
                }
            }
            group.addTask { [place] in
                var key = place.key
                for _ in 0..<5 {
                    let next = DataVaultKey.random()
                    try await vault.changeKey(from: key, to: next)
                    key = next
                }
            }
            try await group.waitForAll()
        }
    }

    /// A holder must be able to write under its lease, so the key is changed before or after the lease.
    @Test func aLeaseIsWaitedFor() async throws {
        let (one, other) = (
            try await place.create(DataVaultConfiguration { $0.busyTimeout = .milliseconds(100) }),
            try await place.open()
        )
        let lease = try #require(try await other.acquireLease("l", holder: "h", duration: .seconds(60)))
        let next = DataVaultKey.random()
        #expect(await code { try await one.changeKey(from: place.key, to: next) } == .locked)
        #expect(await code { try await one.changeKey(from: place.key, to: next) } == .locked)
        // A failed change leaves nothing behind.
        #expect(try await one.read("k", in: "c") == nil)
        try await other.write([1], for: "k", in: "c", under: lease)
        try await other.release(lease)
        try await one.changeKey(from: place.key, to: next)
        #expect(try await one.read("k", in: "c")?.value == [1])
        // The fence of the old lease still holds.
        let newer = try #require(try await one.acquireLease("l", holder: "h", duration: .seconds(60)))
        #expect(newer.token > lease.token)
        #expect(await code { _ = try await one.write([2], for: "k", in: "c", under: lease) } == .leaseLost)
    }

    /// A record that was damaged before stays damaged, and can still be overwritten.
    @Test func aDamagedRecordDoesNotBlockOthers() async throws {
        let vault = try await place.create()
        try await vault.write([1], for: "whole", in: "c")
        try await vault.write([2], for: "damaged", in: "c")
        try await vault.connections.write { try $0.execute("UPDATE record SET sealed = x'00' WHERE version = 2") }
        try await vault.changeKey(from: place.key, to: .random())
        #expect(try await vault.read("whole", in: "c")?.value == [1])
        #expect(await code { _ = try await vault.read("damaged", in: "c") } == .damaged)
        try await vault.write([3], for: "damaged", in: "c")
        #expect(try await vault.read("damaged", in: "c")?.value == [3])
    }

    /// After the keys are forgotten, nothing can be opened, and the hooks of caches are called.
    @Test(arguments: [true, false]) func withoutKeysNothingOpens(byClosing: Bool) async throws {
        let vault = try await place.create()
        try await vault.write([1], for: "k", in: "c")
        let cache = CountingCache()
        vault.closesWithKeys(cache)
        if byClosing { try await vault.close() } else { vault.forgetKeys() }
        #expect(vault.keyring.newest == nil && cache.closings == 1)
        #expect(await code { _ = try await vault.read("k", in: "c") } == .closed)
        vault.adoptKeys(of: try await place.open())
        #expect(vault.keyring.newest == nil)
        vault.closesWithKeys(cache)
        #expect(cache.closings == 2)
    }

    /// A service makes storages for one user after the other.
    @Test func cachesThatAreGoneAreForgotten() async throws {
        let vault = try await place.create()
        let kept = CountingCache()
        vault.closesWithKeys(kept)
        for _ in 0..<1000 { vault.closesWithKeys(CountingCache()) }
        #expect(vault.keyring.cacheCount <= 16)
        vault.forgetKeys()
        #expect(kept.closings == 1)
    }

    @Test func simultaneousKeyChanges() async throws {
        let old = try DataVaultKey.cheap("old")
        let vault = try await DataVault.create(at: place.directory, key: old)
        let outcomes = await withTaskGroup(of: (Int, DataVaultError.Code?).self) { group in
            for number in 0..<6 {
                group.addTask {
                    (number, await code { try await vault.changeKey(from: old, to: .cheap("new \(number)")) })
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let winners = outcomes.filter { $0.1 == nil }.map(\.0)
        #expect(winners.count == 1)
        #expect(outcomes.allSatisfy { [nil, .keyChanged, .wrongKey].contains($0.1) })
        let winner = try #require(winners.first)
        try await DataVault.open(at: place.directory, key: .cheap("new \(winner)")).close()
    }
}

func mode(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status.st_mode & 0o777
}

final class CountingCache: VaultCache {
    private let count = Atomic(0)
    var closings: Int { count.load(ordering: .acquiring) }
    func close() { count.add(1, ordering: .releasing) }
}
