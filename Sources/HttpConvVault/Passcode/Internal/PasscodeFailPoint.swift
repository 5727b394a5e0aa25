/// Moments at which tests end the process. Only this package can set them.
package enum PasscodeFailPoint: String, Codable, CaseIterable, Sendable {
    /// A new vault has its count of tries and nothing else.
    case createBegun
    /// A new vault has its database; nothing opens it yet.
    case createFilled
    /// A file is written under a temporary name, and is about to be renamed.
    case drafted
    /// A new vault is complete.
    case created
    /// A try has the lock, and is not counted yet.
    case tryBegun
    /// A try is counted, and the passcode was not looked at yet.
    case tryCounted
    /// The passcode was checked, and the result was not used yet.
    case tryDecided
    /// The count is at zero again; the vault is not open yet.
    case tryForgiven
    /// The vault is open here, and the caller does not know yet.
    case tryAdmitted
    /// The intention to wipe the vault is on the disk, unless the disk is full.
    case wipeBegun
    /// The key is overwritten, and all files still exist.
    case keyOverwritten
    /// The database is removed.
    case databaseRemoved
    /// The key's file is removed.
    case keyRemoved
    /// Nothing is left.
    case wiped
    /// The slot of the new passcode is on the disk; the old passcode still counts.
    case changeAnnounced
    /// The database is encrypted anew. The old slot, which opens nothing any more, is still in its place.
    case changeCommitted
    /// The new slot is in its place, and the old one still exists under another name.
    case slotReplaced
    /// The old slot is overwritten; the new one still exists under its first name, too.
    case changeDone
    /// Nothing is left of the change.
    case changed
    /// A newer policy is in the vault, and not yet in the file beside it.
    case policyStored
}
