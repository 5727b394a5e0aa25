import Foundation
import TestLandscape
import TestSupport

/// A separate directory for one test, with home, configuration, state and files of the command under test.
final class Sandbox: Sendable {
    let directory: URL

    init() throws { directory = try TemporaryPlace.folder("httpc-test") }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func path(_ name: String) -> String { directory.appending(path: name).path(percentEncoded: false) }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let path = path(name)
        let parent = URL(filePath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    func read(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }

    func mode(_ name: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path(name)))?[.posixPermissions] as? Int
    }

    /// The names in the directory, hidden ones included.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path(""))) ?? []).sorted() }

    var environment: [String: String] {
        [
            "HOME": path(""), "XDG_CONFIG_HOME": path("config"), "XDG_STATE_HOME": path("state"),
            "PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8",
            "TMPDIR": FileManager.default.temporaryDirectory.path,
        ]
    }

    /// Writes the landscape's authority into a file for --cacert.
    func authority(of landscape: Landscape) throws -> String {
        try write(landscape.certificates.authorityPEM, to: "ca.pem")
    }
}
