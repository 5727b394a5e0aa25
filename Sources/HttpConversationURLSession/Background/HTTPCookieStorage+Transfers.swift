import Foundation
import HttpConversation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPCookieStorage {
    /// Puts the cookies of a login into the store.
    ///
    /// - Returns: the places of those that are to be removed with the transfer
    func bring(_ cookies: [Cookie], noting transfers: inout TransferCookies) -> Set<BackgroundLabel.CookiePlace> {
        let brought = cookies.compactMap { HTTPCookie($0) }
        let known = Set((self.cookies ?? []).map(\.transferPlace))
        defer { for cookie in brought { setCookie(cookie) } }
        return transfers.begin(Set(brought.map(\.transferPlace)), known: known)
    }

    /// Removes the cookies at these places.
    func remove(_ places: Set<BackgroundLabel.CookiePlace>) {
        for cookie in cookies ?? [] where places.contains(cookie.transferPlace) { deleteCookie(cookie) }
    }
}

extension HTTPCookie {
    fileprivate var transferPlace: BackgroundLabel.CookiePlace {
        BackgroundLabel.CookiePlace(name: name, domain: domain, path: path)
    }

    /// A cookie of ours in the form of the system's store.
    fileprivate convenience init?(_ cookie: Cookie) {
        let properties = cookie.systemProperties.map { (HTTPCookiePropertyKey($0), $1 as Any) }
        self.init(properties: Dictionary(uniqueKeysWithValues: properties))
    }
}
