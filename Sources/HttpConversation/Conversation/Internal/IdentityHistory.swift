/// What one conversation knows of the client certificates that its servers were shown.
struct IdentityHistory {
    private struct Entry {
        var refused: [ClientIdentity] = []
        var refusal: ConversationError?
        /// The answer that observers know of.
        var noted: ClientIdentitySource?
    }

    private var entries: [Origin: Entry] = [:]

    func refused(by origin: Origin) -> [ClientIdentity] { entries[origin]?.refused ?? [] }

    /// Why the last one was refused.
    func refusal(by origin: Origin) -> ConversationError? { entries[origin]?.refusal }

    mutating func refuse(_ identity: ClientIdentity, by origin: Origin, _ error: ConversationError) {
        entries[origin, default: Entry()].refused.append(identity)
        entries[origin]?.refusal = error
    }

    /// True where observers have not heard of this answer.
    mutating func note(_ source: ClientIdentitySource, for origin: Origin) -> Bool {
        guard entries[origin]?.noted != source else { return false }
        entries[origin, default: Entry()].noted = source
        return true
    }
}
