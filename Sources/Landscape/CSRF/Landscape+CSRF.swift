/// Controls and counters of a landscape's CSRF services.
extension Landscape {
    /// The counters of the CSRF services.
    package var csrfCounters: CSRFCounters { world.csrf.counters }

    /// Makes all CSRF tokens invalid. Their sessions stay.
    public func expireCSRFTokens() { world.csrf.expireTokens() }

    /// Ends all sessions of the CSRF services, and their tokens with them.
    public func endCSRFSessions() { world.csrf.endSessions() }
}
