import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem

/// Fetches a profile's password or client secret when a server asks for it.
enum PasswordReader {
    /// - Parameters:
    ///   - name: the name of the secret, for messages
    ///   - programs: runs the programs that have secrets
    /// - Returns: nil if the person is to be asked
    static func read(
        _ source: PasswordSource, _ name: String = "password",
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
        case .file(let path): return Redacted(try line(of: path, name))
        case .command(let words):
            do throws(SecretPrograms.Problem) { return try await programs.line(of: words, name) } catch {
                throw CommandFailure(.loginFailed, error.message(name))
            }
        case .keyring(let entry):
            do throws(SecretPrograms.Problem) {
                return try await programs.line(of: SecretPrograms.lookUp(entry), name)
            } catch { throw CommandFailure(.loginFailed, error.keyringMessage(name)) }
        }
    }

    /// Lets the next reading ask a program again, because a server has refused the secret.
    static func forget(_ source: PasswordSource) {
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

    /// The longest line, in bytes.
    private static let longestLine = 64 << 10

    /// The first line of a file that only its owner can read.
    private static func line(of path: String, _ name: String) throws(CommandFailure) -> String {
        let shown = TerminalText.sanitise(path)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let code = errno
            let place = access(path, F_OK) == 0 ? " \(shown)" : ""
            throw CommandFailure(
                .loginFailed,
                "Cannot read the file with the \(name)\(place.isEmpty ? "" : ",\(place)"): \(Posix.reason(code)).")
        }
        defer { close(descriptor) }
        guard status.st_mode & S_IFMT != S_IFREG || status.st_mode & 0o077 == 0 else {
            throw CommandFailure(
                .loginFailed, "Others can read the file with the \(name), \(shown). Run: chmod 600 \(shown)")
        }
        let bytes = SystemCalls.readToEnd(descriptor, atMost: longestLine + 1) ?? []
        let line = bytes.prefix { $0 != 10 && $0 != 13 }
        guard line.count <= longestLine else {
            throw CommandFailure(
                .loginFailed,
                "The first line of the file with the \(name), \(shown), is longer than \(longestLine) bytes.")
        }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw CommandFailure(
                .loginFailed, "The first line of the file with the \(name), \(shown), is not UTF-8. Save it as UTF-8.")
        }
        return text
    }
}
