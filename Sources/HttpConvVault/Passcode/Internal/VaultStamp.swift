import HttpConvSystem

/// The stamps of the files beside the database; differs after any change to them.
struct VaultStamp: Equatable, Sendable {
    private let slot: FileStamp?
    private let tries: FileStamp?

    init(_ directory: borrowing VaultDirectory) throws {
        slot = try directory.stamp(PasscodeSlot.fileName)
        tries = try directory.stamp(PasscodeTries.fileName)
    }
}
