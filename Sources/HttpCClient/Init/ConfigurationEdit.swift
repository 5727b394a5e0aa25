import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem

/// Appends a profile to the configuration file. Everything that is in the file stays as it is, byte by byte.
struct ConfigurationEdit {
    /// The text that was added to a file.
    struct Addition {
        let text: String
        /// Whether there was no file before.
        let isWholeFile: Bool
    }

    let path: String
    let shownPath: String
    private let environment: [String: String]

    /// - Parameter option: the file of `--config`; nil for the usual one
    init(_ option: String?) throws(CommandFailure) {
        let environment = ProcessInfo.processInfo.environment
        guard let path = option ?? Directories(environment).configurationFile else {
            throw CommandFailure(
                .usage, "There is no place for profiles: set HOME or XDG_CONFIG_HOME to an absolute path.")
        }
        self.path = path
        self.environment = environment
        let home = environment["HOME"].map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? ""
        shownPath = TerminalText.sanitise(
            home.hasPrefix("/") && path.hasPrefix(home) ? "~/" + path.dropFirst(home.count) : path)
        _ = try status()
    }

    /// The present profiles. A file with mistakes is refused, because the effect of a new profile would be unknown.
    func profiles() throws(CommandFailure) -> [Profile] { try parsed(try read()) }

    /// Appends a profile: complete or not at all. The file is private to its owner afterwards.
    ///
    /// If another process changes the file at the same time, the text is appended to that version.
    ///
    /// - Returns: what the file has got, for ``remove(_:)``
    func append(_ draft: ProfileDraft) async throws(CommandFailure) -> Addition {
        try makeDirectory()
        var addition = Addition(text: "", isWholeFile: false)
        var attempt = 0
        while true {
            attempt += 1
            do throws(ConversationError) {
                try await change { old throws(CommandFailure) in
                    let gap = old.isEmpty || old.hasSuffix("\n\n") ? "" : old.hasSuffix("\n") ? "\n" : "\n\n"
                    addition = Addition(text: gap + draft.text, isWholeFile: try !status())
                    let new = old + addition.text
                    // The new text is written only if it reads back as the old profiles and the new one.
                    let before = try parsed(old).map(\.name)
                    guard !before.contains(draft.name) else {
                        throw CommandFailure(
                            .outputFailed,
                            "Another process has just written a profile \"\(draft.name)\" to \(shownPath). Nothing was written: try again."
                        )
                    }
                    guard try parsed(new).map(\.name) == (before + [draft.name]).sorted() else {
                        throw CommandFailure(
                            .fault, "The new profile would be read as something else. Nothing was written.")
                    }
                    return new
                }
                return addition
            } catch {
                guard attempt < 20, error.underlyingError == nil else { throw Self.failure(error) }
            }
        }
    }

    /// Removes what was just appended, if nothing has followed it. The file is as it was before: one that was new is
    /// deleted.
    ///
    /// - Returns: whether it was removed
    func remove(_ addition: Addition) async throws(CommandFailure) -> Bool {
        let text = addition.text
        guard try read().hasSuffix(text) else { return false }
        do throws(ConversationError) {
            try await change { old throws(CommandFailure) in
                guard old.hasSuffix(text) else { return old }
                // Line feeds may be a part of a longer character.
                let rest = String(old.unicodeScalars.dropLast(text.unicodeScalars.count))
                return rest.isEmpty && addition.isWholeFile ? nil : rest
            }
        } catch {
            throw Self.failure(error)
        }
        return true
    }

    // MARK: The file

    /// Replaces the text, or deletes the file if there is none. Fails if another process has replaced the file
    /// meanwhile, whose version stays.
    private func change(
        _ edit: (String) throws(CommandFailure) -> String?
    ) async throws(ConversationError) {
        _ = try wrapped { () throws(CommandFailure) in try status() }
        let lock = await lockDirectory()
        defer { if lock >= 0 { SystemCalls.unlockAndClose(lock) } }
        // Opened before the text is read, so that a change after the reading is noticed.
        let writer = try await OutputFile(URL(exactPath: path), isPrivate: true).open()
        do throws(ConversationError) {
            guard let new = try wrapped({ () throws(CommandFailure) in try edit(try read()) }) else {
                await writer.discard()
                return try wrapped { () throws(CommandFailure) in
                    guard unlink(path) == 0 || errno == ENOENT else { throw unusable(Posix.reason(errno)) }
                }
            }
            try await writer.write(Array(new.utf8))
            try await writer.complete()
        } catch {
            await writer.discard()
            throw error
        }
    }

    private func wrapped<Value>(_ work: () throws(CommandFailure) -> Value) throws(ConversationError) -> Value {
        do throws(CommandFailure) { return try work() } catch {
            throw ConversationError(.outputFailed, error.message, underlyingError: error)
        }
    }

    private static func failure(_ error: ConversationError) -> CommandFailure {
        error.underlyingError as? CommandFailure ?? CommandFailure(error)
    }

    /// Refuses a link, a path that is not a regular file, and another user's file, because a profile decides where
    /// passwords go.
    ///
    /// - Returns: whether there is a file
    private func status() throws(CommandFailure) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw unusable(Posix.reason(errno)) }
            return false
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK: throw unusable("it is a link; name the file itself with --config")
        default: throw unusable("it is not a regular file")
        }
        guard status.st_uid == geteuid() else { throw unusable("it belongs to somebody else") }
        return true
    }

    private func unusable(_ reason: String) -> CommandFailure {
        CommandFailure(.outputFailed, "No profile can be written to \(shownPath): \(reason).")
    }

    private func read() throws(CommandFailure) -> String {
        guard try status() else { return "" }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw unusable(Posix.reason(errno)) }
        defer { close(descriptor) }
        guard let bytes = SystemCalls.readToEnd(descriptor, atMost: ConfigurationFile.maximumBytes + 1),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw unusable("it cannot be read as UTF-8") }
        guard bytes.count <= ConfigurationFile.maximumBytes else {
            throw unusable("it is larger than \(ConfigurationFile.maximumBytes) bytes")
        }
        return text
    }

    private func parsed(_ text: String) throws(CommandFailure) -> [Profile] {
        // The new file is private, whatever the old one is.
        try ProfileParser(
            shownPath: shownPath,
            directory: URL(exactPath: path).deletingLastPathComponent().path(percentEncoded: false),
            home: environment["HOME"], isPrivate: true
        ).parse(text)
    }

    /// Waits for another `init` in the same directory. Without a lock, a change by another process is still noticed
    /// until shortly before the file is replaced.
    ///
    /// - Returns: the descriptor that holds the lock until it is closed; negative without one
    private func lockDirectory() async -> Int32 {
        let directory = URL(exactPath: path).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return descriptor }
        for _ in 0..<500 {
            guard SystemCalls.tryLock(descriptor) == .held else { break }
            do { try await Task.sleep(for: .milliseconds(10)) } catch { break }
        }
        return descriptor
    }

    private func makeDirectory() throws(CommandFailure) {
        try Directories(environment).requireOwnHome(for: path)
        let directory = path.parentPath
        guard !directory.isEmpty else { return }
        let (code, place) = SystemCalls.makeDirectories(directory)
        guard code == 0 else { throw unusable("\(TerminalText.sanitise(place)): \(Posix.reason(code))") }
    }
}
