import HttpConvFormats

/// Compares paths by whole segments (security rules S10 and S13), never as plain text prefixes.
public enum PathSpace {
    /// The directory of a target: `/a/b/` for `/a/b/c?x`. Nil if there is no path, or servers may resolve it
    /// differently.
    public static func directory(of target: TargetURL) -> String? {
        guard isPlain(target), let slash = target.path.lastIndex(ofASCII: "/") else { return nil }
        return String(target.path[...slash])
    }

    /// Whether the target's path is `prefix` or below it.
    public static func contains(_ prefix: String, _ target: TargetURL) -> Bool {
        var prefix = prefix
        let (isBelow, isCertain) = target.withPathBytes { path in
            prefix.withUTF8 { prefix in
                guard path.starts(with: prefix) else { return (false, false) }
                let isBelow =
                    prefix.last == UInt8(ascii: "/") || path.count == prefix.count
                    || path[prefix.count] == UInt8(ascii: "/")
                return (isBelow, isCertainlyPlain(path))
            }
        }
        return isBelow && (isCertain || isPlain(target))
    }

    /// The segments of a path, decoded and after dot-segment removal (RFC 3986 §5.2.4). Nil if a dot segment is hidden,
    /// because servers differ in how they resolve it.
    public static func segments(of path: Substring) -> [[UInt8]]? {
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

    /// Whether the path is unambiguous: it has no dot segments, not even hidden ones.
    private static func isPlain(_ target: TargetURL) -> Bool {
        let (isRooted, isCertain) = target.withPathBytes { ($0.first == UInt8(ascii: "/"), isCertainlyPlain($0)) }
        return isRooted && (isCertain || !hasDotSegments(target.path))
    }

    /// Whether a look at each byte is enough to say that the path has no dot segments.
    private static func isCertainlyPlain(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        path.first == UInt8(ascii: "/") && !path.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }
    }

    /// Whether a percent-encoded path has dot segments, plain or hidden.
    package static func hasDotSegments(_ path: Substring) -> Bool {
        path.split(ascii: "/").contains { hasDotSegment($0.percentDecoded) }
    }

    /// Whether a decoded segment is or contains a dot segment: after an encoded separator (`..%2f`, `..%5c`), or before
    /// a parameter (`..;x`), which some servers remove first.
    private static func hasDotSegment(_ segment: [UInt8]) -> Bool {
        segment.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.contains { piece in
            let name = piece.prefix { $0 != UInt8(ascii: ";") }
            return name.elementsEqual(dot) || name.elementsEqual(dot + dot)
        }
    }

    private static let dot = [UInt8(ascii: ".")]
}
