import HttpConvPlatform
import Synchronization

/// The descriptors above standard error that the starting program has opened for this process, as a shell does for
/// `<(program)` and `3<file`.
package enum InheritedDescriptors {
    /// Shells use numbers below this limit.
    private static let numbers: Range<Int32> = 3..<256
    private static let noted = Mutex<[Int32]>([])

    /// Notes them, and occupies the numbers of standard streams that are closed. Call it before anything else is opened:
    /// later they cannot be told from descriptors of our own.
    package static func note() {
        occupyStandardStreams()
        let open = numbers.filter { fcntl($0, F_GETFD) >= 0 }
        noted.withLock { $0 = open }
    }

    /// Keeps files and connections of our own off the numbers of standard streams that are closed (`>&-`). Their use
    /// fails with EBADF as before: the input cannot be read, and the others cannot be written.
    private static func occupyStandardStreams() {
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
            // The system takes the lowest free number.
            _ = SystemCalls.open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// The noted ones, in ascending order.
    static var all: [Int32] { noted.withLock(\.self) }
}
