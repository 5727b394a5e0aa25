import HttpC
import HttpConvFormats

/// The URLs that a profile is for: an origin, and a path by whole segments (security rule S13). A path with dot
/// segments is in no match that has a path.
package struct ProfileMatch: Equatable, Sendable {
    let origin: Origin
    /// The path's segments, decoded and after dot-segment removal.
    let segments: [[UInt8]]

    /// Parses an entry of `match`.
    init(_ text: String) throws(ConversationError) {
        let target = try TargetURL(text)
        guard target.userinfo == nil, target.query == nil, target.fragment == nil else {
            throw ConversationError(.invalidURL, "a match is scheme, host, port and path, nothing else")
        }
        guard let segments = PathSpace.segments(of: target.path) else {
            throw ConversationError(.invalidURL, "the path of a match must not leave itself")
        }
        guard !target.path.contains(bytesOf: "//") else {
            throw ConversationError(.invalidURL, "the path of a match must not have an empty segment (//)")
        }
        self.init(origin: target.origin, segments: segments)
    }

    /// Matches a whole origin.
    init(origin: Origin) { self.init(origin: origin, segments: []) }

    private init(origin: Origin, segments: [[UInt8]]) {
        self.origin = origin
        self.segments = segments
    }

    /// The shortest URL that matches.
    var url: TargetURL? {
        let path = segments.map { Hexadecimal.percentEncoded($0) }
        return try? origin.url(requestTarget: "/" + path.joined(separator: "/"))
    }

    func matches(_ target: TargetURL) -> Bool {
        guard target.origin == origin else { return false }
        guard !segments.isEmpty else { return PathSpace.segments(of: target.path) != nil }
        // The path as it is sent: servers differ in how they resolve dot segments and empty ones.
        let path = target.path.split(ascii: "/", keepsEmpty: true).dropFirst()
        return PathSpace.contains("/", target) && path.map(\.percentDecoded).starts(with: segments)
    }
}
