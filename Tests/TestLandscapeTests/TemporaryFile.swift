import Foundation

/// A file in a temporary directory of its own, removed with the last reference.
final class TemporaryFile: Sendable {
    let url: URL
    var path: String { url.path(percentEncoded: false) }

    init(_ name: String = "file", contents: Data? = nil) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "landscape-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        url = directory.appending(path: name)
        if let contents { try contents.write(to: url) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }
}
