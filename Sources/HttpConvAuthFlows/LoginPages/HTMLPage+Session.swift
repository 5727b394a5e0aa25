package import HttpConvFormats

extension HTMLPage {
    /// Whether a link or a form of the page ends a session: only people who are logged in see one.
    package var endsSession: Bool {
        links.contains { Self.endsSession("\($0.href) \($0.text)") } || forms.contains(where: \.endsSession)
    }

    /// Whether the address or the label of a link or button is that of a log-out.
    package static func endsSession(_ text: String) -> Bool {
        let bytes = text.asciiLowercased.utf8.map { $0 >= 0x80 || (0x61...0x7A).contains($0) ? $0 : 0x20 }
        let words = " " + String(decoding: bytes, as: UTF8.self)
        // The German word also means to unsubscribe.
        guard !words.contains(bytesOf: "newsletter") else { return false }
        return logOuts.contains { words.contains(bytesOf: $0) } || LoginPageShape.has(["logoff*"], in: text)
    }

    // With a space before them, because of "blog outlook" and "design outlet".
    private static let logOuts = [
        "logout", " log out", " log off", "signout", " sign out", "abmelden", "déconnexion", "uitloggen",
    ]
}

extension HTMLForm {
    /// Whether it ends a session: it asks for no text, and its address or button says so.
    package var endsSession: Bool {
        guard !fields.contains(where: { $0.kind == .text || $0.kind == .password || $0.kind == .textArea }) else {
            return false
        }
        let buttons = fields.filter { $0.kind == .submit }
        return ([action ?? ""] + buttons.map(\.buttonText)).contains(where: HTMLPage.endsSession)
    }
}
