import Foundation
import HttpConvVault
import HttpConvVaultStorage
import HttpConversation
import Synchronization
import Testing

/// Sessions of a service's users outlive the process: their cookies and tokens are in a vault, apart by user.
@Suite("Users in a vault", .timeLimit(.minutes(1)))
struct VaultCookiesTests {
    private let place: TemporaryVault
    private let site: TargetURL

    init() throws {
        place = try TemporaryVault()
        site = try TargetURL("https://example.com/")
    }

    /// Waits until the vault has as many cookies of a user.
    private func until(_ count: Int, of user: String, in cookies: VaultCookies) async throws {
        while try await cookies.store(for: user, failed: { _ in }).snapshot.cookies.count != count {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test("After a restart each user has their own cookies, and no others")
    func restart() async throws {
        let vault = try await place.vault()
        let cookies = VaultCookies(vault)
        let (alice, bob) = try await (
            cookies.store(for: "alice", failed: { _ in }), cookies.store(for: "bob", failed: { _ in })
        )
        alice.store(setCookie: ["id=a", "lasting=1; Max-Age=3600"], from: site)
        bob.store(setCookie: ["id=b"], from: site)
        try await until(2, of: "alice", in: cookies)
        try await until(1, of: "bob", in: cookies)
        alice.removeAll()
        try await until(0, of: "alice", in: cookies)
        alice.store(setCookie: ["id=a2"], from: site)
        try await until(1, of: "alice", in: cookies)
        try await vault.close()

        let later = VaultCookies(try await place.vault())
        #expect(try await later.store(for: "alice", failed: { _ in }).cookies(for: site).map(\.value) == ["a2"])
        #expect(try await later.store(for: "bob", failed: { _ in }).cookies(for: site).map(\.value) == ["b"])
        try await later.remove("alice")
        #expect(try await later.store(for: "alice", failed: { _ in }).snapshot.cookies.isEmpty)
        #expect(try await later.store(for: "bob", failed: { _ in }).snapshot.cookies.count == 1)
    }

    @Test("The last change before the store is released is saved")
    func release() async throws {
        let vault = try await place.vault()
        let cookies = VaultCookies(vault)
        func change(_ store: consuming CookieStore) { store.store(setCookie: ["id=a"], from: site) }
        for user in 0..<5 {
            change(try await cookies.store(for: "\(user)", failed: { _ in }))
            try await until(1, of: "\(user)", in: cookies)
        }
    }

    @Test("A change that cannot be saved is reported, and the cookies go on being used")
    func failure() async throws {
        let vault = try await place.vault()
        let failures = Mutex<[DataVaultError.Code]>([])
        let store = try await VaultCookies(vault).store(for: "alice") { error in
            failures.withLock { $0.append(error.code) }
        }
        try await vault.close()
        store.store(setCookie: ["id=a"], from: site)
        while failures.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(failures.withLock { $0 } == [.closed])
        #expect(store.cookies(for: site).map(\.value) == ["a"])
    }

    @Test("A record that cannot be read as cookies is an error without its content, and stays")
    func unreadable() async throws {
        let vault = try await place.vault()
        let cookies = VaultCookies(vault)
        try await vault.write(Array("secret-7".utf8), for: "alice", in: cookies.collection)
        let error = await #expect(throws: DataVaultError.self) {
            _ = try await cookies.store(for: "alice", failed: { _ in })
        }
        #expect(error?.code == .damaged)
        #expect(error.map { "\($0)".contains("secret-7") } == false)
        #expect(try await vault.read("alice", in: cookies.collection)?.value == Array("secret-7".utf8))
    }

    @Test("Each user's tokens are apart, whatever the users are called")
    func tokens() async throws {
        let vault = try await place.vault()
        let users = ["alice", "bob", "alice of user bob", ""]
        for user in users { try await VaultTokenStorage(vault, user: user).save(.named("\(user)!"), for: .number(1)) }
        try await VaultTokenStorage(vault).save(.named("nobody"), for: .number(1))
        try await VaultTokenStorage(vault, user: "bob").removeAllTokens()
        for user in users where user != "bob" {
            let tokens = try await VaultTokenStorage(vault, user: user).tokens(for: .number(1))
            #expect(tokens?.accessToken.value == "\(user)!")
        }
        #expect(try await VaultTokenStorage(vault, user: "bob").tokens(for: .number(1)) == nil)
        #expect(try await VaultTokenStorage(vault).tokens(for: .number(1))?.accessToken.value == "nobody")
    }
}
