package import HttpConvPlatform

/// The identity of a file, its size, and the times of its last changes: differs after any change to it.
package struct FileStamp: Hashable, Sendable {
    private let numbers: [Int]

    package init(_ status: stat) {
        // Inode numbers are reused once a file is removed; the times tell the files apart.
        numbers = [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), Int(status.st_size),
            status.modified.tv_sec, status.modified.tv_nsec, status.changed.tv_sec, status.changed.tv_nsec,
        ]
    }

    /// The stamp of the file that a path leads to; nil if there is none.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
