/// A logon that is one of several accounts.
extension Logon {
    /// Makes the logon an account's.
    nonisolated func setPlace(_ place: AccountPlace) { self.place.withLock { $0 = place } }

    /// - Throws: ``LogonError`` with ``LogonAccountError/Code/vanished`` below if the account was removed. A vault that
    ///   is there proves that it was not
    func checkAccount(for operation: LogonOperation? = nil) throws(LogonError) {
        guard state == .nothing || operation == .makeVault, let place = place.withLock({ $0 }) else { return }
        try place.check()
    }

    /// Whether the vault's directory may be created. An account's exists until the account is removed, and is not made
    /// again.
    var createsDirectory: Bool {
        let id = place.withLock { $0?.id }
        return id == nil || id == .first
    }

    /// Writes the registration into the list of accounts.
    func describeAccount() async {
        guard let place = place.withLock({ $0 }), let registration else { return }
        await place.describe(registration)
    }
}
