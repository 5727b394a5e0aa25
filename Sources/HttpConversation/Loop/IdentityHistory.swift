/// The client certificates of one conversation, by server.
struct IdentityHistory {
    private struct Entry {
        var refused: [ClientIdentity] = []
        var refusal: ConversationError?
        /// The answer that was reported to observers.
        var noted: ClientIdentitySource?
    }

    private var entries: [Origin: Entry] = [:]

    func refused(by origin: Origin) -> [ClientIdentity] { entries[origin]?.refused ?? [] }

    /// The error of the last refusal.
    func refusal(by origin: Origin) -> ConversationError? { entries[origin]?.refusal }

    mutating func refuse(_ identity: ClientIdentity, by origin: Origin, _ error: ConversationError) {
        entries[origin, default: Entry()].refused.append(identity)
        entries[origin]?.refusal = error
    }

    /// Records an answer that observers are told about.
    ///
    /// - Returns: whether it differs from the last answer for the server, so that observers have to be told
    mutating func recordAnswer(_ source: ClientIdentitySource, for origin: Origin) -> Bool {
        guard entries[origin]?.noted != source else { return false }
        entries[origin, default: Entry()].noted = source
        return true
    }
}
