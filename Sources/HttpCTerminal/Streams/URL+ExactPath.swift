package import HttpConvPlatform

extension URL {
    /// The URL of the file that `open` finds at a path.
    ///
    /// `URL(filePath:)` may lead to another file: it expands a leading `~`, and removes `..` from a relative path
    /// before links are followed. It leaves absolute paths as they are.
    package init(exactPath path: String, isDirectory: Bool = false) {
        // Compares bytes, because a combining mark may follow the slash.
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        self.init(
            filePath: isAbsolute ? path : "\(Self.workingDirectory)/\(path)",
            directoryHint: isDirectory ? .isDirectory : .inferFromPath)
    }

    /// The path of the working directory. Linux has a second one, for a directory whose path is not UTF-8 or goes
    /// through a closed directory.
    private static var workingDirectory: String {
        let linked = "/proc/self/cwd"
        guard let memory = getcwd(nil, 0) else { return linked }
        defer { free(memory) }
        guard access(memory, X_OK) == 0, let path = String(validatingCString: memory) else { return linked }
        return path == "/" ? "" : path
    }
}
