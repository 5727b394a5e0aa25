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
    /// The slot of the passcode that is to come is on the disk; the old one counts.
    case changeAnnounced
    /// The database is encrypted anew; the old slot, which opens nothing any more, is still in its place.
    case changeCommitted
    /// The new slot is in its place, and the old one is still there under another name.
    case slotReplaced
    /// The old slot is overwritten; the new one is still there under its first name, too.
    case changeDone
    /// Nothing is left of the change.
    case changed
    /// A newer policy is in the vault, and not yet beside it.
    case policyStored
}
