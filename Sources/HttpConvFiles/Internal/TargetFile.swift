import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// The final place of a file: its path with links followed, and the file that is there now. Each call blocks.
struct TargetFile {
    /// The path, with links followed.
    let path: String
    /// The mode of the complete file; until then only its owner can read it. Never setuid or setgid, because the bytes
    /// come from the network.
    let mode: mode_t
    /// The owner of the complete file; nil: the process's user.
    let owner: Owner?
    /// The file that is there now; nil: none.
    let previous: Identity?

    /// The user and the group that a file belongs to.
    struct Owner: Equatable {
        let user: uid_t
        let group: gid_t

        init(_ status: stat) { (user, group) = (status.st_uid, status.st_gid) }

        /// The owner of an open file; nil, with `errno`, on failure.
        init?(of descriptor: Int32) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return nil }
            self.init(status)
        }

        /// Gives an open file to this owner. Returns false, with `errno`, on failure.
        func take(_ descriptor: Int32) -> Bool {
            Owner(of: descriptor) == self || fchown(descriptor, user, group) == 0
        }
    }

    /// Tells whether a file is still the same, with the same content.
    struct Identity: Equatable {
        private let device: UInt64
        private let inode: UInt64
        private let size: Int
        private let seconds: Int
        private let nanoseconds: Int

        init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
            size = Int(status.st_size)
            let time = status.modified
            seconds = Int(time.tv_sec)
            nanoseconds = Int(time.tv_nsec)
        }

        var isEmpty: Bool { size == 0 }

        /// Nil, with `errno`, on failure.
        init?(of descriptor: Int32) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return nil }
            self.init(status)
        }

        init?(at path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            self.init(status)
        }
    }

    /// - Parameters:
    ///   - isPrivate: whether the complete file belongs to the process's user, and not to the owner of the replaced one
    ///   - names: random endings for file names
    /// - Returns: nil for files that are written in place: see ``isInPlace(_:isPrivate:names:)``
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed``
    static func find(
        _ path: String, isPrivate: Bool = false, names: () -> String
    ) throws(ConversationError) -> TargetFile? {
        var (status, link) = (stat(), stat())
        let exists = stat(path, &status) == 0
        let reason = errno
        // Renaming would replace a link that is dangling or leads to itself, which the caller did not ask for.
        if !exists, lstat(path, &status) == 0 { throw failure("follow the link", path, reason) }
        if exists, try OpenDescriptor.number(of: path, status) != nil { return nil }
        if leadsOverPlantedLink(exists ? path : Self.folder(of: path)) {
            throw failure(
                "follow the link", path, EACCES, hint: " It is another user's, in a directory that is open to all.")
        }
        let resolved = exists ? realPath(path) : nil
        let final = resolved ?? path
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        var folder = stat()
        if exists { _ = stat(Self.folder(of: final), &folder) }
        // A private regular file is replaced by one of the process's user.
        if exists, !isPrivate || !isRegular, isPlanted(status, in: folder) {
            throw failure("write to", path, EACCES, hint: " It is another user's, in a directory that is open to all.")
        }
        if exists, !isRegular { return nil }
        // Without a resolved path, such as one that is not UTF-8, renaming would replace a link and not its target.
        if exists, resolved == nil, lstat(path, &link) == 0, link.st_mode & S_IFMT == S_IFLNK {
            throw failure("follow the link", path, EILSEQ)
        }
        if exists, access(final, W_OK) != 0 { throw failure("write to", path) }
        // A secret is not written into a file that others may have opened.
        if exists, !isPrivate, !canReplace(final, status, in: folder, names) { return nil }
        guard let mode = exists ? status.st_mode & 0o777 : modeOfNewFile(beside: final, names) else {
            throw failure("open", path)
        }
        return TargetFile(
            path: final, mode: mode, owner: exists && !isPrivate ? Owner(status) : nil,
            previous: exists ? Identity(status) : nil)
    }

    /// Whether a file is written in place, so that written bytes stay. That holds for a special file, for a file behind
    /// a descriptor of this process, and for a writable file that no new file can replace. Blocks.
    static func isInPlace(_ path: String, isPrivate: Bool, names: () -> String) -> Bool {
        guard access(path, F_OK) == 0 else { return false }
        do { return try find(path, isPrivate: isPrivate, names: names) == nil } catch { return false }
    }

    /// Whether another user may have put a file there to get other people's data: the file is theirs, in a directory
    /// such as `/tmp`. Linux refuses to open such a file for writing as well (`fs.protected_regular`), but not to
    /// replace it.
    private static func isPlanted(_ status: stat, in folder: stat) -> Bool {
        folder.st_mode & S_ISVTX != 0 && folder.st_mode & (S_IWGRP | S_IWOTH) != 0
            && status.st_uid != geteuid() && status.st_uid != folder.st_uid
    }

    /// Whether the path leads over a link that may have been put there like such a file, to have another file replaced.
    /// Linux does not follow such a link either (`fs.protected_symlinks`), unless that is switched off.
    private static func leadsOverPlantedLink(_ path: String) -> Bool {
        let bytes = path.utf8
        let ends = bytes.indices.filter { bytes[$0] == 0x2F && $0 != bytes.startIndex } + [bytes.endIndex]
        return ends.contains { isPlantedLink(String(path[..<$0])) }
    }

    /// Whether the path is such a link, or one that leads to such a link.
    private static func isPlantedLink(_ path: String) -> Bool {
        var path = path
        // The path exists, so the system has followed all links; no system follows more.
        for _ in 0..<64 {
            var (link, folder) = (stat(), stat())
            guard lstat(path, &link) == 0, link.st_mode & S_IFMT == S_IFLNK else { return false }
            let place = self.folder(of: path)
            guard stat(place, &folder) == 0, !isPlanted(link, in: folder) else { return true }
            guard let next = destination(ofLink: path) else { return false }
            path = next.starts(withBytesOf: "/") ? next : "\(place)/\(next)"
        }
        return true
    }

    /// The destination of a link as written; nil if it is not UTF-8.
    private static func destination(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(validating: buffer[..<count], as: UTF8.self)
        }
    }

    private static func folder(of path: String) -> String {
        let folder = PartialRecord.split(path).folder
        return folder.isEmpty ? "." : String(folder)
    }

    /// A path for a draft in the target's folder.
    static func draftPath(beside path: String, _ ending: String) -> String {
        "\(PartialRecord.start(beside: path)).\(ending)"
    }

    /// Whether a new file of the same owner can take the place of an existing one. It cannot if the directory is not
    /// writable, or if the file alone is mounted from another file system, as in a container.
    private static func canReplace(
        _ path: String, _ status: stat, in folder: stat, _ names: () -> String
    ) -> Bool {
        guard folder.st_dev == status.st_dev, access(self.folder(of: path), W_OK | X_OK) == 0 else { return false }
        guard status.st_uid != geteuid() || status.st_gid != getegid() else { return true }
        guard let probe = DraftFile(at: { draftPath(beside: path, names()) }) else { return false }
        defer { probe.discard() }
        return Owner(status).take(probe.descriptor)
    }

    /// Gives the complete file the owner and the mode of the one that it replaces.
    ///
    /// - Returns: whether that succeeded, else with `errno`
    func finish(_ descriptor: Int32, isPrivate: Bool = false) -> Bool {
        if let owner, !owner.take(descriptor) { return false }
        // On a file system without modes this has no effect.
        _ = fchmod(descriptor, isPrivate ? 0o600 : mode)
        return true
    }

    /// The mode of a new file in that folder. Only the kernel knows it: reading the process's mask would mean changing
    /// it for every thread. So this creates an empty file and removes it at once.
    private static func modeOfNewFile(beside path: String, _ names: () -> String) -> mode_t? {
        guard let probe = DraftFile(mode: 0o666, at: { draftPath(beside: path, names()) }) else { return nil }
        var status = stat()
        let isKnown = fstat(probe.descriptor, &status) == 0
        let reason = errno
        probe.discard()
        errno = reason
        return isKnown ? status.st_mode & 0o777 : nil
    }

    /// Throws if another process has replaced the file or written to it meanwhile. Blocks.
    func requireUnchanged() throws(ConversationError) {
        guard Identity(at: path) == previous else {
            throw ConversationError(
                .outputFailed,
                "\"\(TerminalText.sanitise(path))\" was replaced while it was downloaded, and stays as it is.")
        }
    }

    static func failure(
        _ what: String, _ path: String, _ code: Int32 = errno, hint: String = " Nothing was left half-written."
    ) -> ConversationError {
        let reason = String(cString: strerror(code))
        return ConversationError(
            .outputFailed, "Cannot \(what) \"\(TerminalText.sanitise(path))\": \(reason).\(hint)")
    }
}
