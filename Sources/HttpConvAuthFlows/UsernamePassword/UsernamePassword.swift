import HttpConvFormats
public import HttpConversation

/// A user name and a password, compared by their bytes; prints the user name only.
public struct UsernamePassword: Sendable, Hashable {
    /// The user name.
    public let username: String
    /// The password; never printed.
    public let password: Redacted<String>

    /// A user name and a password.
    public init(username: String, password: String) {
        self.username = username
        self.password = Redacted(password)
    }

    public static func == (one: Self, other: Self) -> Bool {
        one.username.hasSameBytes(as: other.username) && one.password.value.hasSameBytes(as: other.password.value)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(username)
        hasher.combine(password)
    }
}

extension UsernamePassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user name, sanitised.
    public var description: String { "user \(TerminalText.sanitise(username, limit: 60))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["username": description]) }
}
