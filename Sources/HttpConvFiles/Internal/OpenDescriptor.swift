import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// Finds the descriptor of this process that a path leads to, such as `/dev/stdout`.
///
/// The file behind it is also written by the program that opened it, such as a shell. If another file replaced it, that
/// program would not see the new file. So bytes go through a copy of the descriptor, which shares its offset and append
/// mode.
enum OpenDescriptor {
    /// - Parameter status: the status of the file that the path leads to
    /// - Returns: the number of an open descriptor; nil for other files
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed`` for a descriptor that this process opened
    ///   for itself, such as a connection: only descriptors that it was started with are allowed
    static func number(of path: String, _ status: stat) throws(ConversationError) -> Int32? {
        let (folder, name) = PartialRecord.split(path)
        if let number = PeerNumber.integer(name, in: 0...Int(Int32.max)), let folder = realPath(String(folder)),
            ["/dev/fd", "/proc/\(getpid())/fd"].contains(folder)
        {
            let number = Int32(number)
            guard fcntl(number, F_GETFD) & FD_CLOEXEC == 0 else { throw TargetFile.failure("write to", path, EBADF) }
            return number
        }
        if let number: Int32 = ["/dev/stdout": 1, "/dev/stderr": 2][path] { return number }
        return [1, 2, 0].first { number in
            var open = stat()
            return fstat(number, &open) == 0 && open.isSameFile(as: status)
                && fcntl(number, F_GETFL) & (O_WRONLY | O_RDWR) != 0
        }
    }

    /// A copy of a descriptor that other programs do not inherit; negative, with `errno`, on failure.
    static func copy(_ number: Int32) -> Int32 { fcntl(number, F_DUPFD_CLOEXEC, 0) }
}

/// The path with links followed; nil also for one that is not UTF-8.
func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(validatingCString: resolved)
}
