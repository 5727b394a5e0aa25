import Synchronization

/// The directories of one origin whose challenges named the same realm (RFC 7617 §2.2, rule S10).
///
/// Shared by all credentials of one login: a challenge shows that a path belongs to the realm, whichever credential
/// answers it.
package final class ChallengedDirectories: Sendable {
    private let directories = Mutex<[String]>([])
    private static let maximumCount = 64

    /// The directory of the first challenged URL.
    package init(_ first: TargetURL) { learn(first) }

    /// Adds the directory of a challenged URL; drops the oldest at the limit.
    package func learn(_ target: TargetURL) {
        guard let directory = PathSpace.directory(of: target) else { return }
        directories.withLock { directories in
            if directories.contains(where: { directory.utf8.starts(with: $0.utf8) }) { return }
            directories.removeAll { $0.utf8.starts(with: directory.utf8) }
            if directories.count == Self.maximumCount { directories.removeFirst() }
            directories.append(directory)
        }
    }

    package func contains(_ target: TargetURL) -> Bool {
        directories.withLock { $0.contains { PathSpace.contains($0, target) } }
    }
}
