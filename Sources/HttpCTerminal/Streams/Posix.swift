import Foundation

/// The reasons of failed system calls, for people.
package enum Posix {
    package static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// The system's reason below an error of Foundation.
    package static func reason(of error: any Error) -> String {
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain, let code = Int32(exactly: error.code) { return reason(code) }
        let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
        return cause.map { reason(of: $0) } ?? "\(error.domain) \(error.code)"
    }
}
