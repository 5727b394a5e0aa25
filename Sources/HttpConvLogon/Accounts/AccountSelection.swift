import HttpConvPlatform
import HttpConvVault

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
