import HttpConvPlatform
import HttpConvSystem

/// The identity of a file, and the time of its last change.
struct FileIdentity: Hashable, Sendable {
    private let numbers: [Int64]

    init(_ status: stat) {
        let time = status.changed
        // Inode numbers are reused once a file is removed; the time tells the files apart.
        numbers = [
            Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
            Int64(time.tv_sec), Int64(time.tv_nsec),
        ]
    }
}
