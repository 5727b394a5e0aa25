import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// The rules for user names and passwords that Basic and Digest share.
enum LoginText {
    /// Composed characters (NFC), as RFC 7616 §4 and RFC 7617 §2.1 require: text from a keyboard and from a file is
    /// then equal.
    static func normalised(_ text: String) -> String { text.canonicallyComposed }

    /// Refuses control characters, which neither scheme may carry (RFC 7617 §2, rule S6).
    static func refuseControls(_ login: UsernamePassword, for space: ProtectionSpace) throws(ConversationError) {
        let parts = [("user name", login.username), ("password", login.password.value)]
        for (name, text) in parts where text.hasControls {
            throw ConversationError(
                .authenticationFailed,
                "The \(name) for \(space) contains a control character, such as a line end: nothing was sent.")
        }
    }
}
