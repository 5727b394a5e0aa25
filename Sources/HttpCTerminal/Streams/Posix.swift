import HttpConvPlatform

/// The reasons of failed system calls, for people.
package enum Posix {
    package static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// The system's reason below an error of Foundation.
    package static func reason(of error: any Error) -> String {
        switch error {
        case let error as POSIXError: reason(error.code.rawValue)
        case let error as CocoaError: error.underlying.map(reason) ?? "error \(error.code.rawValue) of Foundation"
        default: "\(type(of: error))"
        }
    }
}
