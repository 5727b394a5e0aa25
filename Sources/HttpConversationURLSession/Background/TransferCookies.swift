import HttpConversation

/// The cookies in the system's store that running transfers have brought. They are removed with the last transfer that
/// needs them; what the application had there before stays.
struct TransferCookies {
    typealias Place = BackgroundLabel.CookiePlace

    /// The use of one cookie.
    private struct Use {
        /// The number of running transfers that need it.
        var transfers = 0
        /// The digest of its value; nil for transfers of an earlier launch of the application.
        var digest: Int?
    }

    private var uses: [Place: Use] = [:]

    /// The digest of a cookie's value, for comparisons in this process only.
    static func digest(_ value: String) -> Int { value.hashValue }

    /// Notes the cookies of transfers of an earlier launch of the application.
    mutating func found(_ transfers: [Set<Place>]) {
        for place in transfers.joined() { uses[place, default: Use()].transfers += 1 }
    }

    /// Notes a transfer that brings cookies. The system sends what is in the store when it performs a transfer, so a
    /// cookie is never replaced by one with another value.
    ///
    /// - Parameters:
    ///   - brought: the digests of the cookies' values
    ///   - known: the digests of the values that are in the store already
    ///   - sent: the cookies in the store that the system would send with the transfer's request
    /// - Returns: those that are to be put into the store now, and removed with the transfer
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidConfiguration`` if the application or a running
    ///   transfer has another value of a cookie, or a running transfer has brought one that this transfer does not have,
    ///   and would be sent with; nothing is noted then
    mutating func begin(
        _ brought: [Place: Int], known: [Place: Int], sent: Set<Place> = []
    ) throws(ConversationError) -> Set<Place> {
        if let place = brought.first(where: { !fits($0, $1, known) })?.key { throw Self.otherValue(place) }
        if let place = sent.first(where: { uses[$0] != nil && brought[$0] == nil }) { throw Self.otherValue(place) }
        let own = Set(brought.keys).filter { known[$0] == nil || uses[$0] != nil }
        for place in own {
            uses[place, default: Use()].transfers += 1
            uses[place]?.digest = brought[place]
        }
        return own
    }

    private func fits(_ place: Place, _ digest: Int, _ known: [Place: Int]) -> Bool {
        if let present = known[place], present != digest { return false }
        guard let use = uses[place] else { return true }
        // The value that a transfer of an earlier launch needs is known only if it is still in the store.
        return use.digest.map { $0 == digest } ?? (known[place] != nil)
    }

    private static func otherValue(_ place: Place) -> ConversationError {
        ConversationError(
            .invalidConfiguration,
            "The system's cookie store has another value of the cookie \(place.name) for \(place.domain), or a running background transfer may need one: one of both transfers would be sent with another session. Nothing was sent: wait until the other transfers have ended or cancel them, remove the application's own cookie, or transfer in the foreground."
        )
    }

    /// The cookies among these that no running transfer needs.
    func unused(_ places: Set<Place>) -> Set<Place> { places.filter { uses[$0] == nil } }

    /// Notes the end of a transfer.
    ///
    /// - Returns: the cookies to remove now
    mutating func end(_ label: BackgroundLabel) -> Set<Place> { end([label.cookies]) }

    /// Notes the ends of transfers, by their cookies.
    ///
    /// - Returns: the cookies to remove now
    mutating func end(_ transfers: [Set<Place>]) -> Set<Place> {
        for place in transfers.joined() {
            uses[place]?.transfers -= 1
            if let use = uses[place], use.transfers <= 0 { uses[place] = nil }
        }
        return Set(transfers.joined()).filter { uses[$0] == nil }
    }
}
