import HttpConvConcurrency
import HttpConvPlatform
import Synchronization

/// Renews an enrolled certificate of a registration: ahead of requests, never in a handshake.
final class PersonCertificateRenewal: Sendable {
    private struct State {
        var renewal: CertificateRenewal?
        /// The date of the next look into the vault. Nothing read from the vault is kept here.
        var due: Date?
    }

    /// Set during a renewal: its own requests do not wait for it.
    @TaskLocal private static var isRenewing = false

    let clock: any WallClock
    private let enrolment: (any CertificateEnrolment)?
    private let state = Mutex(State())

    init(_ enrolment: (any CertificateEnrolment)?, clock: any WallClock) {
        self.enrolment = enrolment
        self.clock = clock
    }

    /// Watches the certificate of a record that is in the vault.
    func watchCertificate(of person: LogonPerson, _ record: RegistrationRecord) {
        guard let enrolment, record.isEnrolled, let identity = record.identity else { return }
        let renewal = CertificateRenewal(enrolment, clock: clock) { [weak person] in
            try await person?.record().identity
        } store: { [weak person] identity in
            guard let person else { throw LogonError.notLoggedOn }
            try await person.change { $0.identity = identity }
        }
        state.withLock { state in
            // An existing renewal remembers its last failure.
            state.renewal = state.renewal ?? renewal
            state.due = state.renewal?.dueDate(of: identity)
        }
    }

    /// Whether ``renew()`` has something to do. Cheap: reads no vault.
    var isDue: Bool {
        guard !Self.isRenewing, let due = state.withLock({ $0.due }) else { return false }
        return due <= clock.date
    }

    /// Renews the certificate, if that is due; simultaneous callers share one renewal. If it fails, the old certificate
    /// stays, and an expired one fails where it is used.
    ///
    /// - Returns: whether there is a new certificate; only one caller gets true
    /// - Throws: `CancellationError` if the caller was cancelled
    func renew() async throws(CancellationError) -> Bool {
        guard isDue, let renewal = state.withLock({ $0.renewal }) else { return false }
        let identity = try? await Self.$isRenewing.withValue(true) { try await renewal.identity() }
        guard !Task.isCancelled else { throw CancellationError() }
        guard var due = identity.map(renewal.dueDate) else { return false }
        // A new certificate that is due at once, as with differing clocks, waits an hour.
        if due <= clock.date, renewal.lastFailure == nil { due = clock.date + .seconds(3600) }
        return state.withLock { state in
            defer { state.due = due }
            return state.due != due
        }
    }

    /// The error of the last renewal.
    var lastFailure: EnrolmentError? { state.withLock { $0.renewal }?.lastFailure }
}
