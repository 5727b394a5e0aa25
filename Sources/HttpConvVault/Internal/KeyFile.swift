internal import HttpConvPlatform

/// Files that hold a key: opened without following a link, and checked by their descriptor.
enum KeyFile {
    private static let maximumSize = 4096

    static func read(_ path: String) throws(DataVaultError) -> String {
        // Opened without blocking, because a pipe in the file's place must not hang this process.
        let descriptor = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, what: "key file")
        try FileGuard.check(descriptor.status(of: path), path: path, kind: .file)
        var buffer = [UInt8](repeating: 0, count: maximumSize + 1)
        let count = try descriptor.read(into: &buffer, path: path)
        guard count <= maximumSize else {
            throw DataVaultError(.keyUnusable, "The key file \(path) is longer than \(maximumSize) bytes.")
        }
        guard let text = String(validating: buffer[..<count], as: UTF8.self) else {
            throw DataVaultError(.keyUnusable, "The key file \(path) is not text.")
        }
        return text
    }

    static func create(_ path: String, text: String) throws(DataVaultError) {
        let descriptor = try Descriptor.open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, what: "key file")
        do throws(DataVaultError) {
            try descriptor.writeAll(Array(text.utf8), path: path)
        } catch {
            // Do not leave half a key.
            unlink(path)
            throw error
        }
    }
}
