package import HttpC
package import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem
import NIOPosix

/// Starts `httpc` in the background, and speaks with it until its relays accept connections.
///
/// The words of the command line go over a socket: they may have secrets, and everybody can read the process list.
package enum RelayStart {
    /// The descriptors of the started process: it reads the words from one, and writes messages and lines to the other.
    private static let (words, messages) = (Int32(3), Int32(4))
    /// The first byte of a line for standard output.
    private static let mark = UInt8(1)
    /// More bytes than a command line has are not read.
    private static let longest = 4 << 20

    // MARK: The starting process

    /// Starts the process, prints the URLs of its relays, and its messages.
    ///
    /// - Parameters:
    ///   - command: the arguments of the process, which reads the words
    ///   - words: the words of the command line
    ///   - count: the number of relays
    /// - Returns: the exit status
    package static func perform(
        _ command: [String], words: [String], count: Int
    ) async throws(CommandFailure) -> Int32 {
        #if os(Linux)
        guard let pair = SocketPair() else {
            throw CommandFailure(.fault, "No socket for the process in the background: \(Posix.reason(errno)).")
        }
        let process: SpawnedProcess
        do throws(SpawnedProcess.Failure) {
            process = try SpawnedProcess(
                executable, command, environment: ProcessInfo.processInfo.environment, socket: pair.theirs,
                startsSession: true)
        } catch {
            pair.closeOurs()
            pair.closeTheirs()
            throw CommandFailure(.fault, error.message)
        }
        pair.closeTheirs()
        defer { pair.closeOurs() }
        _ = SystemCalls.writeAll(pair.ours, words.flatMap { Array($0.utf8) + [0] })
        shutdown(pair.ours, Int32(SHUT_WR))
        let lines = await withTaskCancellationHandler {
            await read(from: pair.ours)
        } onCancel: {
            // Ctrl-C before the relays accept connections.
            process.terminate()
        }
        do throws(CommandFailure) { for line in lines { try StandardOutput.print(line + "\n") } } catch {
            // Nobody would know the URLs.
            process.terminate()
            _ = await process.status
            throw error
        }
        return lines.count == count && count > 0 ? ExitStatus.success.rawValue : await process.status
        #else
        throw CommandFailure(.usage, "This system has no relay in the background: run httpc relay with &.")
        #endif
    }

    #if os(Linux)
    /// The path of this program; the link itself if the file was replaced.
    private static var executable: String {
        let link = "/proc/self/exe"
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
            FileManager.default.isExecutableFile(atPath: path)
        else { return link }
        return path
    }

    /// Reads until the process closes its end. Messages go to standard error at once.
    private static func read(from descriptor: Int32) async -> [String] {
        let lines = try? await NIOThreadPool.singleton.runIfActive {
            var lines: [String] = []
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = buffer.withUnsafeMutableBytes { SystemCalls.read(descriptor, $0) }
                guard count > 0 else { break }
                rest += buffer.prefix(count)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = rest[..<end]
                    if line.first == mark {
                        lines.append(String(decoding: line.dropFirst(), as: UTF8.self))
                    } else {
                        Diagnostics.write(String(decoding: line, as: UTF8.self))
                    }
                    rest = Array(rest[(end + 1)...])
                }
            }
            return lines
        }
        return lines ?? []
    }
    #endif

    // MARK: The started process

    /// The words of the command line. From then on messages go to the starting process.
    package static func receivedWords() throws(CommandFailure) -> [String] {
        var bytes = [UInt8](repeating: 0, count: longest)
        guard fcntl(words, F_GETFD) >= 0, fcntl(messages, F_GETFD) >= 0,
            let count = SystemCalls.fill(&bytes, from: words), count < longest
        else { throw CommandFailure(.usage, "This is a part of httpc relay start: use that.") }
        close(words)
        dup2(messages, 2)
        return bytes.prefix(count).split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Sends the relays' URLs to the starting process, then detaches from it.
    package static func announce(_ urls: [Redacted<String>]) throws(CommandFailure) {
        for url in urls {
            let code = SystemCalls.writeAll(messages, [mark] + Array(url.value.utf8) + [UInt8(ascii: "\n")])
            guard code == 0 else {
                throw CommandFailure(.outputFailed, "httpc relay start has ended before: \(Posix.reason(code)).")
            }
        }
        let nowhere = SystemCalls.open("/dev/null", O_WRONLY)
        if nowhere >= 0 {
            dup2(nowhere, 2)
            close(nowhere)
        } else {
            close(2)
        }
        close(messages)
    }
}
