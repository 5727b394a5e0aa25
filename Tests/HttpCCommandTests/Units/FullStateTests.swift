import Foundation
import HttpC
import HttpCTerminal
import HttpConvVaultStorage
import Testing

@testable import HttpCClient
@testable import HttpConvVault

/// A file system that cannot be written any more after the vault was opened. SQLite's own switch imitates it.
@Suite(.timeLimit(.minutes(1))) struct FullStateTests {
    private let sandbox: Sandbox
    private let state: ProfileState
    private let diagnostics = Diagnostics(isSilent: true, style: TerminalStyle(isColoured: false), progress: nil)
    private static let server = "https://a.example/"

    init() throws {
        sandbox = try Sandbox()
        state = ProfileState(profile: "kept", environment: sandbox.environment)
    }

    private func setPlace(_ exists: Bool) async throws {
        try await state.vault().connections.writeWithoutTransaction {
            try $0.execute("PRAGMA query_only = \(exists ? 0 : 1)")
        }
    }

    private func cookie(_ name: String) -> Cookie {
        Cookie(name: name, value: "1", domain: "a.example", isHostOnly: true, expires: .distantFuture)
    }

    @Test(arguments: ["lease", "write"]) func aWebLoginIsKeptForTheProcess(missing: String) async throws {
        let cookies = try await ProfileCookies(state, diagnostics)
        let start = try TargetURL(Self.server)
        let login = WebLogin(.webLogin, start: start, cookieTargets: [start], returnsCookies: true) { _ in false }
        try await setPlace(missing != "lease")
        let outcome = try await SharedLogin(cookies: cookies, diagnostics: diagnostics)
            .perform(login, finish: Self.server) {
                try await setPlace(false)
                return WebLoginOutcome(url: start, cookies: [cookie("session")])
            }
        #expect(outcome.cookies.map(\.name) == ["session"])
        #expect(cookies.start.cookies.map(\.name) == ["session"])
    }

    /// A refusal stays a refusal, although it cannot be noted.
    @Test func aRefusalIsTheError() async throws {
        let cookies = try await ProfileCookies(state, diagnostics)
        let start = try TargetURL(Self.server)
        let login = WebLogin(.webLogin, start: start, cookieTargets: [start], returnsCookies: true) { _ in false }
        let error = await #expect(throws: WebLoginError.self) {
            try await SharedLogin(cookies: cookies, diagnostics: diagnostics).perform(login, finish: Self.server) {
                try await setPlace(false)
                throw WebLoginError(.answersRefused, "No.")
            }
        }
        #expect(error?.code == .answersRefused)
    }

    /// Cookies that could not be saved are saved as soon as there is a place.
    @Test func cookiesAreSavedLater() async throws {
        let cookies = try await ProfileCookies(state, diagnostics)
        let session = CookieStore.Snapshot(cookies: [cookie("a")])
        try await setPlace(false)
        try await cookies.save(session)
        #expect(cookies.start.cookies.isEmpty)
        try await setPlace(true)
        try await cookies.save(session)
        #expect(try await ProfileCookies(state, diagnostics).start.cookies.map(\.name) == ["a"])
    }

    /// Without the lease, the refresh token that all processes share is not used, and stays.
    @Test func tokensOfTheProcessStayInMemory() async throws {
        let key = OAuth2TokenKey(storageURL: try TargetURL(Self.server), supportName: "api")
        let vault = try await state.tokens()
        try await vault.save(OAuth2Tokens(accessToken: "shared", refreshToken: "r"), for: key, under: nil)
        let tokens = ProfileTokens(state, diagnostics)
        #expect(try await tokens.tokens(for: key)?.accessToken.value == "shared")
        try await setPlace(false)
        try await tokens.withLease(for: key, duration: .seconds(10)) {
            nil
        } _: { lease in
            #expect(lease == nil)
            #expect(try await tokens.tokens(for: key) == nil)
            try await tokens.save(OAuth2Tokens(accessToken: "own"), for: key, under: lease)
        }
        #expect(try await tokens.tokens(for: key)?.accessToken.value == "own")
        // If the server refuses its own tokens, only those are removed.
        try await tokens.withLease(for: key, duration: .seconds(10)) {
            nil
        } _: { lease in
            try await tokens.save(nil, for: key, under: lease)
        }
        #expect(try await tokens.tokens(for: key) == nil)
        #expect(try await vault.tokens(for: key)?.accessToken.value == "shared")
    }

    /// A command whose purpose is the stored tokens fails, and so does the removal of a logout.
    @Test func whatIsForTheStorageFails() async throws {
        let key = OAuth2TokenKey(storageURL: try TargetURL(Self.server), supportName: "api")
        let vault = try await state.tokens()
        try await vault.save(OAuth2Tokens(accessToken: "shared"), for: key, under: nil)
        try await setPlace(false)
        let tokens = ProfileTokens(state, in: vault, diagnostics)
        let error = await #expect(throws: OAuth2Error.self) {
            try await tokens.withLease(for: key, duration: .seconds(10)) {
                nil
            } _: { _ in
            }
        }
        #expect(error?.code == .storageFailed)
        await #expect(throws: OAuth2Error.self) {
            try await ProfileTokens(state, diagnostics).save(nil, for: key, under: nil)
        }
    }
}
