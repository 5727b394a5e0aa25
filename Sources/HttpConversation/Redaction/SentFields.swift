import HTTPTypes
import Synchronization

/// The secrets of a request that was sent, and of those before it: a peer may repeat them in its texts (security rule
/// S20). Most are in header fields; flows note those of bodies.
///
/// An object, so that the secrets are read once, when they are first needed: a server asks for many texts to be shown, and
/// chooses a part of the secrets by its cookies (security rule S24).
package final class SentFields: Sendable, Equatable {
    private let fields: HTTPFields
    private let others: [String]
    private enum State {
        case unread(earlier: SentFields?)
        case known(KnownSecrets)
    }
    private let state: Mutex<State>

    /// - Parameters:
    ///   - fields: the fields of the request
    ///   - others: secrets that are not in its fields
    ///   - earlier: the requests before it whose secrets count as well
    init(_ fields: HTTPFields, others: [String] = [], after earlier: SentFields?) {
        self.fields = fields
        self.others = others
        state = Mutex(.unread(earlier: earlier))
    }

    /// A text of a message without the secrets.
    package func hidden(in text: String) -> String { hidden(in: [text])[0] }

    /// A body without the secrets. A body that has no secret stays unchanged, in its own charset.
    package func hidden(in body: [UInt8]) -> [UInt8] {
        let text = String(decoding: body, as: UTF8.self)
        let shown = hidden(in: text)
        return shown == text ? body : Array(shown.utf8)
    }

    /// The texts of one message without the secrets.
    func hidden(in texts: [String]) -> [String] {
        texts.allSatisfy { $0.utf8.count < KnownSecrets.shortest } ? texts : secrets.hidden(in: texts)
    }

    private var secrets: KnownSecrets {
        state.withLock { state in
            switch state {
            case .known(let known): return known
            case .unread(let earlier):
                var known = earlier?.secrets ?? KnownSecrets([])
                known.add(sentIn: fields)
                known.add(others)
                state = .known(known)
                return known
            }
        }
    }

    package static func == (one: SentFields, other: SentFields) -> Bool {
        one === other || one.fields == other.fields && one.others == other.others
    }
}
