import HttpC
import HttpCTerminal
import Testing

@testable import HttpCClient

/// The cookies of a profile in several processes, each with a vault handle of its own.
@Suite(.timeLimit(.minutes(1))) struct ProfileCookiesTests {
    private let sandbox: Sandbox
    private let diagnostics = Diagnostics(isSilent: true, style: TerminalStyle(isColoured: false), progress: nil)

    init() throws { sandbox = try Sandbox() }

    private var state: ProfileState { ProfileState(profile: "kept", environment: sandbox.environment) }

    private func process() async throws -> ProfileCookies { try await ProfileCookies(state, diagnostics) }

    private func cookies(_ names: String...) -> CookieStore.Snapshot {
        .init(
            cookies: names.map {
                Cookie(name: $0, value: "1", domain: "a.example", isHostOnly: true, expires: .distantFuture)
            })
    }

    private var stored: [String] {
        get async throws { try await process().start.cookies.map(\.name).sorted() }
    }

    @Test func aSessionThatWasLoggedOutIsNotSavedAgain() async throws {
        try await process().save(cookies("a"))
        let running = try await process()
        try await ProfileCookies.clear(state)
        try await running.save(cookies("a", "b"))
        #expect(try await stored.isEmpty)
        // Later processes save as before.
        try await process().save(cookies("c"))
        #expect(try await stored == ["c"])
    }

    @Test func aRunningSessionFollowsALogout() async throws {
        let running = try await process()
        try await running.save(cookies("a"))
        let session = HttpSession(cookies: CookieStore(cookies("a", "unsaved")))
        try await running.followRemoval(session)
        #expect(session.cookies.snapshot.cookies.count == 2)
        try await ProfileCookies.clear(state)
        try await process().save(cookies("new"))
        try await running.followRemoval(session)
        #expect(session.cookies.snapshot.cookies.map(\.name) == ["new"])
        try await running.save(cookies("new", "later"))
        #expect(try await stored == ["later", "new"])
    }
}
