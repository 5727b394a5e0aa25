import HttpConversation

/// A background transfer as stored on disk, so that its result survives every termination of the application. It has
/// neither URL nor fields, because the system keeps the request.
struct BackgroundRecord: Hashable, Codable, Sendable {
    /// The version of the format.
    private var version = 1
    /// The id of the conversation.
    private let number: UInt64
    let kind: BackgroundLabel.Kind
    /// The file, as an absolute path.
    let path: String
    /// The home folder at that time; nil in records of older versions.
    private var home: String?
    var state = BackgroundState.running
    /// The places of the cookies that it has brought; nil in records of older versions.
    private(set) var cookies: Set<BackgroundLabel.CookiePlace>?

    init(_ label: BackgroundLabel) {
        number = label.conversationID.rawValue
        kind = label.kind
        path = label.path
        home = BackgroundLabel.home
        cookies = label.cookies
    }

    /// Notes the cookies of a transfer that goes on.
    mutating func bring(_ label: BackgroundLabel) { cookies = label.cookies }

    var id: ConversationID { ConversationID(rawValue: number) }
    /// The transfer, without cookies.
    var label: BackgroundLabel {
        BackgroundLabel(conversationID: id, kind: kind, path: BackgroundLabel.path(path, from: home))
    }
    /// Whether this version understands it.
    var isKnown: Bool { version == 1 && path.hasPrefix("/") }
}
