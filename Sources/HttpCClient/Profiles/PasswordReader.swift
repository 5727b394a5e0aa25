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

    /// Fetches all of an assertion or token that is handed in, without the white space around it. Programs run each
    /// time: an assertion may be valid only once (RFC 7523 §3).
    ///
    /// - Parameters:
    ///   - name: the name of the assertion or token, for messages
    ///   - programs: runs the programs that have it
    /// - Returns: nil if the person is to be asked
    static func readWhole(
        _ source: PasswordSource, _ name: String, programs: SecretPrograms = .shared
    ) async throws(CommandFailure) -> Redacted<String>? {
        switch source {
        case .file(let path):
            let text = String(validating: try contents(of: path, name), as: UTF8.self)
            guard let text, text.utf8.count <= longestText else {
                let problem = text == nil ? "not UTF-8. Save it as UTF-8" : "longer than \(longestText) bytes"
                throw CommandFailure(
                    .loginFailed, "The file with the \(name), \(TerminalText.sanitise(path)), is \(problem).")
            }
            return Redacted(String(text.trimmingBlanks))
        case .command(let words):
            do throws(SecretPrograms.Problem) { return try await programs.text(of: words, name) } catch {
                throw CommandFailure(.loginFailed, error.message(name))
            }
        case .keyring(let entry):
            do throws(SecretPrograms.Problem) {
                return try await programs.text(of: SecretPrograms.lookUp(entry), name)
            } catch { throw CommandFailure(.loginFailed, error.keyringMessage(name)) }
        case .prompt, .literal, .environment: return try await read(source, name, programs: programs)
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

    /// The longest line, and the longest text of several, in bytes.
    private static let longestText = 64 << 10

    /// The first line of a file that only its owner can read.
    private static func line(of path: String, _ name: String) throws(CommandFailure) -> String {
        let shown = TerminalText.sanitise(path)
        let line = try contents(of: path, name).prefix { $0 != 10 && $0 != 13 }
        guard line.count <= longestText else {
            throw CommandFailure(
                .loginFailed,
                "The first line of the file with the \(name), \(shown), is longer than \(longestText) bytes.")
        }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw CommandFailure(
                .loginFailed, "The first line of the file with the \(name), \(shown), is not UTF-8. Save it as UTF-8.")
        }
        return text
    }

    /// The beginning of a file that only its owner can read: at most one byte more than the longest text.
    private static func contents(of path: String, _ name: String) throws(CommandFailure) -> [UInt8] {
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
        return SystemCalls.readToEnd(descriptor, atMost: longestText + 1) ?? []
    }
}
