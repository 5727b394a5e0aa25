import HttpConvPlatform
import HttpConvSystem

/// A pipe or file that the starting program has opened for a secret (`--fd 3`). Take it before anything else is opened:
/// its number must not be that of a connection of our own.
package struct InheritedDescriptor: Sendable {
    private let number: Int32

    package init(_ number: Int32) throws(CommandFailure) {
        var status = stat()
        let flags = fcntl(number, F_GETFD)
        // Descriptors of our own are closed on exec; inherited ones cannot be.
        guard number > 0, number != 2, flags >= 0, flags & FD_CLOEXEC == 0, fstat(number, &status) == 0,
            [S_IFIFO, S_IFREG].contains(status.st_mode & S_IFMT)
        else {
            throw CommandFailure(
                .usage,
                "--fd \(number) needs a pipe or file that the starting program has opened: in a shell, \(number)>FILE or \(number)>&1."
            )
        }
        self.number = number
    }

    package func write(_ text: String) throws(CommandFailure) {
        let code = SystemCalls.writeAll(number, Array(text.utf8))
        guard code == 0 else {
            throw CommandFailure(.outputFailed, "Cannot write to the descriptor \(number): \(Posix.reason(code)).")
        }
    }
}
