internal import Crypto
import HttpConvConcurrency
public import HttpConvPlatform

/// An encrypted store of small records, on SQLite, that several processes may use at once.
///
/// A vault is a directory (0700) with a database (0600). Each record is encrypted with AES-256-GCM and bound to the
/// vault, its collection, key and version: a record that was changed, cut, swapped or moved throws `.damaged`. The
/// names of records and collections are hidden, too. The random data key is wrapped by a ``DataVaultKey``.
///
/// A limit: somebody with write access to the files can restore a former state of the vault or of a record, or remove a
/// record, without being noticed.
///
/// All operations may throw any ``DataVaultError``; an operation that throws has changed nothing.
public final class DataVault: Sendable {
    /// The largest value of a record: 16 MiB.
    public static let maximumValueSize = 16 << 20
    /// The largest record key, in bytes of UTF-8.
    public static let maximumKeySize = 64 << 10

    /// The name of the database in the vault's directory; its companions begin with it.
    public static let databaseName = "vault.sqlite"

    /// The vault's directory.
    public let directory: URL
    let configuration: DataVaultConfiguration
    let changes: ChangeWatch
    let connections: VaultConnections
    let leaseLocks: LeaseLocks
    let vaultID: [UInt8]
    let keyring: VaultKeyring

    private init(
        _ directory: URL, _ configuration: DataVaultConfiguration, _ connections: VaultConnections, _ vaultID: [UInt8],
        _ keyring: VaultKeyring
    ) {
        self.directory = directory
        self.configuration = configuration
        changes = ChangeWatch(connections.path)
        self.connections = connections
        leaseLocks = LeaseLocks(databasePath: connections.path)
        self.vaultID = vaultID
        self.keyring = keyring
    }

    /// Opens the vault in a directory.
    ///
    /// - Throws: `.notFound`, `.wrongKey`, `.insecurePermissions`, `.unsafeFile`, `.damaged`, `.unsupportedFormat`, …
    public static func open(
        at directory: URL, key: DataVaultKey, configuration: DataVaultConfiguration = DataVaultConfiguration()
    ) async throws(DataVaultError) -> DataVault {
        var wait = BusyWait(
            "for the vault at \(directory.path), which another process uses or whose disk is slow",
            atMost: configuration.busyTimeout, configuration.clock)
        wait.begin()
        while true {
            do {
                return try await Blocking.run { try openNow(directory, key, configuration) }
            } catch {
                let error = DatabaseFailure.error(error, at: directory.path)
                // Two processes that open at once can conflict in a way that SQLite's busy timeout does not cover.
                guard error.code == .locked, try await wait.pause() else { throw error }
            }
        }
    }

    /// Creates a vault in a directory, which is created if it is missing, and opens it.
    ///
    /// A crash leaves a whole vault or none.
    /// - Throws: `.alreadyExists` if there is one, …
    public static func create(
        at directory: URL, key: DataVaultKey, configuration: DataVaultConfiguration = DataVaultConfiguration()
    ) async throws(DataVaultError) -> DataVault {
        do {
            try await Blocking.run { try createNow(directory, key, configuration) }
        } catch {
            throw DatabaseFailure.error(error, at: directory.path)
        }
        return try await open(at: directory, key: key, configuration: configuration)
    }

    /// Opens the vault in a directory, or creates it.
    public static func openOrCreate(
        at directory: URL, key: DataVaultKey, configuration: DataVaultConfiguration = DataVaultConfiguration()
    ) async throws(DataVaultError) -> DataVault {
        do {
            return try await open(at: directory, key: key, configuration: configuration)
        } catch  where error.code == .notFound {
            do {
                return try await create(at: directory, key: key, configuration: configuration)
            } catch  where error.code == .alreadyExists {
                // Another process was faster.
                return try await open(at: directory, key: key, configuration: configuration)
            }
        }
    }

    private static func openNow(_ url: URL, _ key: DataVaultKey, _ configuration: DataVaultConfiguration) throws
        -> DataVault
    {
        let directory = try VaultDirectory(url, creating: false)
        guard try directory.checkFiles() else {
            throw DataVaultError(.notFound, "There is no vault in \(directory.path).")
        }
        do {
            let connection = try VaultDatabase.open(directory.databasePath, configuration)
            try directory.checkUnmoved()
            _ = try directory.checkFiles()
            let (slot, vaultID) = try KeySlot.load(from: connection)
            let cipher = VaultCipher(try slot.unwrap(with: key, vaultID: vaultID), vaultID: vaultID)
            let keyring = VaultKeyring(cipher, mark: slot.mark)
            let connections = VaultDatabase.connections(directory.databasePath, connection, configuration)
            return DataVault(URL(fileURLWithPath: directory.path), configuration, connections, vaultID, keyring)
        } catch {
            throw DatabaseFailure.error(error, at: directory.databasePath)
        }
    }

    private static func createNow(_ url: URL, _ key: DataVaultKey, _ configuration: DataVaultConfiguration) throws {
        let directory = try VaultDirectory(url, creating: true)
        guard try !directory.checkFiles() else {
            throw DataVaultError(.alreadyExists, "There is a vault in \(directory.path) already.")
        }
        directory.removeOldDrafts()
        let vaultID = RandomBytes.make(16)
        let slot = try KeySlot(wrapping: SymmetricKey(size: .bits256), under: key, vaultID: vaultID)
        let draft = try directory.createDraft()
        do {
            try VaultDatabase.fill(draft: draft, slot: slot, vaultID: vaultID, configuration)
            configuration.failPoint?(.draftWritten)
            try directory.publish(draft)
            configuration.failPoint?(.published)
        } catch {
            directory.discard(draft)
            throw DatabaseFailure.error(error, at: directory.databasePath)
        }
    }

    /// Overwrites the keys in memory at once: later operations throw `.closed`, and running ones finish. The files stay
    /// open until ``close()``.
    package func forgetKeys() { keyring.wipe() }

    /// Has a cache of read data closed once the vault is closed or its keys are forgotten. The cache is not retained.
    package func closesWithKeys(_ cache: any VaultCache) { keyring.closesWithKeys(cache) }

    /// Closes the files, overwrites the keys in memory and drops the leases. Later operations throw `.closed`. Runs by
    /// itself when the vault is released.
    public func close() async throws(DataVaultError) {
        defer { keyring.wipe() }
        await Blocking.run { [changes, leaseLocks] in
            changes.close()
            leaseLocks.close()
        }
        await connections.close()
    }
}

extension DataVault: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The vault's directory, without its content.
    public var description: String { "DataVault(\(directory.path))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["directory": directory.path]) }
}
