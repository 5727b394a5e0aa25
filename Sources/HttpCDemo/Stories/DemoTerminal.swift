#if os(Linux)
import Foundation
import HttpC
import HttpCTerminal
import HttpConvSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A program in a pseudo-terminal: its output, and the input typed there.
final class DemoTerminal: Sendable {
    /// The program's output in pieces, until no process has its terminal open.
    let output: AsyncStream<[UInt8]>
    private let descriptor: Int32
    private let process: SpawnedProcess

    /// - Parameters:
    ///   - columns: the terminal's width
    ///   - isAttended: whether the program finds a terminal for its questions
    init(
        _ program: String, _ arguments: [String], environment: [String: String], directory: String, columns: Int,
        isAttended: Bool
    ) throws {
        var (own, other): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: UInt16(clamping: columns), ws_xpixel: 0, ws_ypixel: 0)
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&own, &other, &name, nil, &size) == 0 else {
            throw DemoFailure("The system has no terminal for httpc: \(Posix.reason(errno)).")
        }
        // Stays open until the program has opened the terminal: reading would end otherwise.
        defer { close(other) }
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        descriptor = own
        do {
            process = try SpawnedProcess(
                program, arguments, environment: environment,
                terminal: SpawnedProcess.Terminal(path: path, isControlling: isAttended), directory: directory)
        } catch {
            close(own)
            throw DemoFailure(error.message)
        }
        output = Self.reader(of: own)
    }

    deinit { close(descriptor) }

    /// Types a line and Enter.
    func type(_ line: String) { _ = SystemCalls.writeAll(descriptor, Array((line + "\n").utf8)) }

    /// Ends the program and the processes that it started.
    func end() { process.signalGroup(SIGKILL) }

    /// The exit status, or 128 + the number of the signal that ended the program.
    var status: Int32 {
        get async { await process.status }
    }

    /// Starts a thread that reads. It ends when the program and the processes that it started have closed the terminal.
    private static func reader(of descriptor: Int32) -> AsyncStream<[UInt8]> {
        // The descriptor may be closed before the thread ends, and its number reused.
        let copy = dup(descriptor)
        return AsyncStream { continuation in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = buffer.withUnsafeMutableBytes { SystemCalls.read(copy, $0) }
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
