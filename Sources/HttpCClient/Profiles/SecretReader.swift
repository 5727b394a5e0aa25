import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem

/// Fetches a secret of a profile when it is needed: a password, a client secret, a passphrase, an assertion.
enum SecretReader {
    /// The part of a file or of a program's output that is the secret.
    enum Part {
        /// The first line.
        case firstLine
        /// All of it, without the white space around it. Programs run each time: an assertion may be valid only once
        /// (RFC 7523 §3).
        case whole
    }

    /// - Parameters:
    ///   - name: the name of the secret, for messages
    ///   - programs: runs the programs that have secrets
    /// - Returns: nil if the person is to be asked
    static func read(
        _ source: SecretSource, _ name: String = "password", part: Part = .firstLine,
        environment: [String: String] = ProcessInfo.processInfo.environment, programs: SecretPrograms = .shared
    ) async throws(CommandFailure) -> Redacted<String>? {
        switch source {
        case .prompt: return nil
        case .literal(let password): return password
        case .environment(let variable):
            guard let value = environment[variable] else {
                let shown = isPlainName(variable) ? " \(variable)" : ""
                throw CommandFailure(
                    .loginFailed, "The environment variable\(shown) that holds the \(name) is not set.")
            }
            return Redacted(value)
        case .file(let path): return Redacted(try text(of: path, part, name))
        case .command(let words):
            return try await output(of: words, part, name, programs) { $0.message(name) }
        case .keyring(let entry):
            return try await output(of: SecretPrograms.lookUp(entry), part, name, programs) { $0.keyringMessage(name) }
        }
    }

    private static func output(
        of words: [String], _ part: Part, _ name: String, _ programs: SecretPrograms,
        _ message: (SecretPrograms.Problem) -> String
    ) async throws(CommandFailure) -> Redacted<String> {
        do throws(SecretPrograms.Problem) {
            switch part {
            case .firstLine: return try await programs.line(of: words, name)
            case .whole: return try await programs.text(of: words, name)
            }
        } catch { throw CommandFailure(.loginFailed, message(error)) }
    }

    /// Lets the next reading ask a program again, because a server has refused the secret.
    static func forget(_ source: SecretSource) {
        switch source {
        case .command(let words): SecretPrograms.shared.forget(words)
        case .keyring(let entry): SecretPrograms.shared.forget(SecretPrograms.lookUp(entry))
        case .prompt, .literal, .environment, .file: return
        }
    }

    /// Whether a variable's name may be repeated in a message: a person may have put the secret itself in its place.
    static func isPlainName(_ variable: String) -> Bool {
        variable.utf8.count <= 30 && variable.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// The longest line, and the longest text of several, in bytes.
    private static let longestText = 64 << 10

    /// A part of a file that only its owner can read.
    private static func text(of path: String, _ part: Part, _ name: String) throws(CommandFailure) -> String {
        var bytes = try contents(of: path, name)
        // Some editors begin a file with a byte order mark, which is nobody's password.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        if part == .firstLine { bytes = Array(bytes.prefix { $0 != 10 && $0 != 13 }) }
        let what = part == .firstLine ? "first line of the file" : "file"
        let file = "\(what) with the \(name), \(TerminalText.sanitise(path)),"
        guard bytes.count <= longestText else {
            throw CommandFailure(.loginFailed, "The \(file) is longer than \(longestText) bytes.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.loginFailed, "The \(file) is not UTF-8. Save it as UTF-8.")
        }
        return part == .firstLine ? text : String(text.trimmingBlanks)
    }

    /// The beginning of a file that only its owner can read: a little more than the longest text.
    private static func contents(of path: String, _ name: String) throws(CommandFailure) -> [UInt8] {
        let shown = TerminalText.sanitise(path)
        func unreadable() -> CommandFailure {
            let code = errno
            let place = access(path, F_OK) == 0 ? ", \(shown)" : ""
            return CommandFailure(
                .loginFailed, "Cannot read the file with the \(name)\(place): \(Posix.reason(code)).")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw unreadable() }
        defer { close(descriptor) }
        guard status.st_mode & S_IFMT != S_IFREG || status.st_mode & 0o077 == 0 else {
            throw CommandFailure(
                .loginFailed, "Others can read the file with the \(name), \(shown). Run: chmod 600 \(shown)")
        }
        // An empty password would count as a try at the server.
        guard let bytes = SystemCalls.readToEnd(descriptor, atMost: longestText + 4) else { throw unreadable() }
        return bytes
    }
}
