public import HttpConversation

/// The identity providers whose sessions serve later logins, and for how long (security rule S33).
public struct SingleSignOnPolicy: Hashable, Sendable {
    /// The longest ``maximumAge``: seven days.
    public static let longestAge = Duration.seconds(7 * 86_400)

    /// The identity providers' origins. Their cookies are kept after a login, and sent there in later ones. Further
    /// origins are those that the person confirmed during a login in the terminal.
    public let origins: Set<Origin>
    /// The time for which a cookie without an expiry of its own is used, counted from the moment it was set.
    public let maximumAge: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - origins: the identity providers, by https or on this machine. Only the origin of a URL counts
    ///   - maximumAge: the time for which a cookie without an expiry is used: at most ``longestAge``
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``,
    ///   ``/HttpConversation/ConversationError/Code/invalidConfiguration`` for an origin of plain http on another
    ///   machine, or an age out of range
    public init(
        origins: [any TargetURLConvertible], maximumAge: Duration = .seconds(8 * 3600)
    ) throws(ConversationError) {
        let origins = try origins.origins()
        if let plain = origins.first(where: { !$0.isSecure }) {
            throw ConversationError(
                .invalidConfiguration,
                "No session is kept for \(plain): it is plain http on another machine. Name an https origin.")
        }
        guard maximumAge >= .zero, maximumAge <= Self.longestAge else {
            throw ConversationError(
                .invalidConfiguration, "A session is kept for at most 7 days, not for \(maximumAge).")
        }
        self.origins = origins
        self.maximumAge = maximumAge
    }
}
