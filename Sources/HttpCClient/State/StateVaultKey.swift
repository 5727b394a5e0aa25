import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvVault

/// The key of a profile's vault: in `$HTTPC_VAULT_KEY`, else in a file beside the vault that only its owner can read.
enum StateVaultKey {
    static let variable = "HTTPC_VAULT_KEY"
    static let fileName = "vault.key"

    static func readOrMake(in directory: StateDirectory) throws(CommandFailure) -> DataVaultKey {
        let environment = ProcessInfo.processInfo.environment
        guard environment[variable] == nil else {
            return try checked(directory) { () throws(DataVaultError) in try .environment(variable, in: environment) }
        }
        // A new key never replaces one that a vault needs.
        if !directory.contains(fileName), !directory.contains(DataVault.databaseName) { try make(in: directory) }
        // The key of a vault is created before it, so look for the key again after the vault.
        guard directory.contains(fileName) else {
            throw CommandFailure(
                .usage,
                "The key of the vault in \(directory.shownPath) is missing: put \(fileName) back or set \(variable). "
                    + "Without it, the stored state of the profile is lost. To start over, remove vault.sqlite* there.")
        }
        return try checked(directory) { () throws(DataVaultError) in
            try .file(URL(exactPath: "\(directory.path)/\(fileName)"))
        }
    }

    /// Creates the key file atomically. If another process is faster, its key stays.
    private static func make(in directory: StateDirectory) throws(CommandFailure) {
        let draft = ".\(fileName).\(getpid()).\(UInt32.random(in: 0 ... .max))"
        _ = try checked(directory) { () throws(DataVaultError) in
            try DataVaultKey.createFile(URL(exactPath: "\(directory.path)/\(draft)"))
        }
        let code = linkat(directory.descriptor, draft, directory.descriptor, fileName, 0) == 0 ? 0 : errno
        unlinkat(directory.descriptor, draft, 0)
        guard code == 0 || code == EEXIST else {
            throw StateDirectory.failure("\(directory.path)/\(fileName)", Posix.reason(code))
        }
        fsync(directory.descriptor)
    }

    private static func checked(
        _ directory: StateDirectory, _ work: () throws(DataVaultError) -> DataVaultKey
    ) throws(CommandFailure) -> DataVaultKey {
        do { return try work() } catch { throw StateFailure.failure(error, in: directory) }
    }
}
