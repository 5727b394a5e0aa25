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

/// The file that describes an account.
struct AccountDescription: Codable, Equatable, Sendable {
    private static let newest = 1

    private var version = newest
    let name: String
    var server: String?
    var user: String?

    init(name: String, server: String? = nil, user: String? = nil) {
        (self.name, self.server, self.user) = (name, server, user)
    }

    /// - Parameter directory: its place, for errors
    init(_ bytes: [UInt8], in directory: URL) throws(DataVaultError) {
        try AccountFile.check(bytes, version: Self.newest, "The name of the account in \(directory.path)")
        guard let found = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            (try? LogonAccount.checked(name: found.name)) == found.name
        else {
            throw DataVaultError(
                .damaged, "The name of the account in \(directory.path) cannot be read: remove the account.")
        }
        self = found
    }

    var encoded: [UInt8] { AccountFile.encode(self) }
}

/// The file that says which account is selected.
struct AccountSelection: Codable, Sendable {
    private static let newest = 1

    private var version = newest
    let id: String
    let name: String

    init(_ account: LogonAccount) { (id, name) = (account.id.description, account.name) }

    /// - Parameter directory: its place, for errors
    /// - Returns: nil if nothing is selected
    init?(_ bytes: [UInt8], in directory: URL) throws(DataVaultError) {
        guard !bytes.isEmpty else { return nil }
        try AccountFile.check(bytes, version: Self.newest, "The selected account in \(directory.path)")
        guard let found = try? JSONDecoder().decode(Self.self, from: Data(bytes)), LogonAccount.ID(found.id) != nil
        else {
            throw DataVaultError(
                .damaged, "The selected account in \(directory.path) cannot be read: select an account again.")
        }
        self = found
    }

    var encoded: [UInt8] { AccountFile.encode(self) }
}

/// The form of the files about accounts: JSON with a version.
private enum AccountFile {
    private struct Version: Decodable {
        let version: Int
    }

    /// Refuses the file of a newer version.
    static func check(_ bytes: [UInt8], version newest: Int, _ what: String) throws(DataVaultError) {
        guard let version = try? JSONDecoder().decode(Version.self, from: Data(bytes)).version, version > newest else {
            return
        }
        throw DataVaultError(
            .unsupportedFormat, "\(what) was written by a newer version of this program: update this one.")
    }

    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (try? Array(encoder.encode(value))) ?? []
    }
}

extension LogonError {
    /// The error for a list of accounts that cannot be read or changed.
    static func listing(_ error: any Error) -> LogonError {
        switch error {
        case let error as LogonError: error
        case let error as PasscodeVaultError: .wrapping(error)
        case let error as DataVaultError:
            LogonError(.operationNotAllowed, error.message, underlyingError: error)
        default: LogonError(.operationNotAllowed, "The accounts cannot be used.", underlyingError: error)
        }
    }
}
