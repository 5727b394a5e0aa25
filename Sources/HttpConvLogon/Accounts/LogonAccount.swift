import HttpConvFormats
import HttpConvPlatform
import HttpConvVault
import HttpConversation

/// An account on this device: a registration with a vault and a passcode of its own.
///
/// Everything here can be read while the vault is locked, and nothing of it is secret.
public struct LogonAccount: Hashable, Sendable, Identifiable {
    /// The identity of an account on this device. Another account never gets the same one.
    public struct ID: Hashable, Sendable, LosslessStringConvertible {
        /// The name of the account's directory; empty for ``first``.
        let folder: String

        /// The account whose vault is in the directory of ``LogonAccounts`` itself, as a `Logon` without accounts makes
        /// it.
        public static let first = ID(folder: "")

        init(folder: String) { self.folder = folder }

        /// The identity with an earlier ``description``; nil for any other text.
        public init?(_ description: String) {
            guard description == Self.first.description || VaultGroup.isName(description) else { return nil }
            folder = description == Self.first.description ? "" : description
        }

        public var description: String { folder.isEmpty ? LogonAccount.firstName : folder }
    }

    /// The name of ``ID/first``, which no other account can have.
    public static let firstName = "default"

    /// The identity.
    public let id: ID
    /// The name for people, as the person chose it.
    public let name: String
    /// The origin of the registered server, such as `https://mobile.example.com`; nil if it is not known yet.
    public let server: String?
    /// The user name at the back end; nil if there is none, or it is not known yet.
    public let userName: String?
    /// Whether there is a vault. Without one, the account can be registered, or removed.
    public let isRegistered: Bool
    /// The reason why the account cannot be used, and what to do; nil if it can.
    public let problem: String?
}

extension LogonAccount {
    /// The largest number of characters of a name.
    public static let longestName = 64

    /// The name without spaces around it.
    ///
    /// - Throws: ``LogonError/Code/invalidParameter`` with ``LogonAccountError/Code/invalidName`` below: it is empty,
    ///   longer than ``longestName``, or has control characters
    static func checked(name: String) throws(LogonError) -> String {
        let trimmed = String(name.trimmingSpaces)
        let reason: String
        if trimmed.isEmpty {
            reason = "it is empty"
        } else if trimmed.unicodeScalars.count > longestName {
            reason = "it is longer than \(longestName) characters"
        } else if trimmed.unicodeScalars.contains(where: TerminalText.isControl) {
            reason = "it has control characters"
        } else {
            return trimmed
        }
        throw .account(.invalidName, "This cannot be the name of an account: \(reason). Choose another one.")
    }

    /// Whether two names are too similar for two accounts.
    static func isSame(_ name: String, _ other: String) -> Bool { name.lowercased() == other.lowercased() }
}
