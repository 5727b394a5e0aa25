extension Origin {
    /// Whether what is meant for this origin may go to the other one: to itself, and where it is http to https on the
    /// same host, whatever the port. The one rule for whom a password is for (security rule S7).
    public func covers(_ other: Origin) -> Bool {
        self == other || (scheme == .http && other.scheme == .https && host == other.host)
    }
}
