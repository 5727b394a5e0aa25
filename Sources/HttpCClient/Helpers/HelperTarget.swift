package import HttpC
package import HttpCTerminal
import HttpConvFormats

/// The URL for which another program asks for a credential. Its parts come from outside, such as from a link that
/// somebody clicked (security rules S1 and S32).
package enum HelperTarget {
    /// The URL of a program's arguments or input. Without a scheme it is https; on this machine also http.
    ///
    /// - Returns: the possible URLs, the first that a profile matches counts
    package static func urls(_ text: String) throws(CommandFailure) -> [TargetURL] {
        guard text.utf8.count <= longest else { throw refused("it is longer than 8 KiB") }
        if hasScheme(text) { return [try url(text)] }
        let secure = try url("https://" + text)
        return secure.origin.isLoopback ? [secure, try url("http://" + text)] : [secure]
    }

    /// Whether a text says how its server is reached.
    static func hasScheme(_ text: String) -> Bool { text.contains(bytesOf: "://") }

    /// The URL of git's `protocol`, `host` and `path`, which has no percent encoding.
    ///
    /// - Returns: nil for protocols other than HTTP
    static func url(scheme: Substring, host: Substring, path: Substring) throws(CommandFailure) -> TargetURL? {
        guard scheme == "https" || scheme == "http" else { return nil }
        guard host.utf8.count + path.utf8.count <= longest else { throw refused("it is longer than 8 KiB") }
        // The host must not bring other parts of a URL along.
        guard !host.isEmpty, host.prefix(upToASCII: "/?#@\\%").utf8.count == host.utf8.count else {
            throw refused("its host has a character that no host may have")
        }
        // A percent sign stays, because some servers decode twice: it must not hide a dot segment.
        let segments = path.split(ascii: "/", keepsEmpty: true).map {
            Hexadecimal.percentEncoded($0.utf8).replacing("%25", with: "%")
        }
        return try url("\(scheme)://\(host)/\(segments.joined(separator: "/"))")
    }

    private static let longest = 8 << 10

    private static func url(_ text: String) throws(CommandFailure) -> TargetURL {
        let target: TargetURL
        do throws(ConversationError) { target = try TargetURL(text) } catch { throw refused(error.message) }
        guard target.userinfo == nil else { throw refused("it has a user name") }
        return target
    }

    /// The text is not repeated: any part of it may be a secret.
    private static func refused(_ why: String) -> CommandFailure {
        CommandFailure(.usage, "A program asks for the credential of a URL that cannot be used: \(why)")
    }
}
