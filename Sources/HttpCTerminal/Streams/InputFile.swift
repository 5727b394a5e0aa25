import Dispatch
package import HttpC
import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem

/// Files and streams whose bytes are sent. Every failure has exit status 26, and nothing is sent then.
package enum InputFile {
    package static func requireReadable(_ path: String) throws(CommandFailure) {
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else { throw failure(path, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw failure(path, EISDIR) }
    }

    package static func isRegular(_ path: String) -> Bool { size(ofRegular: path) != nil }

    /// The reason why a path is not a regular file that can be read; nil if it is one.
    package static func problem(ofRegular path: String) -> String? {
        guard access(path, R_OK) == 0 else { return Posix.reason(errno) }
        return isRegular(path) ? nil : "it is not a regular file"
    }

    /// The size of a regular file; nil for anything else.
    package static func size(ofRegular path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        try requireReadable(path)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        return try readAll(descriptor, path)
    }

    /// The contents of `@file`, or of standard input for `@-`; nil for an argument without an @. Compares bytes,
    /// because a combining mark may follow the @.
    package static func contents(_ argument: String) throws(CommandFailure) -> [UInt8]? {
        guard argument.utf8.first == UInt8(ascii: "@") else { return nil }
        return try contents(of: String(decoding: argument.utf8.dropFirst(), as: UTF8.self))
    }

    /// - Parameter path: the file's path; `-` is standard input
    package static func contents(of path: String) throws(CommandFailure) -> [UInt8] {
        try path == "-" ? readAll(0, "standard input") : read(path)
    }

    /// Standard input, which is refused if it is longer.
    package static func standardInput(atMost limit: Int) throws(CommandFailure) -> [UInt8] {
        let bytes = try readAll(0, "standard input", atMost: limit + 1)
        guard bytes.count <= limit else {
            throw CommandFailure(.inputFailed, "Standard input has more than \(limit >> 10) KiB. Nothing was sent.")
        }
        return bytes
    }

    /// Standard input as a stream, which can be read once.
    package static func standardInput() -> RequestBodyStream { stream(0, "standard input") }

    /// The body of a file: a regular one can be sent any number of times; a pipe, a device and standard input (`-`)
    /// once.
    package static func body(_ path: String) throws(CommandFailure) -> RequestBody {
        if path == "-" { return .oneShot(standardInput()) }
        try requireReadable(path)
        return isRegular(path) ? .file(URL(exactPath: path)) : .oneShot(try stream(path))
    }

    /// A pipe or device as a stream, which can be read once.
    private static func stream(_ path: String) throws(CommandFailure) -> RequestBodyStream {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, errno) }
        return stream(descriptor, path)
    }

    private static func stream(_ descriptor: Int32, _ path: String) -> RequestBodyStream {
        let queue = DispatchQueue(label: "input")
        return RequestBodyStream {
            // A read may wait for a person, so it must not block a thread of the concurrency pool.
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[UInt8]?, any Error>) in
                queue.async {
                    let result: Result<[UInt8], CommandFailure> = readSome(descriptor, path)
                    continuation.resume(with: result.map { $0.isEmpty ? nil : $0 }.mapError { $0 as any Error })
                }
            }
        }
    }

    private static func readAll(
        _ descriptor: Int32, _ path: String, atMost limit: Int = .max
    ) throws(CommandFailure) -> [UInt8] {
        guard let bytes = SystemCalls.readToEnd(descriptor, atMost: limit) else { throw failure(path, errno) }
        return bytes
    }

    private static func readSome(_ descriptor: Int32, _ path: String) -> Result<[UInt8], CommandFailure> {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = chunk.withUnsafeMutableBytes { SystemCalls.read(descriptor, $0) }
        return count < 0 ? .failure(failure(path, errno)) : .success(Array(chunk.prefix(count)))
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            .inputFailed, "Cannot read \"\(TerminalText.sanitise(path))\": \(Posix.reason(code)). Nothing was sent.")
    }
}
