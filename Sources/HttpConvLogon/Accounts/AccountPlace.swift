import HttpConvPlatform
import HttpConvVault
import HttpConversation

/// The place of a logon among the accounts of a device.
struct AccountPlace: Sendable {
    /// The directory of the account's vault.
    let directory: URL
    let id: LogonAccount.ID
    let name: String
    let group: VaultGroup

    /// - Throws: ``LogonError`` if the account was removed, or cannot be read
    func check() throws(LogonError) { _ = try description() }

    /// The account's description; nil if none was written yet, which is possible for the first account only.
    func description() throws(LogonError) -> AccountDescription? {
        do throws(DataVaultError) {
            if let bytes = try VaultGroup.description(in: directory) {
                return try AccountDescription(bytes, in: directory)
            }
        } catch {
            switch (error.code, id) {
            case (.notFound, .first): return nil
            case (.notFound, _): throw .vanished(name.isEmpty ? nil : name)
            default: throw .listing(error)
            }
        }
        guard id == .first else {
            throw .listing(DataVaultError(.damaged, "\(directory.path) has no name of an account: remove the account."))
        }
        return nil
    }

    /// Writes the server and the user of a registration for the list of accounts.
    func describe(_ registration: RegistrationResult) async {
        let now = AccountDescription(
            name: name, server: registration.root.origin.description, user: registration.userName)
        // A list without them is good enough, and an account that was removed stays away.
        do {
            guard try description() != now else { return }
            try await group.describe(directory, now.encoded)
        } catch {}
    }
}

extension LogonError {
    /// The error for a list of accounts that cannot be read or changed.
    static func listing(_ error: any Error) -> LogonError {
        switch error {
        case let error as LogonError: error
        case let error as PasscodeVaultError: .wrapping(error)
        case let error as DataVaultError where error.code == .cancelled: .cancelled
        case is CancellationError: .cancelled
        case let error as DataVaultError:
            LogonError(.operationNotAllowed, error.message, underlyingError: error)
        default: LogonError(.operationNotAllowed, "The accounts cannot be used.", underlyingError: error)
        }
    }
}
