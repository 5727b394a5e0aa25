import Foundation
import Synchronization
import Testing

@testable import HttpConvVault

@Suite(.timeLimit(.minutes(1))) struct VaultTamperTests {
    let place: VaultPlace

    init() throws { place = try VaultPlace() }

    @Test(
        arguments: [PasscodeSlot.fileName, PasscodeTries.fileName],
        ["", "{", "[]", "{\"format\":1}", "cut", "large", "number"])
    func damagedFile(_ name: String, _ content: String) async throws {
        _ = try await place.create()
        let whole = try Data(contentsOf: place.file(name))
        let damaged =
            switch content {
            case "cut": whole.prefix(whole.count / 2)
            case "large": whole + Data(repeating: 0x20, count: 1 << 20)
            case "number": Data(String(decoding: whole, as: UTF8.self).replacing(":0", with: ":-1").utf8)
            default: Data(content.utf8)
            }
        // The slot has no number that could be negative.
        if content == "number", name == PasscodeSlot.fileName { return }
        try damaged.write(to: place.file(name))
        chmod(place.file(name).path, 0o600)
        #expect(await vaultCode { _ = try place.open() } == .damaged)
        #expect(PasscodeVault.exists(at: place.directory))
        #expect(await vaultCode { _ = try await place.create() } != nil)
        try await PasscodeVault.destroy(at: place.directory, configuration: place.options)
        #expect(try place.names.isEmpty)
    }

    @Test func costOfAHostileSlot() async throws {
        _ = try await place.create()
        let text = String(decoding: try Data(contentsOf: place.file(PasscodeSlot.fileName)), as: UTF8.self)
        try Data(text.replacing("\"cost\":16", with: "\"cost\":1073741824").utf8)
            .write(to: place.file(PasscodeSlot.fileName))
        #expect(text.contains("\"cost\":16"))
        #expect(await vaultCode { _ = try place.open() } == .damaged)
    }

    @Test func missingFiles() async throws {
        let vault = try await place.create()
        try FileManager.default.removeItem(at: place.file(PasscodeTries.fileName))
        #expect(await vaultCode { _ = try place.open() } == .damaged)
        #expect(await vaultCode { try await vault.unlock(passcode: "right-0001") } == .damaged)
        try await PasscodeVault.destroy(at: place.directory)
        _ = try await place.create()
        for name in try place.names where name.hasPrefix("vault.sqlite") {
            try FileManager.default.removeItem(at: place.file(name))
        }
        let other = try place.open()
        #expect(await vaultCode { try await other.unlock(passcode: "right-0001") } == .damaged)
        #expect(try await other.attemptsLeft() == 10)
    }

    /// With write access to the files, an older count can be put back. The vault notices as soon as it is open.
    @Test func aRestoredOldCountIsNoticed() async throws {
        let vault = try await place.create()
        let old = try Data(contentsOf: place.file(PasscodeTries.fileName))
        try await vault.unlock(passcode: "right-0001")
        try await vault.unlock(passcode: "right-0001")
        try old.write(to: place.file(PasscodeTries.fileName))
        let error = await #expect(throws: PasscodeVaultError.self) {
            try await place.open().unlock(passcode: "right-0001")
        }
        #expect(error?.code == .expired && error?.message.contains("was set back") == true)
        // It stays so, although the passcode fits the policy.
        #expect(await vaultCode { try await place.open().unlock(passcode: "right-0001") } == .expired)
        try await vault.changePasscode(from: "right-0001", to: "right-0002")
        try await place.open().unlock(passcode: "right-0002")
    }

    @Test func aChangedPolicyIsRestored() async throws {
        let vault = try await place.create("right-0001", PasswordPolicy { $0.retryLimit = 3 })
        let file = place.file(PasscodeTries.fileName)
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        try Data(text.replacing("\"retryLimit\":3", with: "\"retryLimit\":3000").utf8).write(to: file)
        #expect(try await vault.policy().retryLimit == 3000)
        try await place.open().unlock(passcode: "right-0001")
        #expect(try await vault.policy().retryLimit == 3)
    }

    @Test(arguments: ["", "/passcode.slot", "/passcode.tries", "/vault.sqlite"])
    func filesOpenToOthersAreRefused(_ name: String) async throws {
        _ = try await place.create()
        chmod(place.directory.path + name, name.isEmpty ? 0o750 : 0o640)
        let code = await vaultCode { try await place.open().unlock(passcode: "right-0001") }
        #expect(code == .insecurePermissions)
    }

    @Test(arguments: ["passcode.slot", "passcode.tries"]) func links(_ name: String) async throws {
        _ = try await place.create()
        let target = place.root.appendingPathComponent("target")
        try FileManager.default.moveItem(at: place.file(name), to: target)
        try FileManager.default.createSymbolicLink(at: place.file(name), withDestinationURL: target)
        let before = try Data(contentsOf: target)
        #expect(await vaultCode { _ = try place.open() } == .unsafeFile)
        _ = await vaultCode { try await PasscodeVault.destroy(at: place.directory) }
        #expect(try Data(contentsOf: target) == before)
    }

    @Test func modes() async throws {
        let before = umask(0)
        let vault = try await place.create()
        try await vault.unlock(passcode: "right-0001")
        umask(before)
        for name in try place.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: place.file(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    /// Root may open everything, so the test changes its user in a separate process.
    @Test(.enabled(if: geteuid() == 0)) func somebodyElse() async throws {
        let root = URL(fileURLWithPath: "/tmp/VaultTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: root) }
        let path = root.appendingPathComponent("vault").path
        _ = try await PasscodeVault.create(
            at: URL(fileURLWithPath: path), passcode: "right-0001", policy: PasswordPolicy(), configuration: .cheap())
        for mode in [0o700, 0o777] as [mode_t] {
            chmod(root.path, 0o755)
            chmod(path, mode)
            await #expect(processExitsWith: .exitCode(42)) { [path = path as String] in
                guard setgid(65534) == 0, setuid(65534) == 0 else { exit(1) }
                let code = await vaultCode { _ = try PasscodeVault.open(at: URL(fileURLWithPath: path)) }
                exit(code == .insecurePermissions ? 42 : 1)
            }
        }
    }

    #if os(Linux)
    /// If the count cannot be written, the passcode is not looked at. A limit on file sizes imitates a full disk.
    @Test func withoutAWritableCountNothingIsTried() async throws {
        _ = try await place.create()
        let path = place.directory.path
        await #expect(processExitsWith: .exitCode(42)) { [path = path as String] in
            var options = PasscodeVaultConfiguration.cheap()
            options.failPoint = { if [.tryCounted, .tryDecided].contains($0) { exit(1) } }
            let vault = try PasscodeVault.open(at: URL(fileURLWithPath: path), configuration: options)
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
            let code = await vaultCode { try await vault.unlock(passcode: "right-0001") }
            exit(code == .ioFailure && vault.state == .locked ? 42 : 3)
        }
        #expect(try await place.open().attemptsLeft() == 10)
        try await place.open().unlock(passcode: "right-0001")
        #expect(try place.names.filter { $0.hasPrefix("passcode") } == ["passcode.slot", "passcode.tries"])
    }

    enum Wipe: String, CaseIterable, Sendable {
        /// The disk has no room for the mark of a wipe. Overwriting needs none.
        case noMark
        /// As on a file system that copies on write: overwriting needs room, too.
        case noOverwriting
        /// The last wrong try was counted before the disk was full.
        case lastTry
    }

    /// A full disk prevents no wipe, which makes room.
    @Test(arguments: Wipe.allCases) func wipeOnAFullDisk(_ wipe: Wipe) async throws {
        try await place.create("right-0001", PasswordPolicy { $0.retryLimit = 1 }).write(1, "a")
        let path = place.directory.path
        await #expect(processExitsWith: .exitCode(42)) { [path = path as String, wipe = wipe.rawValue as String] in
            exit(await VaultTamperTests.wipeOnAFullDisk(path, wipe) ? 42 : 1)
        }
        #expect(try place.names.isEmpty)
        #expect(await vaultCode { _ = try place.open() } == .notFound)
    }

    /// Returns whether the key was overwritten before the files were removed, if it could be.
    private static func wipeOnAFullDisk(_ path: String, _ wipe: String) async -> Bool {
        signal(SIGXFSZ, SIG_IGN)
        let isOverwritten = Mutex(false)
        var options = PasscodeVaultConfiguration.cheap()
        options.failPoint = { point in
            switch point {
            case .tryDecided: allowWriting(false)
            case .wipeBegun where wipe != "noOverwriting": allowWriting(true)
            case .keyOverwritten:
                let slot = try? Data(contentsOf: URL(fileURLWithPath: path + "/" + PasscodeSlot.fileName))
                isOverwritten.withLock { $0 = slot?.allSatisfy { $0 == 0 } ?? false }
            default: break
            }
        }
        do {
            let vault = try PasscodeVault.open(at: URL(fileURLWithPath: path), configuration: options)
            if wipe == "lastTry" {
                guard await vaultCode({ try await vault.unlock(passcode: "wrong") }) == .wiped else { return false }
            } else {
                allowWriting(false)
                try await vault.destroy()
            }
            return vault.state == .wiped && isOverwritten.withLock { $0 } == (wipe != "noOverwriting")
        } catch {
            return false
        }
    }

    private static func allowWriting(_ isAllowed: Bool) {
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { exit(2) }
        limit.rlim_cur = isAllowed ? limit.rlim_max : 0
        guard setrlimit(resource, &limit) == 0 else { exit(2) }
    }
    #endif

    /// A foreign vault in the same place is left alone.
    @Test func foreignDatabase() async throws {
        _ = try await place.create()
        for name in ["passcode.slot", "passcode.tries"] { try FileManager.default.removeItem(at: place.file(name)) }
        #expect(await vaultCode { _ = try place.open() } == .notFound)
        #expect(await vaultCode { _ = try await place.create() } == .alreadyExists)
        try await PasscodeVault.destroy(at: place.directory)
        #expect(try place.names.contains("vault.sqlite"))
    }
}
