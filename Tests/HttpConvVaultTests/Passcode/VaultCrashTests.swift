import Foundation
import Synchronization
import Testing

@testable import HttpConvVault

/// Ends a process, without any clean-up, at each point in turn.
@Suite(.timeLimit(.minutes(1))) struct VaultCrashTests {
    let place: VaultPlace

    init() throws { place = try VaultPlace() }

    private static let policy = PasswordPolicy { $0.retryLimit = 3 }
    private static let lastTry = PasswordPolicy { $0.retryLimit = 1 }

    private static func open(_ path: String, _ point: String, _ time: Int) throws -> PasscodeVault {
        try PasscodeVault.open(at: URL(fileURLWithPath: path), configuration: .dying(at: point, time))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let point: PasscodeFailPoint
        var time = 1
        /// The expected state afterwards.
        var left = 0
        var isNew = false
        var testDescription: String { "\(point) \(time)" }

        init(_ point: PasscodeFailPoint, _ time: Int = 1, left: Int = 0, isNew: Bool = false) {
            (self.point, self.time, self.left, self.isNew) = (point, time, left, isNew)
        }
    }

    @Test(arguments: [
        Case(.createBegun), Case(.createFilled), Case(.drafted, 1), Case(.drafted, 2), Case(.created, isNew: true),
    ])
    func creation(_ test: Case) async throws {
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, point = test.point.rawValue as String, time = test.time as Int] in
            _ = try await PasscodeVault.create(
                at: URL(fileURLWithPath: path), passcode: "right-0001", policy: Self.policy,
                configuration: .dying(at: point, time))
        }
        #expect(PasscodeVault.exists(at: place.directory) == test.isNew)
        if test.isNew {
            try await place.open().unlock(passcode: "right-0001")
        } else {
            #expect(await vaultCode { _ = try place.open() } == .notFound)
            let vault = try await place.create("right-0002")
            try await vault.write(1, "a")
        }
    }

    @Test(arguments: [
        Case(.tryBegun, left: 3), Case(.drafted, left: 3), Case(.tryCounted, left: 2), Case(.tryDecided, left: 2),
        Case(.drafted, 2, left: 2), Case(.tryForgiven, left: 3), Case(.tryAdmitted, left: 3),
    ])
    func theRightPasscodeOpensAfterACrash(_ test: Case) async throws {
        _ = try await place.create("right-0001", Self.policy)
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, point = test.point.rawValue as String, time = test.time as Int] in
            try await Self.open(path, point, time).unlock(passcode: "right-0001")
        }
        #expect(try await place.open().attemptsLeft() == test.left)
        try await place.open().unlock(passcode: "right-0001")
        #expect(try await place.open().attemptsLeft() == 3)
    }

    @Test(arguments: [Case(.tryBegun, left: 3), Case(.tryCounted, left: 2), Case(.tryDecided, left: 2)])
    func aWrongTryCountsDespiteACrash(_ test: Case) async throws {
        _ = try await place.create("right-0001", Self.policy)
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, point = test.point.rawValue as String] in
            try await Self.open(path, point, 1).unlock(passcode: "wrong")
        }
        #expect(try await place.open().attemptsLeft() == test.left)
    }

    /// Repeated kills do not give an additional try.
    @Test func aKilledLastTryWipes() async throws {
        _ = try await place.create("right-0001", Self.lastTry)
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try await Self.open(path, "tryCounted", 1).unlock(passcode: "right-0001")
        }
        // A look without the lock cannot know that no process is trying any more.
        #expect(PasscodeVault.exists(at: place.directory))
        #expect(await vaultCode { _ = try place.open() } == .wiped)
        #expect(try place.names.isEmpty)
    }

    /// While another process uses the last try, an open vault stays usable.
    @Test func anOpenVaultStaysUsableDuringALastTryElsewhere() async throws {
        let vault = try await place.create("right-0001", Self.lastTry)
        var options = place.options
        let looks = Mutex(0)
        options.failPoint = { point in
            guard point == .tryCounted else { return }
            looks.withLock { $0 += 1 }
            #expect(PasscodeVault.exists(at: place.directory) && vault.state == .unlocked)
            #expect(throws: Never.self) { try PasscodeVault.open(at: place.directory, configuration: .cheap()) }
        }
        try await PasscodeVault.open(at: place.directory, configuration: options).unlock(passcode: "right-0001")
        #expect(looks.withLock { $0 } == 1)
        try await vault.write(1, "a")
    }

    @Test(
        arguments: [
            PasscodeFailPoint.tryDecided, .wipeBegun, .keyOverwritten, .databaseRemoved, .keyRemoved, .wiped,
        ], [false, true])
    func wipe(_ point: PasscodeFailPoint, byHand: Bool) async throws {
        // Destroying the vault on request involves no try.
        if point == .tryDecided, byHand { return }
        try await place.create("right-0001", Self.lastTry).write(1, "a")
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, point = point.rawValue as String, byHand = byHand as Bool] in
            let vault = try Self.open(path, point, 1)
            if byHand { try await vault.destroy() } else { try await vault.unlock(passcode: "wrong") }
        }
        if [.keyOverwritten, .databaseRemoved].contains(point) {
            let slot = try Data(contentsOf: place.file(PasscodeSlot.fileName))
            #expect(!slot.isEmpty && slot.allSatisfy { $0 == 0 })
        }
        if point == .keyOverwritten { #expect(try place.names.contains("vault.sqlite")) }
        #expect(PasscodeVault.exists(at: place.directory) == (point == .tryDecided))
        #expect(await vaultCode { _ = try place.open() } == (point == .wiped ? .notFound : .wiped))
        #expect(try place.names.isEmpty)
        #expect(try await place.create().state == .unlocked)
    }

    /// A new vault can be made after an interrupted wipe.
    @Test func makingAfterHalfAWipe() async throws {
        try await place.create("right-0001", Self.lastTry).write(1, "a")
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try await Self.open(path, "keyOverwritten", 1).destroy()
        }
        #expect(try await place.create().read(Int.self, "a") == nil)
    }

    @Test(arguments: [
        Case(.tryCounted, left: 2), Case(.tryForgiven, left: 3), Case(.changeAnnounced, left: 3),
        Case(.changeCommitted, left: 3, isNew: true), Case(.drafted, 3, left: 3, isNew: true),
        Case(.slotReplaced, left: 3, isNew: true), Case(.changeDone, left: 3, isNew: true),
        Case(.changed, left: 3, isNew: true),
    ])
    func change(_ test: Case) async throws {
        try await place.create("right-0001", Self.policy).write(1, "a")
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, point = test.point.rawValue as String, time = test.time as Int] in
            try await Self.open(path, point, time).changePasscode(from: "right-0001", to: "right-0002")
        }
        let vault = try place.open()
        #expect(try await vault.attemptsLeft() == test.left)
        let (works, fails) = test.isNew ? ("right-0002", "right-0001") : ("right-0001", "right-0002")
        #expect(await vaultCode { try await vault.unlock(passcode: fails) } == .wrongPasscode)
        try await vault.unlock(passcode: works)
        #expect(try await vault.read(Int.self, "a") == 1)
        // Neither the former slot nor an unused one stays behind.
        try await vault.changePasscode(from: works, to: "right-0003")
        #expect(try place.names.filter { $0.hasPrefix("passcode") } == ["passcode.slot", "passcode.tries"])
        try await place.open().unlock(passcode: "right-0003")
    }

    /// The count of wrong tries survives an interrupted change, and its recovery.
    @Test(arguments: [PasscodeFailPoint.changeAnnounced, .changeCommitted, .slotReplaced])
    func theCountStays(_ point: PasscodeFailPoint) async throws {
        _ = try await place.create("right-0001", Self.policy)
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, point = point.rawValue as String] in
            try await Self.open(path, point, 1).changePasscode(from: "right-0001", to: "right-0002")
        }
        let fails = point == .changeAnnounced ? "right-0002" : "right-0001"
        for left in [2, 1] {
            #expect(await vaultCode { try await place.open().unlock(passcode: fails) } == .wrongPasscode)
            #expect(try await place.open().attemptsLeft() == left)
        }
        #expect(await vaultCode { try await place.open().unlock(passcode: fails) } == .wiped)
        #expect(try place.names.isEmpty)
    }

    /// Kills a process at random moments of repeated changes: exactly one passcode opens the vault, and nothing is
    /// lost.
    @Test(arguments: 0..<(ProcessInfo.processInfo.environment["PASSCODE_KILLS"].flatMap { Int($0) } ?? 4))
    func randomMoment(_ round: Int) async throws {
        let vault = try await place.create("right-0000")
        for number in 0..<20 { try await vault.write(number, "value \(number)") }
        vault.lock()
        let (path, journal) = (place.directory.path, place.root.appendingPathComponent("journal").path)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, journal = journal as String] in
            let vault = try PasscodeVault.open(at: URL(fileURLWithPath: path), configuration: .cheap())
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(.random(in: 1_000...120_000))) {
                kill(getpid(), SIGKILL)
            }
            for number in 1... {
                let (old, new) = (String(format: "right-%04d", number - 1), String(format: "right-%04d", number))
                try await vault.changePasscode(from: old, to: new)
                try Data("\(number)".utf8).write(to: URL(fileURLWithPath: journal), options: .atomic)
            }
        }
        let text = (try? Data(contentsOf: URL(fileURLWithPath: journal))).map { String(decoding: $0, as: UTF8.self) }
        let confirmed = text.flatMap { Int($0) } ?? 0
        var working: [Int] = []
        for number in max(0, confirmed - 1)...confirmed + 1 {
            let vault = try place.open()
            let passcode = String(format: "right-%04d", number)
            guard await vaultCode({ try await vault.unlock(passcode: passcode) }) == nil else { continue }
            working.append(number)
            for number in 0..<20 { #expect(try await vault.read(Int.self, "value \(number)") == number) }
        }
        #expect(working.count == 1 && working.allSatisfy { $0 == confirmed || $0 == confirmed + 1 }, "\(working)")
        #expect(try place.names.filter { $0.hasPrefix("passcode") } == ["passcode.slot", "passcode.tries"])
    }

    @Test func aKilledPolicyChange() async throws {
        let vault = try await place.create("right-0001", Self.policy)
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let vault = try Self.open(path, "policyStored", 1)
            try await vault.unlock(passcode: "right-0001")
            try await vault.apply(policy: Self.lastTry)
        }
        #expect(try await vault.policy().retryLimit == 3)
        try await place.open().unlock(passcode: "right-0001")
        #expect(try await vault.policy().retryLimit == 1)
    }

    /// Eight processes try until the vault is gone: exactly as many tries as the policy allows.
    @Test func eightAtOnce() async throws {
        _ = try await place.create("right-0001", PasswordPolicy { $0.retryLimit = 20 })
        let (path, journal) = (place.directory.path, place.root.appendingPathComponent("journal").path)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    await #expect(processExitsWith: .exitCode(42)) {
                        [path = path as String, journal = journal as String] in
                        let end = try await VaultCrashTests.guess(path, journal)
                        exit(end == .wiped || end == .notFound ? 42 : 1)
                    }
                }
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: journal)).count == 20)
        #expect(try place.names.isEmpty)
    }

    private static func guess(_ path: String, _ journal: String) async throws -> PasscodeVaultError.Code? {
        var options = PasscodeVaultConfiguration.cheap()
        options.failPoint = { point in
            guard point == .tryDecided else { return }
            let descriptor = Foundation.open(journal, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            _ = write(descriptor, "x", 1)
            close(descriptor)
        }
        var code: PasscodeVaultError.Code? = .wrongPasscode
        while code == .wrongPasscode {
            code = await vaultCode {
                let vault = try PasscodeVault.open(at: URL(fileURLWithPath: path), configuration: options)
                try await vault.unlock(passcode: "wrong-0001")
            }
        }
        return code
    }
}
