package import HttpConvConcurrency
internal import HttpConvPlatform
internal import Synchronization

/// Renews a device's certificate once a given share of its life is over.
///
/// ```swift
/// let renewal = CertificateRenewal(enrolment) { try await vault.read(EnrolledIdentity.self, "certificate") }
///     store: { try await vault.write($0, "certificate") }
/// let identity = try await renewal.identity()
/// ```
/// Simultaneous callers share one renewal. The old certificate stays until the new one is stored. If renewing fails,
/// the old one is used as long as it is valid. Two processes may both renew: the last one stored counts, and both are
/// valid.
public final class CertificateRenewal: Sendable {
    /// Reads the stored identity; nil if nothing was enrolled.
    public typealias Load = @Sendable () async throws -> EnrolledIdentity?
    /// Stores key and certificate together, atomically.
    public typealias Store = @Sendable (EnrolledIdentity) async throws -> Void

    private let enrolment: any CertificateEnrolment
    private let share: Double
    private let retryInterval: Duration
    private let clock: any WallClock
    private let load: Load
    private let store: Store
    private let flight = SingleFlight<Int, EnrolledIdentity>()
    private let failure = Mutex<(error: EnrolmentError, date: Date)?>(nil)

    /// Creates a renewal that uses an enrolment.
    ///
    /// - Parameters:
    ///   - enrolment: gets the next certificate
    ///   - share: the share of a certificate's life, from 0 to 1, after which it is renewed
    ///   - retryInterval: the pause after a failed renewal
    ///   - load: reads the stored identity
    ///   - store: stores the renewed identity
    public convenience init(
        _ enrolment: any CertificateEnrolment, after share: Double = 2.0 / 3, retryInterval: Duration = .seconds(3600),
        load: @escaping Load, store: @escaping Store
    ) {
        self.init(enrolment, after: share, retryInterval: retryInterval, clock: SystemClock(), load: load, store: store)
    }

    /// Creates a renewal with another clock; for tests.
    package init(
        _ enrolment: any CertificateEnrolment, after share: Double = 2.0 / 3, retryInterval: Duration = .seconds(3600),
        clock: any WallClock, load: @escaping Load, store: @escaping Store
    ) {
        self.enrolment = enrolment
        self.share = share
        self.retryInterval = retryInterval
        self.clock = clock
        self.load = load
        self.store = store
    }

    /// The date when an identity has to be renewed.
    func dueDate(of identity: EnrolledIdentity) -> Date { identity.dueDate(after: share) }

    /// The error of the last renewal; nil if it succeeded, or there was none.
    public var lastFailure: EnrolmentError? { failure.withLock { $0?.error } }

    /// The identity to use, renewed first if that is due; nil if nothing was enrolled.
    /// - Throws: the storage's error; ``EnrolmentError``, with ``EnrolmentError/Code/expired`` if the stored
    ///   certificate has expired: enrol again
    public func identity() async throws -> EnrolledIdentity? {
        guard let old = try await load() else { return nil }
        let date = clock.date
        guard date <= old.identity.summary.notAfter else {
            throw EnrolmentError(
                .expired,
                "The device's certificate was valid until \(old.identity.summary.notAfter.formatted(.iso8601)), and was not renewed in time: enrol again."
            )
        }
        guard old.isDue(after: share, now: date), !failedLately(date) else { return old }
        do { return try await renew(onlyIfDue: true) } catch {
            // A cancelled caller does not need the old one either.
            if Task.isCancelled { throw error }
            return old
        }
    }

    /// Renews at once, whatever the certificate's age.
    ///
    /// - Throws: the storage's error; ``EnrolmentError``: the old one is still valid
    @discardableResult
    public func renew() async throws -> EnrolledIdentity { try await renew(onlyIfDue: false) }

    private func renew(onlyIfDue: Bool) async throws -> EnrolledIdentity {
        // A certificate that was made must be stored, even if all waiters are cancelled.
        try await flight.join(0, runsToCompletion: true) { [self] in
            do {
                let renewed = try await renewed(onlyIfDue: onlyIfDue)
                failure.withLock { $0 = nil }
                return renewed
            } catch {
                let date = clock.date
                let error =
                    error as? EnrolmentError
                    ?? EnrolmentError(
                        .notStored, "The certificate could not be read or stored.", underlyingError: error)
                failure.withLock { $0 = (error, date) }
                throw error
            }
        }
    }

    private func renewed(onlyIfDue: Bool) async throws -> EnrolledIdentity {
        guard let old = try await load() else {
            throw EnrolmentError(.invalidRequest, "There is no certificate to renew: enrol first.")
        }
        // Another process, or the previous flight, may have renewed already.
        if onlyIfDue, !old.isDue(after: share, now: clock.date) { return old }
        let new = try await enrolment.renew(old)
        do { try await store(new) } catch {
            throw EnrolmentError(
                .notStored, "The new certificate could not be stored: the old one stays.", underlyingError: error)
        }
        return new
    }

    private func failedLately(_ date: Date) -> Bool {
        guard let failed = failure.withLock({ $0?.date }) else { return false }
        // If the clock was set back, the pause does not apply.
        return failed <= date && date < failed + retryInterval
    }
}
