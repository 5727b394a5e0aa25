internal import HttpConvPlatform

/// Maps failed system calls to vault errors.
enum SystemCallFailure {
    static func error(_ call: String, _ number: Int32, _ path: String) -> DataVaultError {
        let cause = SystemError(call: call, number: number)
        switch number {
        case ENOSPC, EDQUOT:
            return DataVaultError(.diskFull, "The disk or the quota is full: \(path)", underlyingError: cause)
        case EROFS:
            return DataVaultError(.readOnly, "The file system is read-only: \(path)", underlyingError: cause)
        case EACCES, EPERM:
            return DataVaultError(
                .insecurePermissions,
                "Access to \(path) was denied: it belongs to somebody else, or lacks "
                    + "permission.", underlyingError: cause)
        default:
            return DataVaultError(.ioFailure, "\(call) failed (error \(number)): \(path)", underlyingError: cause)
        }
    }
}
