import HttpC
import HttpCTerminal

/// A profile's settings about the sessions at identity providers.
struct SingleSignOnKeys: Sendable {
    /// `sso`: the place of the sessions.
    enum Store: Equatable, Sendable {
        /// The profile's own.
        case own
        /// A place that all profiles with this name share.
        case named(String)
        /// No sessions are kept.
        case none
    }

    var store = Store.own
    /// `sso-max-age`: the time for which a cookie without an expiry is used.
    var maximumAge = Duration.seconds(8 * 3600)
    /// `sso-origins`: the identity providers; nil: the origins that the profile names for other purposes.
    var origins: [Origin]?
    /// `logout-url`: the page that ends the session at the relying party.
    var logoutURL: TargetURL?

    /// Words for people that say who shares the sessions; empty if no other profile may.
    var sharedWords: String {
        if case .named(let name) = store { ", shared by the profiles with sso = \"\(name)\"" } else { "" }
    }
}
