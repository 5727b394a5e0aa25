import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationNIO
import HttpConversationTesting
import TestLandscape
import Testing

/// The flow over real sockets, against independently written servers.
@Suite("Logins at the landscape", .timeLimit(.minutes(2)))
struct LandscapeLoginTests {
    /// The answer of a protected resource of the landscape.
    private struct Answer: Decodable, Equatable {
        let user: String
        let realm: String
        let scheme: String
    }

    /// A landscape, a transport, and a manager with these providers.
    private func withManager(
        _ providers: any UsernamePasswordProvider...,
        body: (Landscape, HttpConversationManager) async throws -> Void
    ) async throws {
        try await withLandscape { landscape in
            let transport = NIOTransport()
            var configurator = CommonAuthenticationConfigurator()
            configurator.multiplexer = UserInteractionMultiplexer()
            for provider in providers { configurator.add(provider) }
            let manager = HttpConversationManager(transport: transport, configurator)
            try await transport.whileRunning { try await body(landscape, manager) }
        }
    }

    private func answer(_ response: ConversationResponse) throws -> Answer {
        #expect(response.status == .ok)
        return try JSONDecoder().decode(Answer.self, from: response.data)
    }

    @Test(arguments: [
        ("md5", "Digest MD5"), ("sha256", "Digest SHA-256"), ("sha512-256", "Digest SHA-512-256"),
        ("md5-sess", "Digest MD5-sess"), ("sha256-sess", "Digest SHA-256-sess"),
        ("sha512-256-sess", "Digest SHA-512-256-sess"), ("auth-int", "Digest SHA-256"),
        ("auth-both", "Digest MD5"), ("legacy", "Digest MD5"), ("all", "Digest SHA-512-256"),
        ("all-in-one", "Digest SHA-512-256"), ("once", "Digest SHA-256"), ("nextnonce", "Digest SHA-256"),
    ])
    func everyKindOfDigest(_ variant: String, _ scheme: String) async throws {
        // A name that tests quoting and encoding.
        let provider = CountingProvider("j\"ür\\gen €", "pässwörd€")
        try await withManager(provider) { landscape, manager in
            landscape.addUser("j\"ür\\gen €", password: "pässwörd€")
            for index in 0..<3 {
                let request = try HTTPRequest(.post, landscape.urlString(.main, "/digest/\(variant)/a?i=\(index)"))
                let response = try await manager.data(for: request, body: .text("body \(index)"))
                #expect(
                    try answer(response)
                        == Answer(user: "j\"ür\\gen €", realm: "digest-\(variant)", scheme: scheme))
            }
            #expect(provider.count == 1)
            #expect((landscape.counters.failedLogins, landscape.counters.replayedNonceCounts) == (0, 0))
            #expect(landscape.counters.unauthorized == (variant == "once" ? 3 : 1))
        }
    }

    @Test(arguments: [
        ("realm1", "alice", "wonderland", "realm1"), ("realm1", "rené", "café", "realm1"),
        ("realm1", "carol", "pass:with:colons", "realm1"), ("realm1", "jürgen", "pässwörd€", "realm1"),
        ("utf8", "rené", "café", "utf8"), ("quotes", "alice", "wonderland", #"the "quoted" \ realm"#),
    ])
    func everyKindOfBasic(
        _ segment: String, _ user: String, _ password: String, _ realm: String
    ) async throws {
        let provider = CountingProvider(user, password)
        try await withManager(provider) { landscape, manager in
            for path in ["a/b", "a/c", "a/d/e"] {
                let response = try await manager.get(landscape.urlString(.main, "/basic/\(segment)/\(path)"))
                #expect(try answer(response) == Answer(user: user, realm: realm, scheme: "Basic"))
            }
            #expect((provider.count, landscape.counters.unauthorized) == (1, 1))
            #expect(landscape.counters.failedLogins == 0)
        }
    }

    @Test func alwaysStaleEndsWithThe401() async throws {
        let provider = CountingProvider("alice", "wonderland")
        try await withManager(provider) { landscape, manager in
            let response = try await manager.get(landscape.urlString(.main, "/digest/stale/x"))
            #expect(response.status == .unauthorized)
            #expect((landscape.counters.staleNonces, provider.count) == (3, 1))
        }
    }

    @Test func theOtherOriginNeverSeesThePassword() async throws {
        try await withManager(CountingProvider("alice", "wonderland")) { landscape, manager in
            _ = try await manager.get(landscape.urlString(.main, "/basic/realm1/x"))
            _ = try await manager.get(landscape.urlString(.main, "/digest/sha256/x"))
            manager.update { $0.challengeFilters.remove(id: FlowID.usernamePassword) }
            for path in ["/basic/realm1/x", "/digest/sha256/x"] {
                #expect(try await manager.get(landscape.urlString(.other, path)).status == .unauthorized)
            }
            let arrived = landscape.requests().filter { $0.origin == .other }
            #expect(arrived.map(\.path) == ["/basic/realm1/x", "/digest/sha256/x"])
            #expect(arrived.allSatisfy { $0.values(of: "Authorization").isEmpty })
        }
    }

    // MARK: In parallel

    @Test(arguments: ["/basic/realm1/", "/digest/sha256/"])
    func aThousandShareAWrongPassword(_ path: String) async throws {
        let gate = Gate()
        let provider = CountingProvider { _, _ in
            await gate.pass()
            return .credential(UsernamePassword(username: "alice", password: "wrong"), persistence: .session)
        }
        try await withManager(provider) { landscape, manager in
            let urls = (0..<1000).map { landscape.urlString(.main, "\(path)\($0)") }
            let isBasic = path.hasPrefix("/basic")
            let space = ProtectionSpace(
                origin: try TargetURL(urls[0]).origin, method: isBasic ? .basic : .digest,
                realm: isBasic ? "realm1" : "digest-sha256")
            let question = try #require(manager.passwordFilter).question(in: space)
            async let results = manager.getAll(urls)
            await manager.configuration.session.steps.waitForWaiters(1000, of: question)
            let before = landscape.counters
            gate.open()
            #expect(try await results.allSatisfy { try $0.get().status == .unauthorized })
            #expect(before.unauthorized == 1000)
            #expect(landscape.counters.unauthorized == 1001)
            #expect(landscape.counters.failedLogins - before.failedLogins == 1)
            #expect((provider.count, provider.peak) == (2, 1))
        }
    }

    @Test(arguments: [3, 7, 100])
    func twoHundredAgainstNoncesThatExpire(_ uses: Int) async throws {
        let provider = CountingProvider("alice", "wonderland")
        try await withManager(provider) { landscape, manager in
            landscape.nonceRule.uses = uses
            for _ in 0..<2 {
                let results = await manager.getAll((0..<200).map { landscape.urlString(.main, "/digest/sha256/\($0)") })
                let users = try results.map { result in try answer(result.get()).user }
                #expect(users == Array(repeating: "alice", count: 200))
                landscape.expireNonces()
            }
            #expect((landscape.counters.failedLogins, landscape.counters.replayedNonceCounts) == (0, 0))
            #expect((landscape.counters.authenticated, provider.count) == (400, 1))
            #expect(landscape.counters.staleNonces > 0)
        }
    }
}
