package import HttpConvPlatform

extension stat {
    /// The time of the last change of the content.
    package var modified: timespec {
        #if canImport(Darwin)
        st_mtimespec
        #else
        st_mtim
        #endif
    }

    /// The time of the last change of the content or of the file's properties, such as its mode.
    package var changed: timespec {
        #if canImport(Darwin)
        st_ctimespec
        #else
        st_ctim
        #endif
    }

    /// Whether it is the status of the same file, perhaps at another time or under another name.
    package func isSameFile(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
}
