import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// System calls under names that do not clash with methods, with the usual loop around them.
package enum Posix {
    package static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
        systemRead(descriptor, buffer, count)
    }

    /// Writes all bytes.
    ///
    /// - Returns: 0, or the error number
    package static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32 {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer -> Int in
                guard let base = buffer.baseAddress else { return 0 }
                return systemWrite(descriptor, base + offset, buffer.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                waitUntilWritable(descriptor)
                continue
            }
            if count <= 0 { return errno }
            offset += count
        }
        return 0
    }

    /// Waits, because standard output may be a terminal that another process made non-blocking.
    private static func waitUntilWritable(_ descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, 1000)
    }

    package static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// The system's reason below an error of Foundation.
    package static func reason(of error: any Error) -> String {
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain, let code = Int32(exactly: error.code) { return reason(code) }
        let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
        return cause.map { reason(of: $0) } ?? "\(error.domain) \(error.code)"
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
