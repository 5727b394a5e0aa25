import DataVault
import Foundation
import HttpC
import HttpConvVaultStorage

/// A profile's tokens between invocations: a vault in its state directory, shared by all processes that use the profile.
///
/// Its key is in `$HTTPC_VAULT_KEY`, else in a file beside it that only its owner can read.
struct TokenVault {
    let profile: String

    static let keyVariable = "HTTPC_VAULT_KEY"
    private static let keyName = "vault.key"

    /// Opens it, or makes it.
    func open() async throws(CommandFailure) -> VaultTokenStorage {
        guard let directory = try StateDirectory.open(profile: profile, creates: true) else {
            throw CommandFailure(.outputFailed, "There is no place for the tokens of the profile \"\(profile)\".")
        }
        let key = try key(in: directory)
        do {
            return VaultTokenStorage(try await DataVault.openOrCreate(at: Self.url(directory), key: key))
        } catch { throw Self.failure(error, directory) }
    }

    /// Opens it where there is one.
    func openExisting() async throws(CommandFailure) -> VaultTokenStorage? {
        guard let directory = try StateDirectory.open(profile: profile, creates: false),
            directory.contains(DataVault.databaseName)
        else { return nil }
        let key = try key(in: directory)
        do {
            return VaultTokenStorage(try await DataVault.open(at: Self.url(directory), key: key))
        } catch { throw Self.failure(error, directory) }
    }

    private static func url(_ directory: StateDirectory) -> URL {
        URL(filePath: directory.path, directoryHint: .isDirectory)
    }

    // MARK: The key

    private func key(in directory: StateDirectory) throws(CommandFailure) -> DataVaultKey {
        let environment = ProcessInfo.processInfo.environment
        guard environment[Self.keyVariable] == nil else {
            return try Self.checked(directory) { () throws(DataVaultError) in
                try .environment(Self.keyVariable, in: environment)
            }
        }
        if directory.contains(Self.keyName) { return try Self.read(directory) }
        return try directory.locked(Self.keyName) { () throws(CommandFailure) in
            // Another process may have been quicker.
            try directory.contains(Self.keyName) ? Self.read(directory) : Self.make(directory)
        }
    }

    private static func read(_ directory: StateDirectory) throws(CommandFailure) -> DataVaultKey {
        try checked(directory) { () throws(DataVaultError) in try .file(URL(filePath: "\(directory.path)/\(keyName)")) }
    }

    /// A new key never takes the place of one that a vault needs.
    private static func make(_ directory: StateDirectory) throws(CommandFailure) -> DataVaultKey {
        guard !directory.contains(DataVault.databaseName) else {
            throw CommandFailure(
                .usage,
                "The key of the vault in \(shown(directory)) is missing: put \(keyName) back or set \(keyVariable). "
                    + "Without it the tokens are lost; to start afresh, remove vault.sqlite* there.")
        }
        // Nobody may see half a key.
        let draft = "\(keyName).\(getpid()).new"
        unlinkat(directory.descriptor, draft, 0)
        let key = try checked(directory) { () throws(DataVaultError) in
            try DataVaultKey.createFile(URL(filePath: "\(directory.path)/\(draft)"))
        }
        guard renameat(directory.descriptor, draft, directory.descriptor, keyName) == 0 else {
            throw StateDirectory.failure("\(directory.path)/\(keyName)", Posix.reason(errno))
        }
        fsync(directory.descriptor)
        return key
    }

    // MARK: Failures

    private static func checked(
        _ directory: StateDirectory, _ work: () throws(DataVaultError) -> DataVaultKey
    ) throws(CommandFailure) -> DataVaultKey {
        do { return try work() } catch { throw failure(error, directory) }
    }

    private static func failure(_ error: DataVaultError, _ directory: StateDirectory) -> CommandFailure {
        switch error.code {
        case .wrongKey:
            CommandFailure(
                .usage,
                "The vault in \(shown(directory)) was made with another key than that in "
                    + "\(ProcessInfo.processInfo.environment[keyVariable] == nil ? keyName : keyVariable).")
        case .keyUnusable, .insecurePermissions, .unsafeFile:
            CommandFailure(.usage, TerminalText.sanitise(error.message, limit: 400))
        default: CommandFailure(.outputFailed, TerminalText.sanitise(error.message, limit: 400))
        }
    }

    private static func shown(_ directory: StateDirectory) -> String { TerminalText.sanitise(directory.path) }
}
