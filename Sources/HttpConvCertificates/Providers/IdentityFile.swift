import HttpConvConcurrency
import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// Reads files with certificates and keys: small regular files only.
enum IdentityFile {
    /// The largest file, in bytes; no certificate is longer.
    static let maximumBytes = 256 << 10

    static func read(_ url: URL) throws(CertificateError) -> [UInt8] {
        let path = url.path(percentEncoded: false)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(url, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure(url, "it is not a regular file")
        }
        guard status.st_size <= maximumBytes else { throw failure(url, "it is larger than \(maximumBytes) bytes") }
        guard let bytes = SystemCalls.readToEnd(descriptor, atMost: maximumBytes) else {
            throw failure(url, "it cannot be read")
        }
        return bytes
    }

    /// Runs slow work on a thread that may block.
    static func work<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await Waiting.during("for the key of a file, which its passphrase makes slow to open") {
            try await Blocking.run(body)
        }
    }

    static func name(_ url: URL) -> String { "\"\(TerminalText.sanitise(url.lastPathComponent, limit: 80))\"" }

    private static func failure(_ url: URL, _ reason: String) -> CertificateError {
        CertificateError(.unreadable, "The file \(name(url)) cannot be used: \(reason).")
    }
}

extension CertificateError {
    /// Runs work with a file, and names the file in its errors.
    static func about<Value>(_ file: URL, _ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as CertificateError { throw error.about(file) }
    }

    /// The same error with the name of its file.
    private func about(_ file: URL) -> CertificateError {
        let name = IdentityFile.name(file)
        return message.contains(name) ? self : CertificateError(code, "The file \(name): \(message)")
    }
}
