import HttpConvConcurrency
import HttpConvPlatform
import HttpConvSystem
import HttpConversation
import Synchronization

/// The beginning of a file. It is kept when its download is interrupted, and becomes the file when it is complete.
///
/// Locked while it is open, so that two processes never write to it. Its name is new for each validator, so bytes of
/// two representations never mix, whenever a process dies.
final class PartialFile: BlockingBodyWriter {
    let record: PartialRecord
    private let target: TargetFile
    private let path: String
    private let descriptor: Int32
    private let isOpen = Atomic(true)
    private let written: Atomic<Int>

    /// The number of bytes in the file.
    var count: Int { written.load(ordering: .acquiring) }

    /// Creates a partial file, in place of an older download of the target. Blocks.
    ///
    /// - Parameter own: the open file of the same download, which starts over
    /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable`` if another download of the target is running
    static func create(
        for url: TargetURL, _ tag: EntityTag, total: Int, at target: TargetFile, replacing own: PartialFile?,
        names: () -> String
    ) throws(ConversationError) -> PartialFile {
        let claim = try RecordFile.claim(beside: target.path)
        defer { claim.end() }
        var ended: Ended?
        if let old = claim.record, old != own?.record { ended = try Ended(old, beside: target.path) }
        defer { ended?.close() }
        guard let draft = DraftFile(at: { PartialRecord.part(of: target.path, names()) }) else {
            throw TargetFile.failure("open", target.path)
        }
        let (descriptor, path) = (draft.descriptor, draft.path)
        _ = SystemCalls.tryLock(descriptor)
        let record = PartialRecord(of: url, tag, total: total, part: String(PartialRecord.split(path).name))
        do throws(ConversationError) {
            try RecordFile.write(record, beside: target.path, names: names)
        } catch {
            SystemCalls.unlockAndClose(descriptor)
            unlink(path)
            throw error
        }
        ended?.remove()
        return PartialFile(record, target, path, descriptor, 0)
    }

    /// Opens an existing partial file. Blocks.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable`` if it does not match the token
    static func open(_ token: DownloadToken, at target: TargetFile) throws(ConversationError) -> PartialFile {
        guard let path = token.record.partPath(beside: target.path) else {
            throw RecordFile.refused(target.path, "the token is damaged")
        }
        let (descriptor, size) = try open(path)
        let isSame = size == token.length && size <= token.record.total
        let end: off_t = lseek(descriptor, 0, SEEK_END)
        guard isSame, size > 0, Int(end) == size else {
            SystemCalls.unlockAndClose(descriptor)
            throw RecordFile.refused(path, "it has \(size) bytes, not the \(token.length) that were left")
        }
        return PartialFile(token.record, target, path, descriptor, size)
    }

    private init(
        _ record: PartialRecord, _ target: TargetFile, _ path: String, _ descriptor: Int32, _ count: Int
    ) {
        self.record = record
        self.target = target
        self.path = path
        self.descriptor = descriptor
        written = Atomic(count)
    }

    deinit { leave() }

    /// The token to resume from; nil if the file is empty, or was completed or removed.
    var token: DownloadToken? {
        // The file may be complete, or may have been removed by another process.
        guard count > 0, TargetFile.Identity(at: path) != nil else { return nil }
        return DownloadToken(target: target.path, record: record, length: count)
    }

    // MARK: Writing

    func write(_ chunk: [UInt8]) async throws(ConversationError) {
        try await Blocking.run { [self] () throws(ConversationError) in
            guard count + chunk.count <= record.total else {
                // Nobody knows which bytes are the resource's.
                remove()
                throw ConversationError(
                    .malformedResponse,
                    "More bytes of \(record.resource) arrive than the \(record.total) that were announced.")
            }
            let code = SystemCalls.writeAll(descriptor, chunk)
            // After a failed write, the beginning of the chunk may be in the file.
            let end: off_t = lseek(descriptor, 0, SEEK_CUR)
            if end >= 0 { written.store(Int(end), ordering: .releasing) }
            if code != 0 { throw failure("write to", path, code) }
        }
    }

    func complete() async throws(ConversationError) {
        try await Blocking.run { [self] () throws(ConversationError) in try commit() }
    }

    func discard() async {
        await Blocking.run { [self] in leave() }
    }

    private func commit() throws(ConversationError) {
        guard count == record.total else {
            leave()
            throw ConversationError(
                .bodyCut, "Only \(count) of the \(record.total) bytes of \(record.resource) are there.")
        }
        do throws(ConversationError) { try target.requireUnchanged() } catch {
            leave()
            throw error
        }
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        defer { SystemCalls.unlockAndClose(descriptor) }
        guard target.finish(descriptor), fsync(descriptor) == 0, rename(path, target.path) == 0 else {
            throw failure("complete", target.path, errno)
        }
        RecordFile.remove(record, beside: target.path)
    }

    /// Removes the partial file, which is no longer needed.
    func forget() async {
        await Blocking.run { [self] in remove() }
    }

    private func remove() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        RecordFile.remove(record, beside: target.path)
        unlink(path)
        SystemCalls.unlockAndClose(descriptor)
    }

    /// Closes the partial file, which stays unless it is empty.
    private func leave() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        if count > 0 {
            fsync(descriptor)
        } else {
            RecordFile.remove(record, beside: target.path)
            unlink(path)
        }
        SystemCalls.unlockAndClose(descriptor)
    }

    private func failure(_ what: String, _ path: String, _ code: Int32) -> ConversationError {
        TargetFile.failure(what, path, code, hint: "")
    }

    // MARK: Existing files

    /// The size of a partial file. Blocks.
    static func size(_ record: PartialRecord, beside target: String) throws(ConversationError) -> Int {
        guard let path = record.partPath(beside: target) else {
            throw RecordFile.refused(PartialRecord.path(of: target), "it is damaged")
        }
        let (descriptor, size) = try open(path)
        SystemCalls.unlockAndClose(descriptor)
        return size
    }

    /// The partial file of an older download, locked, so that nobody goes on with it.
    private struct Ended {
        private let path: String
        private let descriptor: Int32

        /// Nil if the file is gone.
        ///
        /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable`` if the download is still running
        init?(_ record: PartialRecord, beside target: String) throws(ConversationError) {
            guard let path = record.partPath(beside: target) else { return nil }
            let descriptor = SystemCalls.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            (self.path, self.descriptor) = (path, descriptor)
            let lock = SystemCalls.tryLock(descriptor)
            do throws(ConversationError) { try PartialFile.require(lock, path) } catch {
                close()
                throw error
            }
        }

        /// Removes the file if it is ours and still has its name.
        func remove() {
            guard (try? RecordFile.require(descriptor, path)) != nil,
                TargetFile.Identity(at: path) == TargetFile.Identity(of: descriptor)
            else { return }
            unlink(path)
        }

        func close() { SystemCalls.unlockAndClose(descriptor) }
    }

    /// Throws if another process has the file. Without locks that is unknown, and a download goes on, as one that
    /// begins does.
    static func require(_ lock: SystemCalls.LockResult, _ path: String) throws(ConversationError) {
        if lock == .held { throw RecordFile.refused(path, "another process is downloading it now") }
    }

    /// Opens and locks the partial file, and checks that it still has its name: another process may have completed it
    /// before we got the lock.
    private static func open(_ path: String) throws(ConversationError) -> (descriptor: Int32, size: Int) {
        let descriptor = SystemCalls.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw RecordFile.refused(path, String(cString: strerror(errno))) }
        do throws(ConversationError) {
            try RecordFile.require(descriptor, path)
            try require(SystemCalls.tryLock(descriptor), path)
            var status = stat()
            guard fstat(descriptor, &status) == 0, TargetFile.Identity(at: path) == TargetFile.Identity(status) else {
                throw RecordFile.refused(path, "it was completed or replaced meanwhile")
            }
            return (descriptor, Int(status.st_size))
        } catch {
            SystemCalls.unlockAndClose(descriptor)
            throw error
        }
    }
}
