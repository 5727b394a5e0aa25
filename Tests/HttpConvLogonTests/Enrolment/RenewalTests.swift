import Foundation
import HttpConvAuthFlows
import HttpConvCertificates
import HttpConvLogon
import HttpConversation
import HttpConversationTesting
import Synchronization
import TestLandscape
import Testing

/// A certificate is renewed in time, once, and automatically; the old one stays until the new one is stored.
@Suite("Renewal of certificates", .timeLimit(.minutes(1))) struct RenewalTests {
    /// The stored identity, and the date.
    private final class Device: Sendable {
        struct Refused: Error {}
        let stored = Mutex<EnrolledIdentity?>(nil)
        let refuses = Mutex(false)
        let clock = TestClock(at: Date())

        init(_ identity: EnrolledIdentity) { stored.withLock { $0 = identity } }

        func wait(_ share: Double) {
            guard let summary = stored.withLock({ $0?.identity.summary }) else { return }
            let life = summary.notAfter.timeIntervalSince(summary.notBefore)
            clock.setDate { $0 = summary.notBefore.addingTimeInterval(life * share) }
        }

        func renewal(_ enrolment: some CertificateEnrolment) -> CertificateRenewal {
            CertificateRenewal(enrolment, clock: clock) {
                self.stored.withLock { $0 }
            } store: { identity in
                guard !self.refuses.withLock({ $0 }) else { throw Refused() }
                self.stored.withLock { $0 = identity }
            }
        }
    }

    private func withDevice(
        _ body: (EnrolmentBench, HTTPSEnrolment, EnrolledIdentity, Device) async throws -> Void
    ) async throws {
        try await withEnrolment { bench in
            // This manager would log in to any server by its password.
            let enrolment = try bench.enrolment("challenge", bench.manager("alice"))
            let old = try await enrolment.enrol(bench.request())
            try await body(bench, enrolment, old, Device(old))
        }
    }

    @Test func byTheOldCertificateAlone() async throws {
        try await withDevice { bench, enrolment, old, _ in
            let new = try await enrolment.renew(old)
            #expect(new.identity.summary.subject == "CN=alice")
            #expect(new.identity.summary.publicKeyFingerprint != old.identity.summary.publicKeyFingerprint)
            #expect(try await bench.name(shownBy: new) == "CN=alice\n")
            #expect(try await bench.name(shownBy: old) == "CN=alice\n")
            let requests = bench.landscape.requests(path: "/enrol/renew")
            #expect(requests.map(\.certificate) == ["CN=alice"])
            #expect(requests.allSatisfy { $0.values(of: "Authorization").isEmpty && $0.values(of: "Cookie").isEmpty })
            #expect(bench.landscape.enrolmentCounters == .of(issued: 2, renewed: 1))
            // The new one can be renewed in turn, independently of the first.
            let newest = try await enrolment.renew(new)
            #expect(newest.identity != new.identity)
        }
    }

    /// A renewal is for the certificate's own subject only.
    @Test func forNobodyElse() async throws {
        try await withDevice { bench, _, old, _ in
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(clientCertificate: StaticIdentityProvider(old.identity))
            let enrolment = try HTTPSEnrolment(
                transport: bench.transport, at: bench.landscape.url(.mutual, "/enrol/renew"), configurator)
            let error = await enrolmentError { try await enrolment.enrol(EnrolmentRequest(commonName: "bob")) }
            #expect(error?.code == .notAllowed)
        }
    }

    @Test func notBeforeItIsDue() async throws {
        try await withDevice { bench, enrolment, old, device in
            let renewal = device.renewal(enrolment)
            for share in [0, 0.3, 0.66] {
                device.wait(share)
                let second = try await renewal.identity()
                #expect(second == old)
            }
            #expect(bench.landscape.enrolmentCounters.renewed == 0)
            device.wait(0.67)
            let new = try #require(try await renewal.identity())
            #expect(new != old)
            #expect(device.stored.withLock { $0 } == new)
            #expect(bench.landscape.enrolmentCounters.renewed == 1)
        }
    }

    @Test func manyAreOne() async throws {
        try await withDevice { bench, enrolment, old, device in
            let renewal = device.renewal(enrolment)
            device.wait(0.8)
            let gate = bench.landscape.holdEnrolment()
            try await withThrowingTaskGroup(of: EnrolledIdentity?.self) { group in
                for _ in 0..<20 { group.addTask { try await renewal.identity() } }
                try await gate.waitForWaiters(1)
                // The old certificate stays stored meanwhile.
                #expect(device.stored.withLock { $0 } == old)
                gate.release()
                var found: Set<EnrolledIdentity> = []
                for try await identity in group { found.insert(try #require(identity)) }
                #expect(found.count == 1)
                #expect(!found.contains(old))
            }
            #expect(bench.landscape.enrolmentCounters.renewed == 1)
        }
    }

    @Test func theOldOneStaysWhereTheServerFails() async throws {
        try await withDevice { bench, enrolment, old, device in
            let renewal = device.renewal(enrolment)
            bench.landscape.enrolmentFault = .otherKey
            device.wait(0.7)
            let third = try await renewal.identity()
            #expect(third == old)
            #expect(renewal.lastFailure?.code == .wrongKey)
            #expect(bench.landscape.enrolmentCounters.renewed == 1)
            // The failed renewal is not repeated at once, but after the retry interval.
            bench.landscape.enrolmentFault = nil
            let fourth = try await renewal.identity()
            #expect(fourth == old)
            #expect(bench.landscape.enrolmentCounters.renewed == 1)
            device.wait(0.75)
            let first = try await renewal.identity()
            #expect(first != old)
            #expect(renewal.lastFailure == nil)
            #expect(bench.landscape.enrolmentCounters.renewed == 2)
        }
    }

    @Test func theOldOneStaysWhereTheNewOneCannotBeStored() async throws {
        try await withDevice { bench, enrolment, old, device in
            let renewal = device.renewal(enrolment)
            device.refuses.withLock { $0 = true }
            device.wait(0.7)
            let second = try await renewal.identity()
            #expect(second == old)
            #expect(renewal.lastFailure?.code == .notStored)
            #expect(await enrolmentError { try await renewal.renew() }?.code == .notStored)
            #expect(device.stored.withLock { $0 } == old)
            #expect(try await bench.name(shownBy: old) == "CN=alice\n")
        }
    }

    @Test func tooLate() async throws {
        try await withDevice { bench, enrolment, _, device in
            let renewal = device.renewal(enrolment)
            device.wait(1.01)
            #expect(await enrolmentError { try await renewal.identity() }?.code == .expired)
            #expect(bench.landscape.enrolmentCounters.renewed == 0)
            device.stored.withLock { $0 = nil }
            let third = try await renewal.identity()
            #expect(third == nil)
            #expect(await enrolmentError { try await renewal.renew() }?.code == .invalidRequest)
        }
    }

    /// A new certificate is stored even if all waiters are cancelled.
    @Test func cancelledWhileItIsMade() async throws {
        try await withDevice { bench, enrolment, old, device in
            let renewal = device.renewal(enrolment)
            device.wait(0.8)
            let gate = bench.landscape.holdEnrolment()
            let task = Task { try await renewal.identity() }
            try await gate.waitForWaiters(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            gate.release()
            let new = try await renewal.renew()
            #expect(new != old)
            #expect(device.stored.withLock { $0 } == new)
            #expect(bench.landscape.enrolmentCounters.renewed == 1)
        }
    }
}
