#if os(Linux)
import Foundation
import HttpConvAuthFlows
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A directory of its own for one browser: its home, its profile and its temporary files. It goes with the browser.
struct BrowserProfile: Sendable {
    /// The directory; nobody else may read it.
    let directory: String

    var profile: String { directory + "/profile" }
    var temporary: String { directory + "/tmp" }

    /// Makes the directory.
    ///
    /// - Throws: ``WebLoginError/Code/browserFailed``
    init() throws(WebLoginError) {
        let parent = Self.parent
        var template = Array((parent + (parent.hasSuffix("/") ? "" : "/") + "weblogin-XXXXXX").utf8CString)
        guard let path = mkdtemp(&template) else {
            throw WebLoginError(
                .browserFailed,
                "No directory for the browser could be made in \(parent): \(String(cString: strerror(errno))).")
        }
        directory = String(cString: path)
        for path in [profile, temporary] where mkdir(path, 0o700) != 0 {
            remove()
            throw WebLoginError(.browserFailed, "The browser's directory \(directory) cannot be written.")
        }
    }

    /// The directory for temporary files. Chromium's sockets come to lie up to 72 bytes deeper, and their paths are limited
    /// to 107 bytes: where that does not fit Chromium would abort.
    private static var parent: String {
        let path = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        return path.utf8.count <= 35 ? path : "/tmp"
    }

    /// The environment of the browser: its home is here, so that nothing of the person's own is read or written.
    func environment(from own: [String: String]) -> [String: String] {
        var result = BrowserEnvironment.scrubbed(own)
        // X11 looks for its key in the home directory unless told.
        if result["XAUTHORITY"] == nil, let home = own["HOME"] { result["XAUTHORITY"] = home + "/.Xauthority" }
        result["HOME"] = directory
        result["TMPDIR"] = temporary
        for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            result[name] = "\(directory)/\(name.lowercased())"
        }
        return result
    }

    /// Deletes the directory, while processes that are about to end may still write into it.
    func remove() {
        for _ in 0..<20 {
            try? FileManager.default.removeItem(atPath: directory)
            if access(directory, F_OK) != 0 { return }
        }
    }
}
#endif
