import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// The record beside a target, which names the resource of its partial file. Each call blocks.
///
/// An attacker who could write the record could make us append to bytes of their choice, so only records that we own
/// are trusted.
enum RecordFile {
    private static let limit = 64 << 10

    /// Returns nil if there is no record.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable`` for another file, or one of another user
    static func read(beside target: String) throws(ConversationError) -> PartialRecord? {
        let path = PartialRecord.path(of: target)
        let descriptor = SystemCalls.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw refused(path, String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        try require(descriptor, path)
        return try content(descriptor, path)
    }

    private static func content(_ descriptor: Int32, _ path: String) throws(ConversationError) -> PartialRecord? {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = SystemCalls.fill(&bytes, from: descriptor)
        // Another process is about to begin a download, or was ended before it did.
        if count == 0, isPrivate(descriptor) { return nil }
        guard let count, let record = try? JSONDecoder().decode(PartialRecord.self, from: Data(bytes[..<count])) else {
            throw refused(path, "it is damaged, or something else")
        }
        return record
    }

    /// Whether only its owner can read a file: a claim, unlike most files that a person makes.
    private static func isPrivate(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & 0o777 == 0o600
    }

    /// The record of a target while one process may write it.
    struct Claim {
        /// The record that is there.
        let record: PartialRecord?
        fileprivate let path: String
        fileprivate let descriptor: Int32

        /// Lets others write it. Removes it if it is still empty.
        func end() {
            if record == nil, let file = TargetFile.Identity(of: descriptor), TargetFile.Identity(at: path) == file {
                unlink(path)
            }
            SystemCalls.unlockAndClose(descriptor)
        }
    }

    /// Locks the record of a target, to write it. If there is none, an empty file takes its place meanwhile.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable`` as ``read(beside:)`` does, and if another
    ///   process has the lock or has written the record meanwhile
    static func claim(beside target: String) throws(ConversationError) -> Claim {
        let path = PartialRecord.path(of: target)
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
        var descriptor = SystemCalls.open(path, flags)
        if descriptor < 0, errno == ENOENT {
            descriptor = SystemCalls.open(path, flags | O_CREAT, mode: 0o600)
            guard descriptor >= 0 else { throw TargetFile.failure("open", target) }
        }
        guard descriptor >= 0 else { throw refused(path, String(cString: strerror(errno))) }
        do throws(ConversationError) {
            try require(descriptor, path)
            try PartialFile.require(SystemCalls.tryLock(descriptor), path)
            guard TargetFile.Identity(at: path) == TargetFile.Identity(of: descriptor) else {
                throw refused(path, "another process is downloading it now")
            }
            return Claim(record: try content(descriptor, path), path: path, descriptor: descriptor)
        } catch {
            SystemCalls.unlockAndClose(descriptor)
            throw error
        }
    }

    /// Writes a record in place of an older one, which was read before. A file of another kind with that name is left
    /// alone.
    ///
    /// - Parameter names: random endings for file names
    static func write(_ record: PartialRecord, beside target: String, names: () -> String) throws(ConversationError) {
        let path = PartialRecord.path(of: target)
        guard let draft = DraftFile(at: { PartialRecord.part(of: target, names()) }) else {
            throw TargetFile.failure("write to", path)
        }
        let bytes = (try? JSONEncoder().encode(record)).map { [UInt8]($0) } ?? []
        let failed = SystemCalls.writeAll(draft.descriptor, bytes)
        if failed != 0 { draft.discard() }
        let code = failed != 0 ? failed : draft.place(at: path)
        if code != 0 { throw TargetFile.failure("write to", path, code) }
    }

    /// Removes the record if it is still about this partial file.
    static func remove(_ record: PartialRecord, beside target: String) {
        guard (try? read(beside: target)) == record else { return }
        unlink(PartialRecord.path(of: target))
    }

    /// Requires a regular file that we own, that only we can write to, and that has no other name.
    static func require(_ descriptor: Int32, _ path: String) throws(ConversationError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw refused(path, String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw refused(path, "it is not a regular file") }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0, status.st_nlink == 1 else {
            throw refused(path, "another user may have written to it")
        }
    }

    static func refused(_ path: String, _ why: String) -> ConversationError {
        ConversationError(
            .notResumable,
            "The download cannot be resumed from \"\(TerminalText.sanitise(path))\": \(why). Remove it to start over.")
    }
}
