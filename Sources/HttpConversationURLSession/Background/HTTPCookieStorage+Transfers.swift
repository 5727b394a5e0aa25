import Foundation
import HttpConversation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPCookieStorage {
    /// Puts the cookies of a login into the store.
    ///
    /// - Parameter target: the URL of the transfer's request; nil: the system sends no cookies with it
    /// - Returns: the places of those that are to be removed with the transfer
    /// - Throws: the error for a cookie of which the application or a running transfer has another value; the store
    ///   stays as it is then
    func bring(
        _ cookies: [Cookie], for target: TargetURL?, noting transfers: inout TransferCookies
    ) throws(ConversationError) -> Set<BackgroundLabel.CookiePlace> {
        let brought = cookies.compactMap { HTTPCookie($0) }
        let own = try transfers.begin(
            Self.digests(of: brought), known: Self.digests(of: self.cookies ?? []),
            sent: target.map(placesOfCookies) ?? [])
        for cookie in brought where own.contains(cookie.transferPlace) { setCookie(cookie) }
        return own
    }

    /// The places of the cookies for a URL. Foundation on Linux does not look at their paths.
    private func placesOfCookies(for target: TargetURL) -> Set<BackgroundLabel.CookiePlace> {
        let cookies = cookies(for: target.foundationURL) ?? []
        return Set(cookies.map(\.transferPlace).filter { PathSpace.contains($0.path, target) })
    }

    /// The places of the cookies for the server of a URL, whatever their paths.
    func places(ofServer target: TargetURL) -> Set<BackgroundLabel.CookiePlace> {
        let host = "." + target.origin.host
        return Set((cookies ?? []).map(\.transferPlace).filter { host.hasSuffix(".\($0.domain.drop { $0 == "." })") })
    }

    /// The places of the cookies that an answer has set, as far as they still have its values.
    func places(setBy response: HTTPURLResponse) -> Set<BackgroundLabel.CookiePlace> {
        guard let url = response.url else { return [] }
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { fields[name] = value }
        }
        let present = Self.digests(of: cookies ?? [])
        let set = Self.digests(of: HTTPCookie.cookies(withResponseHeaderFields: fields, for: url))
        return Set(set.filter { present[$0] == $1 }.keys)
    }

    private static func digests(of cookies: [HTTPCookie]) -> [BackgroundLabel.CookiePlace: Int] {
        Dictionary(cookies.map { ($0.transferPlace, TransferCookies.digest($0.value)) }) { $1 }
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
