import Foundation
import HttpC

/// A profile's cookies between invocations.
struct ProfileCookieFile {
    let profile: String

    private static let fileName = "cookies.json"

    /// What is kept; empty where nothing is.
    func load() throws(CommandFailure) -> CookieStore.Snapshot {
        guard let directory = try StateDirectory.open(profile: profile, creates: false) else { return .init() }
        return try Self.decode(try StateFile(directory: directory, name: Self.fileName).read(), directory.path)
    }

    /// Adds what this process changed to what is kept by now.
    func merge(from before: CookieStore.Snapshot, to after: CookieStore.Snapshot) throws(CommandFailure) {
        guard Set(before.cookies) != Set(after.cookies) else { return }
        try update { kept in CookieMerge.merge(kept, before: before, after: after) }
    }

    /// Forgets every cookie.
    func clear() throws(CommandFailure) {
        guard try StateDirectory.open(profile: profile, creates: false) != nil else { return }
        try update { _ in .init() }
    }

    private func update(
        _ change: (CookieStore.Snapshot) -> CookieStore.Snapshot
    ) throws(CommandFailure) {
        guard let directory = try StateDirectory.open(profile: profile, creates: true) else { return }
        try StateFile(directory: directory, name: Self.fileName).update { data throws(CommandFailure) in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            encoder.dateEncodingStrategy = .secondsSince1970
            let snapshot = change(try Self.decode(data, directory.path))
            do { return try encoder.encode(snapshot) } catch {
                throw StateDirectory.failure(directory.path, "the cookies cannot be encoded")
            }
        }
    }

    private static func decode(_ data: Data?, _ path: String) throws(CommandFailure) -> CookieStore.Snapshot {
        guard let data, !data.isEmpty else { return .init() }
        guard let snapshot = CookieFile.decodeJSON(data) else {
            throw StateDirectory.failure("\(path)/\(fileName)", "it is no cookie jar; remove it to start afresh")
        }
        return snapshot
    }
}
