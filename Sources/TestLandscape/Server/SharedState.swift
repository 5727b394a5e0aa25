import Synchronization

/// The state that the origins of a landscape share.
final class SharedState: Sendable {
    let clock: LandscapeClock
    let certificates: LandscapeCertificates
    let users: UserDirectory
    let recorder: Recorder
    let services: [any Service]
    let counters = CounterSet<LandscapeCounters>()
    let connections: ConnectionTable
    let gates = GateTable()
    let faults = FaultTable()
    let addresses: OriginAddresses
    let adminToken = RandomToken.make()
    let httpDate = HTTPDateCache()
    /// The time after which an idle connection is closed; nil: never.
    let idleTimeout: Duration?
    private let servicesByType: [ObjectIdentifier: any Service]

    init(
        clock: LandscapeClock, certificates: LandscapeCertificates, users: [LandscapeUser], recorder: Recorder,
        addresses: OriginAddresses, idleTimeout: Duration?, services: [any Service]
    ) {
        self.clock = clock
        self.certificates = certificates
        self.users = UserDirectory(users)
        self.recorder = recorder
        self.addresses = addresses
        self.idleTimeout = idleTimeout
        self.services = services
        servicesByType = Dictionary(
            services.map { (ObjectIdentifier(type(of: $0)), $0) }, uniquingKeysWith: { first, _ in first })
        connections = ConnectionTable(counters: counters)
    }

    /// The service of that type, which must be in the list of services.
    func service<Wanted: Service>(_ type: Wanted.Type = Wanted.self) -> Wanted {
        guard let service = servicesByType[ObjectIdentifier(type)] as? Wanted else {
            preconditionFailure("\(type) is missing in the list of services")
        }
        return service
    }

    /// Records a request's head. Returns nil while recording is off, and for requests of the admin API and for the
    /// stylesheet.
    func record(
        origin: LandscapeOrigin, connection: Int, method: String, target: String, certificate: String? = nil,
        fields: [HeaderField]
    ) -> Int? {
        let path = String(target.prefix { $0 != "?" })
        guard !path.hasPrefix("/admin/"), path != PageStyle.path else { return nil }
        return recorder.add(path: path) { id in
            RecordedRequest(
                id: id, origin: origin, connection: connection, time: clock.date,
                method: method, target: target, certificate: certificate, fields: fields)
        }
    }

    /// Notes that the head of a final response is about to be written. A wire script may have no status.
    func answered(on connection: Connection, status: Int?) {
        if status == 401 { counters.count(\.unauthorized) }
        recorder.update(connection.dequeueAnswered()) { $0.status = status }
    }

    /// Ends all cookie sessions.
    func endSessions() {
        for service in services { service.endSessions() }
    }

    /// Forgets records, counters, faults, gates, sessions, nonces, tokens and logins. Users and clients stay.
    func reset() {
        recorder.reset()
        counters.reset()
        faults.removeAll()
        gates.openAll()
        for service in services { service.reset() }
    }
}
