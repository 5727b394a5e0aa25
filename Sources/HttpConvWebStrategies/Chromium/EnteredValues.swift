#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform
import HttpConversation
import Synchronization

/// The values that were filled in during one login, and the origins that each may be sent to. Every request that the
/// browser holds is checked against them before it is sent; what a WebSocket sends is checked when the browser reports
/// it (security rule S14).
final class EnteredValues: Sendable {
    /// One filled-in field.
    private struct Entry {
        let name: String
        let value: String
        let isSecret: Bool
        let origins: Set<Origin>

        /// Whether it counts wherever it occurs. Shorter secrets occur anywhere, so they count only under their
        /// field's name.
        var isSearched: Bool { isSecret && value.utf8.count >= EnteredValues.shortestSecret }

        /// Whether a page may have put it into the name or the port of a server. A name has no upper case, and dots may
        /// cut it.
        func isIn(_ origin: Origin) -> Bool {
            guard isSearched else { return false }
            return value == "\(origin.port)"
                || origin.host.withoutDots.contains(bytesOf: value.lowercased().withoutDots)
        }

        /// The value as a browser or a script writes it, in the charsets of the web.
        var forms: [Data] {
            // By scalars, because a combining mark may hide a quote within a character.
            let escaped = value.unicodeScalars.map { ["\"", "\\"].contains($0) ? "\\\($0)" : "\($0)" }.joined()
            let texts = escaped == value ? [value] : [value, escaped]
            return texts.flatMap { text in
                [String.Encoding.utf8, .isoLatin1, .windowsCP1252].compactMap { text.data(using: $0) }
            }
        }
    }

    private let entries = Mutex<[Entry]>([])
    /// The application's own server, whose name no page has chosen.
    private let callersHost: String?
    /// The browser's own `User-Agent`.
    private let userAgent = Mutex<String?>(nil)
    private let held = Mutex<Set<String>>([])
    /// The shortest secret that is searched for.
    private static let shortestSecret = 4

    /// - Parameter callersHost: the name of the application's own server, in which a short password may occur
    init(callersHost: String? = nil) { self.callersHost = callersHost }

    /// Notes values before they are filled in.
    ///
    /// - Parameter origins: the origins that they may be sent to
    func note(_ values: [String: Redacted<String>], secrets: Set<String>, for origins: Set<Origin>) {
        let new = values.filter { !$0.value.value.isEmpty }.map { name, value in
            Entry(name: name, value: value.value, isSecret: secrets.contains(name), origins: origins)
        }
        entries.withLock { $0 += new }
    }

    /// The destinations of requests that were held back.
    var heldBack: Set<String> { held.withLock { $0 } }

    /// Notes the browser's own `User-Agent`, which may contain any short word.
    func noteUserAgent(_ text: String) { userAgent.withLock { $0 = text } }

    /// Notes the destination of a request that was held back.
    func noteHeldBack(_ place: String) { held.withLock { _ = $0.insert(place) } }

    /// The destination of a request that carries a value to the wrong origin, for messages; nil if it may be sent.
    ///
    /// - Parameter hasServersURL: whether a server's redirect chose the URL and there is no body, so that only the
    ///   fields may be a page's
    func misplaced(_ request: JSONValue, hasServersURL: Bool = false) -> String? {
        let known = entries.withLock { $0 }
        guard !known.isEmpty, let url = request["url"]?.text, ["http:", "https:"].contains(where: url.hasPrefix) else {
            return nil
        }
        let target = try? TargetURL(url)
        let foreign = known.filter { entry in target.map { !entry.origins.contains($0.origin) } ?? true }
        guard !foreign.isEmpty else { return nil }
        let place = Self.place(target?.origin, hiding: known)
        let fields = fields(of: request)
        if foreign.contains(where: { $0.isSearched && Self.occurs($0, in: fields) }) { return place }
        if hasServersURL { return nil }
        // A body that cannot be read may contain anything.
        guard let body = PausedRequest.body(of: request) else { return place }
        if let origin = target?.origin, origin.host != callersHost, foreign.contains(where: { $0.isIn(origin) }) {
            return place
        }
        let asked = Data((target.map { ($0.userinfo ?? "") + $0.requestTarget } ?? url).utf8)
        return foreign.contains { Self.isCarried($0, asked, body) } ? place : nil
    }

    /// A destination as a message may show it.
    private static func place(_ origin: Origin?, hiding known: [Entry]) -> String {
        guard let origin else { return "an address that cannot be read" }
        return known.contains { $0.isIn(origin) } ? "an address that contains the answer" : "\(origin)"
    }

    /// The header fields as far as a page can write them, as bytes in both charsets that a script may have meant.
    private func fields(of request: JSONValue) -> [Data] {
        guard case .object(let members)? = request["headers"] else { return [] }
        let userAgent = userAgent.withLock { $0 }
        return members.flatMap { name, value -> [Data] in
            let (name, value) = (name.lowercased(), value.text ?? "")
            // Scripts cannot set these fields, except for the subprotocols of a WebSocket.
            let isFixed = name.hasPrefix("sec-") && name != "sec-websocket-protocol"
            if isFixed || name == "origin" || name == "user-agent" && value == userAgent { return [] }
            // Scripts cannot set the origin in `Referer` either.
            let shown = name == "referer" ? (try? TargetURL(value))?.requestTarget ?? value : value
            let text = "\(name): \(shown)"
            return [Data(text.utf8), text.data(using: .isoLatin1)].compactMap(\.self)
        }
    }

    private static func isCarried(_ entry: Entry, _ asked: Data, _ body: Data) -> Bool {
        if entry.isSearched { return occurs(entry, in: [asked, body]) }
        let query = asked.split(separator: 0x3F, maxSplits: 1).dropFirst().first ?? Data()
        return isParameter(entry, of: query) || isParameter(entry, of: body)
    }

    /// Whether a value is in one of the texts, as it is or percent-encoded.
    private static func occurs(_ entry: Entry, in texts: [Data]) -> Bool {
        let places = texts + texts.map(decoded)
        return entry.forms.contains { form in places.contains { $0.place(of: form) != nil } }
    }

    /// Whether a field is among the parameters: as `name=value`, also on a line of its own, or as a part of a multipart
    /// body.
    private static func isParameter(_ entry: Entry, of text: Data) -> Bool {
        let lines = text.split { [0x0D, 0x0A].contains($0) }
        let pieces = lines + lines.flatMap { $0.split(separator: 0x26) }
        let name = Data(entry.name.utf8)
        for piece in pieces {
            let pair = piece.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, pair[0] == name || decoded(pair[0]) == name else { continue }
            if entry.forms.contains(where: { $0 == pair[1] || $0 == decoded(pair[1]) }) { return true }
        }
        return entry.forms.contains { text.place(of: Data("\r\n\r\n".utf8) + $0 + Data("\r\n".utf8)) != nil }
    }

    /// Decodes percent-encoding, and `+` as a space.
    private static func decoded(_ bytes: Data) -> Data {
        Data(bytes.map { $0 == 0x2B ? 0x20 : $0 }.percentDecoded)
    }
}

extension String {
    fileprivate var withoutDots: String { replacing(ascii: [".": ""]) }
}
#endif
