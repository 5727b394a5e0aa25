/// Which paths belong together, by whole segments (rule S10). Paths are never compared as plain text prefixes.
package enum PathSpace {
    /// `/a/b/` for `/a/b/c?x`; nil for what is no path, or one that a server may resolve to somewhere else.
    package static func directory(of target: TargetURL) -> String? {
        guard isPlain(target), let slash = target.path.lastIndex(ofASCII: "/") else { return nil }
        return String(target.path[...slash])
    }

    /// Whether the target's path is `prefix` or below it.
    package static func contains(_ prefix: String, _ target: TargetURL) -> Bool {
        guard isPlain(target) else { return false }
        let path = target.path.utf8
        guard path.starts(with: prefix.utf8) else { return false }
        return prefix.utf8.last == UInt8(ascii: "/") || path.count == prefix.utf8.count
            || path.dropFirst(prefix.utf8.count).first == UInt8(ascii: "/")
    }

    /// Whether the path means what it says: no dot segments, percent-encoded ones included.
    private static func isPlain(_ target: TargetURL) -> Bool {
        guard target.path.utf8.first == UInt8(ascii: "/") else { return false }
        guard target.path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else {
            return true
        }
        return !target.path.split(ascii: "/").contains { segment in
            let plain = segment.lowercased().replacing("%2e", with: ".")
            return plain == "." || plain == ".."
        }
    }
}
