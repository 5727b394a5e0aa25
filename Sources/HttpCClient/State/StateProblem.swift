import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvVault

/// The reason why a profile's state cannot be used.
struct StateProblem: Error {
    let failure: CommandFailure
    /// Whether there is no place where state can be kept: there is no home, the user may not write there, or the file
    /// system is full or read-only. A run that can do without the state goes on.
    let isNoPlace: Bool

    init(_ failure: CommandFailure, isNoPlace: Bool = false) {
        self.failure = failure
        self.isNoPlace = isNoPlace
    }

    /// The problem of a failed system call.
    init(_ path: String, _ code: Int32) {
        self.init(
            StateDirectory.failure(path, Posix.reason(code)),
            isNoPlace: [EROFS, ENOSPC, EDQUOT, EACCES, EPERM, ENOENT].contains(code))
    }

    /// The problem of a vault that cannot be opened or created.
    init(_ error: DataVaultError, in directory: StateDirectory) {
        self.init(StateFailure.failure(error, in: directory), isNoPlace: error.isNoPlace)
    }
}

extension DataVaultError {
    /// Whether the vault cannot be written because the file system is full or read-only.
    var isNoPlace: Bool { code == .readOnly || code == .diskFull }
}
