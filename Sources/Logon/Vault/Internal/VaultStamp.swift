internal import DataVault

/// Tells whether anybody has changed the files beside the database.
struct VaultStamp: Equatable, Sendable {
    private let slot: FileIdentity?
    private let tries: FileIdentity?

    init(_ directory: borrowing VaultDirectory) throws {
        slot = try directory.identity(PasscodeSlot.fileName)
        tries = try directory.identity(PasscodeTries.fileName)
    }
}
