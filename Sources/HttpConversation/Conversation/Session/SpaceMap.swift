import HttpConvFormats

/// The protection space that was last seen at each directory: several may claim the same paths.
///
/// Two Digest realms of one origin each claim all of it (RFC 7616 §3.3). A request must carry the credential of the
/// realm that its directory asked for; otherwise every request of the other realm would start with a failed login.
struct SpaceMap {
    private var spaces: [Origin: [Substring: ProtectionSpace]] = [:]
    private static let maximumDirectories = 1024

    /// Records that a challenge of the space was answered successfully at the target.
    mutating func learn(_ target: TargetURL, _ space: ProtectionSpace) {
        guard let directory = Self.parent(of: target.path) else { return }
        // Start anew instead of growing without limit.
        if spaces[target.origin]?.count ?? 0 >= Self.maximumDirectories { spaces[target.origin] = nil }
        spaces[target.origin, default: [:]][directory] = space
    }

    /// The space that was seen nearest to the target, in its directory or a parent.
    func nearest(to target: TargetURL) -> ProtectionSpace? {
        guard let known = spaces[target.origin] else { return nil }
        var directory = Self.parent(of: target.path)
        while let current = directory {
            if let space = known[current] { return space }
            directory = Self.parent(of: Substring(current.utf8.dropLast()))
        }
        return nil
    }

    /// The parent directory: `/a/` for `/a/b`.
    private static func parent(of path: Substring) -> Substring? {
        path.lastIndex(ofASCII: "/").map { path[...$0] }
    }
}
