/// What tests change in, and ask of, the CSRF services of a landscape.
extension Landscape {
    /// What the CSRF services have counted.
    package var csrfCounters: CSRFCounters { world.csrf.counters }

    /// Makes all CSRF tokens worthless; their sessions stay.
    public func expireCSRFTokens() { world.csrf.expireTokens() }

    /// Ends all sessions of the CSRF services, and their tokens with them.
    public func endCSRFSessions() { world.csrf.endSessions() }
}
