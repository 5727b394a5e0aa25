import HttpConvAuthFlows
import HttpConvConcurrency
import HttpConvPlatform
import HttpConvVault
import HttpConversation
import MobileServices
import Synchronization

/// One person at one server, shared by all managers of a registration, from its first step until it is removed.
///
/// After that it is invalid for good: its managers never act for another person (security rule S2).
final class LogonPerson: Sendable {
    /// The place of the record.
    private enum Place: Sendable {
        case nowhere
        case memory(RegistrationRecord)
        case vault(PasscodeVault)
        case over
    }

    private struct State {
        var place = Place.nowhere
        var profile: RegistrationProfile?
        /// The server of a registration in progress, whose kind is not known yet.
        var candidate: (origin: Origin, identity: ClientIdentity)?
    }

    let session = HttpSession()
    let tokens = PersonTokenStorage()
    let certificate: PersonCertificateRenewal
    /// The cookies as this process last read them from the vault or wrote them into it.
    let keptCookies = Mutex(CookieStore.Snapshot())
    private let state = Mutex(State())

    /// - Parameters:
    ///   - enrolment: renews an enrolled certificate; nil: it is not renewed
    ///   - clock: the clock of its renewal
    init(enrolment: (any CertificateEnrolment)?, clock: any WallClock) {
        certificate = PersonCertificateRenewal(enrolment, clock: clock)
    }

    var profile: RegistrationProfile? { state.withLock { $0.profile } }

    // MARK: Changes of the registration

    /// Lets a server have the certificate during detection, which may ask for it in the TLS handshake.
    func beginRegistration(at origin: Origin, with identity: ClientIdentity?) {
        state.withLock { $0.candidate = identity.map { (origin, $0) } }
    }

    /// Keeps the record of a registration in memory.
    func take(_ record: RegistrationRecord, _ profile: RegistrationProfile) {
        state.withLock { state in
            state.profile = profile
            state.place = .memory(record)
        }
    }

    /// Keeps the record in the vault from now on, and only there.
    func move(into vault: PasscodeVault, _ profile: RegistrationProfile, _ record: RegistrationRecord) {
        state.withLock { state in
            state.profile = profile
            state.place = .vault(vault)
            state.candidate = nil
        }
        tokens.use(vault)
        certificate.watchCertificate(of: self, record)
    }

    /// Drops passwords, certificates and tokens that were read from the vault, when it is locked.
    func forget() {
        session.removeCredentials()
        tokens.forget()
    }

    /// Clears everything after a registration has failed. The next one may use the person.
    func clear() { clear(State()) }

    /// Clears everything after the registration was removed. Nobody may use the person any more.
    func end() { clear(State(place: .over)) }

    private func clear(_ next: State) {
        state.withLock { $0 = next }
        session.cookies.removeAll()
        keptCookies.withLock { $0 = CookieStore.Snapshot() }
        session.removeCredentials()
        // A connection that could not be withdrawn would otherwise be the next person's.
        session.forgetConnections()
        tokens.clear()
    }

    // MARK: Values for requests

    /// Reads the record from memory or the vault.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` while the vault is locked, and if there is no record
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

    /// Changes the record in its place; concurrent changes of other processes are kept.
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

    /// Renews the certificate, if that is due.
    ///
    /// - Throws: `CancellationError` if the caller was cancelled; after any other failure the old one stays
    func renewCertificate() async throws(CancellationError) {
        // The session has cached the old one, and would keep showing it.
        if try await certificate.renew() { session.removeCredentials() }
    }

    /// The certificate for the registered server.
    func identity(for target: TargetURL) async throws -> ClientIdentity? {
        let candidate = state.withLock { $0.candidate }
        if let candidate, candidate.origin == target.origin { return candidate.identity }
        guard let identity = try await record().identity?.identity else { return nil }
        let end = identity.summary.notAfter
        guard certificate.clock.date <= end else {
            throw ConversationError(
                .clientCertificateUnusable,
                "The device's certificate for \(target.origin) was valid until \(end.formatted(.iso8601)), and was not renewed in time: register again."
            )
        }
        return identity
    }

    /// Whether a server is the registered one, or the one of a registration in progress.
    func isServer(_ origin: Origin) -> Bool {
        state.withLock { $0.profile?.root.origin == origin || $0.candidate?.origin == origin }
    }
}
