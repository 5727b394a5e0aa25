public import Foundation
internal import HttpConvConcurrency
internal import Synchronization

/// Keeps a device's certificate young: it is renewed when so much of its life is over.
///
/// ```swift
/// let renewal = CertificateRenewal(enrolment) { try await vault.read(EnrolledIdentity.self, "certificate") }
///     store: { try await vault.write($0, "certificate") }
/// let identity = try await renewal.identity()
/// ```
/// Whoever asks at the same time shares one renewal. The old certificate stays until the new one is stored, and is used on
/// where renewing fails, as long as it is valid. Two processes may both renew: what is stored last counts, and each is good.
public final class CertificateRenewal: Sendable {
    /// Reads what is stored; nil where nothing was enrolled.
    public typealias Load = @Sendable () async throws -> EnrolledIdentity?
    /// Stores key and certificate together, at once or not at all.
    public typealias Store = @Sendable (EnrolledIdentity) async throws -> Void

    private let enrolment: any CertificateEnrolment
    private let share: Double
    private let retryInterval: Duration
    private let now: @Sendable () -> Date
    private let load: Load
    private let store: Store
    private let flight = SingleFlight<Int, EnrolledIdentity>()
    private let failure = Mutex<(error: EnrolmentError, date: Date)?>(nil)

    /// A renewal by an enrolment.
    ///
    /// - Parameters:
    ///   - enrolment: gets the next certificate
    ///   - share: of a certificate's life, from 0 to 1, after which it is renewed
    ///   - retryInterval: how long nobody asks again after a renewal that failed
    ///   - now: the time
    ///   - load: reads what is stored
    ///   - store: stores what was renewed
    public init(
        _ enrolment: any CertificateEnrolment, after share: Double = 2.0 / 3, retryInterval: Duration = .seconds(3600),
        now: @escaping @Sendable () -> Date = { Date() }, load: @escaping Load, store: @escaping Store
    ) {
        self.enrolment = enrolment
        self.share = share
        self.retryInterval = retryInterval
        self.now = now
        self.load = load
        self.store = store
    }

    /// When an identity has to be renewed.
    func dueDate(of identity: EnrolledIdentity) -> Date { identity.dueDate(after: share) }

    /// Why the last renewal failed; nil where it did not, or there was none.
    public var lastFailure: EnrolmentError? { failure.withLock { $0?.error } }

    /// The identity to use, renewed first where that is due; nil where nothing was enrolled.
    /// - Throws: what the storage throws; ``EnrolmentError``, ``EnrolmentError/Code/expired`` among them, where there is
    ///   none that is valid: enrol again
    public func identity() async throws -> EnrolledIdentity? {
        guard let old = try await load() else { return nil }
        let date = now()
        guard date <= old.identity.summary.notAfter else {
            throw EnrolmentError(
                .expired,
                "The device's certificate was valid until \(old.identity.summary.notAfter.formatted(.iso8601)), and was not renewed in time: enrol again."
            )
        }
        guard old.isDue(after: share, now: date), !failedLately(date) else { return old }
        do { return try await renew(onlyIfDue: true) } catch {
            // Who does not wait any more has no use for the old one either.
            if Task.isCancelled { throw error }
            return old
        }
    }

    /// Renews at once, however young the certificate is.
    ///
    /// - Throws: what the storage throws; ``EnrolmentError``: the old one is as good as before
    @discardableResult
    public func renew() async throws -> EnrolledIdentity { try await renew(onlyIfDue: false) }

    private func renew(onlyIfDue: Bool) async throws -> EnrolledIdentity {
        // A certificate that was made is to be stored, also where nobody waits any more.
        try await flight.join(0, mustLand: true) { [self] in
            do {
                let renewed = try await renewed(onlyIfDue: onlyIfDue)
                failure.withLock { $0 = nil }
                return renewed
            } catch {
                let date = now()
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
            throw EnrolmentError(.invalidRequest, "There is no certificate that could be renewed: enrol.")
        }
        // Another process, or the flight before this one, may have been faster.
        if onlyIfDue, !old.isDue(after: share, now: now()) { return old }
        let new = try await enrolment.renew(old)
        do { try await store(new) } catch {
            throw EnrolmentError(
                .notStored, "The new certificate could not be stored: the old one stays.", underlyingError: error)
        }
        return new
    }

    private func failedLately(_ date: Date) -> Bool {
        guard let failed = failure.withLock({ $0?.date }) else { return false }
        let passed = date.timeIntervalSince(failed)
        // A clock that went back says nothing.
        return passed >= 0 && passed < TimeInterval(retryInterval.components.seconds)
    }
}
