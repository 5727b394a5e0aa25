import Foundation
import TestSupport

/// A file in a temporary directory of its own, removed with the last reference.
final class TemporaryFile: Sendable {
    let url: URL
    var path: String { url.path(percentEncoded: false) }

    init(_ name: String = "file", contents: Data? = nil) throws {
        let directory = try TemporaryPlace.folder("landscape")
        url = directory.appending(path: name)
        if let contents { try contents.write(to: url) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }
}
