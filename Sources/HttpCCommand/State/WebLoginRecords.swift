import Foundation
import HttpC
import Synchronization

/// Where the processes of one profile note how their web logins ended, so that one is enough for all of them.
final class WebLoginRecords: Sendable {
    /// How the last of a page's logins ended.
    struct Entry: Codable, Equatable {
        /// How many there were.
        var count = 0
        /// What the page said to prepared answers that it refused; nil after a success.
        var refusal: String?
    }

    private static let fileName = "web-logins.json"
    private let profile: String
    /// What this process knew when it last read the file.
    private let known: Mutex<[String: Entry]>

    init(profile: String) throws(CommandFailure) {
        self.profile = profile
        known = Mutex(try Self.read(profile))
    }

    /// The entry that another process has made since; told once.
    func news(of page: String) throws(CommandFailure) -> Entry? {
        guard let entry = try Self.read(profile)[page] else { return nil }
        return known.withLock { known in
            defer { known[page] = entry }
            return known[page]?.count ?? 0 < entry.count ? entry : nil
        }
    }

    /// Notes the end of a login of this process.
    func note(_ page: String, refusal: String? = nil) throws(CommandFailure) {
        guard let directory = try StateDirectory.open(profile: profile, creates: true) else { return }
        var entry = Entry()
        try StateFile(directory: directory, name: Self.fileName).update { data throws(CommandFailure) in
            var entries = Self.decode(data)
            entry = Entry(count: (entries[page]?.count ?? 0) + 1, refusal: refusal)
            entries[page] = entry
            do { return try JSONEncoder().encode(entries) } catch {
                throw StateDirectory.failure(directory.path, "its logins cannot be noted")
            }
        }
        known.withLock { $0[page] = entry }
    }

    private static func read(_ profile: String) throws(CommandFailure) -> [String: Entry] {
        guard let directory = try StateDirectory.open(profile: profile, creates: false) else { return [:] }
        return decode(try StateFile(directory: directory, name: fileName).read())
    }

    /// A damaged file only costs a login.
    private static func decode(_ data: Data?) -> [String: Entry] {
        data.flatMap { try? JSONDecoder().decode([String: Entry].self, from: $0) } ?? [:]
    }
}
