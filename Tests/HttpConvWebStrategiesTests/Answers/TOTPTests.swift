import Foundation
import HttpConvAuthFlows
import HttpConversation
import Synchronization
import Testing

@testable import HttpConvWebStrategies

@Suite(.timeLimit(.minutes(1))) struct TOTPTests {
    /// RFC 6238, appendix B, SHA-1; its secret is "12345678901234567890".
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
        let secret = try TOTPSecret(base32: FakeClock.secret())
        let clock = FakeClock()
        let first = try await TOTPCodes(clock: clock, directory: nil).next(for: secret)
        let second = try await TOTPCodes(clock: clock, directory: nil).next(for: secret)
        #expect(first.value == secret.code(counter: 100) && second.value == secret.code(counter: 101))
        #expect(clock.sleeps == [Date(timeIntervalSince1970: 3030)])
    }

    /// Another process knows nothing of this one's memory, but has the same directory.
    @Test func theDirectoryIsSharedBetweenProcesses() async throws {
        let directory = try TemporaryDirectory()
        let secret = try TOTPSecret(base32: FakeClock.secret())
        let file = TOTPUseFile(directory: directory.url.path(), fingerprint: secret.fingerprint)
        #expect(try await file.claim(100) == nil)
        let clock = FakeClock()
        let code = try await TOTPCodes(clock: clock, directory: directory.url).next(for: secret)
        #expect(code.value == secret.code(counter: 101))
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: directory.url.path()).first)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.url.appending(path: name).path())
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOf: directory.url.appending(path: name), encoding: .utf8) == "101\n")
    }

    @Test func aNoteFromTheFarFutureIsNotWaitedFor() async throws {
        let directory = try TemporaryDirectory()
        let secret = try TOTPSecret(base32: FakeClock.secret())
        let file = TOTPUseFile(directory: directory.url.path(), fingerprint: secret.fingerprint)
        #expect(try await file.claim(1_000_000) == nil)
        #expect(try await file.claim(100) == nil)
        #expect(try await file.claim(100) == 100)
        #expect(try await file.claim(99) == 100)
    }

    @Test func aLinkInThePlaceOfTheNoteIsRefused() async throws {
        let directory = try TemporaryDirectory()
        let target = directory.url.appending(path: "target")
        try Data("1".utf8).write(to: target)
        let link = directory.url.appending(path: "totp-f")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        await #expect(throws: WebLoginError.self) {
            try await TOTPUseFile(directory: directory.url.path(), fingerprint: "f").claim(5)
        }
        #expect(try String(contentsOf: target, encoding: .utf8) == "1")
    }

    @Test func manyAtOnceAllDiffer() async throws {
        let directory = try TemporaryDirectory()
        let file = TOTPUseFile(directory: directory.url.path(), fingerprint: "many")
        let won = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { try await file.claim(7) == nil } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(won == 1)
    }
}

/// Second 3015; sleeping turns the hands.
final class FakeClock: TOTPClock {
    private let state = Mutex((now: Date(timeIntervalSince1970: 3015), sleeps: [Date]()))

    var now: Date { state.withLock { $0.now } }
    var sleeps: [Date] { state.withLock { $0.sleeps } }

    func sleep(until date: Date) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.now = max(state.now, date)
            state.sleeps.append(date)
        }
    }

    /// Another one each time: what was used is remembered for the whole process.
    static func secret() -> String {
        String((0..<32).map { _ in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".randomElement() ?? "A" })
    }
}

final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "answers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
