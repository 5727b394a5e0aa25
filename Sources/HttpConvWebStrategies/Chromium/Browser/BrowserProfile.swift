#if os(Linux)
import Foundation
import HttpConvAuthFlows
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A separate directory for one browser: its home, its profile and its temporary files. Removed with the browser.
struct BrowserProfile: Sendable {
    /// The directory; only its owner can read it.
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

    /// The parent for the directory. The paths of Chromium's sockets are up to 72 bytes longer and limited to 107
    /// bytes; beyond that Chromium would abort.
    private static var parent: String {
        let path = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        return path.utf8.count <= 35 ? path : "/tmp"
    }

    /// The environment of the browser. Its home is the directory, so that the person's own files are neither read nor
    /// written.
    func environment(from own: [String: String]) -> [String: String] {
        var result = BrowserEnvironment.scrubbed(own)
        // X11 looks for its key in the home directory by default.
        if result["XAUTHORITY"] == nil, let home = own["HOME"] { result["XAUTHORITY"] = home + "/.Xauthority" }
        result["HOME"] = directory
        result["TMPDIR"] = temporary
        for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            result[name] = "\(directory)/\(name.lowercased())"
        }
        return result
    }

    /// Deletes the directory. Tries again if ending processes still write into it.
    func remove() {
        for _ in 0..<20 {
            try? FileManager.default.removeItem(atPath: directory)
            if access(directory, F_OK) != 0 { return }
        }
    }
}
#endif
