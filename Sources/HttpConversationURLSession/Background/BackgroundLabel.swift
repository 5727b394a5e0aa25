import Foundation
public import HttpConversation

/// The description of a background task, by which its end is recognised after the application was terminated. It
/// contains no secret, because the system writes it to disk.
public struct BackgroundLabel: Hashable, Sendable {
    /// The kind of transfer.
    public enum Kind: String, Codable, Hashable, Sendable {
        /// A file to the server.
        case upload
        /// A response into a file.
        case download
    }

    /// The conversation that the transfer belongs to.
    public let conversationID: ConversationID
    /// The kind of transfer.
    public let kind: Kind
    /// The file, as an absolute path.
    public let path: String
    /// The cookies that were put into the system's store for this transfer, by name, domain and path, without values.
    let cookies: Set<CookiePlace>
    /// The cookies that the store had for the server before; nil if the system keeps none of this transfer.
    let known: Set<CookiePlace>?

    /// The place of a cookie in a store.
    struct CookiePlace: Hashable, Codable, Sendable {
        let name: String
        /// The domain as the system writes it: with a leading dot if it is not host-only.
        let domain: String
        let path: String
    }

    /// Describes a transfer.
    public init(conversationID: ConversationID, kind: Kind, path: String) {
        self.init(conversationID: conversationID, kind: kind, path: path, cookies: [])
    }

    init(
        conversationID: ConversationID, kind: Kind, path: String, cookies: Set<CookiePlace>,
        known: Set<CookiePlace>? = nil
    ) {
        self.conversationID = conversationID
        self.kind = kind
        self.path = path
        self.cookies = cookies
        self.known = known
    }

    private struct Text: Codable {
        var version = 1
        let id: String
        let kind: Kind
        let path: String
        /// The home folder at that time. Nil in the labels of older versions, as are the cookies.
        var home: String?
        var cookies: [CookiePlace]?
        var known: [CookiePlace]?
    }

    /// The label as a task's description: JSON.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var text = Text(id: conversationID.description, kind: kind, path: path)
        text.home = Self.home
        text.cookies = cookies.isEmpty ? nil : Self.sorted(cookies)
        text.known = known.map(Self.sorted)
        // Strings and numbers can always be encoded.
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// A stable order, since labels are compared by their text in tests and logs.
    private static func sorted(_ places: Set<CookiePlace>) -> [CookiePlace] {
        places.sorted { ($0.domain, $0.path, $0.name) < ($1.domain, $1.path, $1.name) }
    }

    /// Parses ``text``. Returns nil for any other text.
    init?(text: String?) {
        guard let text, text.utf8.count <= Self.maximumBytes,
            let read = try? JSONDecoder().decode(Text.self, from: Data(text.utf8)), read.version == 1,
            read.id.utf8.count == 16, let number = UInt64(read.id, radix: 16), read.path.hasPrefix("/")
        else { return nil }
        self.init(
            conversationID: ConversationID(rawValue: number), kind: read.kind,
            path: Self.path(read.path, from: read.home),
            cookies: Set(read.cookies ?? []), known: read.known.map { Set($0) })
    }

    private static let maximumBytes = 64 << 10

    /// Whether label and record can be read again. A record has more bytes than the label.
    var isReadable: Bool { text.utf8.count <= Self.maximumBytes / 4 }

    /// The home folder of this process. Apple's systems may give an application another one with an update.
    static let home = URL.homeDirectory.standardizedFileURL.path

    /// The path of a file now.
    ///
    /// - Parameters:
    ///   - path: its path then
    ///   - before: the home folder then; nil: unknown
    static func path(_ path: String, from before: String?, to now: String = home) -> String {
        guard let before, before != now, before.hasPrefix("/"), before.count > 1, path.hasPrefix(before + "/") else {
            return path
        }
        return now + path.dropFirst(before.count)
    }
}
