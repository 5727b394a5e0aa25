import Foundation
import HttpConversationTesting

@testable import HttpConvVault

/// A place for a vault, removed with this value.
final class TemporaryVault: Sendable {
    let root: URL
    let key = DataVaultKey.random()
    var directory: URL { root.appendingPathComponent("vault") }
    var database: String { directory.appendingPathComponent(DataVault.databaseName).path }

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("DataVaultTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    func create(_ options: DataVaultConfiguration = DataVaultConfiguration()) async throws -> DataVault {
        try await DataVault.create(at: directory, key: key, configuration: options)
    }

    func open(_ options: DataVaultConfiguration = DataVaultConfiguration()) async throws -> DataVault {
        try await DataVault.open(at: directory, key: key, configuration: options)
    }

    /// Lets SQLite alone change the files of a closed vault.
    func tamper(_ body: (SQLiteConnection) throws -> Void) throws {
        try body(try SQLiteConnection(database, isReadOnly: false, busyTimeout: 0))
    }

    func url(_ name: String) -> URL { root.appendingPathComponent(name) }
}

extension DataVaultKey {
    /// A passcode whose derivation is very cheap.
    static func cheap(_ passcode: String) throws -> DataVaultKey {
        try .passcode(passcode, scrypt: ScryptParameters(cost: 16, blockSize: 1, parallelism: 1))
    }
}

extension DataVaultConfiguration {
    init(_ change: (inout DataVaultConfiguration) -> Void) {
        self.init()
        change(&self)
    }

    static func timed(by clock: TestClock) -> DataVaultConfiguration { DataVaultConfiguration { $0.clock = clock } }
}

/// The code of a closure's error; nil if it throws none, or an error of another type.
func code(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async -> DataVaultError.Code?
{ await thrown(DataVaultError.self, body)?.code }
