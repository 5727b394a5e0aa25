package import HttpConvPlatform

/// A small file that only its owner can use, in a directory that only its owner can use (0700).
package struct PrivateFile: Sendable {
    private let name: String
    private let directory: URL

    package init(_ name: String, in directory: URL) { (self.name, self.directory) = (name, directory) }

    /// The content; nil if there is no file.
    package func read(upTo limit: Int) throws(DataVaultError) -> [UInt8]? {
        do { return try VaultDirectory(directory, creating: false).read(name, upTo: limit) } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }

    /// Replaces the content atomically. The directory is created if it is missing.
    package func replace(with bytes: [UInt8]) throws(DataVaultError) {
        let directory = try VaultDirectory(directory, creating: true)
        switch directory.tryLock() {
        case .held: throw DataVaultError(.locked, "Another process is writing it now.")
        // The file is replaced atomically without a lock, too: of two changes at once, one is lost.
        case .taken, .unsupported: break
        }
        defer { directory.unlock() }
        try directory.replace(name, with: bytes)
    }
}
