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
    private let isOpen = Atomic(true)

    /// Opens the file. Blocks.
    ///
    /// - Parameters:
    ///   - replacesFiles: if false, an existing file, device or link of that name is an error
    ///   - isPrivate: whether only its owner can read the file, also when it is complete
    ///   - names: random endings for file names
    init(_ path: String, replacesFiles: Bool = true, isPrivate: Bool = false, names: () -> String)
        throws(ConversationError)
    {
        shownPath = path
        self.replacesFiles = replacesFiles
        self.isPrivate = isPrivate
        var status = stat()
        if !replacesFiles, lstat(path, &status) == 0 {
            (descriptor, replacement) = (-1, nil)
            isOpen.store(false, ordering: .relaxed)
            throw TargetFile.failure("write to", path, EEXIST, hint: " It was left as it is.")
        }
        if let target = try TargetFile.find(path, names: names) {
            let draft = DraftFile { "\(target.path).\(names())" }
            descriptor = draft?.descriptor ?? -1
            replacement = draft.map { ($0, target) }
        } else {
            replacement = nil
            descriptor = SystemCalls.open(path, O_WRONLY)
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
        (replacement, replacesFiles, isPrivate) = (nil, true, false)
        // As for any other output, a dangling link is an error.
        let isThere = Result { () throws(ConversationError) in try TargetFile.find(path, names: names) }
        if case .failure(let error) = isThere {
            descriptor = -1
            isOpen.store(false, ordering: .relaxed)
            throw error
        }
        descriptor = SystemCalls.open(path, O_WRONLY | O_APPEND | O_CREAT, mode: 0o666)
        if descriptor < 0 {
            isOpen.store(false, ordering: .relaxed)
            throw TargetFile.failure("open", path)
        }
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
        do throws(ConversationError) { try target.requireUnchanged() } catch {
            draft.discard()
            throw error
        }
        // On a file system without modes this has no effect.
        _ = fchmod(descriptor, isPrivate ? 0o600 : target.mode)
        let code = draft.place(at: target.path, replacing: replacesFiles)
        if code != 0 { throw TargetFile.failure("complete", shownPath, code) }
    }

    /// Closes and removes the temporary file. Does nothing after completion.
    private func abandon() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        if let replacement { replacement.draft.discard() } else { close(descriptor) }
    }
}
