/// Controls and counters of a landscape's enrolment service.
extension Landscape {
    /// Makes a password for one certificate of that name at `/enrol/challenge`. It works once.
    public func makeEnrolmentChallenge(for name: String) -> String { world.enrolment.makeChallenge(for: name) }

    /// The fault of certificates; nil: none.
    package var enrolmentFault: EnrolmentFault? {
        get { world.enrolment.fault }
        set { world.enrolment.fault = newValue }
    }

    /// The lifetime of certificates in seconds.
    package var enrolmentLifetime: Int {
        get { world.enrolment.lifetime }
        set { world.enrolment.lifetime = newValue }
    }

    /// The counters of the enrolment service.
    package var enrolmentCounters: EnrolmentCounters { world.enrolment.counters.current }

    /// Holds all requests for certificates until the gate is released.
    ///
    /// The admin API does it with `/admin/hold?path=enrolment`.
    public func holdEnrolment() -> Gate { world.gates.close(EnrolmentServer.gate) }
}
