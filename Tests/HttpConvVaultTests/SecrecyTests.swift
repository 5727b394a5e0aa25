import Crypto
import Foundation
import Testing

@testable import HttpConvVault

@Suite(.timeLimit(.minutes(1))) struct SecrecyTests {
    let place: TemporaryVault
    static let canaries = [
        "canary-of-the-value-1f6b", "canary-of-the-record-key-9d2c", "canary-of-the-collection-77aa",
        "canary-of-the-lease-5e5e", "canary-of-the-holder-b0b0", "canary-of-the-passcode-c3c3",
    ]

    init() throws { place = try TemporaryVault() }

    private func fill(_ vault: DataVault) async throws -> DataVaultLease {
        let canaries = Self.canaries
        try await vault.write(Array(canaries[0].utf8), for: canaries[1], in: canaries[2])
        try await vault.write(Array(canaries[0].utf8), for: canaries[1] + "2", in: canaries[2])
        try await vault.delete(canaries[1] + "2", in: canaries[2])
        let lease = try await vault.acquireLease(canaries[3], holder: canaries[4], duration: .seconds(60))
        return try #require(lease)
    }

    @Test func nothingInTheFiles() async throws {
        let vault = try await DataVault.create(at: place.directory, key: .cheap(Self.canaries[5]))
        _ = try await fill(vault)
        let keys = try #require(vault.keyring.newest).keys.map { $0.withUnsafeBytes { Array($0) } }
        let searches = (Self.canaries.map { Array($0.utf8) } + keys).map { LeakSearch(for: $0) }
        #expect(FileManager.default.fileExists(atPath: place.database + "-wal"))
        for search in searches { #expect(try !search.isFound(below: place.directory)) }
        try await vault.close()
        for search in searches { #expect(try !search.isFound(below: place.directory)) }
    }

    /// The same search finds each canary where it is planted, in each form.
    @Test(arguments: canaries, ["raw", "hex", "base64-0", "base64-1", "base64-2", "name"])
    func theMemorySearchFindsKnownBytes(_ canary: String, _ form: String) async throws {
        try await place.create().close()
        let bytes = Data(canary.utf8)
        let search = LeakSearch(for: Array(bytes))
        #expect(try !search.isFound(below: place.directory))
        let planted: Data
        switch form {
        case "raw": planted = bytes
        case "hex": planted = Data(bytes.map { String(format: "%02X", $0) }.joined().utf8)
        case "base64-0": planted = Data((bytes + Data("xyz".utf8)).base64EncodedString().utf8)
        case "base64-1": planted = Data((Data("1".utf8) + bytes + Data("xyz".utf8)).base64EncodedString().utf8)
        case "base64-2": planted = Data((Data("12".utf8) + bytes + Data("xyz".utf8)).base64EncodedString().utf8)
        default:
            try Data().write(to: place.directory.appendingPathComponent(canary))
            #expect(try search.isFound(below: place.directory))
            return
        }
        try place.tamper {
            try $0.execute("CREATE TABLE leak (a)")
            try $0.execute("INSERT INTO leak VALUES (?)", [.bytes(Array(planted))])
        }
        #expect(try search.isFound(below: place.directory))
    }

    @Test func descriptionsHaveNoSecrets() async throws {
        let key = try DataVaultKey.cheap(Self.canaries[5])
        let vault = try await DataVault.create(at: place.directory, key: key)
        let lease = try await fill(vault)
        let record = try #require(try await vault.read(Self.canaries[1], in: Self.canaries[2]))
        var texts = shown(key) + shown(vault) + shown(lease) + shown(record)
        texts += shown(try DataVaultKey.bytes(Array((Self.canaries[5] + Self.canaries[5]).utf8)))
        try await vault.transaction { transaction in #expect(shown(transaction).allSatisfy { !leaks($0) }) }
        try await vault.connections.write { try $0.execute("UPDATE record SET sealed = x'00'") }
        let failing: [@Sendable () async throws -> Void] = [
            { _ = try await vault.read(Self.canaries[1], in: Self.canaries[2]) },
            { try await vault.compareAndSwap([], for: Self.canaries[1], in: Self.canaries[2], expectedVersion: 99) },
            {
                try await vault.write(
                    [], for: Self.canaries[1], in: Self.canaries[2],
                    under: DataVaultLease(name: Self.canaries[3], token: 0))
            },
            { _ = try await DataVault.open(at: place.directory, key: .cheap(Self.canaries[5] + "x")) },
            {
                try await vault.connections.write { try $0.execute("DROP TABLE record") }
                try await vault.write(Array(Self.canaries[0].utf8), for: Self.canaries[1], in: Self.canaries[2])
            },
        ]
        for operation in failing {
            let error = await #expect(throws: DataVaultError.self) { try await operation() }
            if let error { texts += shown(error) + shown(error.underlyingError as Any) }
        }
        for text in texts { #expect(!leaks(text), "\(text)") }
        #expect(shown(Self.canaries[0]).allSatisfy(leaks))
    }

    private func shown(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [dumped, "\(value)", String(reflecting: value)]
    }

    private func leaks(_ text: String) -> Bool {
        Self.canaries.contains { LeakSearch(for: Array($0.utf8)).isFound(in: text) }
    }
}
