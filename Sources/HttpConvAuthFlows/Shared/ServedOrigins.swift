import HttpConversation

extension CredentialDestination {
    /// Whether a provider for some servers serves it: one of them, or https on its host; without any, the caller's own.
    func isServed(by origins: [Origin]) -> Bool {
        origins.isEmpty ? isCallersOwn : origins.contains { $0.covers(target.origin) }
    }
}
