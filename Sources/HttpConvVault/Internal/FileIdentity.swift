import HttpConvPlatform

/// The identity of a file, and the time of its last change.
struct FileIdentity: Hashable, Sendable {
    private let numbers: [Int64]

    init(_ status: stat) {
        #if canImport(Darwin)
        let changed = status.st_ctimespec
        #else
        let changed = status.st_ctim
        #endif
        // Inode numbers are reused once a file is removed; the time tells the files apart.
        numbers = [
            Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
            Int64(changed.tv_sec), Int64(changed.tv_nsec),
        ]
    }
}
