/// Moments at which tests end the process. Only code of this package can set them.
package enum PasscodeFailPoint: String, Codable, CaseIterable, Sendable {
    /// A new vault has its count and nothing else.
    case createBegun
    /// A new vault has its database; nothing opens it yet.
    case createFilled
    /// A file is written under another name, and is about to take its place.
    case drafted
    /// A new vault is complete.
    case created
    /// A try has the lock, and is not counted.
    case tryBegun
    /// A try is counted, and nothing of the passcode was looked at.
    case tryCounted
    /// Whether the passcode is right is known, and nothing was made of it.
    case tryDecided
    /// The count is at zero again; the vault is not open.
    case tryForgiven
    /// The vault is open here, and nobody knows yet.
    case tryAdmitted
    /// It is on the disk that the vault is to be wiped.
    case wipeBegun
    /// The key is overwritten, and all files are there.
    case keyOverwritten
    /// The database is removed.
    case databaseRemoved
    /// The key's file is removed.
    case keyRemoved
    /// Nothing is left.
    case wiped
    /// The vault knows of the passcode that is to come.
    case changeAnnounced
    /// The new passcode opens the vault, and the old slot is still there.
    case slotReplaced
    /// The old slot is overwritten; the vault does not know yet that the change is done.
    case changeDone
    /// The vault knows that the change is done.
    case changed
    /// A newer policy is in the vault, and not yet beside it.
    case policyStored
}
