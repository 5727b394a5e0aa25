#if os(Linux)
import Foundation
import HttpC

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A program in a terminal of its own: what it prints, and what is typed there.
final class DemoTerminal: Sendable {
    /// What the program prints, piece by piece, until nobody has its terminal open.
    let output: AsyncStream<[UInt8]>
    private let descriptor: Int32
    private let process: SpawnedProcess

    /// - Parameters:
    ///   - columns: how wide the terminal is
    ///   - isAttended: whether the program finds a terminal to ask its questions
    init(
        _ program: String, _ arguments: [String], environment: [String: String], directory: String, columns: Int,
        isAttended: Bool
    ) throws {
        var (own, other): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: UInt16(clamping: columns), ws_xpixel: 0, ws_ypixel: 0)
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&own, &other, &name, nil, &size) == 0 else {
            throw DemoProblem("The system has no terminal for httpc: \(Posix.reason(errno)).")
        }
        // Open until the program has it open, or reading would find nobody there.
        defer { close(other) }
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        descriptor = own
        do {
            process = try SpawnedProcess(
                program, arguments, environment: environment,
                terminal: SpawnedProcess.Terminal(path: path, isControlling: isAttended), directory: directory)
        } catch {
            close(own)
            throw error
        }
        output = Self.reader(of: own)
    }

    deinit { close(descriptor) }

    /// As if somebody typed it, and Enter.
    func type(_ line: String) { _ = Posix.writeAll(descriptor, Array((line + "\n").utf8)) }

    /// Ends the program, and what it started.
    func end() { process.signalGroup(SIGKILL) }

    /// Its exit status, or 128 + the number of the signal that ended it.
    var status: Int32 {
        get async { await process.status }
    }

    /// A thread that sleeps in `read`; it ends when the program and what it started have left the terminal.
    private static func reader(of descriptor: Int32) -> AsyncStream<[UInt8]> {
        // The descriptor may be closed here before the thread has ended, and its number be another's.
        let copy = dup(descriptor)
        return AsyncStream { continuation in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = Posix.read(copy, &buffer, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { break }
                    continuation.yield(Array(buffer[..<count]))
                }
                close(copy)
                continuation.finish()
            }
        }
    }
}
#endif
