import HttpConvPlatform
import HttpConversation

/// The text encoding of Basic (RFC 7617 §2.1; docs/decisions.md, "Basic and Digest").
enum BasicEncoding: Hashable, Sendable {
    case utf8
    case latin1

    /// UTF-8 if the server asks for it or the text needs it, else ISO-8859-1.
    init(for login: UsernamePassword, _ challenge: AuthenticationChallenge) {
        self = Self.isUTF8Demanded(by: challenge) ? .utf8 : Self.unasked(login)
    }

    /// The encoding for a server that does not ask for one.
    static func unasked(_ login: UsernamePassword) -> BasicEncoding { fitsLatin1(login) ? .latin1 : .utf8 }

    static func isUTF8Demanded(by challenge: AuthenticationChallenge) -> Bool {
        challenge.offered.parameter("charset")?.lowercased() == "utf-8"
    }

    private static func fitsLatin1(_ login: UsernamePassword) -> Bool {
        text(login).unicodeScalars.allSatisfy { $0.value <= 0xFF }
    }

    /// `user:password` as bytes.
    func octets(of login: UsernamePassword) -> [UInt8] {
        let text = Self.text(login)
        return switch self {
        case .utf8: Array(text.utf8)
        case .latin1: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
    }

    /// The value of a field with `user:password` as bytes.
    static func field(of octets: [UInt8]) -> String { "Basic " + Data(octets).base64EncodedString() }

    private static func text(_ login: UsernamePassword) -> String {
        LoginText.normalised(login.username) + ":" + LoginText.normalised(login.password.value)
    }
}
