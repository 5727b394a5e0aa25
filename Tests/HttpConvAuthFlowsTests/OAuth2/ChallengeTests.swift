import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: challenges", .timeLimit(.minutes(1)))
struct OAuth2ChallengeTests {
    private let bench: OAuth2Bench

    init() throws { bench = try OAuth2Bench() }

    @Test func aChallengeLeadsToALogin() async throws {
        let bench = try OAuth2Bench(scopes: ["read"])
        let response = try await bench.get()
        #expect(response.text == "item for access-1")
        #expect(response.attempts.count == 2)
        #expect(bench.web.opened.count == 1)
        let form = try #require(bench.server.now.forms.first)
        #expect(form["grant_type"] == "authorization_code")
        #expect(form["code"] == "c0de")
        #expect(form["redirect_uri"] == "com.example.app:/back")
        let challenge = ScriptedOAuth2WebStrategy.parameter("code_challenge", of: try #require(bench.web.opened.first))
        #expect(ProofKey(verifier: form["code_verifier"] ?? "").challenge == challenge)
        #expect(try await bench.stored()?.refreshToken?.value == "refresh-1")
        // The next request asks nobody.
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.web.opened.count == 1)
    }

    @Test func refreshComesBeforeTheLogin() async throws {
        try await bench.store("revoked", "r1", isValid: false)
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.count("refresh_token") == 1)
        #expect(bench.web.opened.isEmpty)
    }

    @Test func anothersNewerTokenComesBeforeTheRefresh() async throws {
        try await bench.store("revoked", "r1", isValid: false)
        let (storage, key, server) = (bench.storage, bench.key, bench.server)
        // Another process renews while the first exchange is in flight.
        bench.manager.update { configuration in
            configuration.requestFilters.add(
                Meanwhile {
                    server.update { $0.validAccess = ["newer"] }
                    try await storage.save(OAuth2Tokens(accessToken: "newer", refreshToken: "r2"), for: key)
                })
        }
        #expect(try await bench.get().text == "item for newer")
        #expect(bench.server.now.grants.isEmpty)
    }

    @Test func aRefusedRefreshTokenLeadsToALogin() async throws {
        try await bench.store("revoked", isValid: false)
        try await bench.storage.save(
            OAuth2Tokens(accessToken: "revoked", refreshToken: "unknown", receivedAt: .distantPast), for: bench.key)
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.count("refresh_token") == 1)
        #expect(bench.web.opened.count == 1)
    }

    /// Spring's and Cloud Foundry's token endpoints say `invalid_token`, GitHub's `bad_refresh_token`; Entra ID may
    /// demand a person. The name of the error does not matter.
    @Test(
        arguments: [
            ("invalid_token", .unauthorized), ("interaction_required", .badRequest), ("login_required", .badRequest),
            ("consent_required", .badRequest), ("bad_refresh_token", .ok), ("expired_token", .badRequest),
            ("error_of_another_server", .badRequest), ("unauthorized_client", .badRequest),
            ("unauthorized", .badRequest),
        ] as [(String, HTTPResponse.Status)])
    func aRefreshThatNeedsALoginLeadsToOne(error: String, status: HTTPResponse.Status) async throws {
        try await bench.store("revoked", "old", isValid: false)
        bench.server.override { form in
            form["grant_type"] == "refresh_token" ? TokenServer.refusal(error, status) : nil
        }
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.count("refresh_token") == 1)
        #expect(bench.web.opened.count == 1)
    }

    /// Strava's answers have a message in place of an error, and Facebook's error is an object.
    @Test(
        arguments: [#"{"message":"Refresh token expired"}"#, #"{"error":{"message":"expired","code":190}}"#],
        [.badRequest, .unauthorized] as [HTTPResponse.Status])
    func aRefreshIsRefusedWithoutAnErrorCode(body: String, status: HTTPResponse.Status) async throws {
        try await bench.store("revoked", "old", isValid: false)
        bench.server.override { form in
            form["grant_type"] == "refresh_token" ? TokenServer.json(body, status) : nil
        }
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.count("refresh_token") == 1)
        #expect(bench.web.opened.count == 1)
    }

    /// A refused client would be refused after a login, too, and a gateway says nothing about the token.
    @Test(
        arguments: [
            ("invalid_client", .badRequest), ("incorrect_client_credentials", .badRequest), ("Not Found", .notFound),
            // UAA's name for a wrong secret.
            ("unauthorized", .unauthorized),
        ] as [(String, HTTPResponse.Status)])
    func aRefusalThatIsNotOfTheTokenLeadsToNoLogin(error: String, status: HTTPResponse.Status) async throws {
        try await bench.store("revoked", "old", isValid: false)
        bench.server.override { _ in TokenServer.refusal(error, status) }
        #expect(try await bench.failure()?.serverError == error)
        #expect(bench.server.count("refresh_token") == 1)
        #expect(bench.web.opened.isEmpty)
    }

    /// Tokens that were received while the clock was ahead are refreshed like others.
    @Test func tokensOfTheFutureAreRefreshed() async throws {
        bench.server.update { $0.validRefresh = ["r"] }
        try await bench.storage.save(
            OAuth2Tokens(accessToken: "revoked", refreshToken: "r", receivedAt: bench.time.date + 3600), for: bench.key)
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.count("refresh_token") == 1)
        #expect(bench.web.opened.isEmpty)
    }

    /// A clock that is set back does not prolong the pause after a failure.
    @Test func aPauseEndsThoughTheClockIsSetBack() async throws {
        try await bench.store("revoked", "r1", isValid: false)
        bench.server.override { _ in .init(.serviceUnavailable) }
        #expect(try await bench.failure()?.code == .temporarilyUnavailable)
        bench.server.override { _ in nil }
        bench.time.advance(by: .seconds(3))
        bench.time.setDate { $0 = $0 - 86_400 }
        #expect(try await bench.get().text == "item for access-1")
    }

    /// On `invalid_grant` the storage is read again: tokens that another process has stored meanwhile are kept.
    @Test func onInvalidGrantTheStorageIsReadAgain() async throws {
        try await bench.store("revoked", "old", isValid: false)
        let (storage, key, server) = (bench.storage, bench.key, bench.server)
        server.override { _ in
            server.update { $0.validAccess = ["newer"] }
            try? await storage.save(OAuth2Tokens(accessToken: "newer", refreshToken: "new"), for: key)
            return TokenServer.refusal("invalid_grant")
        }
        #expect(try await bench.get().text == "item for newer")
        #expect(try await bench.stored()?.refreshToken?.value == "new")
        #expect(bench.web.opened.isEmpty)
        #expect(server.count("refresh_token") == 1)
    }

    @Test(arguments: [HTTPResponse.Status.tooManyRequests, .serviceUnavailable, .badGateway])
    func nobodyLogsInBecauseAServerIsInTrouble(status: HTTPResponse.Status) async throws {
        try await bench.store("revoked", "r1", isValid: false)
        bench.server.override { _ in .init(status) }
        for _ in 0..<5 { #expect(try await bench.failure()?.code == .temporarilyUnavailable) }
        #expect(bench.server.now.grants == ["refresh_token": 1])
        #expect(bench.web.opened.isEmpty)
        #expect(try await bench.stored()?.refreshToken?.value == "r1")
    }

    @Test func nobodyLogsInBecauseTheNetworkFailed() async throws {
        try await bench.store("revoked", "r1", isValid: false)
        bench.server.override { _ throws(ConversationError) in throw ConversationError(.connectionFailed, "no route") }
        let error = try #require(try await bench.failure())
        #expect(error.code == .endpointUnreachable)
        #expect((error.underlyingError as? ConversationError)?.code == .connectionFailed)
        #expect(bench.web.opened.isEmpty)
        #expect(try await bench.stored()?.refreshToken?.value == "r1")
    }

    @Test func aRefusedClientIsNotAskedToLogIn() async throws {
        try await bench.store("revoked", "r1", isValid: false)
        bench.server.override { _ in
            .init(
                .unauthorized, [.wwwAuthenticate: "Bearer error=\"invalid_client\""],
                body: #"{"error":"invalid_client"}"#)
        }
        #expect(try await bench.failure()?.serverError == "invalid_client")
        #expect(bench.web.opened.isEmpty)
        #expect(try await bench.stored()?.refreshToken?.value == "r1")
    }

    /// One refresh, one login, then a clear error: never a loop.
    @Test func aServerThatKeepsSayingNoIsNotAskedForEver() async throws {
        try await bench.store("old", "r1", isValid: false)
        bench.server.update { $0.acceptsNothing = true }
        #expect(try await bench.failure()?.code == .accessTokenRefused)
        #expect(bench.server.now.grants == ["refresh_token": 1, "authorization_code": 1])
        #expect(bench.server.now.calls.count == 3)
    }

    @Test func aRefreshThatBringsTheSameAccessTokenIsNoNews() async throws {
        try await bench.store("same", "r1", isValid: false)
        bench.server.override { form in
            form["grant_type"] == "refresh_token" ? TokenServer.json(#"{"access_token":"same"}"#) : nil
        }
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.now.grants == ["refresh_token": 1, "authorization_code": 1])
    }

    @Test func theCallersRefusedTokenIsReplacedByOurs() async throws {
        try await bench.store("stored")
        let request = try HTTPRequest(.get, TokenServer.api, fields: [.authorization: "Bearer own"])
        #expect(try await bench.manager.data(for: request).text == "item for stored")
    }

    @Test func insufficientScopeIsTheCallersBusiness() async throws {
        try await bench.store("stored", "r", isValid: false)
        bench.server.update {
            $0.challenge = .init(.unauthorized, [.wwwAuthenticate: "Bearer error=\"insufficient_scope\""], body: "more")
        }
        #expect(try await bench.get().text == "more")
        #expect(bench.server.now.grants.isEmpty)
    }

    @Test func thePersonsNoCancelsTheConversation() async throws {
        let bench = try OAuth2Bench(
            web: ScriptedOAuth2WebStrategy { _, _ in throw OAuth2Error(.cancelled, "closed") })
        await #expect { _ = try await bench.get() } throws: { ($0 as? ConversationError)?.code == .cancelled }
    }

    @Test func withoutAWayToShowALoginTheErrorSaysSo() async throws {
        var configurator = CommonAuthenticationConfigurator()
        configurator.webStrategies = WebStrategies()
        configurator.add(
            oauth2: try ConfiguredOAuth2ServerSupport(
                name: "x", tokenOrigins: [try Origin(scheme: .https, host: "api.example.com")],
                configuration: try OAuth2Configuration(
                    clientID: "c", tokenEndpoint: "https://auth.example.com/token", grant: OAuth2Bench.code())))
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        configuration.apply(configurator)
        #expect(configuration.requestFilters.ids == [FlowID.csrf, FlowID.oauth2])
        let manager = HttpConversationManager(transport: bench.transport, configuration: configuration)
        await #expect { _ = try await manager.get(TokenServer.api) } throws: {
            (($0 as? ConversationError)?.underlyingError as? OAuth2Error)?.code == .noWebStrategy
        }
    }

    @Test func aOneShotBodyIsNotSentTwiceAndNobodyIsAsked() async throws {
        let request = try HTTPRequest(.post, TokenServer.api)
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield([1])
            continuation.finish()
        }
        await #expect { _ = try await bench.manager.data(for: request, body: .oneShot(chunks)) } throws: {
            ($0 as? ConversationError)?.code == .bodyNotReplayable
        }
        #expect(bench.web.opened.isEmpty)
    }

    // MARK: SAP

    private func sapBench(_ field: HTTPFields, _ status: HTTPResponse.Status = .badRequest) throws -> OAuth2Bench {
        let server = TokenServer()
        server.update { $0.challenge = .init(status, field, body: "no") }
        return try OAuth2Bench(
            server: server,
            support: SAPOAuth2ServerSupport(
                serverURL: "https://api.example.com/com.example.app", clientID: "native",
                redirectURI: "com.example.app:/back", tokenEndpoint: "https://auth.example.com/token"))
    }

    @Test func sapsBadRequestIsAChallenge() async throws {
        let bench = try sapBench([try #require(HTTPField.Name("x-smp-authentication-status")): "1000"])
        #expect(try await bench.get("https://api.example.com/com.example.app/items").text == "item for access-1")
        #expect(
            bench.web.opened.first?.absoluteString.hasPrefix("https://api.example.com/oauth2/api/v1/authorize?") == true
        )
    }

    @Test func sapsUnauthorizedIsAChallenge() async throws {
        let bench = try sapBench([.wwwAuthenticate: "Bearer"], .unauthorized)
        #expect(try await bench.get("https://api.example.com/com.example.app").text == "item for access-1")
    }

    @Test func anyOtherBadRequestIsNone() async throws {
        let bench = try sapBench([try #require(HTTPField.Name("x-smp-authentication-status")): "1001"])
        #expect(try await bench.get("https://api.example.com/com.example.app/items").status == .badRequest)
        #expect(bench.web.opened.isEmpty)
    }

    @Test func pathsOutsideTheServerURLAreNotClaimed() async throws {
        let bench = try sapBench([.wwwAuthenticate: "Bearer"], .unauthorized)
        _ = try await bench.get("https://api.example.com/com.example.app/x")
        let calls = bench.server.now.calls.count
        for path in ["com.example.app2/x", "", "com.example.app/../other"] {
            #expect(try await bench.get("https://api.example.com/\(path)").status == .unauthorized, "\(path)")
        }
        #expect(bench.server.now.calls.dropFirst(calls).allSatisfy { $0.authorization == nil })
    }

    @Test func sapsEndpointsAreDerived() async throws {
        let support = try SAPOAuth2ServerSupport(serverURL: "https://app.example.com/service", clientID: "c")
        let target = try TargetURL("https://app.example.com/service/a?b")
        let manager = HttpConversationManager(transport: ScriptedTransport { _, _ in .init(.notFound) })
        let challenge = OAuth2Challenge(target: target, response: nil, context: manager.detachedContext(for: target))
        let configuration = try await support.config(forChallenge: challenge)
        #expect(configuration.tokenEndpoint.absoluteString == "https://app.example.com/oauth2/api/v1/token")
        guard case .authorizationCode(let grant) = configuration.grant else {
            Issue.record("not a code grant")
            return
        }
        #expect(grant.authorizationEndpoint == "https://app.example.com/oauth2/api/v1/authorize")
        #expect(support.storageURL(forRequestURL: target).absoluteString == "https://app.example.com/service")
    }
}

/// Runs an action once while the first exchange is prepared.
private struct Meanwhile: RequestFilter {
    let action: @Sendable () async throws -> Void
    private let done = Box(false)

    init(_ action: @escaping @Sendable () async throws -> Void) { self.action = action }

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        guard !done.value else { return }
        done.update { $0 = true }
        try await action()
    }
}
