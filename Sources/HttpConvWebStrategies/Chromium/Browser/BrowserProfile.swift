#if os(Linux)
import HttpConvAuthFlows
import HttpConvPlatform
import Synchronization

/// A separate directory for one browser: its home, its profile and its temporary files. Removed with the browser.
struct BrowserProfile: Sendable {
    /// The directory; only its owner can read it.
    let directory: String

    var profile: String { directory + "/profile" }
    var temporary: String { directory + "/tmp" }

    /// The preferences that the browser starts with. It loads no page in advance, because such requests cannot be
    /// held. It offers to keep neither passwords nor entered texts, because the profile is gone after the login. Its
    /// first page is the login.
    private static let preferences = """
        {"credentials_enable_service": false, "credentials_enable_autosignin": false,
        "profile": {"password_manager_enabled": false}, "autofill": {"profile_enabled": false, "credit_card_enabled": false},
        "net": {"network_prediction_options": 2},
        "signin": {"allowed": false}, "translate": {"enabled": false}, "browser": {"has_seen_welcome_page": true}}
        """

    /// The settings for all profiles. The browser would answer only the strongest scheme of a 401 or 407, such as NTLM,
    /// which is never offered.
    private static let state = #"{"auth": {"schemes": "basic,digest"}}"#

    /// Makes the directory.
    ///
    /// - Throws: ``WebLoginError/Code/browserFailed``
    init() throws(WebLoginError) {
        let parent = Self.parent
        var template = Array((parent + "weblogin-XXXXXX").utf8CString)
        guard let path = mkdtemp(&template) else {
            throw WebLoginError(
                .browserFailed,
                "No directory for the browser could be made in \(parent): \(String(cString: strerror(errno))).")
        }
        directory = String(cString: path)
        let isMade =
            mkdir(profile, 0o700) == 0 && mkdir(profile + "/Default", 0o700) == 0 && mkdir(temporary, 0o700) == 0
            && Self.write(Self.preferences, to: profile + "/Default/Preferences")
            && Self.write(Self.state, to: profile + "/Local State")
        guard isMade else {
            remove()
            throw WebLoginError(.browserFailed, "The browser's directory \(directory) cannot be written.")
        }
    }

    private static func write(_ text: String, to path: String) -> Bool {
        FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    }

    /// The parent for the directory, with a slash at its end. The paths of Chromium's sockets are up to 72 bytes longer
    /// and limited to 107 bytes; beyond that Chromium would abort.
    static var parent: String {
        let path = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        guard path.utf8.count <= 35 else { return "/tmp/" }
        return path.hasSuffix("/") ? path : path + "/"
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
