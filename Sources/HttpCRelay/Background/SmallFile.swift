import HttpConvPlatform
import HttpConvSystem

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
        return SystemCalls.readToEnd(descriptor, atMost: limit)
    }
}
