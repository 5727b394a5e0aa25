internal import CSQLite
internal import HttpConvPlatform

/// Maps errors of the database to vault errors. The texts of SQLite are left out: they may quote statements.
enum DatabaseFailure {
    /// Maps errors that cannot come from the caller's own code.
    static func error(_ error: any Error, at path: String) -> DataVaultError {
        translated(error, at: path) as? DataVaultError
            ?? DataVaultError(.ioFailure, "The vault at \(path) failed.", underlyingError: error)
    }

    /// Maps errors of the database and cancellation; returns other errors unchanged.
    static func translated(_ error: any Error, at path: String) -> any Error {
        switch error {
        case let error as SQLiteError: translated(error, at: path)
        case is CancellationError: DataVaultError(.cancelled, "The task was cancelled; nothing was changed.")
        default: error
        }
    }

    private static func translated(_ error: SQLiteError, at path: String) -> DataVaultError {
        func failure(_ code: DataVaultError.Code, _ message: String) -> DataVaultError {
            DataVaultError(code, message, underlyingError: error)
        }
        // SQLite has no code of its own for a full quota.
        switch error.systemNumber {
        case ENOSPC, EDQUOT: return failure(.diskFull, "The disk or the quota is full: \(path)")
        case EROFS, EACCES: return failure(.readOnly, "The vault at \(path) cannot be written.")
        default: break
        }
        switch error.code {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            return failure(.locked, "The vault at \(path) is locked by another process; try again.")
        case SQLITE_READONLY, SQLITE_PERM:
            return failure(.readOnly, "The vault at \(path) cannot be written.")
        // If it cannot create its log, SQLite reports other codes.
        case SQLITE_CANTOPEN where VaultDirectory.isReadOnly(path),
            SQLITE_IOERR where VaultDirectory.isReadOnly(path),
            SQLITE_ERROR where VaultDirectory.isReadOnly(path):
            return failure(.readOnly, "The vault at \(path) cannot be written.")
        case SQLITE_FULL:
            return failure(.diskFull, "The disk or the quota is full: \(path)")
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_ERROR, SQLITE_CONSTRAINT,
            SQLITE_TOOBIG:
            return failure(.damaged, "The vault at \(path) is damaged, or no vault.")
        case SQLITE_MISUSE:
            return failure(.closed, "The vault was closed.")
        case SQLITE_INTERRUPT, SQLITE_ABORT:
            return failure(.cancelled, "The task was cancelled; nothing was changed.")
        // The index of the write-ahead log could not grow.
        case SQLITE_IOERR where isFull(path), SQLITE_CANTOPEN where isFull(path):
            return failure(.diskFull, "The disk or the quota is full: \(path)")
        default:
            return failure(.ioFailure, "The vault at \(path) cannot be used (\(error)).")
        }
    }

    private static func isFull(_ path: String) -> Bool {
        var status = statvfs()
        return statvfs(path.parentPath, &status) == 0 && status.f_bavail == 0
    }
}
