/// A credential on the wire.
struct SentCredential {
    let space: ProtectionSpace
    let credential: any Credential
    let persistence: CredentialPersistence
    /// The URL that was challenged; nil for a credential that was sent ahead.
    var challenged: TargetURL?
    /// The number in the session's store of a credential that was sent ahead.
    var number: Int?

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
