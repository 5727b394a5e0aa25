import Foundation
import HttpC

/// Where a profile applies: an origin, and a path by whole segments (security rule S13).
struct ProfileMatch: Sendable {
    let origin: Origin
    /// Of the path, after dot-segment removal.
    let segments: [String]

    /// Parses an entry of `match`.
    init(_ text: String) throws(ConversationError) {
        let target = try TargetURL(text)
        guard target.userinfo == nil, target.query == nil, target.fragment == nil else {
            throw ConversationError(.invalidURL, "a match is scheme, host, port and path, nothing else")
        }
        guard let segments = Self.segments(of: target.path) else {
            throw ConversationError(.invalidURL, "the path of a match must not leave itself")
        }
        self.init(origin: target.origin, segments: segments)
    }

    /// A whole origin.
    init(origin: Origin) { self.init(origin: origin, segments: []) }

    private init(origin: Origin, segments: [String]) {
        self.origin = origin
        self.segments = segments
    }

    /// The shortest URL that matches.
    var url: TargetURL? {
        let path = segments.map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0 }
        return try? origin.url(requestTarget: "/" + path.joined(separator: "/"))
    }

    func matches(_ target: TargetURL) -> Bool {
        guard target.origin == origin, let path = Self.segments(of: target.path) else { return false }
        return path.starts(with: segments)
    }

    /// The segments as a server would resolve them; nil where an encoded separator hides a way out.
    private static func segments(of path: Substring) -> [String]? {
        var result: [String] = []
        for raw in path.split(ascii: "/") {
            let segment = String(decoding: raw.percentDecoded, as: UTF8.self)
            switch segment {
            case ".": continue
            case "..": _ = result.popLast()
            default:
                let pieces = segment[...].utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
                if pieces.contains(where: { $0.elementsEqual("..".utf8) }) { return nil }
                result.append(segment)
            }
        }
        return result
    }
}
