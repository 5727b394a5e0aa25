import Foundation
import HttpConversationTesting
import Testing

@testable import HttpConvVault

/// Several vaults in one directory.
@Suite(.timeLimit(.minutes(1))) struct VaultGroupTests {
    let place: VaultPlace
    let group: VaultGroup

    init() throws {
        place = try VaultPlace()
        group = VaultGroup(place.directory, configuration: .cheap())
    }

    private static func dying(_ path: String, at point: String) -> VaultGroup {
        VaultGroup(URL(fileURLWithPath: path), configuration: .cheap()) {
            if $0.rawValue == point { kill(getpid(), SIGKILL) }
        }
    }

    private func make(_ description: [UInt8] = [1], passcode: String? = nil) async throws -> String {
        let name = try await group.exclusively { try group.make(description) }
        if let passcode {
            _ = try await PasscodeVault.create(
                at: group.directory(of: name), passcode: passcode, policy: PasswordPolicy(), configuration: .cheap())
        }
        return name
    }

    private func code(_ body: () async throws -> Void) async -> DataVaultError.Code? {
        await thrown(DataVaultError.self, body)?.code
    }

    @Test func directoriesAreMadeDescribedAndRemoved() async throws {
        #expect(try group.names().isEmpty)
        let (one, other) = (try await make([1], passcode: "right-0001"), try await make([2]))
        #expect(try group.names() == [one, other].sorted())
        #expect(try VaultGroup.description(in: group.directory(of: other)) == [2])
        try await group.describe(group.directory(of: other), [3])
        #expect(try VaultGroup.description(in: group.directory(of: other)) == [3])
        #expect(try group.selection() == nil)
        try await group.select([4])
        #expect(try group.selection() == [4])

        try await group.remove(one)
        #expect(try place.names == [other, "selected"].sorted())
        #expect(await code { try await group.remove(one) } == .notFound)
        #expect(await code { try await group.describe(group.directory(of: one), [5]) } == .notFound)
        #expect(try place.names == [other, "selected"].sorted(), "nothing is made again")
    }

    @Test(arguments: [
        "", "..", "../../etc", "a/b", String(repeating: "a", count: 31), String(repeating: "A", count: 32),
    ])
    func namesThatLeadElsewhere(name: String) throws {
        #expect(!VaultGroup.isName(name))
        #expect(VaultGroup.isName(String(repeating: "a", count: 32)))
    }

    @Test func otherFilesAreLeftAlone() async throws {
        let name = try await make()
        for stray in ["notes", "AAAA", name + ".backup", "notes.new", "notes.removed"] {
            try FileManager.default.createDirectory(at: place.file(stray), withIntermediateDirectories: false)
        }
        #expect(try group.names() == [name])
        try await group.finish()
        _ = try await group.exclusively { 0 }
        #expect(try place.names.count == 6)
        try Data([1]).write(to: group.directory(of: name).appending(path: "own"))
        #expect(await code { try await group.remove(name) } == .ioFailure)
        #expect(try group.names().isEmpty)
        #expect(FileManager.default.fileExists(atPath: place.file(name + ".removed/own").path))
    }

    @Test func onlyAnEmptyDirectoryIsRemoved() async throws {
        let (empty, full) = (try await make(), try await make(passcode: "right-0001"))
        try await group.remove(empty, ifEmpty: true)
        #expect(await code { try await group.remove(full, ifEmpty: true) } == .alreadyExists)
        #expect(try place.names == [full] && PasscodeVault.exists(at: group.directory(of: full)))
        try await group.remove(full)
        #expect(try place.names.isEmpty)
    }

    // MARK: Crashes

    @Test(arguments: [VaultGroup.FailPoint.drafted, .placed]) func making(_ point: VaultGroup.FailPoint) async throws {
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, point = point.rawValue as String] in
            let group = Self.dying(path, at: point)
            _ = try await group.exclusively { try group.make([1]) }
        }
        let names = try group.names()
        #expect(names.count == (point == .placed ? 1 : 0))
        for name in names { #expect(try VaultGroup.description(in: group.directory(of: name)) == [1]) }
        let new = try await make()
        #expect(try place.names == (names + [new]).sorted(), "a draft is removed")
    }

    /// The draft of a selection whose process died is in nobody's way.
    @Test func selecting() async throws {
        try await group.select([1])
        try Data([2]).write(to: place.file("selected.new"))
        chmod(place.file("selected.new").path, 0o600)
        let name = try await make()
        #expect(try group.selection() == [1])
        try await group.select([3])
        #expect(try group.selection() == [3] && place.names == [name, "selected"].sorted())
    }

    @Test(arguments: [VaultGroup.FailPoint.retired, .destroyed]) func removal(_ point: VaultGroup.FailPoint)
        async throws
    {
        let (name, other) = (try await make(passcode: "right-0001"), try await make(passcode: "right-0002"))
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, point = point.rawValue as String, name = name as String] in
            try await Self.dying(path, at: point).remove(name)
        }
        #expect(try group.names() == [other])
        let left = place.file(name + ".removed")
        #expect(PasscodeVault.exists(at: left) == (point == .retired))
        try await group.finish()
        #expect(try place.names == [other])
        try await PasscodeVault.open(at: group.directory(of: other), configuration: .cheap()).unlock(
            passcode: "right-0002")
    }

    // MARK: Others at the same time

    /// A process that is making a vault has its directory to itself; the removal waits, and takes the vault along.
    @Test func removedWhileItIsMade() async throws {
        let name = try await make()
        let directory = group.directory(of: name)
        var options = PasscodeVaultConfiguration.cheap()
        options.createsDirectory = false
        let (begun, signal) = AsyncStream<Void>.makeStream()
        options.failPoint = { if $0 == .createBegun { signal.yield() } }
        async let vault = PasscodeVault.create(
            at: directory, passcode: "right-0001", policy: PasswordPolicy(), configuration: options)
        for await _ in begun.prefix(1) {}
        try await group.remove(name)
        // It was made as a whole before the removal, or it fails.
        if let vault = try? await vault {
            #expect(await vaultCode { try await vault.write(1, "a") } == .wiped)
        }
        #expect(try place.names.isEmpty)
    }

    @Test func aVaultIsNotMadeInARemovedDirectory() async throws {
        let name = try await make()
        try await group.remove(name)
        var options = PasscodeVaultConfiguration.cheap()
        options.createsDirectory = false
        let failure = await vaultCode {
            _ = try await PasscodeVault.create(
                at: group.directory(of: name), passcode: "right-0001", policy: PasswordPolicy(), configuration: options)
        }
        #expect(failure == .notFound)
        #expect(try place.names.isEmpty)
    }

    /// Eight processes make and remove directories at once.
    @Test func eightProcesses() async throws {
        let path = place.directory.path
        let kept = try await make()
        await withTaskGroup { tasks in
            for number in 0..<8 {
                tasks.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                        let group = VaultGroup(URL(fileURLWithPath: path), configuration: .cheap())
                        for round in 0..<5 {
                            let name = try await group.exclusively { try group.make([UInt8(number)]) }
                            try await group.finish()
                            if round > 0 { try await group.remove(name) }
                        }
                    }
                }
            }
        }
        #expect(try group.names().count == 9)
        #expect(try place.names.count == 9 && group.names().contains(kept))
    }

    // MARK: Files of others

    @Test(arguments: [false, true]) func links(isRemoved: Bool) async throws {
        let name = try await make()
        let outside = place.root.appending(path: "outside")
        _ = try await PasscodeVault.create(
            at: outside, passcode: "right-0001", policy: PasswordPolicy(), configuration: .cheap())
        let link = String(repeating: "b", count: 32)
        try FileManager.default.createSymbolicLink(
            at: place.file(link + (isRemoved ? ".removed" : "")), withDestinationURL: outside)
        if isRemoved {
            #expect(await vaultCode { try await group.finish() } == .unsafeFile)
        } else {
            #expect(await code { _ = try VaultGroup.description(in: group.directory(of: link)) } == .unsafeFile)
            #expect(await code { try await group.remove(link) } == .unsafeFile)
        }
        #expect(PasscodeVault.exists(at: outside))
        #expect(try group.names().contains(name))
    }

    @Test func directoriesThatOthersCanRead() async throws {
        let name = try await make()
        chmod(place.directory.path, 0o755)
        #expect(await code { _ = try group.names() } == .insecurePermissions)
        #expect(await code { _ = try await group.exclusively { 0 } } == .insecurePermissions)
        chmod(place.directory.path, 0o700)
        chmod(place.file(name + "/account").path, 0o644)
        #expect(
            await code { _ = try VaultGroup.description(in: group.directory(of: name)) } == .insecurePermissions)
    }
}
