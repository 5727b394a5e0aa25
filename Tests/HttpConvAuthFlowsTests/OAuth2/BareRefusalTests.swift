import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// Tokens that a server refuses without a Bearer challenge, as Salesforce and many gateways do.
@Suite("OAuth2: a 401 without a Bearer challenge", .timeLimit(.minutes(1)))
struct BareRefusalTests {
    private static let challenges: [String?] = [nil, "Token", #"Basic realm="x""#, "?"]

    private func bench(_ grant: OAuth2Grant? = nil, _ challenge: String? = nil) throws -> OAuth2Bench {
        let bench = try OAuth2Bench(
            grant: grant, authentication: grant == nil ? .none : .basic(secret: "s"))
        var fields = HTTPFields()
        fields[.wwwAuthenticate] = challenge
        let refusal = ScriptedTransport.Answer(.unauthorized, fields, body: "no")
        bench.server.update { $0.challenge = refusal }
        return bench
    }

    @Test(arguments: challenges) func aRefreshRenewsTheTokens(challenge: String?) async throws {
        let bench = try bench(nil, challenge)
        try await bench.store("revoked", "r1", endsIn: nil, isValid: false)
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.now.grants == ["refresh_token": 1])
        #expect(bench.web.opened.isEmpty)
    }

    @Test(arguments: challenges) func aGrantWithoutAPersonRenewsThem(challenge: String?) async throws {
        let bench = try bench(.clientCredentials, challenge)
        try await bench.store("revoked", endsIn: nil, isValid: false)
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.now.grants == ["client_credentials": 1])
    }

    @Test func conversationsRenewThemTogether() async throws {
        let bench = try bench()
        try await bench.store("revoked", "r1", endsIn: nil, isValid: false)
        let responses = await bench.manager.getAll((0..<10).map { "\(TokenServer.api)/\($0)" })
        for response in responses { #expect(try response.get().text == "item for access-1") }
        #expect(bench.server.now.grants == ["refresh_token": 1])
    }

    /// A redirect leads to another server, whose tokens have ended, too.
    @Test func theTokensOfEachServerAreRenewed() async throws {
        let support = try ConfiguredOAuth2ServerSupport(
            name: OAuth2Bench.name, tokenOrigins: ["https://api.example.com", "https://other.example.com"],
            configuration: OAuth2Configuration(
                clientID: "native", authentication: .basic(secret: "s"),
                tokenEndpoint: "https://auth.example.com/token", grant: .clientCredentials))
        let bench = try OAuth2Bench(support: support)
        bench.server.update { $0.challenge = .init(.unauthorized) }
        try await bench.store("revoked", endsIn: nil, isValid: false)
        let other = OAuth2TokenKey(
            storageURL: try TargetURL("https://other.example.com/"), supportName: support.name)
        try await bench.storage.save(
            OAuth2Tokens(accessToken: "revoked too", receivedAt: bench.time.date - 10), for: other)
        let server = bench.transport
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            let response = try await server.send(request)
            guard request.target.origin.host == "api.example.com", response.head.status == .ok else {
                let body = try await response.body.collect(upTo: 1 << 20)
                return .init(
                    response.head.status, response.head.headerFields, body: String(decoding: body, as: UTF8.self))
            }
            return .init(.found, [.location: "https://other.example.com/items"])
        }
        let manager = HttpConversationManager(transport: transport, configuration: bench.manager.configuration)
        #expect(try await manager.get(TokenServer.api).text == "item for access-2")
        #expect(bench.server.now.grants == ["client_credentials": 2])
    }

    /// The 401 is about something else then. It is the answer, and the next ones renew nothing for ten minutes.
    @Test(arguments: challenges) func ifThatDoesNotHelpTheResponseIsTheAnswer(challenge: String?) async throws {
        let bench = try bench(nil, challenge)
        try await bench.store("old", "r1", isValid: false)
        bench.server.update { $0.acceptsNothing = true }
        for _ in 0..<3 {
            let response = try await bench.get()
            #expect(response.status == .unauthorized && response.text == "no")
        }
        #expect(bench.server.now.grants == ["refresh_token": 1])
        bench.time.advance(by: .seconds(600))
        #expect(try await bench.get().status == .unauthorized)
        #expect(bench.server.now.grants == ["refresh_token": 2])
        #expect(bench.web.opened.isEmpty)
        #expect(try await bench.stored()?.accessToken.value == "access-2")
    }

    /// The access token may still be good elsewhere. It stays, and the refused refresh token is not sent each time.
    @Test func aPersonIsNotAsked() async throws {
        let bench = try bench()
        try await bench.store("old", "r1", isValid: false)
        bench.server.update { $0.validRefresh = [] }
        for _ in 0..<3 { #expect(try await bench.get().status == .unauthorized) }
        #expect(bench.server.now.grants == ["refresh_token": 1])
        #expect(bench.web.opened.isEmpty)
        #expect(try await bench.stored()?.accessToken.value == "old")
        bench.server.update { $0.validAccess = ["old"] }
        #expect(try await bench.get().text == "item for old")
    }

    @Test func aRefusedPasswordIsSentOnce() async throws {
        let bench = try bench(.password(UsernamePassword(username: "alice", password: "p")))
        try await bench.store("old", endsIn: nil, isValid: false)
        bench.server.override { _ in TokenServer.refusal("invalid_grant") }
        for _ in 0..<3 { #expect(try await bench.get().status == .unauthorized) }
        #expect(bench.server.now.grants == ["password": 1])
    }

    @Test func aTokenEndpointThatIsDownIsAskedAgainLater() async throws {
        let bench = try bench()
        try await bench.store("revoked", "r1", endsIn: nil, isValid: false)
        bench.server.override { _ in .init(.serviceUnavailable) }
        for _ in 0..<2 { #expect(try await bench.get().text == "no") }
        #expect(bench.server.now.grants == ["refresh_token": 1])
        bench.server.override { _ in nil }
        bench.time.advance(by: .seconds(3))
        #expect(try await bench.get().text == "item for access-1")
    }

    /// Such as for a key whose passphrase nobody is asked for because of a bare 401.
    private struct Unconfigured: OAuth2ServerSupport {
        struct Missing: Error {}
        let base: ConfiguredOAuth2ServerSupport
        let gate = Gate()
        var name: String { base.name }
        var tokenOrigins: Set<Origin> { base.tokenOrigins }

        init() throws {
            base = try ConfiguredOAuth2ServerSupport(
                name: OAuth2Bench.name, tokenOrigins: [TokenServer.api],
                configuration: OAuth2Configuration(
                    clientID: "native", authentication: .basic(secret: "s"),
                    tokenEndpoint: "https://auth.example.com/token", grant: .clientCredentials))
        }

        func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration {
            guard challenge.bearer.isEmpty else { return try await base.config(forChallenge: challenge) }
            await gate.pass()
            throw Missing()
        }
    }

    /// A Bearer challenge that joins the renewal for a bare 401 does not get its failure.
    @Test func aChallengeIsAnsweredAlthoughABareRefusalIsNot() async throws {
        let support = try Unconfigured()
        let bench = try OAuth2Bench(support: support)
        try await bench.store("revoked", endsIn: nil, isValid: false)
        let server = bench.transport
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            let answer = try await server.send(request)
            guard answer.head.status == .unauthorized, request.target.path == "/bare" else {
                let text = String(decoding: try await answer.body.collect(upTo: 1000), as: UTF8.self)
                return .init(answer.head.status, answer.head.headerFields, body: text)
            }
            return .init(.unauthorized)
        }
        let manager = HttpConversationManager(transport: transport, configuration: bench.manager.configuration)
        async let bare = manager.get("https://api.example.com/bare").status
        await bench.waitForRenewal(1)
        async let challenged = manager.get(TokenServer.api).status
        await bench.waitForRenewal(2)
        support.gate.open()
        #expect(try await challenged == .ok)
        #expect(try await bare == .unauthorized)
        #expect(bench.server.now.grants == ["client_credentials": 1])
        #expect(bench.web.opened.isEmpty)
    }

    @Test func withoutOurTokenNothingIsRenewed() async throws {
        let bench = try bench()
        #expect(try await bench.get().status == .unauthorized)
        try await bench.store("stored", "r1", isValid: false)
        let request = try HTTPRequest(.get, TokenServer.api, fields: [.authorization: "Bearer own"])
        #expect(try await bench.manager.data(for: request).status == .unauthorized)
        #expect(bench.server.now.forms.isEmpty)
        #expect(bench.web.opened.isEmpty)
    }

    @Test func theResponseToABodyThatIsGoneIsTheCallers() async throws {
        let bench = try bench()
        try await bench.store("revoked", "r1", endsIn: nil, isValid: false)
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield([1])
            continuation.finish()
        }
        let response = try await bench.manager.data(
            for: HTTPRequest(.post, TokenServer.api), body: .oneShot(chunks))
        #expect(response.status == .unauthorized)
        #expect(bench.server.now.forms.isEmpty)
    }

    @Test func aMissingScopeIsNotForARenewal() async throws {
        let bench = try bench(nil, #"Bearer error="insufficient_scope""#)
        try await bench.store("old", "r1", isValid: false)
        #expect(try await bench.get().status == .unauthorized)
        #expect(bench.server.now.forms.isEmpty)
    }
}

/// A server that refuses each token leads to one login, and not to one for each request.
@Suite("OAuth2: a server that refuses new tokens", .timeLimit(.minutes(1)))
struct RefusedTokenTests {
    /// Checks that requests, a second apart, fail by an error.
    private func expectFailures(
        _ bench: OAuth2Bench, _ count: Int, _ code: OAuth2Error.Code = .accessTokenRefused
    ) async throws {
        for _ in 0..<count {
            #expect(try await bench.failure()?.code == code)
            bench.time.advance(by: .seconds(1))
        }
    }

    @Test func aPersonIsAskedOnceInTenMinutes() async throws {
        let bench = try OAuth2Bench()
        bench.server.update { $0.acceptsNothing = true }
        try await expectFailures(bench, 3)
        #expect(bench.server.now.grants == ["authorization_code": 1])
        #expect(bench.web.opened.count == 1)
        bench.time.advance(by: .seconds(596))
        try await expectFailures(bench, 1)
        #expect(bench.web.opened.count == 1)
        try await expectFailures(bench, 3)
        #expect(bench.web.opened.count == 2)
        // The tokens may be accepted now.
        bench.server.update { $0.acceptsNothing = false }
        #expect(try await bench.get().status == .ok)
        #expect(bench.web.opened.count == 2)
    }

    @Test func anExplicitLoginIsTriedAgain() async throws {
        let bench = try OAuth2Bench()
        bench.server.update { $0.acceptsNothing = true }
        try await expectFailures(bench, 2)
        #expect(bench.web.opened.count == 1)
        _ = try await bench.tokens.logIn(to: TokenServer.api, using: bench.manager)
        #expect(bench.web.opened.count == 2)
        bench.time.advance(by: .seconds(1))
        try await expectFailures(bench, 3)
        #expect(bench.web.opened.count == 3)
    }

    /// A client that acts for itself asks nobody: it tries again after 5 seconds, and then each time after twice as long.
    @Test func aClientsOwnTokensAreSoonObtainedAgain() async throws {
        let bench = try OAuth2Bench(grant: .clientCredentials, authentication: .basic(secret: "s"))
        bench.server.update { ($0.acceptsNothing, $0.rotates) = (true, false) }
        for (count, rest) in [5, 10, 20, 40, 80, 160, 320, 600, 600].enumerated() {
            try await expectFailures(bench, 1)
            #expect(bench.server.now.grants == ["client_credentials": count + 1])
            bench.time.advance(by: .seconds(rest - 2))
            try await expectFailures(bench, 1)
            #expect(bench.server.now.grants == ["client_credentials": count + 1])
        }
        // It was silent for a long time.
        bench.time.advance(by: .seconds(1200))
        for count in [10, 11] {
            try await expectFailures(bench, 5)
            #expect(bench.server.count("client_credentials") == count)
        }
    }

    /// A server that restarts refuses tokens for a moment.
    @Test func aClientsOwnTokensGetInAfterAMoment() async throws {
        let bench = try OAuth2Bench(grant: .clientCredentials, authentication: .basic(secret: "s"))
        bench.server.update { ($0.acceptsNothing, $0.rotates) = (true, false) }
        try await expectFailures(bench, 5)
        bench.server.update { ($0.acceptsNothing, $0.validAccess) = (false, []) }
        #expect(try await bench.get().text == "item for access-2")
    }

    /// Requests that are refused at the same time count once.
    @Test func refusalsAtTheSameTimeCountOnce() async throws {
        let bench = try OAuth2Bench(grant: .clientCredentials, authentication: .basic(secret: "s"))
        bench.server.update { ($0.acceptsNothing, $0.rotates) = (true, false) }
        let gate = Gate()
        bench.server.tokenGate.withLock { $0 = gate }
        async let all = bench.manager.getAll((0..<10).map { "\(TokenServer.api)/\($0)" })
        await bench.waitForRenewal(10)
        gate.open()
        for response in await all { #expect(throws: ConversationError.self) { try response.get() } }
        #expect(bench.server.now.grants == ["client_credentials": 1])
        bench.time.advance(by: .seconds(5))
        try await expectFailures(bench, 1)
        #expect(bench.server.now.grants == ["client_credentials": 2])
    }

    /// A bare 401, too, leads to new ones soon.
    @Test func aClientsOwnTokensAreSoonObtainedAgainAfterABareRefusal() async throws {
        let bench = try OAuth2Bench(grant: .clientCredentials, authentication: .basic(secret: "s"))
        try await bench.store("old", endsIn: nil, isValid: false)
        bench.server.update {
            ($0.acceptsNothing, $0.rotates) = (true, false)
            $0.challenge = .init(.unauthorized)
        }
        for _ in 0..<2 { #expect(try await bench.get().status == .unauthorized) }
        #expect(bench.server.now.grants == ["client_credentials": 1])
        bench.time.advance(by: .seconds(5))
        bench.server.update { ($0.acceptsNothing, $0.validAccess) = (false, []) }
        #expect(try await bench.get().text == "item for access-2")
    }

    /// A password stays at rest for ten minutes.
    @Test func aPasswordIsNotSentAgainSoon() async throws {
        let bench = try OAuth2Bench(grant: .password(UsernamePassword(username: "alice", password: "p")))
        bench.server.update { ($0.acceptsNothing, $0.rotates) = (true, false) }
        try await expectFailures(bench, 1)
        bench.time.advance(by: .seconds(598))
        try await expectFailures(bench, 1)
        #expect(bench.server.now.grants == ["password": 1])
        try await expectFailures(bench, 1)
        #expect(bench.server.now.grants == ["password": 2])
    }

    /// The refusal of refreshed tokens is no reason for a login, either.
    @Test func refreshedTokensAreRefusedLikewise() async throws {
        let bench = try OAuth2Bench()
        bench.server.update {
            $0.acceptsNothing = true
            $0.lifetime = 100
        }
        for _ in 0..<4 {
            try await expectFailures(bench, 1)
            bench.time.advance(by: .seconds(100))
        }
        #expect(bench.server.now.grants == ["authorization_code": 1, "refresh_token": 3])
        #expect(bench.web.opened.count == 1)
    }

    @Test func aDemandThatIsNeverMetAsksOnce() async throws {
        let bench = try OAuth2Bench()
        try await bench.store("a", "r")
        bench.server.update {
            $0.acceptsNothing = true
            $0.challenge = .init(
                .unauthorized,
                [.wwwAuthenticate: #"Bearer error="insufficient_user_authentication", acr_values="gold""#])
        }
        try await expectFailures(bench, 3, .insufficientAuthentication)
        #expect(bench.web.opened.count == 1)
        bench.time.advance(by: .seconds(600))
        try await expectFailures(bench, 1, .insufficientAuthentication)
        #expect(bench.web.opened.count == 2)
    }

    /// Tokens of another login, such as another process's, are new ones.
    @Test func newTokensAreTried() async throws {
        let bench = try OAuth2Bench()
        bench.server.update { $0.acceptsNothing = true }
        try await expectFailures(bench, 1)
        try await bench.storage.save(
            OAuth2Tokens(accessToken: "others", receivedAt: bench.time.date - 10), for: bench.key)
        try await expectFailures(bench, 1)
        #expect(bench.web.opened.count == 2)
    }

    /// Two servers with the same tokens.
    private struct Shared: OAuth2ServerSupport {
        static let other = "https://other.example.com/items"
        let base: ConfiguredOAuth2ServerSupport
        let storage: TargetURL
        var name: String { base.name }
        var tokenOrigins: Set<Origin> { base.tokenOrigins }

        init(_ grant: OAuth2Grant? = nil) throws {
            base = try ConfiguredOAuth2ServerSupport(
                name: OAuth2Bench.name, tokenOrigins: [TokenServer.api, Self.other],
                configuration: OAuth2Configuration(
                    clientID: "native", authentication: grant == nil ? .none : .basic(secret: "s"),
                    tokenEndpoint: "https://auth.example.com/token", grant: grant ?? OAuth2Bench.code()))
            storage = try TargetURL("https://api.example.com/")
        }

        func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration {
            try await base.config(forChallenge: challenge)
        }

        func storageURL(forRequestURL url: TargetURL) -> TargetURL { storage }
    }

    /// Another server may accept new tokens, although one has refused those of both.
    @Test func theRefusalOfOneServerIsNotThatOfAnother() async throws {
        let bench = try OAuth2Bench(support: Shared())
        bench.server.update { $0.refusingHosts = ["other.example.com"] }
        #expect(try await bench.failure(Shared.other)?.code == .accessTokenRefused)
        #expect(bench.web.opened.count == 1)
        bench.server.update { ($0.validAccess, $0.validRefresh) = ([], []) }
        // The tokens are older than the next conversation.
        bench.time.advance(by: .seconds(1))
        #expect(try await bench.get().text == "item for access-2")
        #expect(bench.web.opened.count == 2)
        #expect(try await bench.failure(Shared.other)?.code == .accessTokenRefused)
    }

    /// They do not lead to one login after the other.
    @Test func eachOfTwoServersAsksOnce() async throws {
        let bench = try OAuth2Bench(support: Shared())
        bench.server.update { $0.acceptsNothing = true }
        for _ in 0..<3 {
            try await expectFailures(bench, 1)
            #expect(try await bench.failure(Shared.other)?.code == .accessTokenRefused)
        }
        #expect(bench.web.opened.count == 2)
    }

    /// The same after a 401 without a Bearer challenge.
    @Test func bareRefusalsCountForEachServer() async throws {
        let bench = try OAuth2Bench(support: Shared(.clientCredentials))
        try await bench.store("revoked", endsIn: nil, isValid: false)
        bench.server.update {
            $0.challenge = .init(.unauthorized)
            $0.refusingHosts = ["other.example.com"]
        }
        for _ in 0..<2 { #expect(try await bench.get(Shared.other).status == .unauthorized) }
        #expect(bench.server.now.grants == ["client_credentials": 1])
        bench.server.update { $0.validAccess = [] }
        #expect(try await bench.get().text == "item for access-2")
        #expect(bench.server.now.grants == ["client_credentials": 1, "refresh_token": 1])
    }
}
