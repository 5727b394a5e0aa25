import Foundation
import HttpConvAuthFlows
import HttpConversation
import MobileServices
import Synchronization

/// One person at one server, from the first step until the registration is removed: who all managers of a logon are.
///
/// After that it is over for good: what was configured for it never becomes somebody else (security rule S2).
final class LogonPerson: Sendable {
    /// Where the record is.
    private enum Place: Sendable {
        case nowhere
        case memory(RegistrationRecord)
        case vault(PasscodeVault)
        case over
    }

    private struct State {
        var place = Place.nowhere
        var profile: RegistrationProfile?
        /// The server that a registration is being tried at, before it is known what is there.
        var candidate: (origin: Origin, identity: ClientIdentity)?
    }

    let session = HttpSession()
    let tokens = PersonTokenStorage()
    let certificate: PersonCertificateRenewal
    private let state = Mutex(State())

    /// - Parameters:
    ///   - enrolment: renews a certificate that was enrolled; nil: nobody does
    ///   - now: the time
    init(enrolment: (any CertificateEnrolment)?, now: @escaping @Sendable () -> Date) {
        certificate = PersonCertificateRenewal(enrolment, now: now)
    }

    var profile: RegistrationProfile? { state.withLock { $0.profile } }
    var isOver: Bool { state.withLock { if case .over = $0.place { true } else { false } } }

    // MARK: Coming and going

    /// A server may ask for a certificate before it says what it is.
    func approach(_ origin: Origin, with identity: ClientIdentity?) {
        state.withLock { $0.candidate = identity.map { (origin, $0) } }
    }

    /// Registered, or about to be: in memory only.
    func take(_ record: RegistrationRecord, _ profile: RegistrationProfile) {
        state.withLock { state in
            state.profile = profile
            state.place = .memory(record)
        }
    }

    /// The record is in the vault from now on, and nowhere else.
    func move(into vault: PasscodeVault, _ profile: RegistrationProfile, _ record: RegistrationRecord) {
        state.withLock { state in
            state.profile = profile
            state.place = .vault(vault)
            state.candidate = nil
        }
        tokens.use(vault)
        certificate.look(after: self, record)
    }

    /// The vault is locked: passwords, certificates and tokens that were read from it are not kept in memory.
    func forget() {
        session.removeCredentials()
        tokens.forget()
    }

    /// The registration is no more, or did not come to be.
    func clear(isOver: Bool) {
        state.withLock { state in
            state = State()
            if isOver { state.place = .over }
        }
        session.cookies.removeAll()
        session.removeCredentials()
        tokens.clear()
    }

    // MARK: What requests need

    /// The record, from wherever it is.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` while the vault is locked, and where there is none
    func record() async throws(LogonError) -> RegistrationRecord {
        switch state.withLock({ $0.place }) {
        case .memory(let record): return record
        case .vault(let vault):
            do throws(PasscodeVaultError) {
                if let record = try await vault.read(RegistrationRecord.self, RegistrationRecord.name) { return record }
            } catch { throw .wrapping(error) }
            throw Self.noRecord
        case .nowhere, .over: throw .notLoggedOn
        }
    }

    /// Changes the record where it is kept; what others change in it stays.
    @discardableResult
    func change(
        _ change: @Sendable (inout RegistrationRecord) -> Void
    ) async throws(LogonError) -> RegistrationRecord {
        let place = state.withLock { state in
            if case .memory(var record) = state.place {
                change(&record)
                state.place = .memory(record)
            }
            return state.place
        }
        switch place {
        case .memory(let record): return record
        case .vault(let vault):
            do throws(PasscodeVaultError) {
                let name = RegistrationRecord.name
                if let record = try await vault.change(RegistrationRecord.self, name, change) { return record }
            } catch { throw .wrapping(error) }
            throw Self.noRecord
        case .nowhere, .over: throw .notLoggedOn
        }
    }

    private static var noRecord: LogonError {
        LogonError(.operationNotAllowed, "The vault holds no registration: register again.")
    }

    /// Renews the certificate, where that is due.
    ///
    /// - Throws: `CancellationError` where nobody waits any more; any other failure leaves the old one
    func renewCertificate() async throws(CancellationError) {
        // The session has shown the old one, and would go on to do so.
        if try await certificate.renew() { session.removeCredentials() }
    }

    /// The certificate for the registered server.
    func identity(for target: TargetURL) async throws -> ClientIdentity? {
        let candidate = state.withLock { $0.candidate }
        if let candidate, candidate.origin == target.origin { return candidate.identity }
        guard let identity = try await record().identity?.identity else { return nil }
        let end = identity.summary.notAfter
        guard certificate.now() <= end else {
            throw ConversationError(
                .clientCertificateUnusable,
                "The device's certificate for \(target.origin) was valid until \(end.formatted(.iso8601)), and was not renewed in time: register again."
            )
        }
        return identity
    }

    /// Whether a server is the registered one, or is being tried.
    func isServer(_ origin: Origin) -> Bool {
        state.withLock { $0.profile?.root.origin == origin || $0.candidate?.origin == origin }
    }
}
