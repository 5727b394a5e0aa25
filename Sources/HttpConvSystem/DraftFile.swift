import HttpConvPlatform

/// A new file under a temporary name, which gets its final name once it is complete: nobody sees half of it. Each call
/// blocks.
package struct DraftFile: Sendable {
    /// The temporary path.
    package let path: String
    package let descriptor: Int32

    /// More random names than are ever taken by chance.
    private static let maximumTries = 100

    /// Creates an empty file at the first path that is free. Follows no link.
    ///
    /// - Parameters:
    ///   - mode: the permissions; by default only its owner can read it
    ///   - path: makes a path, at most 100 times
    /// - Returns: nil, with `errno`, on failure: `EEXIST` if every path is taken
    package init?(mode: UInt32 = 0o600, at path: () -> String) {
        for _ in 0..<Self.maximumTries {
            let path = path()
            let descriptor = SystemCalls.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
            if descriptor >= 0 {
                (self.path, self.descriptor) = (path, descriptor)
                return
            }
            guard errno == EEXIST else { return nil }
        }
        return nil
    }

    /// Waits until the content is on the disk, closes the file, and gives it its final name. Removes it on failure.
    ///
    /// - Parameter replacing: whether it replaces a file of that name; otherwise that is the failure `EEXIST`
    /// - Returns: 0, or the error number
    package func place(at final: String, replacing: Bool = true) -> Int32 {
        let isWritten = fsync(descriptor) == 0
        var code = isWritten ? 0 : errno
        if close(descriptor) != 0, isWritten { code = errno }
        // Only a link fails if a file of that name has appeared meanwhile.
        if code == 0, (replacing ? rename(path, final) : link(path, final)) != 0 { code = errno }
        if code != 0 || !replacing { unlink(path) }
        return code
    }

    /// Closes and removes the file.
    package func discard() {
        close(descriptor)
        unlink(path)
    }
}
