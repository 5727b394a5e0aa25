import HttpC
import HttpConvPlatform

/// The files that the options of a command write.
package enum DistinctFiles {
    /// Refuses two options that name one file, even by two paths: the later text would replace the earlier one.
    ///
    /// Standard output (`-`), pipes, devices and open descriptors such as `/dev/fd/3` take more than one text.
    ///
    /// - Parameter files: options such as `-o`, and the files they name
    package static func require(_ files: [(option: String, path: String?)]) throws(CommandFailure) {
        var options: [[UInt8]: String] = [:]
        for case let (option, path?) in files where path != "-" {
            guard let place = place(of: path) else { continue }
            if let other = options.updateValue(option, forKey: place) {
                throw CommandFailure(
                    .usage,
                    "\(other) and \(option) name one file, \"\(TerminalText.sanitise(path))\": give each its own.")
            }
        }
    }

    /// The path of a regular or missing file, with links followed; nil for anything else.
    private static func place(of path: String) -> [UInt8]? {
        if ["/dev/stdout", "/dev/stderr"].contains(path) { return nil }
        if ["/dev/fd/", "/proc/self/fd/"].contains(where: path.hasPrefix) { return nil }
        var status = stat()
        guard stat(path, &status) != 0 else {
            return status.st_mode & S_IFMT == S_IFREG ? resolved(path) ?? Array(path.utf8) : nil
        }
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        let folder = resolved(start == path.startIndex ? "." : String(path[..<start])) ?? Array(path[..<start].utf8)
        return folder + [UInt8(ascii: "/")] + Array(path[start...].utf8)
    }

    private static func resolved(_ path: String) -> [UInt8]? {
        guard let memory = realpath(path, nil) else { return nil }
        defer { free(memory) }
        return UnsafeBufferPointer(start: memory, count: strlen(memory)).map { UInt8(bitPattern: $0) }
    }
}
