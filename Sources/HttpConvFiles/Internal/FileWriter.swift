import HttpConvConcurrency
import HttpConvPlatform
import HttpConvSystem
import HttpConversation
import Synchronization

/// An open file and its final place. Each call blocks, so it runs outside the cooperative pool.
final class FileWriter: BlockingBodyWriter {
    private let shownPath: String
    private let descriptor: Int32
    /// The new file, and the target that it replaces when it is complete; nil for files that are written in place.
    private let replacement: (draft: DraftFile, target: TargetFile)?
    private let replacesFiles: Bool
    private let isPrivate: Bool
    private let lastWriterWins: Bool
    private let isOpen = Atomic(true)

    /// Opens the file. Blocks.
    ///
    /// - Parameters:
    ///   - replacesFiles: if false, an existing file, device or link of that name is an error
    ///   - isPrivate: whether only its owner can read the file, also when it is complete
    ///   - lastWriterWins: whether it replaces a file that has changed since this one was opened
    ///   - names: random endings for file names
    init(
        _ path: String, replacesFiles: Bool, isPrivate: Bool, lastWriterWins: Bool,
        names: () -> String
    ) throws(ConversationError) {
        shownPath = path
        self.replacesFiles = replacesFiles
        self.isPrivate = isPrivate
        self.lastWriterWins = lastWriterWins
        var status = stat()
        if !replacesFiles, lstat(path, &status) == 0 {
            (descriptor, replacement) = (-1, nil)
            isOpen.store(false, ordering: .relaxed)
            throw TargetFile.failure("write to", path, EEXIST, hint: " It was left as it is.")
        }
        if let target = try TargetFile.find(path, isPrivate: isPrivate, names: names) {
            let draft = DraftFile { TargetFile.draftPath(beside: target.path, names()) }
            descriptor = draft?.descriptor ?? -1
            replacement = draft.map { ($0, target) }
            if draft == nil, target.previous != nil {
                isOpen.store(false, ordering: .relaxed)
                throw TargetFile.failure("create a new file beside", path)
            }
        } else {
            replacement = nil
            descriptor = try Self.openInPlace(path, O_TRUNC)
        }
        if descriptor < 0 {
            isOpen.store(false, ordering: .relaxed)
            throw TargetFile.failure("open", path)
        }
    }

    /// Opens a file to append in place. Blocks.
    ///
    /// - Parameter names: random endings for file names
    init(appendingTo path: String, names: () -> String) throws(ConversationError) {
        shownPath = path
        (replacement, replacesFiles, isPrivate, lastWriterWins) = (nil, true, false, true)
        // As for any other output, a dangling link is an error.
        let isThere = Result { () throws(ConversationError) in try TargetFile.find(path, names: names) }
        if case .failure(let error) = isThere {
            descriptor = -1
            isOpen.store(false, ordering: .relaxed)
            throw error
        }
        descriptor = try Self.openInPlace(path, O_APPEND | O_CREAT)
        if descriptor < 0 {
            isOpen.store(false, ordering: .relaxed)
            throw TargetFile.failure("open", path)
        }
    }

    /// - Parameter flags: of `open`, besides those for writing; without effect for a descriptor of this process
    /// - Returns: a descriptor; negative, with `errno`, on failure
    private static func openInPlace(_ path: String, _ flags: Int32) throws(ConversationError) -> Int32 {
        var status = stat()
        if stat(path, &status) == 0, let number = try OpenDescriptor.number(of: path, status) {
            return OpenDescriptor.copy(number)
        }
        return SystemCalls.open(path, O_WRONLY | flags, mode: 0o666)
    }

    func write(_ chunk: [UInt8]) async throws(ConversationError) {
        try await Blocking.run { [self] () throws(ConversationError) in
            let code = SystemCalls.writeAll(descriptor, chunk)
            if code != 0 { throw TargetFile.failure("write to", shownPath, code) }
        }
    }

    func complete() async throws(ConversationError) {
        try await Blocking.run { [self] () throws(ConversationError) in try commit() }
    }

    func discard() async {
        await Blocking.run { [self] in abandon() }
    }

    deinit { abandon() }

    private func commit() throws(ConversationError) {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        guard let (draft, target) = replacement else {
            guard close(descriptor) == 0 else { throw TargetFile.failure("write to", shownPath) }
            return
        }
        do throws(ConversationError) {
            if !lastWriterWins { try target.requireUnchanged() }
            guard target.finish(descriptor, isPrivate: isPrivate) else {
                throw TargetFile.failure("complete", shownPath)
            }
        } catch {
            draft.discard()
            throw error
        }
        let code = draft.place(at: target.path, replacing: replacesFiles)
        if code != 0 { throw TargetFile.failure("complete", shownPath, code) }
    }

    /// Closes and removes the temporary file. Does nothing after completion.
    private func abandon() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        if let replacement { replacement.draft.discard() } else { close(descriptor) }
    }
}
