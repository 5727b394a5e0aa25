import HTTPTypes
import Synchronization

/// A credential on the wire. A class, because a credential that is sent ahead is the same object as in the session's
/// store.
final class SentCredential: Sendable {
    let space: ProtectionSpace
    let credential: any Credential
    let persistence: CredentialPersistence
    /// The URL that was challenged; nil for a credential that is sent ahead.
    let challenged: TargetURL?
    /// Whether it is in a session's store, accepted by the server, and not replaced.
    let isProven = Atomic<Bool>(false)
    /// The `Authorization` field, if it is the same for all requests.
    let field: Redacted<HTTPField>?
    /// Whether ``field`` is set. Stored, because each comparison of the field makes a copy.
    let isConstant: Bool

    init(
        space: ProtectionSpace, credential: any Credential, persistence: CredentialPersistence,
        challenged: TargetURL? = nil
    ) {
        self.space = space
        self.credential = credential
        self.persistence = persistence
        self.challenged = challenged
        field = (credential as? any ConstantCredential)?.authorization
        isConstant = field != nil
    }

    /// Whether an exchange may carry it: the challenged one, or one that its space covers, if its provider allows the
    /// destination.
    func isMeant(for destination: CredentialDestination) -> Bool {
        let target = destination.target
        if let proxy = destination.proxy {
            return space.isProxy && space.origin == proxy.origin && credential.isAllowed(to: destination)
        }
        return !space.isProxy && space.origin == target.origin && (challenged == target || credential.covers(target))
            && credential.isAllowed(to: destination)
    }
}
