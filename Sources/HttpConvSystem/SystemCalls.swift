import HttpConvPlatform

/// System calls under names that do not clash with methods, repeated if a signal interrupts them.
package enum SystemCalls {
    /// A descriptor that other programs do not inherit; negative, with `errno`, on failure.
    package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0) -> Int32 {
        repeating { systemOpen(path, flags | O_CLOEXEC, mode_t(mode)) }
    }

    /// Reads the bytes that are there.
    ///
    /// - Parameter offset: the position in the file; nil: after the last read
    /// - Returns: the number of bytes; 0 at the end, negative, with `errno`, on failure
    package static func read(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int? = nil
    ) -> Int {
        repeating {
            guard let offset else { return systemRead(descriptor, buffer.baseAddress, buffer.count) }
            return pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        }
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Returns: the number of bytes; nil, with `errno`, on failure
    package static func fill(_ buffer: inout [UInt8], from descriptor: Int32) -> Int? {
        var filled = 0
        while filled < buffer.count {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, .init(rebasing: $0[filled...])) }
            if count < 0 { return nil }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// The start of a file, at most `limit` bytes.
    ///
    /// - Parameter flags: of `open`, besides those for reading
    /// - Returns: nil, with `errno`, on failure
    package static func read(file path: String, atMost limit: Int, flags: Int32 = 0) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | flags)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return readToEnd(descriptor, atMost: limit)
    }

    /// Whether a path leads to a directory.
    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates the missing directories of a path. Only their owner can use them.
    ///
    /// - Returns: 0, or the error number; and the path of the last call
    package static func makeDirectories(_ path: String) -> (code: Int32, path: String) {
        var missing: [String] = []
        var current = path
        while mkdir(current, 0o700) != 0 {
            if errno == EEXIST { break }
            let (code, parent) = (errno, current.parentPath)
            guard code == ENOENT, parent != current, !parent.isEmpty else { return (code, current) }
            missing.append(current)
            current = parent
        }
        for path in missing.reversed() where mkdir(path, 0o700) != 0 && errno != EEXIST { return (errno, path) }
        return (0, path)
    }

    /// Whether there is nothing at a path: neither a file, nor a link that leads nowhere, there or above it. Called
    /// after `open` has failed.
    ///
    /// - Parameter code: the error number of `open`
    package static func isMissing(_ path: String, _ code: Int32) -> Bool {
        guard code == ENOENT else { return false }
        var (status, place) = (stat(), path)
        while lstat(place, &status) != 0 {
            guard errno == ENOENT else { return false }
            let parent = place.parentPath
            // A relative path is below the working directory.
            guard parent != place, !parent.isEmpty else { return true }
            place = parent
        }
        return place != path && (status.st_mode & S_IFMT != S_IFLNK || stat(place, &status) == 0)
    }

    /// Reads a file from where the last read ended to its end, or to a limit in bytes.
    ///
    /// - Returns: nil, with `errno`, on failure
    package static func readToEnd(_ descriptor: Int32, atMost limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            var chunk = [UInt8](repeating: 0, count: min(limit - bytes.count, 64 << 10))
            guard let count = fill(&chunk, from: descriptor) else { return nil }
            bytes += chunk.prefix(count)
            if count < chunk.count { break }
        }
        return bytes
    }

    /// Writes all bytes. After a failure, the bytes before it stay written.
    ///
    /// - Returns: 0, or the error number
    package static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32 {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                repeating { systemWrite(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset) }
            }
            if count < 0, errno == EAGAIN {
                waitUntilWritable(descriptor)
                continue
            }
            guard count > 0 else { return count < 0 ? errno : EIO }
            offset += count
        }
        return 0
    }

    /// Waits at most a second: another process may have made our terminal or pipe non-blocking.
    private static func waitUntilWritable(_ descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, 1000)
    }

    /// The result of an attempt to lock a file.
    package enum LockResult: Equatable, Sendable {
        case taken
        /// Another descriptor holds the lock.
        case held
        /// The system has no lock for this file, with the error number: `ENOLCK` or `ENOSYS` on some network file
        /// systems.
        case unsupported(Int32)
    }

    /// Locks a file against other descriptors while this one is open.
    ///
    /// - Parameter kind: `LOCK_EX` or `LOCK_SH`
    package static func tryLock(_ descriptor: Int32, _ kind: Int32 = LOCK_EX) -> LockResult {
        if repeating({ Int(flock(descriptor, kind | LOCK_NB)) }) == 0 { return .taken }
        return errno == EWOULDBLOCK ? .held : .unsupported(errno)
    }

    /// Unlocks and closes a file. Closing alone would leave it locked while a program that is being started still has a
    /// copy of the descriptor.
    package static func unlockAndClose(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func repeating<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            guard result < 0, errno == EINTR else { return result }
        }
    }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
