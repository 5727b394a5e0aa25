import Foundation
import Synchronization

/// Keeps the certificate of a registration young, where it was enrolled: ahead of requests, never in a handshake.
final class PersonCertificateRenewal: Sendable {
    private struct State {
        var renewal: CertificateRenewal?
        /// When somebody has to look into the vault. What is in the vault is not kept here.
        var due: Date?
    }

    /// What a renewal sends itself waits for none.
    @TaskLocal private static var isRenewing = false

    let now: @Sendable () -> Date
    private let enrolment: (any CertificateEnrolment)?
    private let state = Mutex(State())

    init(_ enrolment: (any CertificateEnrolment)?, now: @escaping @Sendable () -> Date) {
        self.enrolment = enrolment
        self.now = now
    }

    /// From now on it is the certificate of a record that is in the vault.
    func look(after person: LogonPerson, _ record: RegistrationRecord) {
        guard let enrolment, record.isEnrolled, let identity = record.identity else { return }
        let renewal = CertificateRenewal(enrolment, now: now) { [weak person] in
            try await person?.record().identity
        } store: { [weak person] identity in
            guard let person else { throw LogonError.notLoggedOn }
            try await person.change { $0.identity = identity }
        }
        state.withLock { state in
            // The one that is there remembers what failed.
            state.renewal = state.renewal ?? renewal
            state.due = state.renewal?.dueDate(of: identity)
        }
    }

    /// Whether ``renew()`` has something to do. Cheap.
    var isDue: Bool {
        guard !Self.isRenewing, let due = state.withLock({ $0.due }) else { return false }
        return due <= now()
    }

    /// Renews the certificate, where that is due; whoever asks at the same time shares one renewal. Where it fails, the old
    /// one stays, and whoever shows it says what is wrong with it.
    ///
    /// - Returns: whether there is another one now; one caller is told so
    /// - Throws: `CancellationError` where nobody waits any more
    func renew() async throws(CancellationError) -> Bool {
        guard isDue, let renewal = state.withLock({ $0.renewal }) else { return false }
        let identity = try? await Self.$isRenewing.withValue(true) { try await renewal.identity() }
        guard !Task.isCancelled else { throw CancellationError() }
        guard var due = identity.map(renewal.dueDate) else { return false }
        // Due from the start, as where clocks differ: not again with each request.
        if due <= now(), renewal.lastFailure == nil { due = now().addingTimeInterval(3600) }
        return state.withLock { state in
            defer { state.due = due }
            return state.due != due
        }
    }

    /// Why the last renewal failed.
    var lastFailure: EnrolmentError? { state.withLock { $0.renewal }?.lastFailure }
}
