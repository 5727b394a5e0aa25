import HttpC

/// The records of a profile's vault.
enum StateRecords {
    static let cookies = StateRecord(name: "cookies", empty: CookieStore.Snapshot(), isDispensable: false)
    /// A random number of the last removal of the cookies; 0 if there was none. Processes that loaded the cookies
    /// before notice by it that the cookies were removed.
    static let cookieRemoval = StateRecord(name: "cookie removal", empty: UInt64(0), isDispensable: true)
    /// The end of each page's last login. Without it, one more login is needed.
    static let webLogins = StateRecord(name: "web logins", empty: [String: WebLoginEnd](), isDispensable: true)
    /// The sessions at identity providers. Without them, one more question is asked.
    static let singleSignOn = StateRecord(
        name: "single sign-on", empty: SingleSignOnSessions(), isDispensable: true)
    /// The time step of the last code, by the hash of its secret. Without it a server refuses a code.
    static let usedCodes = StateRecord(name: "used one-time codes", empty: [String: UInt64](), isDispensable: true)
    /// The pin of the accepted key, by origin. Not dispensable: a changed key must be noticed.
    static let knownServers = StateRecord(name: "known servers", empty: [String: String](), isDispensable: false)
}
