import Foundation
import HttpConvAuthFlowsTesting
import HttpConvConcurrency
import TestSupport
import Testing

@testable import HttpConvAuthFlows

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The storage of the keychain, over files instead: the same entries with versions, changed in one step.
@Suite("Storages in entries with versions", .timeLimit(.minutes(1)))
struct RecordStorageTests {
    private func withFolder<Result>(_ work: (URL) async throws -> Result) async throws -> Result {
        let folder = try TemporaryPlace.folder("records")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await work(folder)
    }

    private let key = { () throws in
        OAuth2TokenKey(storageURL: try .init("https://example.com/"), supportName: "api")
    }

    /// Two handles on one folder, as an application and its extension have.
    @Test(arguments: TokenStorageConformance.cases) func promises(promise: TokenStorageCase) async throws {
        try await withFolder { folder in
            let clock = ShiftedClock()
            let storages = (0..<2).map { _ in RecordTokenStorage(FileRecords(folder: folder), clock: clock) }
            try await promise.run(
                TokenStorageSubject(first: storages[0], second: storages[1]) { clock.advance(by: $0) })
        }
    }

    /// Many renewals at once, each by a handle of its own: no write is lost.
    @Test func oneRenewsAtATime() async throws {
        try await withFolder { folder in
            let key = try key()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let storage = RecordTokenStorage(FileRecords(folder: folder))
                        for _ in 0..<5 {
                            _ = try await storage.withLease(for: key, duration: .seconds(30)) { () -> Bool? in
                                nil
                            } _: { lease in
                                let count = Int(try await storage.tokens(for: key)?.accessToken.value ?? "0") ?? 0
                                await Task.yield()
                                try await storage.save(
                                    OAuth2Tokens(accessToken: "\(count + 1)"), for: key, under: lease)
                                return true
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let storage = RecordTokenStorage(FileRecords(folder: folder))
            #expect(try await storage.tokens(for: key)?.accessToken.value == "40")
        }
    }

    /// An entry of an older version is tokens alone.
    @Test func olderEntriesAreRead() async throws {
        try await withFolder { folder in
            let (key, store) = (try key(), FileRecords(folder: folder))
            let tokens = OAuth2Tokens(accessToken: "old")
            let old = StoredTokenRecord(data: try JSONEncoder().encode(tokens), version: nil)
            #expect(try await store.replace(key.text, nil, with: old))
            let storage = RecordTokenStorage(store)
            #expect(try await storage.tokens(for: key)?.accessToken.value == "old")
            let lease = try #require(await storage.requestLease(for: key, duration: .seconds(1)))
            try await storage.save(OAuth2Tokens(accessToken: "new"), for: key, under: lease)
            #expect(try await storage.tokens(for: key)?.accessToken.value == "new")
        }
    }

    /// A late holder has no fence of the entry that was added after the removal of all.
    @Test func removedEntriesGrantOtherFences() async throws {
        try await withFolder { folder in
            let (key, storage) = (try key(), RecordTokenStorage(FileRecords(folder: folder)))
            let late = try #require(await storage.requestLease(for: key, duration: .seconds(30)))
            try await storage.removeAllTokens()
            _ = try #require(await storage.requestLease(for: key, duration: .seconds(30)))
            let error = await #expect(throws: OAuth2Error.self) {
                try await storage.save(OAuth2Tokens(accessToken: "late"), for: key, under: late)
            }
            #expect(error?.code == .leaseLost)
        }
    }

    @Test func damagedEntriesAreNotQuoted() async throws {
        try await withFolder { folder in
            let (key, store) = (try key(), FileRecords(folder: folder))
            _ = try await store.replace(key.text, nil, with: .init(data: Data("secret".utf8), version: "1"))
            let error = await #expect(throws: OAuth2Error.self) {
                _ = try await RecordTokenStorage(store).tokens(for: key)
            }
            #expect(error?.code == .storageFailed && "\(error as Any)".contains("secret") == false)
        }
    }

    /// The lease in every state, at every time.
    @Test(
        arguments: [
            (nil, false), (-1.0, false), (0.0, false), (1.0, true), (30.0, true),
            // The clock was set back since.
            (31.0, false), (86_400.0, false),
        ] as [(Double?, Bool)])
    func leasesExpire(_ secondsLeft: Double?, _ isHeld: Bool) {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let lease = TokenRecord.Lease(fence: 7, until: secondsLeft.map { now + $0 }, duration: 30)
        #expect(lease.isHeld(at: now) == isHeld)
        var record = TokenRecord(lease: lease)
        #expect(record.request(10, at: now, first: 1) == (isHeld ? nil : 8))
        for (fence, isNewest) in [(7, true), (6, false), (8, false)] as [(UInt64, Bool)] {
            var extended = TokenRecord(lease: lease)
            #expect(extended.extend(fence, by: 10, at: now) == (isNewest && secondsLeft != nil))
            var released = TokenRecord(lease: lease)
            #expect(released.release(fence) == isNewest)
            #expect((released.lease?.until == nil) == (isNewest || secondsLeft == nil))
        }
    }
}

/// Entries as files, changed under a lock that no suspension holds: as the keychain's process does it.
private struct FileRecords: TokenRecordStore {
    let folder: URL

    private struct Entry: Codable {
        let data: Data
        let version: String?
    }

    func read(_ name: String) async throws -> StoredTokenRecord? { try locked { try get(name) } }

    func replace(_ name: String, _ old: StoredTokenRecord?, with new: StoredTokenRecord) async throws -> Bool {
        try locked {
            let found = try get(name)
            guard (found == nil) == (old == nil), found?.version == old?.version else { return false }
            try JSONEncoder().encode(Entry(data: new.data, version: new.version)).write(to: place(name))
            return true
        }
    }

    func removeAll() async throws {
        try locked {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != "lock" {
                try FileManager.default.removeItem(at: folder.appending(path: name))
            }
        }
    }

    private func place(_ name: String) -> URL {
        folder.appending(path: Data(name.utf8).base64EncodedString().replacing("/", with: "_"))
    }

    private func get(_ name: String) throws -> StoredTokenRecord? {
        guard let data = try? Data(contentsOf: place(name)) else { return nil }
        let entry = try JSONDecoder().decode(Entry.self, from: data)
        return StoredTokenRecord(data: entry.data, version: entry.version)
    }

    private func locked<Result>(_ work: () throws -> Result) throws -> Result {
        let descriptor = open(folder.appending(path: "lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw CocoaError(.fileReadUnknown) }
        return try work()
    }
}

extension RecordTokenStorage: LeasedTokenStorage {
    func lease(_ key: OAuth2TokenKey) async throws -> OAuth2Lease? {
        try await requestLease(for: key, duration: .seconds(30))
    }
    func extendLease(_ lease: OAuth2Lease) async throws { try await extend(lease, by: .seconds(30)) }
    func releaseLease(_ lease: OAuth2Lease) async { try? await release(lease) }
}
