/// Which paths belong together, by whole segments (security rules S10 and S13). Paths are never compared as plain text
/// prefixes.
package enum PathSpace {
    /// `/a/b/` for `/a/b/c?x`; nil for what is no path, or one that a server may resolve to somewhere else.
    package static func directory(of target: TargetURL) -> String? {
        guard isPlain(target.path), let slash = target.path.lastIndex(ofASCII: "/") else { return nil }
        return String(target.path[...slash])
    }

    /// Whether the target's path is `prefix` or below it.
    package static func contains(_ prefix: String, _ target: TargetURL) -> Bool {
        guard isPlain(target.path) else { return false }
        let path = target.path.utf8
        guard path.starts(with: prefix.utf8) else { return false }
        return prefix.utf8.last == UInt8(ascii: "/") || path.count == prefix.utf8.count
            || path.dropFirst(prefix.utf8.count).first == UInt8(ascii: "/")
    }

    /// The segments of a path, decoded and after dot-segment removal (RFC 3986 §5.2.4); nil where a dot segment is
    /// hidden, so that servers differ in where the path leads.
    package static func segments(of path: Substring) -> [[UInt8]]? {
        var result: [[UInt8]] = []
        for segment in path.split(ascii: "/").map(\.percentDecoded) {
            switch segment {
            case dot: continue
            case dot + dot: _ = result.popLast()
            default:
                guard !hasDotSegment(segment) else { return nil }
                result.append(segment)
            }
        }
        return result
    }

    /// Whether the path means what it says: no dot segments, hidden ones included.
    private static func isPlain(_ path: Substring) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/") else { return false }
        guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else { return true }
        return !path.split(ascii: "/").contains { hasDotSegment($0.percentDecoded) }
    }

    /// Whether a decoded segment is a dot segment, or has one: behind a separator that was encoded (`..%2f`, `..%5c`), or
    /// before a parameter (`..;x`), which some servers take away first.
    private static func hasDotSegment(_ segment: [UInt8]) -> Bool {
        segment.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.contains { piece in
            let name = piece.prefix { $0 != UInt8(ascii: ";") }
            return name.elementsEqual(dot) || name.elementsEqual(dot + dot)
        }
    }

    private static let dot = [UInt8(ascii: ".")]
}
