import HttpConvSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads files of a bounded length.
enum SmallFile {
    /// The start of a file; nil, with `errno`, if it cannot be read.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that are read
    ///   - flags: flags of `open` in addition to those for reading
    static func read(_ path: String, limit: Int, flags: Int32 = 0) -> [UInt8]? {
        let descriptor = SystemCalls.open(path, O_RDONLY | flags)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit)
        return SystemCalls.fill(&bytes, from: descriptor).map { Array(bytes.prefix($0)) }
    }
}
