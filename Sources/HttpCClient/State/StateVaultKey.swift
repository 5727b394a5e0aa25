import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem
import HttpConvVault

/// The key of a profile's vault: in `$HTTPC_VAULT_KEY`, else in a file beside the vault that only its owner can read.
enum StateVaultKey {
    static let variable = "HTTPC_VAULT_KEY"
    static let fileName = "vault.key"

    static func readOrMake(
        in directory: StateDirectory, environment: [String: String]
    ) throws(StateProblem) -> DataVaultKey {
        guard environment[variable] == nil else {
            return try checked(directory) { () throws(DataVaultError) in try .environment(variable, in: environment) }
        }
        // A new key never replaces one that a vault needs.
        if !directory.contains(fileName), !directory.contains(DataVault.databaseName) { try make(in: directory) }
        // The key of a vault is created before it, so look for the key again after the vault.
        guard let status = directory.status(fileName) else {
            throw StateProblem(
                CommandFailure(
                    .usage,
                    "The key of the vault in \(directory.shownPath) is missing: put \(fileName) back or set \(variable). "
                        + "Without it, the stored state of the profile is lost. To start over, remove vault.sqlite* there."
                ))
        }
        if status.st_nlink > 1 { removeDrafts(in: directory) }
        return try checked(directory) { () throws(DataVaultError) in try file(in: directory) }
    }

    /// The key of the file, where the variable counts: a vault may have been made before the variable was set. Nil
    /// without a usable file.
    static func former(in directory: StateDirectory, environment: [String: String]) -> DataVaultKey? {
        environment[variable] != nil && directory.contains(fileName) ? try? file(in: directory) : nil
    }

    private static func file(in directory: StateDirectory) throws(DataVaultError) -> DataVaultKey {
        try .file(URL(exactPath: "\(directory.path)/\(fileName)"))
    }

    /// Creates the key file atomically. If another process is faster, its key stays.
    private static func make(in directory: StateDirectory) throws(StateProblem) {
        removeDrafts(in: directory)
        let draft = "\(draftMark)\(getpid()).\(UInt32.random(in: 0 ... .max))"
        _ = try checked(directory) { () throws(DataVaultError) in
            try DataVaultKey.createFile(URL(exactPath: "\(directory.path)/\(draft)"))
        }
        let code = linkat(directory.descriptor, draft, directory.descriptor, fileName, 0) == 0 ? 0 : errno
        unlinkat(directory.descriptor, draft, 0)
        guard code == 0 || code == EEXIST else { throw StateProblem("\(directory.path)/\(fileName)", code) }
        fsync(directory.descriptor)
    }

    private static let draftMark = ".\(fileName)."

    /// Removes the drafts of processes that were killed: second names of the key, and keys that no vault has.
    private static func removeDrafts(in directory: StateDirectory) {
        let key = directory.status(fileName)
        // A key is created in far less than a minute.
        let limit = time(nil) - 60
        for name in directory.names where name.hasPrefix(draftMark) {
            guard let draft = directory.status(name) else { continue }
            if let key, draft.isSameFile(as: key) {
                unlinkat(directory.descriptor, name, 0)
            } else if draft.modified.tv_sec < limit, draft.st_nlink == 1 {
                directory.destroy(name)
            }
        }
    }

    private static func checked(
        _ directory: StateDirectory, _ work: () throws(DataVaultError) -> DataVaultKey
    ) throws(StateProblem) -> DataVaultKey {
        do { return try work() } catch { throw StateProblem(error, in: directory) }
    }
}
