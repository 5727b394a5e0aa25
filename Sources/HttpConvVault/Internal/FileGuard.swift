internal import HttpConvPlatform

/// Checks owner, type and permissions of our files (rule S22).
enum FileGuard {
    enum Kind {
        case file, directory
    }

    static func check(_ status: stat, path: String, kind: Kind) throws(DataVaultError) {
        let expected = kind == .file ? S_IFREG : S_IFDIR
        guard status.st_mode & S_IFMT == expected else {
            throw DataVaultError(
                .unsafeFile,
                "\(path) is a link or special file; a regular \(kind == .file ? "file" : "directory") is "
                    + "expected.")
        }
        guard status.st_uid == geteuid() else {
            throw DataVaultError(
                .insecurePermissions,
                "\(path) belongs to user \(status.st_uid); it must belong to the user who runs "
                    + "this program (chown \(geteuid())).")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = kind == .file ? "600" : "700"
            throw DataVaultError(
                .insecurePermissions, "\(path) is open to other users; close it with: chmod \(mode) \(path)")
        }
    }
}
