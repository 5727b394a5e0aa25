import Foundation
import Testing

@testable import HttpConvVault

@Suite(.timeLimit(.minutes(1))) struct FileTests {
    let place: TemporaryVault
    static let secret = [UInt8](repeating: 7, count: 32)

    init() throws { place = try TemporaryVault() }

    @Test func modes() async throws {
        let nested = place.root.appendingPathComponent("a/b/vault")
        let before = umask(0)
        let vault = try await DataVault.create(at: nested, key: place.key)
        umask(before)
        try await vault.write([1], for: "k", in: "c")
        _ = try await vault.read("k", in: "c")
        for directory in ["a", "a/b", "a/b/vault"] { #expect(try mode(place.root.path + "/" + directory) == 0o700) }
        let names = try FileManager.default.contentsOfDirectory(atPath: nested.path).sorted()
        #expect(names == ["vault.sqlite", "vault.sqlite-shm", "vault.sqlite-wal"])
        for name in names { #expect(try mode(nested.path + "/" + name) == 0o600, "\(name)") }
    }

    /// A process that is killed between giving the database its name and removing the draft's leaves one.
    @Test func aSecondNameOfTheDatabaseIsRemoved() async throws {
        let vault = try await place.create()
        try await vault.write([1], for: "k", in: "c")
        try await vault.close()
        let draft = place.database + ".new-1"
        #expect(link(place.database, draft) == 0)
        #expect(try await place.open().read("k", in: "c")?.value == [1])
        #expect(access(draft, F_OK) != 0)
    }

    @Test(arguments: ["", "/vault.sqlite", "/vault.sqlite-wal", "/vault.sqlite-shm"]) func filesOpenToOthersAreRefused(
        _ name: String
    )
        async throws
    {
        let vault = try await place.create()
        try await vault.write([1], for: "k", in: "c")
        let path = place.directory.path + name
        chmod(path, try mode(path) | 0o040)
        let error = await #expect(throws: DataVaultError.self) { _ = try await place.open() }
        #expect(error?.code == .insecurePermissions)
        #expect(error?.message.contains("chmod") == true)
    }

    @Test(arguments: ["vault.sqlite", "vault.sqlite-wal", "vault.sqlite-shm", "vault.sqlite-journal"])
    func linksAreNotFollowed(_ name: String) async throws {
        try await place.create().close()
        let (file, target) = (place.directory.appendingPathComponent(name), place.url("target"))
        if name == "vault.sqlite" {
            try FileManager.default.moveItem(at: file, to: target)
        } else {
            try? FileManager.default.removeItem(at: file)
            try Data("precious".utf8).write(to: target)
        }
        let content = try Data(contentsOf: target)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        #expect(await code { _ = try await place.open() } == .unsafeFile)
        #expect(await code { _ = try await place.create() } == .unsafeFile)
        #expect(try Data(contentsOf: target) == content)
    }

    @Test func directoryThatIsALinkOrAFile() async throws {
        try await place.create().close()
        let (link, file) = (place.url("link"), place.url("file"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: place.directory)
        try Data().write(to: file)
        for url in [link, file] {
            #expect(await code { _ = try await DataVault.open(at: url, key: place.key) } == .unsafeFile)
            #expect(await code { _ = try await DataVault.create(at: url, key: place.key) } == .unsafeFile)
        }
    }

    @Test func missingAndPresent() async throws {
        #expect(await code { _ = try await place.open() } == .notFound)
        let vault = try await place.create()
        try await vault.write([1], for: "k", in: "c")
        #expect(await code { _ = try await place.create() } == .alreadyExists)
        #expect(try await DataVault.openOrCreate(at: place.directory, key: place.key).read("k", in: "c")?.value == [1])
    }

    @Test func manyCreateAtOnce() async throws {
        let outcomes = await withTaskGroup(of: DataVaultError.Code?.self) { group in
            for _ in 0..<8 { group.addTask { await code { _ = try await place.create() } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 == nil }.count == 1)
        #expect(outcomes.filter { $0 == .alreadyExists }.count == 7)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.directory.path).allSatisfy { !$0.contains("new") }
        )
    }

    /// Reads go on beside a write, although another program has switched the write-ahead log off.
    @Test func theLogIsSwitchedOnAgain() async throws {
        try await place.create().close()
        try place.tamper { connection in
            let mode = try connection.row("PRAGMA journal_mode = DELETE")?.text(0)
            #expect(mode == "delete")
        }
        let vault = try await place.open()
        let mode = try await vault.connections.read { try $0.row("PRAGMA journal_mode")?.text(0) }
        #expect(mode == "wal")
    }

    @Test func lockedDatabase() async throws {
        let vault = try await place.create(DataVaultConfiguration { $0.busyTimeout = .milliseconds(20) })
        try await vault.write([1], for: "k", in: "c")
        let other = try SQLiteConnection(place.database, isReadOnly: false, busyTimeout: 0)
        try other.execute("BEGIN IMMEDIATE")
        #expect(await code { try await vault.write([2], for: "k", in: "c") } == .locked)
        #expect(try await vault.read("k", in: "c")?.value == [1])
        try other.execute("COMMIT")
        try await vault.write([3], for: "k", in: "c")
        #expect(try await vault.read("k", in: "c")?.value == [3])
    }

    /// Root may open everything, so the test changes its user in a separate process.
    @Test func somebodyElse() async throws {
        let root = URL(fileURLWithPath: "/tmp/DataVaultTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: root) }
        chmod(root.path, 0o755)
        let (path, keyFile) = (root.appendingPathComponent("vault").path, root.appendingPathComponent("key"))
        try await DataVault.create(at: URL(fileURLWithPath: path), key: .bytes(Self.secret)).close()
        try DataVaultKey.createFile(keyFile)
        await #expect(processExitsWith: .exitCode(42)) { [path = path as String, file = keyFile.path as String] in
            // Without root, the process can test this only with files of root.
            if geteuid() == 0 { guard setgid(65534) == 0, setuid(65534) == 0 else { exit(1) } }
            let expected: [DataVaultError.Code?] = geteuid() == 65534 ? [.insecurePermissions] : [nil]
            let vault = await code {
                _ = try await DataVault.open(at: URL(fileURLWithPath: path), key: .bytes(Self.secret))
            }
            let key = await code { _ = try DataVaultKey.file(URL(fileURLWithPath: file)) }
            let neighbour = await code {
                _ = try await DataVault.create(at: URL(fileURLWithPath: path + "2"), key: .bytes(Self.secret))
            }
            exit(expected.contains(vault) && expected.contains(key) && expected.contains(neighbour) ? 42 : 1)
        }
        guard geteuid() == 0 else { return }
        // Even with open permissions the directory belongs to another user.
        chmod(path, 0o755)
        chmod(path + "/vault.sqlite", 0o644)
        await #expect(processExitsWith: .exitCode(42)) { [path = path as String] in
            guard setgid(65534) == 0, setuid(65534) == 0 else { exit(1) }
            let vault = await code {
                _ = try await DataVault.open(at: URL(fileURLWithPath: path), key: .bytes(Self.secret))
            }
            exit(vault == .insecurePermissions ? 42 : 1)
        }
    }
}
