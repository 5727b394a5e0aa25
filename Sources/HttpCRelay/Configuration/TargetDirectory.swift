package import HttpC
package import HttpCTerminal
import HttpConvFormats

/// The target of a relay, and the paths of requests there: the relay's `/` is the target's directory.
package struct TargetDirectory: Sendable {
    package let origin: Origin
    /// The path of the target; begins and ends with a slash.
    let prefix: String

    /// - Throws: a usage failure for a URL that is not a directory, such as one with a query
    package init(_ url: TargetURL) throws(CommandFailure) {
        guard url.query == nil, url.fragment == nil else {
            throw CommandFailure(
                .usage, "relay needs the URL of a directory: \(url.origin)\(url.path) has a query or a fragment.")
        }
        let prefix = url.path.hasSuffix("/") ? String(url.path) : url.path + "/"
        guard let directory = try? url.with(path: prefix), PathSpace.contains(prefix, directory) else {
            throw CommandFailure(.usage, "relay needs a URL at \(url.origin) whose path has no dot segments.")
        }
        origin = url.origin
        self.prefix = prefix
    }

    /// The URL for a request to the relay; nil if it is not below the target, or servers may understand it so.
    ///
    /// - Parameter path: path and query, without the relay's secret
    func url(of path: Substring) -> TargetURL? {
        let path = Self.withoutDots(path)
        guard path.starts(withBytesOf: "/"), !path.starts(withBytesOf: "//"), !path.contains(ascii: "#"),
            !path.contains(ascii: "\\"), !Self.hasDotSegment(path.prefix(upToASCII: "?")),
            let url = try? origin.url(requestTarget: prefix + path.dropFirst()), contains(url)
        else { return nil }
        return url
    }

    /// Whether a URL is below the target.
    func contains(_ url: TargetURL) -> Bool { url.origin == origin && PathSpace.contains(prefix, url) }

    /// The relay's path, query and fragment for a URL; nil if it is not below the target, or would be read as the URL
    /// of another server.
    func path(of url: TargetURL) -> String? {
        let isDirectory = url.origin == origin && url.path + "/" == prefix
        guard isDirectory || contains(url) else { return nil }
        let rest = isDirectory ? Substring(url.query.map { "?\($0)" } ?? "") : url.requestTarget.dropFirst(prefix.count)
        guard !rest.starts(withBytesOf: "/"), !rest.starts(withBytesOf: "\\") else { return nil }
        return "/" + rest + (url.fragment.map { "#\($0)" } ?? "")
    }

    /// A path without its segments `.`, which mean the same directory (RFC 3986 §5.2.4), and some clients send.
    private static func withoutDots(_ path: Substring) -> Substring {
        let end = path.prefix(upToASCII: "?").endIndex
        var segments = path[..<end].utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        func isDot(_ segment: Substring.UTF8View) -> Bool { segment.elementsEqual(".".utf8) }
        guard path.starts(withBytesOf: "/"), segments.contains(where: isDot) else { return path }
        // The directory of a last one ends with a slash.
        if let last = segments.last, isDot(last) { segments.append(last.prefix(0)) }
        segments.removeAll(where: isDot)
        return Substring(segments.map { String(Substring($0)) }.joined(separator: "/") + path[end...])
    }

    /// The number of times that a path may be encoded.
    private static let maximumDecodings = 4

    /// Whether a path has a dot segment, perhaps encoded several times: servers behind other servers decode again.
    private static func hasDotSegment(_ path: Substring) -> Bool {
        var bytes = Array(path.utf8)
        for _ in 0..<maximumDecodings {
            if bytes.split(whereSeparator: { "/\\".utf8.contains($0) }).contains(where: isDotSegment) { return true }
            let decoded = bytes.percentDecoded
            if decoded == bytes { return false }
            bytes = decoded
        }
        return true
    }

    private static func isDotSegment(_ segment: ArraySlice<UInt8>) -> Bool {
        let name = segment.prefix { $0 != UInt8(ascii: ";") }
        return name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
    }
}
