/// What tests change in, and ask of, the enrolment service of a landscape.
extension Landscape {
    /// A password that gets one certificate of that name at `/enrol/challenge`, once.
    public func makeEnrolmentChallenge(for name: String) -> String { world.enrolment.makeChallenge(for: name) }

    /// What goes wrong with certificates; nil: nothing.
    package var enrolmentFault: EnrolmentFault? {
        get { world.enrolment.fault }
        set { world.enrolment.fault = newValue }
    }

    /// For how many seconds certificates are valid.
    package var enrolmentLifetime: Int {
        get { world.enrolment.lifetime }
        set { world.enrolment.lifetime = newValue }
    }

    /// What the enrolment service has counted.
    package var enrolmentCounters: EnrolmentCounters { world.enrolment.counters.current }

    /// Holds all requests for certificates until the gate is released.
    ///
    /// The admin API does it with `/admin/hold?path=enrolment`.
    public func holdEnrolment() -> Gate { world.gates.close(EnrolmentServer.gate) }
}
