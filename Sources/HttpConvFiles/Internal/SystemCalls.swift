import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// System calls whose names are also names of methods here.
enum SystemCalls {
    static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
        systemOpen(path, flags | O_CLOEXEC, mode)
    }

    /// Writes all bytes. Returns -1 with `errno` on failure; bytes written before it stay.
    static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer -> Int in
                guard let base = buffer.baseAddress else { return 0 }
                return systemWrite(descriptor, base + offset, buffer.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return -1 }
            offset += count
        }
        return offset
    }

    static func read(_ descriptor: Int32, upTo limit: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = systemRead(descriptor, &bytes, limit)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    /// Locks the file against other processes while the descriptor is open. Returns false if another one holds the
    /// lock.
    static func lock(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Unlocks and closes a file. Closing alone would leave it locked while a program that is being started still has a
    /// copy of the descriptor.
    static func unlockAndClose(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
