#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConversation
import Synchronization

/// What was filled in during one login, and where each of it may go: every request of the browser is held against it
/// before it is sent (security rule S14).
final class EnteredValues: Sendable {
    /// One filled-in field.
    private struct Entry {
        let name: String
        let value: String
        let isSecret: Bool
        let origins: Set<Origin>

        /// How a browser or a script writes it, in the charsets of the web.
        var forms: [Data] {
            // By scalars: a character may hide a quote behind a combining mark.
            let escaped = value.unicodeScalars.map { ["\"", "\\"].contains($0) ? "\\\($0)" : "\($0)" }.joined()
            let texts = escaped == value ? [value] : [value, escaped]
            return texts.flatMap { text in
                [String.Encoding.utf8, .isoLatin1, .windowsCP1252].compactMap { text.data(using: $0) }
            }
        }
    }

    private let entries = Mutex<[Entry]>([])
    private let held = Mutex<Set<String>>([])
    /// What is shorter turns up anywhere: it counts under its field's name only.
    private static let shortestSecret = 4

    /// Notes what is about to be filled in.
    ///
    /// - Parameter origins: where it may go
    func note(_ values: [String: Redacted<String>], secrets: Set<String>, for origins: Set<Origin>) {
        let new = values.filter { !$0.value.value.isEmpty }.map { name, value in
            Entry(name: name, value: value.value, isSecret: secrets.contains(name), origins: origins)
        }
        entries.withLock { $0 += new }
    }

    /// Where requests of pages were not let go to.
    var heldBack: Set<String> { held.withLock { $0 } }

    /// Notes a request that was not let go.
    func noteHeldBack(_ place: String) { held.withLock { _ = $0.insert(place) } }

    /// Where a request would carry something that must not go there, for messages; nil where it may be sent.
    func misplaced(_ request: JSONValue) -> String? {
        let known = entries.withLock { $0 }
        guard !known.isEmpty, let url = request["url"]?.text, ["http:", "https:"].contains(where: url.hasPrefix) else {
            return nil
        }
        let target = try? TargetURL(url)
        let foreign = known.filter { entry in target.map { !entry.origins.contains($0.origin) } ?? true }
        guard !foreign.isEmpty else { return nil }
        let place = target.map { "\($0.origin)" } ?? "an address that cannot be read"
        // What cannot be seen may be anything.
        guard let body = PausedRequest.body(of: request) else { return place }
        let asked = Data((target?.requestTarget ?? url).utf8)
        return foreign.contains { Self.isCarried($0, asked, body) } ? place : nil
    }

    private static func isCarried(_ entry: Entry, _ asked: Data, _ body: Data) -> Bool {
        if entry.isSecret, entry.value.utf8.count >= shortestSecret {
            let places = [asked, decoded(asked), body, decoded(body)]
            return entry.forms.contains { form in places.contains { $0.range(of: form) != nil } }
        }
        let query = asked.split(separator: 0x3F, maxSplits: 1).dropFirst().first ?? Data()
        return isParameter(entry, of: query) || isParameter(entry, of: body)
    }

    /// Whether a field is among the parameters: `name=value`, by itself in its line or not, or a part of a multipart body.
    private static func isParameter(_ entry: Entry, of text: Data) -> Bool {
        let lines = text.split { [0x0D, 0x0A].contains($0) }
        let pieces = lines + lines.flatMap { $0.split(separator: 0x26) }
        let name = Data(entry.name.utf8)
        for piece in pieces {
            let pair = piece.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, pair[0] == name || decoded(pair[0]) == name else { continue }
            if entry.forms.contains(where: { $0 == pair[1] || $0 == decoded(pair[1]) }) { return true }
        }
        return entry.forms.contains { text.range(of: Data("\r\n\r\n".utf8) + $0 + Data("\r\n".utf8)) != nil }
    }

    /// Percent-decoded, `+` as a space.
    private static func decoded(_ bytes: Data) -> Data {
        Data(bytes.map { $0 == 0x2B ? 0x20 : $0 }.percentDecoded)
    }
}
#endif
