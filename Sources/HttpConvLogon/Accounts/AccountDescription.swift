import HttpConvPlatform
import HttpConvVault

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
