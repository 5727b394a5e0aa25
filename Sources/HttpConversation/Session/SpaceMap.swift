/// Which protection space was last seen where, by directory: several may claim the same paths.
///
/// Two Digest realms of one origin each claim all of it (RFC 7616 §3.3). What is sent ahead must be the one that asked
/// there, or every request of the other realm would begin with a failed login.
struct SpaceMap {
    private var spaces: [Origin: [Substring: ProtectionSpace]] = [:]
    private static let maximumDirectories = 1024

    /// A challenge of the space was answered well at the target.
    mutating func learn(_ target: TargetURL, _ space: ProtectionSpace) {
        guard let directory = Self.parent(of: target.path) else { return }
        // So many directories are no map any more: begin anew rather than grow.
        if spaces[target.origin]?.count ?? 0 >= Self.maximumDirectories { spaces[target.origin] = nil }
        spaces[target.origin, default: [:]][directory] = space
    }

    /// The space that asked nearest to the target, in its directory or the ones above.
    func nearest(to target: TargetURL) -> ProtectionSpace? {
        guard let known = spaces[target.origin] else { return nil }
        var directory = Self.parent(of: target.path)
        while let current = directory {
            if let space = known[current] { return space }
            directory = Self.parent(of: Substring(current.utf8.dropLast()))
        }
        return nil
    }

    /// `/a/` for `/a/b`.
    private static func parent(of path: Substring) -> Substring? {
        path.lastIndex(ofASCII: "/").map { path[...$0] }
    }
}
