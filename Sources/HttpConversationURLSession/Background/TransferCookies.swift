/// The cookies in the system's store that running transfers have brought. They are removed with the last transfer that
/// needs them; what the application had there before stays.
struct TransferCookies {
    typealias Place = BackgroundLabel.CookiePlace

    /// The number of running transfers for each cookie.
    private var users: [Place: Int] = [:]

    /// Notes transfers of an earlier launch of the application.
    mutating func found(_ labels: [BackgroundLabel]) {
        for place in labels.flatMap(\.cookies) { users[place, default: 0] += 1 }
    }

    /// Notes a transfer that brings cookies.
    ///
    /// - Parameter known: the cookies that are in the store already
    /// - Returns: those that are to be removed with the transfer
    mutating func begin(_ places: Set<Place>, known: Set<Place>) -> Set<Place> {
        let own = places.filter { !known.contains($0) || users[$0] != nil }
        for place in own { users[place, default: 0] += 1 }
        return own
    }

    /// The cookies to remove of transfers that the system has lost, which are not among those that it has.
    func unused(_ places: Set<Place>) -> Set<Place> { places.filter { users[$0] == nil } }

    /// Notes the end of a transfer.
    ///
    /// - Returns: the cookies to remove now
    mutating func end(_ label: BackgroundLabel) -> Set<Place> {
        for place in label.cookies { users[place] = users[place].flatMap { $0 > 1 ? $0 - 1 : nil } }
        return label.cookies.filter { users[$0] == nil }
    }
}
