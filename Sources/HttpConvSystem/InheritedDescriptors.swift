import HttpConvPlatform
import Synchronization

/// The descriptors above standard error that the starting program has opened for this process, as a shell does for
/// `<(program)` and `3<file`.
package enum InheritedDescriptors {
    /// Shells use numbers below this limit.
    private static let numbers: Range<Int32> = 3..<256
    private static let noted = Mutex<[Int32]>([])

    /// Notes them. Call it before anything else is opened: later they cannot be told from descriptors of our own.
    package static func note() {
        let open = numbers.filter { fcntl($0, F_GETFD) >= 0 }
        noted.withLock { $0 = open }
    }

    /// The noted ones, in ascending order.
    static var all: [Int32] { noted.withLock(\.self) }
}
