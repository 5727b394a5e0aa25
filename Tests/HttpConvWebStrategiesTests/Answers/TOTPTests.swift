import Foundation
import HttpConvAuthFlows
import HttpConvConcurrency
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvWebStrategies

@Suite(.timeLimit(.minutes(1))) struct TOTPTests {
    /// RFC 6238, appendix B, SHA-1; the secret is "12345678901234567890".
    @Test(
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(UInt64, String)]) func vectors(time: UInt64, code: String) throws
    {
        let secret = try TOTPSecret(base32: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", digits: 8)
        #expect(secret.code(counter: time / 30) == code)
        let short = try TOTPSecret(base32: "gezd gnbv gy3t qojq gezd gnbv gy3t qojq====")
        #expect(short.code(counter: time / 30) == code.suffix(6))
    }

    @Test(arguments: ["", "====", "GEZ1", "GEZ!", "ä"]) func noSecret(text: String) {
        #expect(throws: WebLoginError.self) { try TOTPSecret(base32: text) }
    }

    @Test func aSecretIsNeverShown() throws {
        let secret = try TOTPSecret(base32: "GEZDGNBVGY3TQOJQ")
        var dumped = ""
        dump((secret, FormAnswers.Answer.totp(secret)), to: &dumped)
        #expect(!"\(secret) \(dumped)".contains("GEZD") && !dumped.contains("123456"))
    }

    @Test func twoLoginsInOneWindowHaveTwoCodes() async throws {
        let secret = try TOTPSecret(base32: TOTPSecret.unused())
        let clock = TestClock.forCodes()
        let first = try await TOTPCodes(clock: clock, used: InMemoryUsedCodeStorage.shared).next(for: secret)
        let second = try await TOTPCodes(clock: clock, used: InMemoryUsedCodeStorage.shared).next(for: secret)
        #expect(first.value == secret.code(counter: 100) && second.value == secret.code(counter: 101))
        #expect(clock.slept == [.seconds(15)])
    }

    /// By default all answers of the process share the storage of used codes.
    @Test func answersShareTheProcessesMemory() async throws {
        let secret = try TOTPSecret(base32: TOTPSecret.unused())
        let clock = TestClock.forCodes()
        let answers = try (0..<2).map { _ in try FormAnswers(["code": .totp(secret)], origins: [], clock: clock) }
        #expect(try await answers[0].codes.next(for: secret).value == secret.code(counter: 100))
        #expect(try await answers[1].codes.next(for: secret).value == secret.code(counter: 101))
    }

    /// The storage reports codes that another process has used.
    @Test(
        arguments: [(nil, 100), (98, 100), (99, 100), (100, 101), (101, 102), (102, 100), (1_000_000, 100)]
            as [(UInt64?, UInt64)])
    func theStorageDecides(noted: UInt64?, used: UInt64) async throws {
        let secret = try TOTPSecret(base32: TOTPSecret.unused())
        let storage = InMemoryUsedCodeStorage()
        if let noted { #expect(await storage.note(noted, of: secret.fingerprint, unlessLastIn: 0...0) == nil) }
        let code = try await TOTPCodes(clock: TestClock.forCodes(), used: storage).next(for: secret)
        #expect(code.value == secret.code(counter: used))
        #expect(await storage.note(7, of: secret.fingerprint, unlessLastIn: 0...UInt64.max) == used)
        #expect(await storage.note(7, of: "another", unlessLastIn: 0...UInt64.max) == nil)
    }

    /// A storage with impossible answers does not make a login wait for ever.
    @Test(arguments: [0, 99, 1_000_000, UInt64.max]) func aStorageThatIsWrongIsAskedAgain(answer: UInt64) async throws {
        struct Wrong: UsedCodeStorage {
            let answer: UInt64
            func note(_ step: UInt64, of secret: String, unlessLastIn taken: ClosedRange<UInt64>) async -> UInt64? {
                step < 103 ? answer : nil
            }
        }
        let secret = try TOTPSecret(base32: TOTPSecret.unused())
        let clock = TestClock.forCodes()
        _ = try await TOTPCodes(clock: clock, used: Wrong(answer: answer)).next(for: secret)
        #expect(clock.slept.count <= 3)
        #expect(clock.date <= Date(timeIntervalSince1970: 3130))
    }

    /// A code that cannot be noted is not sent.
    @Test func aStorageThatFailsEndsTheLogin() async throws {
        struct Failure: Error {}
        struct Failing: UsedCodeStorage {
            func note(_ step: UInt64, of secret: String, unlessLastIn taken: ClosedRange<UInt64>) throws -> UInt64? {
                throw Failure()
            }
        }
        let secret = try TOTPSecret(base32: TOTPSecret.unused())
        await #expect(throws: Failure.self) {
            try await TOTPCodes(clock: TestClock.forCodes(), used: Failing()).next(for: secret)
        }
    }

    /// The person is told why a second login within one time step takes so long.
    @Test func theWaitForTheNextCodeIsTold() async throws {
        let waits = Mutex<[LongWait]>([])
        let codes = TOTPCodes(clock: TestClock.forCodes(), used: InMemoryUsedCodeStorage())
        let secret = try TOTPSecret(base32: TOTPSecret.unused())
        try await Waiting.$listener.withValue(Waiting.Listener { wait in waits.withLock { $0.append(wait) } }) {
            _ = try await codes.next(for: secret)
            #expect(waits.withLock { $0.isEmpty })
            _ = try await codes.next(for: secret)
        }
        #expect(waits.withLock { $0.map(\.seconds) } == [15])
        #expect(waits.withLock { $0.first?.reason.contains("one-time code") } == true)
    }

    @Test func manyAtOnceAllDiffer() async throws {
        let storage = InMemoryUsedCodeStorage()
        let won = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await storage.note(7, of: "many", unlessLastIn: 7...8) == nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(won == 1)
    }
}

extension TestClock {
    /// A clock that starts at second 3015; sleeping advances it.
    static func forCodes() -> TestClock { TestClock(at: Date(timeIntervalSince1970: 3015), sleepsAdvance: true) }
}

extension TOTPSecret {
    /// A new secret in base32 each time, because used codes are remembered for the whole process.
    static func unused() -> String {
        String((0..<32).map { _ in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".randomElement() ?? "A" })
    }
}
