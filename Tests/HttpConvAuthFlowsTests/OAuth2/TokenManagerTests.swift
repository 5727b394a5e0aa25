import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: token manager", .timeLimit(.minutes(1)))
struct TokenManagerTests {
    private let bench: OAuth2Bench

    init() throws { bench = try OAuth2Bench() }

    private let url = URL(string: TokenServer.api)

    @Test func itSeesAndRemovesWhatConversationsUse() async throws {
        let url = try #require(url)
        _ = try await bench.get()
        #expect(try await bench.tokens.tokens(for: url)?.accessToken.value == "access-1")
        #expect(try await bench.tokens.tokens(for: #require(URL(string: "https://other.example/"))) == nil)
        try await bench.tokens.removeTokens(for: url)
        #expect(try await bench.tokens.tokens(for: url) == nil)
        _ = try await bench.get()
        #expect(bench.web.opened.count == 2)
        try await bench.tokens.removeAllTokens()
        #expect(try await bench.tokens.tokens(for: url) == nil)
    }

    @Test func loggingOutTellsTheServer() async throws {
        _ = try await bench.get()
        #expect(try await bench.tokens.logOut(from: #require(url), using: bench.manager) == .revoked)
        let forms = bench.server.now.forms.suffix(2)
        #expect(forms.map { $0["token"] } == ["refresh-1", "access-1"])
        #expect(forms.map { $0["token_type_hint"] } == ["refresh_token", "access_token"])
        #expect(forms.allSatisfy { $0["client_id"] == "native" })
        let requests = bench.transport.requests.filter { $0.target.path == "/revoke" }
        #expect(requests.count == 2)
        #expect(requests.allSatisfy { $0.headerFields[.authorization] == nil })
        #expect(try await bench.stored() == nil)
    }

    /// With the refresh token, Google revokes the access token, and then does not know it.
    @Test(arguments: ["invalid_token", "invalid_grant"]) func tokensThatAreGoneAreRevoked(error: String) async throws {
        try await bench.store("a", "r")
        let transport = ScriptedTransport { request, _ in
            TokenServer.form(request)["token_type_hint"] == "access_token" ? TokenServer.refusal(error) : .init(.ok)
        }
        let manager = HttpConversationManager(transport: transport)
        #expect(try await bench.tokens.logOut(from: #require(url), using: manager) == .revoked)
        #expect(transport.requests.count == 2)
    }

    @Test func loggingOutOfAServerThatIsGoneStillForgets() async throws {
        try await bench.store("a", "r")
        let transport = ScriptedTransport { _, _ throws(ConversationError) in
            throw ConversationError(.connectionFailed, "no route")
        }
        await #expect {
            try await bench.tokens.logOut(
                from: #require(url), using: HttpConversationManager(transport: transport))
        } throws: {
            ($0 as? OAuth2Error)?.code == .endpointUnreachable
        }
        #expect(try await bench.stored() == nil)
    }

    /// A storage whose tokens cannot be read until they are replaced, as a row that was rolled back.
    private final class Unreadable: OAuth2TokenStorage {
        private let isReadable = Box(false)
        private let storage = InMemoryTokenStorage()

        func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? {
            guard isReadable.value else { throw OAuth2Error(.storageFailed, "rolled back") }
            return await storage.tokens(for: key)
        }
        func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
            try await storage.save(tokens, for: key, under: lease)
            isReadable.update { $0 = true }
        }
        func removeAllTokens() async throws { await storage.removeAllTokens() }
    }

    @Test func loggingInReplacesTokensThatCannotBeRead() async throws {
        let bench = try OAuth2Bench(storage: Unreadable())
        #expect(try await bench.failure()?.code == .storageFailed)
        #expect(bench.web.opened.isEmpty)
        let tokens = try await bench.tokens.logIn(to: #require(url), using: bench.manager)
        #expect(tokens.accessToken.value == "access-1")
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.web.opened.count == 1)
    }

    @Test func loggingOutRemovesTokensThatCannotBeRead() async throws {
        let bench = try OAuth2Bench(storage: Unreadable())
        let error = await thrown(OAuth2Error.self) {
            try await bench.tokens.logOut(from: #require(url), using: bench.manager)
        }
        #expect(error?.code == .storageFailed)
        #expect(try await bench.stored() == nil)
    }

    /// A storage with the three methods that suffice for one process.
    private struct StorageWithoutLeases: OAuth2TokenStorage {
        let storage = InMemoryTokenStorage()

        func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? { await storage.tokens(for: key) }
        func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
            try await storage.save(tokens, for: key, under: nil)
        }
        func removeAllTokens() async throws { await storage.removeAllTokens() }
    }

    private static let storages: [any OAuth2TokenStorage] = [InMemoryTokenStorage(), StorageWithoutLeases()]

    /// The tokens of a refresh that a log-out overtakes are revoked, too, and not stored.
    @Test(arguments: 0..<2) func loggingOutDuringARefreshLeavesNothing(storage: Int) async throws {
        let bench = try OAuth2Bench(storage: Self.storages[storage])
        let (gate, url) = (Gate(), try #require(url))
        try await bench.store("a", "r", endsIn: -1)
        bench.server.tokenGate.withLock { $0 = gate }
        async let failure = bench.failure()
        await bench.waitForRenewal(1)
        while bench.server.count("refresh_token") == 0 { await Task.yield() }
        #expect(try await bench.tokens.logOut(from: url, using: bench.manager) == .revoked)
        gate.open()
        #expect(try await failure?.code == .leaseLost)
        #expect(try await bench.stored() == nil)
        let revoked = bench.server.now.forms.compactMap { $0["token"] }
        #expect(revoked == ["r", "a", "refresh-1", "access-1"])
        #expect(bench.web.opened.isEmpty)
    }

    /// A refresh that may not log in does not decide for a caller that may.
    @Test(arguments: [false, true]) func aRefusedRefreshDoesNotEndALogin(isLogin: Bool) async throws {
        let (gate, url) = (Gate(), try #require(url))
        try await bench.store("a", "unknown", endsIn: 30)
        bench.server.update { $0.validRefresh = [] }
        bench.server.tokenGate.withLock { $0 = gate }
        async let response = bench.get()
        await bench.waitForRenewal(1)
        while bench.server.count("refresh_token") == 0 { await Task.yield() }
        async let tokens =
            isLogin
            ? bench.tokens.logIn(to: url, using: bench.manager)
            : bench.tokens.validTokens(for: url, using: bench.manager, loggingIn: true)
        await bench.waitForRenewal(2)
        gate.open()
        #expect(try await tokens?.accessToken.value == "access-1")
        #expect(try await response.text == "item for access-1")
        #expect(bench.web.opened.count == 1)
    }

    /// A login is one, even if a conversation refreshes the tokens meanwhile.
    @Test func loggingInTakesNoRefreshedTokens() async throws {
        let (gate, url) = (Gate(), try #require(url))
        try await bench.store("a", "r", endsIn: 30)
        bench.server.tokenGate.withLock { $0 = gate }
        async let response = bench.get()
        await bench.waitForRenewal(1)
        async let tokens = bench.tokens.logIn(to: url, using: bench.manager)
        await bench.waitForRenewal(2)
        gate.open()
        #expect(try await tokens.source == .grant)
        _ = try await response
        #expect(bench.web.opened.count == 1)
    }

    @Test func loggingOutOfNothingSaysSo() async throws {
        #expect(try await bench.tokens.logOut(from: #require(url), using: bench.manager) == .nothingStored)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func loggingInGetsNewTokensWhateverIsStored() async throws {
        try await bench.store("a", "r")
        let tokens = try await bench.tokens.logIn(to: #require(url), using: bench.manager)
        #expect(tokens.accessToken.value == "access-1")
        #expect(try await bench.stored() == tokens)
        #expect(bench.web.opened.count == 1)
        #expect(bench.server.now.forms.map { $0["grant_type"] } == ["authorization_code"])
        // The resource itself gets no request.
        #expect(bench.transport.requests.allSatisfy { $0.target.origin.host == "auth.example.com" })
    }

    @Test func loggingInElsewhereIsRefused() async throws {
        await #expect {
            _ = try await bench.tokens.logIn(
                to: #require(URL(string: "https://other.example/")), using: bench.manager)
        } throws: {
            ($0 as? OAuth2Error)?.code == .invalidConfiguration
        }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func validTokensAreStoredOnesOrRefreshedOnes() async throws {
        let url = try #require(url)
        #expect(try await bench.tokens.validTokens(for: url, using: bench.manager) == nil)
        try await bench.store("a", "r")
        #expect(try await bench.tokens.validTokens(for: url, using: bench.manager)?.accessToken.value == "a")
        #expect(bench.transport.requests.isEmpty)
        bench.time.advance(by: .seconds(3600))
        let renewed = try await bench.tokens.validTokens(for: url, using: bench.manager)
        #expect(renewed?.accessToken.value == "access-1")
        #expect(bench.server.now.forms.map { $0["grant_type"] } == ["refresh_token"])
        #expect(bench.web.opened.isEmpty)
    }

    @Test func validTokensAskAPersonOnlyWhereThatIsWanted() async throws {
        let url = try #require(url)
        try await bench.store("a", nil, endsIn: -1)
        #expect(try await bench.tokens.validTokens(for: url, using: bench.manager) == nil)
        #expect(bench.web.opened.isEmpty)
        let tokens = try await bench.tokens.validTokens(for: url, using: bench.manager, loggingIn: true)
        #expect(tokens?.accessToken.value == "access-1")
        #expect(bench.web.opened.count == 1)
    }

    @Test func tokensThatStillLiveDoWhereTheServerCannotBeReached() async throws {
        let url = try #require(url)
        try await bench.store("a", "r", endsIn: 30)
        let transport = ScriptedTransport { _, _ throws(ConversationError) in
            throw ConversationError(.connectionFailed, "no route")
        }
        let offline = HttpConversationManager(transport: transport)
        #expect(try await bench.tokens.validTokens(for: url, using: offline)?.accessToken.value == "a")
        #expect(transport.requests.count == 1)
        bench.time.advance(by: .seconds(60))
        await #expect(throws: OAuth2Error.self) {
            _ = try await bench.tokens.validTokens(for: url, using: offline)
        }
    }

    @Test func changesAreTold() async throws {
        let changes = bench.tokens.changes
        _ = try await bench.get()
        bench.time.advance(by: .seconds(3600))
        _ = try await bench.get()
        try await bench.tokens.removeTokens(for: #require(url))
        try await bench.tokens.removeAllTokens()
        var seen: [OAuth2TokenChange] = []
        for await change in changes {
            seen.append(change)
            if seen.count == 4 { break }
        }
        #expect(seen.map(\.kind) == [.granted, .refreshed, .removed, .removed])
        #expect(seen.map(\.key) == [bench.key, bench.key, bench.key, nil])
    }

    /// S2: another session is another person with separate tokens.
    @Test func anotherSessionHasOtherTokens() async throws {
        var configurator = CommonAuthenticationConfigurator()
        let first = ObjectIdentifier(try #require(configurator.tokenStorage as? InMemoryTokenStorage))
        var copy = configurator
        copy.session = HttpSession()
        #expect(ObjectIdentifier(try #require(copy.tokenStorage as? InMemoryTokenStorage)) != first)
        let chosen = InMemoryTokenStorage()
        configurator.tokenStorage = chosen
        configurator.session = HttpSession()
        #expect((configurator.tokenStorage as? InMemoryTokenStorage) === chosen)
    }

    @Test func observersLearnThatTokensSucceeded() async throws {
        let observer = RecordingObserver()
        bench.manager.update { $0.observers.add(observer) }
        _ = try await bench.get()
        let told = LoginEvent.tokensSucceeded(
            support: "api", storageURL: try TargetURL("https://api.example.com/"))
        #expect(observer.logins.count { $0 == told } == 1)
        #expect(observer.violations.isEmpty)
    }
}
