import Foundation
import Testing

@testable import HttpConvVault

@Suite(.timeLimit(.minutes(1))) struct TamperTests {
    let place: TemporaryVault
    let value = Array("the value".utf8)

    init() throws { place = try TemporaryVault() }

    private func filled() async throws {
        let vault = try await place.create()
        try await vault.write(value, for: "a", in: "c")
        try await vault.write(Array("another".utf8), for: "b", in: "c")
        try await vault.write(Array("elsewhere".utf8), for: "a", in: "d")
        try await vault.close()
    }

    @Test func everyByteOfARecord() async throws {
        let vault = try await place.create()
        try await vault.write(value, for: "a", in: "c")
        let sealed = try #require(
            try await vault.connections.read { try $0.row("SELECT sealed FROM record")?.bytes(0) })
        for offset in sealed.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = sealed
                changed[offset] ^= mask
                try await store(changed, in: vault)
                #expect(await code { _ = try await vault.read("a", in: "c") } == .damaged, "byte \(offset)")
                #expect(await code { _ = try await vault.keys(in: "c") } == .damaged, "byte \(offset)")
            }
        }
        for length in 0..<sealed.count {
            try await store(Array(sealed.prefix(length)), in: vault)
            #expect(await code { _ = try await vault.read("a", in: "c") } == .damaged, "cut to \(length)")
        }
        try await store(sealed + [0], in: vault)
        #expect(await code { _ = try await vault.read("a", in: "c") } == .damaged)
        try await store(sealed, in: vault)
        #expect(try await vault.read("a", in: "c")?.value == value)
    }

    private func store(_ sealed: [UInt8], in vault: DataVault) async throws {
        try await vault.connections.write { try $0.execute("UPDATE record SET sealed = ?", [.bytes(sealed)]) }
    }

    /// Records that were changed, swapped or moved.
    @Test(arguments: [
        "version = version + 1",
        "version = 9223372036854775807",
        "version = -1",
        "sealed = (SELECT sealed FROM o WHERE o.version = 4 - record.version)",
        """
        sealed = (SELECT sealed FROM o WHERE o.version = record.version % 3 + 1), version = version % 3 + 1
        """,
        "sealed = x''",
        "sealed = zeroblob(17000000)",
    ])
    func changedRows(_ change: String) async throws {
        try await filled()
        try place.tamper {
            try $0.execute("CREATE TEMP TABLE o AS SELECT * FROM record")
            try $0.execute("UPDATE record SET \(change)")
        }
        let vault = try await place.open()
        var damaged = 0
        for (key, collection) in [("a", "c"), ("b", "c"), ("a", "d")] {
            do {
                let record = try await vault.read(key, in: collection)
                // In one case the middle record is swapped with itself.
                #expect(record?.value == expected(key, collection))
            } catch {
                #expect(error.code == .damaged)
                damaged += 1
            }
        }
        #expect(damaged >= 2)
        // A new value can be stored, and the old one removed.
        try await vault.write([1], for: "a", in: "c")
        #expect(try await vault.read("a", in: "c")?.value == [1])
        #expect(try await vault.deleteAll(in: "d") == 1)
    }

    private func expected(_ key: String, _ collection: String) -> [UInt8] {
        Array((collection == "d" ? "elsewhere" : key == "a" ? "the value" : "another").utf8)
    }

    @Test func recordMovedUnderAnotherKey() async throws {
        try await filled()
        try place.tamper { db in
            let rows = try db.rows("SELECT row FROM record WHERE version < 3 ORDER BY version")
            let (a, b) = (try rows[0].bytes(0), try rows[1].bytes(0))
            try db.execute("UPDATE record SET row = x'00' WHERE row = ?", [.bytes(a)])
            try db.execute("UPDATE record SET row = ? WHERE row = ?", [.bytes(a), .bytes(b)])
            try db.execute("UPDATE record SET row = ? WHERE row = x'00'", [.bytes(b)])
        }
        let vault = try await place.open()
        #expect(await code { _ = try await vault.read("a", in: "c") } == .damaged)
        #expect(await code { _ = try await vault.read("b", in: "c") } == .damaged)
        #expect(await code { _ = try await vault.keys(in: "c") } == .damaged)
    }

    @Test func recordFromAnotherVaultOfTheSameKey() async throws {
        try await filled()
        let other = try TemporaryVault()
        let foreign = try await DataVault.create(at: other.directory, key: place.key)
        try await foreign.write(value, for: "a", in: "c")
        let sealed = try #require(
            try await foreign.connections.read { try $0.row("SELECT sealed FROM record")?.bytes(0) })
        try place.tamper { try $0.execute("UPDATE record SET sealed = ? WHERE version = 1", [.bytes(sealed)]) }
        #expect(await code { _ = try await place.open().read("a", in: "c") } == .damaged)
    }

    @Test(arguments: [
        ("UPDATE key_slot SET wrapped = x''", DataVaultError.Code.wrongKey),
        ("UPDATE key_slot SET wrapped = zeroblob(60)", .wrongKey),
        ("UPDATE key_slot SET salt = zeroblob(32)", .wrongKey),
        ("UPDATE key_slot SET salt = x'00'", .damaged),
        ("UPDATE key_slot SET vault = zeroblob(16)", .wrongKey),
        ("UPDATE key_slot SET vault = x''", .damaged),
        ("UPDATE key_slot SET kind = 2", .wrongKey),
        ("UPDATE key_slot SET kind = 77", .unsupportedFormat),
        ("UPDATE key_slot SET cost = 32", .wrongKey),
        ("UPDATE key_slot SET cost = NULL", .damaged),
        ("UPDATE key_slot SET cost = 4611686018427387904", .parametersRefused),
        ("UPDATE key_slot SET cost = 16777216", .parametersRefused),
        ("UPDATE key_slot SET block_size = -9223372036854775808", .parametersRefused),
        ("UPDATE key_slot SET parallelism = 9223372036854775807", .parametersRefused),
        ("DELETE FROM key_slot", .damaged),
        ("PRAGMA user_version = 3", .unsupportedFormat),
        ("PRAGMA user_version = 0", .unsupportedFormat),
        ("PRAGMA application_id = 1", .damaged),
        ("DROP TABLE lease", .damaged),
        ("CREATE TABLE more (a)", .damaged),
        ("ALTER TABLE record ADD COLUMN more TEXT", .damaged),
        ("CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record; END", .damaged),
        ("CREATE VIEW v AS SELECT * FROM record", .damaged),
    ])
    func headerAndSchema(_ sql: String, _ expected: DataVaultError.Code) async throws {
        let key = try DataVaultKey.cheap("passcode")
        try await DataVault.create(at: place.directory, key: key).close()
        try place.tamper { try $0.execute(sql) }
        #expect(await code { _ = try await DataVault.open(at: place.directory, key: key) } == expected)
    }

    @Test(arguments: [
        "UPDATE sequence SET last = 9223372036854775807", "UPDATE sequence SET last = -5", "DELETE FROM sequence",
    ])
    func sequence(_ sql: String) async throws {
        try await filled()
        try place.tamper { try $0.execute(sql) }
        let vault = try await place.open()
        #expect(await code { try await vault.write([1], for: "a", in: "c") } == .damaged)
        #expect(try await vault.read("a", in: "c")?.value == value)
    }

    /// Changes a sample of all bytes of the file, and of all lengths: the result is right data or a typed error.
    @Test func damagedFile() async throws {
        try await filled()
        let whole = try Data(contentsOf: URL(fileURLWithPath: place.database))
        var (right, wrong) = (0, 0)
        func attempt() async throws {
            do {
                let vault = try await place.open(DataVaultConfiguration { $0.busyTimeout = .milliseconds(1) })
                let record = try await vault.read("a", in: "c")
                #expect(record == nil || record?.value == value)
                right += 1
                try await vault.close()
            } catch {
                #expect(error is DataVaultError, "\(error)")
                wrong += 1
            }
        }
        for offset in stride(from: 0, to: whole.count, by: 131) {
            var changed = whole
            changed[offset] ^= 0xFF
            try write(changed)
            try await attempt()
        }
        for length in [0, 1, 16, 99, 100, 512, 4096, 5000, 8192, whole.count - 1] {
            try write(whole.prefix(length))
            try await attempt()
        }
        #expect(right > 0)
        #expect(wrong > 10)
    }

    private func write(_ data: Data) throws {
        for suffix in ["-wal", "-shm", "-journal"] { unlink(place.database + suffix) }
        try data.write(to: URL(fileURLWithPath: place.database))
        chmod(place.database, 0o600)
    }
}
