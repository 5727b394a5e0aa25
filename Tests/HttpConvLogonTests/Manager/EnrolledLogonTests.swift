import Foundation
import HttpConvAuthFlows
import HttpConvCertificates
import HttpConvVault
import HttpConversation
import HttpConversationTesting
import Synchronization
import TestLandscape
import Testing

@testable import HttpConvLogon

/// A logon with an enrolled certificate, which is renewed while it is used.
@Suite("Logon with an enrolled certificate", .timeLimit(.minutes(1))) struct EnrolledLogonTests {
    /// The date, and the certificates that were shown.
    private final class EnrolmentBench: Sendable, ConversationObserver {
        let clock = TestClock(at: Date())
        private let fingerprints = Mutex<[String]>([])

        var shown: [String] { fingerprints.withLock { $0 } }

        func observe(_ event: ConversationEvent) {
            guard case .clientCertificateUsed(let use) = event.kind, let certificate = use.certificate else { return }
            fingerprints.withLock { $0.append(certificate.fingerprintText) }
        }

        func wait(_ days: Double) { clock.setDate { $0 += days * 86_400 } }

        func manager(_ bench: LogonBench, _ logon: Logon) -> HttpConversationManager {
            var configuration = bench.configuration
            configuration.add(self)
            configuration.apply(logon.configurator)
            return HttpConversationManager(transport: bench.transport, configuration: configuration)
        }
    }

    /// An enrolment that opens another application, which is not installed.
    private final class OtherApplication: CertificateEnrolment {
        let requests = Mutex<[EnrolmentRequest]>([])

        func enrol(_ request: EnrolmentRequest) async throws(EnrolmentError) -> EnrolledIdentity {
            requests.withLock { $0.append(request) }
            throw EnrolmentError(.notAllowed, "The application is not installed.")
        }
        func renew(_ identity: EnrolledIdentity) async throws(EnrolmentError) -> EnrolledIdentity { identity }
    }

    private static let path = "/mobile/basic"
    private var options: LogonOptions {
        var options = LogonOptions()
        options.usesAfaria = true
        return options
    }

    private func enrolment(
        _ bench: LogonBench, _ manager: HttpConversationManager? = nil
    ) throws -> HTTPSEnrolment {
        var enrolment = try HTTPSEnrolment(
            manager ?? HttpConversationManager(transport: bench.transport),
            at: bench.landscape.url(.secure, "/enrol/challenge"),
            renewingAt: bench.landscape.url(.mutual, "/enrol/renew"))
        enrolment.authorities = Array(bench.landscape.certificates.authorityPEM.utf8)
        return enrolment
    }

    private func input(_ bench: LogonBench) -> RegistrationInput {
        var input = bench.input("mobile/basic", at: .mutual)
        input.enrolmentPassword = Redacted(bench.landscape.makeEnrolmentChallenge(for: "alice"))
        return input
    }

    /// Registers, and returns the certificate's fingerprint.
    private func registered(_ bench: LogonBench, _ device: EnrolmentBench) async throws -> (logon: Logon, old: String) {
        let logon = try bench.logon(options: options, clock: device.clock, enrolment: enrolment(bench))
        try await logon.register(input(bench))
        try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
        // Long enough for a clock that is ahead.
        bench.landscape.enrolmentLifetime = 30 * 86_400
        return (logon, try await certificate(logon))
    }

    private func certificate(_ logon: Logon) async throws -> String {
        try #require(await logon.person.record().identity).identity.summary.fingerprintText
    }

    // MARK: Enrolment

    @Test func enrolledByTheWay() async throws {
        try await withLogon { bench in
            let device = EnrolmentBench()
            let (first, certificate) = try await registered(bench, device)
            #expect(bench.landscape.enrolmentCounters.issued == 1)
            #expect(try await bench.backEnd(first, Self.path, .mutual).isRegistered)
            try await first.lock()
            // The next process reads it from the vault, even if it enrols nothing itself.
            let logon = try bench.logon()
            try await logon.unlock(passcode: LogonBench.passcode)
            let manager = device.manager(bench, logon)
            #expect(try await bench.backEnd(manager, Self.path, .mutual).user == "alice")
            #expect(Set(device.shown) == [certificate])
            #expect(bench.landscape.enrolmentCounters.issued == 1)
            #expect(bench.landscape.requests().compactMap(\.certificate).allSatisfy { $0.contains("CN=alice") })
        }
    }

    /// A fault of the certificate server is reported, and nothing is registered.
    @Test(arguments: [EnrolmentFault.otherKey, .otherSubject, .wrongAuthority, .expired, .page, .unavailable, .cut])
    func failing(fault: EnrolmentFault) async throws {
        try await withLogon { bench in
            bench.landscape.enrolmentFault = fault
            let logon = try bench.logon(options: options, enrolment: enrolment(bench))
            let error = await logonError { try await logon.register(input(bench)) }
            #expect(error?.code == .communicationManagerError)
            #expect(error?.underlyingError is EnrolmentError)
            #expect(await logon.state == .nothing)
            #expect(!PasscodeVault.exists(at: bench.directory))
            #expect(bench.landscape.requests().allSatisfy { $0.path.hasPrefix("/enrol/") })
            await #expect(throws: LogonError.self) { try await logon.person.record() }
            bench.landscape.enrolmentFault = nil
            try await logon.register(input(bench))
        }
    }

    /// The options ask for a certificate, and nothing enrols one: nothing is sent.
    @Test func withoutAnEnrolment() async throws {
        try await withLogon { bench in
            let logon = try bench.logon(options: options)
            let code = await logonCode { try await logon.register(input(bench)) }
            #expect(code == .invalidOperationContext)
            #expect(await logon.state == .nothing && bench.landscape.requests().isEmpty)
            // The person's own certificate needs no enrolment.
            let made = try bench.landscape.certificates.client("alice")
            var other = input(bench)
            other.identity = try ClientIdentity.pem(certificates: Array((made.certificatePEM + made.keyPEM).utf8))
            try await logon.register(other)
            #expect(await logon.state == .registered)
        }
    }

    /// An enrolment that opens another application gets that application's scheme.
    @Test(arguments: ["", "own-afaria"]) func theSchemeOfAnotherApplication(scheme: String) async throws {
        try await withLogon { bench in
            var options = options
            options.afariaURLScheme = scheme
            let other = OtherApplication()
            let logon = try bench.logon(options: options, enrolment: other)
            let code = await logonCode { try await logon.register(input(bench)) }
            #expect(code == .communicationManagerError)
            #expect(other.requests.withLock { $0.map(\.urlScheme) } == [scheme.isEmpty ? nil : scheme])
        }
    }

    @Test func aChallengePasswordThatIsWrong() async throws {
        try await withLogon { bench in
            let logon = try bench.logon(options: options, enrolment: enrolment(bench))
            var input = input(bench)
            input.enrolmentPassword = Redacted("guessed")
            let error = await logonError { [input] in try await logon.register(input) }
            #expect((error?.underlyingError as? EnrolmentError)?.code == .notAllowed)
            #expect(error?.message.contains("guessed") == false)
            #expect(await logon.state == .nothing)
        }
    }

    /// A challenge password is valid once: after a mistyped password, the registration uses the certificate that it
    /// has.
    @Test func theCertificateOfAFailedRegistration() async throws {
        try await withLogon { bench in
            let logon = try bench.logon(options: options, enrolment: enrolment(bench))
            func register(_ user: String, _ password: String, _ challenge: Redacted<String>? = nil) async -> LogonError?
            {
                var input = bench.input("mobile/basic", at: .mutual, user: user, password: password)
                input.enrolmentPassword = challenge
                return await logonError { [input] in try await logon.register(input) }
            }
            let challenge = input(bench).enrolmentPassword
            #expect(await register("alice", "wrong", challenge)?.code == .invalidBackendPassword)
            #expect(await register("alice", "wrong", challenge)?.code == .invalidBackendPassword)
            #expect(await register("alice", "wonderland") == nil)
            #expect(bench.landscape.enrolmentCounters.issued == 1)
            // It is not kept after a success, nor for another person.
            try await logon.unregister()
            #expect(await register("alice", "wonderland")?.underlyingError is EnrolmentError)
            #expect(await register("alice", "wrong", input(bench).enrolmentPassword)?.code == .invalidBackendPassword)
            #expect(await register("bob", "builder")?.underlyingError is EnrolmentError)
            #expect(await register("alice", "wonderland")?.underlyingError is EnrolmentError)
            #expect(bench.landscape.enrolmentCounters.issued == 2)
        }
    }

    /// An enrolment that needs no password, and gives its certificates in order.
    private final class PreparedEnrolment: CertificateEnrolment {
        private let identities: Mutex<[ClientIdentity]>

        init(_ identities: [ClientIdentity]) { self.identities = Mutex(identities) }

        var left: Int { identities.withLock { $0.count } }

        func enrol(_ request: EnrolmentRequest) async throws(EnrolmentError) -> EnrolledIdentity {
            let next = identities.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let next else { throw EnrolmentError(.notAllowed, "There are no more.") }
            return EnrolledIdentity(next)
        }
        func renew(_ identity: EnrolledIdentity) async throws(EnrolmentError) -> EnrolledIdentity { identity }
    }

    private func identity(
        _ bench: LogonBench, _ validity: LandscapeClientCertificate.Validity = .now
    ) throws -> ClientIdentity {
        let made = try bench.landscape.certificates.client("alice", validity: validity)
        return try .pem(certificates: Array((made.certificatePEM + made.keyPEM).utf8))
    }

    /// The server refuses the certificate, while it is detected or later: the next registration gets another one.
    @Test(arguments: [true, false]) func aCertificateThatIsNotAccepted(usesFlowMode: Bool) async throws {
        try await withLogon { bench in
            let enrolment = PreparedEnrolment([try identity(bench, .revoked), try identity(bench)])
            var options = options
            options.usesFlowMode = usesFlowMode
            let logon = try bench.logon(options: options, enrolment: enrolment)
            let input = bench.input("mobile/basic", at: .mutual)
            #expect(await logonError { try await logon.register(input) } != nil)
            #expect(enrolment.left == 1)
            try await logon.register(input)
            #expect(enrolment.left == 0)
        }
    }

    /// Without a user name the next registration may be another person's.
    @Test(arguments: ["", "alice"]) func aCertificateWithoutAName(user: String) async throws {
        try await withLogon { bench in
            let enrolment = PreparedEnrolment([try identity(bench), try identity(bench)])
            let logon = try bench.logon(options: options, enrolment: enrolment)
            bench.landscape.mobileRule.fronts[.server] = .portalPage
            var input = bench.input("nowhere", at: .mutual, user: nil)
            input.values.backendUserName = user
            let code = await logonCode { [input] in try await logon.register(input) }
            #expect(code == .couldNotDecideCommunicator)
            input.values.resourcePath = "mobile/certificate"
            try await logon.register(input)
            #expect(enrolment.left == (user.isEmpty ? 0 : 1))
        }
    }

    @Test func failuresThatAreAboutTheCertificate() {
        func below(_ code: ConversationError.Code) -> LogonError {
            .wrapping(ConversationError(code, "It failed."))
        }
        #expect(below(.connectionFailed).isNotAboutCertificate && below(.timedOut).isNotAboutCertificate)
        #expect(LogonError(.invalidBackendPassword, "No.").isNotAboutCertificate)
        #expect(!below(.clientCertificateRefused).isNotAboutCertificate && !below(.tlsFailed).isNotAboutCertificate)
        #expect(!LogonError(.communicationManagerError, "403").isNotAboutCertificate)
    }

    @Test func cancelledWhileItIsEnrolled() async throws {
        try await withLogon { bench in
            let gate = bench.landscape.holdEnrolment()
            let logon = try bench.logon(options: options, enrolment: enrolment(bench))
            async let code = logonCode { try await logon.register(input(bench)) }
            try await gate.waitForWaiters(1)
            await logon.cancel()
            #expect(await code == .operationCancelled)
            gate.release()
            #expect(await logon.state == .nothing)
        }
    }

    // MARK: Renewal

    /// Twenty requests and an operation share one renewal; the new certificate is stored before it is shown.
    @Test func renewedAheadOfRequests() async throws {
        try await withLogon { bench in
            let device = EnrolmentBench()
            let (logon, old) = try await registered(bench, device)
            let managers = (0..<4).map { _ in device.manager(bench, logon) }
            _ = try await bench.backEnd(managers[0], Self.path, .mutual)
            #expect(device.shown.last == old)
            device.wait(4)
            _ = try await bench.backEnd(managers[0], Self.path, .mutual)
            #expect(bench.landscape.enrolmentCounters.renewed == 0)
            device.wait(1)
            let gate = bench.landscape.holdEnrolment()
            let sent = bench.landscape.requests(path: "\(Self.path)/\(LogonBench.applicationID)/orders").count
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        _ = try await bench.backEnd(managers[number % 4], Self.path, .mutual)
                    }
                }
                group.addTask { try await logon.logon() }
                try await gate.waitForWaiters(1)
                #expect(try await certificate(logon) == old)
                gate.release()
                try await group.waitForAll()
            }
            #expect(sent > 0 && bench.landscape.enrolmentCounters.renewed == 1)
            let new = try await certificate(logon)
            #expect(new != old)
            #expect(device.shown.last == new)
            #expect(logon.renewalFailure == nil)
            try await logon.lock()
            let next = try bench.logon(options: options, clock: device.clock, enrolment: enrolment(bench))
            try await next.unlock(passcode: LogonBench.passcode)
            #expect(try await certificate(next) == new)
            #expect(try await bench.backEnd(next, Self.path, .mutual).isRegistered)
            #expect(bench.landscape.enrolmentCounters.renewed == 1)
        }
    }

    /// A new certificate that is due at once, as with differing clocks, is not renewed with each request.
    @Test func dueFromTheStart() async throws {
        try await withLogon { bench in
            let device = EnrolmentBench()
            let (logon, _) = try await registered(bench, device)
            bench.landscape.enrolmentLifetime = 6 * 86_400
            device.wait(5)
            for _ in 0..<4 { #expect(try await bench.backEnd(logon, Self.path, .mutual).isRegistered) }
            #expect(bench.landscape.enrolmentCounters.renewed == 1)
        }
    }

    /// If renewing fails, the old one is used, and retried after an hour. An expired one fails without a request.
    @Test func theOldOneStays() async throws {
        try await withLogon { bench in
            let device = EnrolmentBench()
            let (logon, old) = try await registered(bench, device)
            let manager = device.manager(bench, logon)
            device.wait(5)
            bench.landscape.enrolmentFault = .otherKey
            for _ in 0..<3 { #expect(try await bench.backEnd(manager, Self.path, .mutual).isRegistered) }
            try await logon.logon()
            #expect(logon.renewalFailure?.code == .wrongKey)
            #expect(bench.landscape.enrolmentCounters.renewed == 1)
            #expect(try await certificate(logon) == old)
            #expect(Set(device.shown) == [old])
            // The failure is remembered after unlocking, too.
            try await logon.lock()
            try await logon.unlock(passcode: LogonBench.passcode)
            #expect(try await bench.backEnd(manager, Self.path, .mutual).isRegistered)
            #expect(bench.landscape.enrolmentCounters.renewed == 1)

            device.wait(3)
            try await logon.lock()
            try await logon.unlock(passcode: LogonBench.passcode)
            let error = await #expect(throws: ConversationError.self) {
                _ = try await bench.backEnd(device.manager(bench, logon), Self.path, .mutual)
            }
            #expect(error?.code == .clientCertificateUnusable, "\(String(describing: error))")
            #expect(error?.message.contains("was valid until") == true)
        }
    }

    /// If the vault is locked during a renewal, it stays locked and unchanged.
    @Test func lockedMeanwhile() async throws {
        try await withLogon { bench in
            let device = EnrolmentBench()
            let (logon, old) = try await registered(bench, device)
            device.wait(5)
            let gate = bench.landscape.holdEnrolment()
            async let code = logonCode { try await bench.backEnd(logon, Self.path, .mutual) }
            try await gate.waitForWaiters(1)
            try await logon.lock()
            gate.release()
            #expect(await code == .operationNotAllowed)
            #expect(await logon.state == .locked)
            #expect(logon.renewalFailure?.code == .notStored)
            try await logon.unlock(passcode: LogonBench.passcode)
            #expect(try await certificate(logon) == old)
            #expect(try await bench.backEnd(logon, Self.path, .mutual).isRegistered)
        }
    }

    /// An operation that began before the renewal, and ends after it, does not undo it.
    @Test func noChangeIsLost() async throws {
        try await withLogon { bench in
            let device = EnrolmentBench()
            let (logon, old) = try await registered(bench, device)
            let gate = bench.landscape.holdMobileConnections()
            async let settings = logon.refreshSettings()
            try await gate.waitForWaiters(1)
            device.wait(5)
            _ = try? await bench.backEnd(logon, "/certificate", .mutual)
            gate.release()
            _ = try await settings
            #expect(bench.landscape.enrolmentCounters.renewed == 1)
            #expect(try await certificate(logon) != old)
        }
    }

    /// A certificate that a person has brought is not renewed.
    @Test func notEnrolled() async throws {
        try await withLogon { bench in
            let device = EnrolmentBench()
            let made = try bench.landscape.certificates.client("alice")
            var input = bench.input("mobile/basic", at: .mutual)
            input.identity = try .pem(certificates: Array((made.certificatePEM + made.keyPEM).utf8))
            let logon = try bench.logon(options: options, clock: device.clock, enrolment: enrolment(bench))
            try await logon.register(input)
            try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            let identity = try #require(input.identity)
            device.clock.setDate { $0 = identity.summary.notAfter.addingTimeInterval(-1) }
            #expect(try await bench.backEnd(logon, Self.path, .mutual).isRegistered)
            #expect(bench.landscape.enrolmentCounters.issued == 0)
        }
    }

    /// A renewal with a manager that the logon configures does not wait for itself.
    @Test func renewedByItself() async throws {
        try await withLogon { bench in
            let device = EnrolmentBench()
            _ = try await registered(bench, device)
            let late = LateEnrolment()
            let logon = try bench.logon(options: options, clock: device.clock, enrolment: late)
            let enrolment = try enrolment(bench, bench.manager(logon.configurator))
            late.enrolment.withLock { $0 = enrolment }
            try await logon.unlock(passcode: LogonBench.passcode)
            device.wait(5)
            try await logon.logon()
            #expect(logon.renewalFailure == nil)
            #expect(bench.landscape.enrolmentCounters.renewed == 1)
            device.wait(5)
            #expect(try await bench.backEnd(logon, Self.path, .mutual).isRegistered)
        }
    }

    private final class LateEnrolment: CertificateEnrolment {
        let enrolment = Mutex<HTTPSEnrolment?>(nil)

        private func ready() throws(EnrolmentError) -> HTTPSEnrolment {
            guard let enrolment = enrolment.withLock({ $0 }) else { throw EnrolmentError(.invalidRequest, "too early") }
            return enrolment
        }

        func enrol(_ request: EnrolmentRequest) async throws(EnrolmentError) -> EnrolledIdentity {
            try await ready().enrol(request)
        }

        func renew(_ identity: EnrolledIdentity) async throws(EnrolmentError) -> EnrolledIdentity {
            try await ready().renew(identity)
        }
    }
}
