package import HttpC
package import HttpCTerminal
import HttpConvFormats

/// The URL on the command line. Without a scheme it is https, or http on this machine. Its userinfo is removed and used
/// like -u.
package struct URLArgument {
    package let target: TargetURL
    /// The name and password of the URL, percent-decoded.
    package let user: UserArgument?

    package init(_ text: String) throws(CommandFailure) {
        let parsed: TargetURL
        do throws(ConversationError) {
            let url = try TargetURL(Self.withScheme(text))
            let isLocal = !Self.hasScheme(text) && url.origin.isLoopback
            parsed = isLocal ? try TargetURL("http://" + text) : url
            // Without the user name and password, which `absoluteString` leaves out.
            target = try TargetURL(parsed.absoluteString)
        } catch {
            throw CommandFailure(error)
        }
        user = parsed.userinfo.map { UserArgument(userinfo: $0) }
    }

    private static func withScheme(_ text: String) -> String { hasScheme(text) ? text : "https://" + text }

    /// Whether a text begins with a scheme, followed by `//` or by something other than a port or userinfo:
    /// `host:port/…` and `user:password@host` only look like one.
    private static func hasScheme(_ text: String) -> Bool {
        guard let (scheme, after) = text.cut(atASCII: ":") else { return false }
        if after.starts(withBytesOf: "//"), scheme.utf8.allSatisfy(\.isSchemeByte) { return true }
        guard isScheme(scheme) else { return false }
        let rest = after.prefix(upToASCII: "/?#")
        let isPort = !rest.isEmpty && rest.utf8.allSatisfy(\.isASCIIDigit)
        return !isPort && !rest.contains(ascii: "@")
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter else { return false }
        return text.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    }

    /// Appends the file's name to a URL whose path ends in a slash (-T). The query stays.
    package static func appending(fileName: String, to target: TargetURL) throws(CommandFailure) -> TargetURL {
        guard target.path.hasSuffix("/"), !fileName.isEmpty else { return target }
        do throws(ConversationError) {
            let file = try target.with(path: target.path + Hexadecimal.percentEncoded(fileName.utf8))
            guard let query = target.query else { return file }
            return try file.with(query: String(query))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Appends to the URL's query (-G).
    package static func appending(query: String, to target: TargetURL) throws(CommandFailure) -> TargetURL {
        do throws(ConversationError) {
            return try target.appending(query: query)
        } catch {
            throw CommandFailure(error)
        }
    }
}
