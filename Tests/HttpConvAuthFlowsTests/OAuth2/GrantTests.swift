import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConvFormats
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: grants", .timeLimit(.minutes(1)))
struct GrantTests {
    @Test func password() async throws {
        let login = UsernamePassword(username: "alice", password: "p&w=ü")
        let bench = try OAuth2Bench(grant: .password(login), scopes: ["a", "b"])
        #expect(try await bench.get().status == .ok)
        let form = try #require(bench.server.now.forms.first)
        #expect(form["grant_type"] == "password")
        #expect(form["username"] == "alice")
        #expect(form["password"] == "p&w=ü")
        #expect(form["scope"] == "a b")
        #expect(bench.web.opened.isEmpty)
    }

    @Test func clientCredentialsByBasic() async throws {
        let bench = try OAuth2Bench(grant: .clientCredentials, authentication: .basic(secret: "s"))
        #expect(try await bench.get().status == .ok)
        #expect(bench.server.now.forms == [["grant_type": "client_credentials"]])
        let request = try #require(bench.transport.requests.first { $0.target.path == "/token" })
        #expect(request.headerFields[.authorization] == "Basic bmF0aXZlOnM=")
        #expect(request.method == .post)
        #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
    }

    /// Cloud Foundry's UAA decodes id and secret only if a field says that they are encoded.
    @Test func clientCredentialsAtUAA() async throws {
        let configuration = try OAuth2Configuration(
            clientID: "a!b|c", authentication: .basic(secret: "x+y="), tokenEndpoint: "https://auth.example.com/token",
            grant: .clientCredentials)
        let bench = try OAuth2Bench(
            support: ConfiguredOAuth2ServerSupport(
                name: "uaa", tokenOrigins: ["https://api.example.com"], configuration: configuration))
        let server = bench.transport
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            if request.target.path == "/token", Self.clientAtUAA(request) != ["a!b|c", "x+y="] {
                return TokenServer.refusal("invalid_client", .unauthorized)
            }
            let response = try await server.send(request)
            let body = try await response.body.collect(upTo: 1 << 20)
            return .init(response.head.status, response.head.headerFields, body: String(decoding: body, as: UTF8.self))
        }
        let manager = HttpConversationManager(transport: transport, configuration: bench.manager.configuration)
        #expect(try await manager.get(TokenServer.api).status == .ok)
    }

    private static func clientAtUAA(_ request: TransportRequest) -> [String] {
        let isEncoded = request.headerFields.contains {
            $0.name.canonicalName == "x-cf-encoded-credentials" && $0.value == "true"
        }
        let value = request.headerFields[.authorization].map { String($0.dropFirst("Basic ".count)) } ?? ""
        let pair = String(decoding: Data(base64Encoded: value) ?? Data(), as: UTF8.self)
        return pair.split(separator: ":").map(String.init).map { part in
            isEncoded ? part.replacing("+", with: " ").removingPercentEncoding ?? part : part
        }
    }

    @Test func clientCredentialsByPost() async throws {
        let bench = try OAuth2Bench(grant: .clientCredentials, authentication: .post(secret: "s"))
        #expect(try await bench.get().status == .ok)
        #expect(bench.server.now.forms.first?["client_secret"] == "s")
        let request = try #require(bench.transport.requests.first { $0.target.path == "/token" })
        #expect(request.headerFields[.authorization] == nil)
    }

    /// A server may repeat the field that authenticates the client.
    @Test func theClientsFieldIsInNoError() async throws {
        let bench = try OAuth2Bench(grant: .clientCredentials, authentication: .basic(secret: "canary"))
        let field = "Basic bmF0aXZlOmNhbmFyeQ=="
        bench.server.override { _ in
            TokenServer.json(#"{"error":"invalid_client","error_description":"bad \#(field)"}"#, .badRequest)
        }
        #expect(try #require(try await bench.failure()).serverDescription == "bad Basic <redacted>")
        let request = try #require(bench.transport.requests.first { $0.target.path == "/token" })
        #expect(request.headerFields[.authorization] == field)
    }

    @Test func aRefusedPasswordIsAnErrorAndTheServersWord() async throws {
        let bench = try OAuth2Bench(grant: .password(UsernamePassword(username: "alice", password: "canary")))
        bench.server.override { _ in
            TokenServer.json(#"{"error":"invalid_grant","error_description":"canary is wrong"}"#, .badRequest)
        }
        let error = try #require(try await bench.failure())
        #expect(error.code == .invalidGrant)
        #expect(error.serverDescription == "<redacted> is wrong")
    }

    /// Each attempt brings the account closer to being locked. An explicit login, and one ten minutes later, is one
    /// more. UAA has its own name for a wrong password.
    @Test(arguments: [("invalid_grant", HTTPResponse.Status.badRequest), ("unauthorized", .unauthorized)])
    func aRefusedPasswordIsNotSentForTheNextURL(name: String, status: HTTPResponse.Status) async throws {
        let bench = try OAuth2Bench(grant: .password(UsernamePassword(username: "alice", password: "wrong")))
        bench.server.override { _ in TokenServer.refusal(name, status) }
        for number in 0..<3 {
            let error = try await bench.failure("https://api.example.com/\(number)")
            #expect(error?.serverError == (number > 0 ? "invalid_grant" : name))
            #expect(error?.message.contains("ten minutes") == (number > 0))
        }
        #expect(bench.server.count("password") == 1)
        let error = await thrown(OAuth2Error.self) {
            try await bench.tokens.logIn(to: TokenServer.api, using: bench.manager)
        }
        #expect(error?.serverError == name)
        #expect(bench.server.count("password") == 2)
        bench.time.advance(by: .seconds(599))
        _ = try await bench.failure()
        #expect(bench.server.count("password") == 2)
        bench.time.advance(by: .seconds(1))
        _ = try await bench.failure()
        #expect(bench.server.count("password") == 3)
    }

    /// Each server has tokens of its own, and all have one authorization server.
    @Test func aRefusedPasswordIsNotSentForAnotherTokenOrigin() async throws {
        let hosts = (0..<5).map { "api\($0).example.com" }
        let configuration = try OAuth2Configuration(
            clientID: "native", tokenEndpoint: "https://auth.example.com/token",
            grant: .password(UsernamePassword(username: "alice", password: "wrong")))
        let bench = try OAuth2Bench(
            support: try ConfiguredOAuth2ServerSupport(
                name: "x", tokenOrigins: try hosts.map { try Origin(scheme: .https, host: $0) },
                configuration: configuration))
        bench.server.override { _ in TokenServer.refusal("invalid_grant") }
        let results = await bench.manager.getAll(hosts.map { "https://\($0)/" })
        #expect(results.count == 5 && results.allSatisfy { (try? $0.get()) == nil })
        #expect(bench.server.count("password") == 1)
    }

    /// Other refusals say nothing about the password.
    @Test(arguments: ["invalid_client", "invalid_scope", "unauthorized"])
    func onlyARefusedLoginIsRemembered(_ error: String) async throws {
        let bench = try OAuth2Bench(grant: .password(UsernamePassword(username: "alice", password: "p")))
        bench.server.override { _ in TokenServer.refusal(error) }
        for _ in 0..<2 { #expect(try await bench.failure()?.serverError == error) }
        #expect(bench.server.count("password") == 2)
    }

    @Test func aMixedUpIssuerGetsNoCode() async throws {
        let grant = try AuthorizationCodeGrant(
            authorizationEndpoint: "https://auth.example.com/authorize", redirectURI: "com.example.app:/back")
        let configuration = try OAuth2Configuration(
            clientID: "native", tokenEndpoint: "https://auth.example.com/token", issuer: "https://auth.example.com",
            grant: .authorizationCode(grant))
        let bench = try OAuth2Bench(
            support: try ConfiguredOAuth2ServerSupport(
                name: "x", tokenOrigins: [Origin(scheme: .https, host: "api.example.com")],
                configuration: configuration),
            web: ScriptedOAuth2WebStrategy(code: "c", adding: "&iss=https%3A%2F%2Fevil.example"))
        #expect(try await bench.failure()?.code == .issuerMismatch)
        #expect(bench.web.opened.count == 1)
        #expect(bench.server.now.forms.isEmpty)
    }

    @Test func aReplayedStateGetsNoCode() async throws {
        let replayed = Box("")
        let web = ScriptedOAuth2WebStrategy { request, url in
            let state = ScriptedOAuth2WebStrategy.parameter("state", of: url)
            let used = replayed.value.isEmpty ? state : replayed.value
            replayed.update { $0 = used }
            return "\(request.redirectURI.text)?code=c&state=\(used)"
        }
        let bench = try OAuth2Bench(web: web)
        #expect(try await bench.get().status == .ok)
        try await bench.tokens.removeAllTokens()
        #expect(try await bench.failure()?.code == .invalidRedirect)
        #expect(bench.server.count("authorization_code") == 1)
    }

    // MARK: OpenID

    private func idToken(_ claims: String, header: String = #"{"alg":"RS256"}"#, signature: String = "c2ln") -> String {
        "\(Base64URL.text(Array(header.utf8))).\(Base64URL.text(Array(claims.utf8))).\(signature)"
    }

    private func openIDConfiguration() throws -> OAuth2Configuration {
        try OAuth2Configuration(
            clientID: "native", tokenEndpoint: "https://auth.example.com/token", issuer: "https://auth.example.com",
            scopes: ["openid"], grant: OAuth2Bench.code())
    }

    private static let good = #""iss":"https://auth.example.com","aud":"native","exp":1900000000,"nonce":"n""#

    @Test(arguments: [
        (good, #"{"alg":"RS256"}"#, "c2ln", nil as OAuth2Error.Code?),
        (good, #"{"alg":"none"}"#, "c2ln", .invalidIDToken), (good, #"{"alg":"None"}"#, "", .invalidIDToken),
        (good, #"{}"#, "c2ln", .invalidIDToken), (good, #"{"alg":"RS256"}"#, "", .invalidIDToken),
        (good.replacing("native", with: "other"), #"{"alg":"RS256"}"#, "c2ln", .invalidIDToken),
        (good + #","azp":"other""#, #"{"alg":"RS256"}"#, "c2ln", .invalidIDToken),
        (good.replacing("auth.", with: "evil."), #"{"alg":"RS256"}"#, "c2ln", .issuerMismatch),
        (good.replacing("1900000000", with: "1700000000"), #"{"alg":"RS256"}"#, "c2ln", .invalidIDToken),
        (good.replacing(#""n""#, with: #""m""#), #"{"alg":"RS256"}"#, "c2ln", .invalidIDToken),
    ])
    func idTokens(claims: String, header: String, signature: String, expected: OAuth2Error.Code?) throws {
        let token = Redacted(idToken("{\(claims)}", header: header, signature: signature))
        let configuration = try openIDConfiguration()
        let check = {
            try IDTokenClaims.check(
                token, of: configuration, nonce: Redacted("n"), at: Date(timeIntervalSince1970: 1_800_000_000))
        }
        guard let expected else { return try check() }
        #expect { try check() } throws: { ($0 as? OAuth2Error)?.code == expected }
    }

    @Test func withoutAnIDTokenTheLoginFails() async throws {
        let bench = try OAuth2Bench(scopes: ["openid"])
        #expect(try await bench.failure()?.code == .invalidIDToken)
        #expect(try await bench.stored() == nil)
    }

    // MARK: Device

    private final class Presenter: DeviceAuthorizationPresenter {
        let shown = Box<[DeviceAuthorizationPrompt]>([])
        let dismissed = Box(0)
        func present(_ prompt: DeviceAuthorizationPrompt) async throws { shown.update { $0.append(prompt) } }
        func dismiss() async { dismissed.update { $0 += 1 } }
    }

    /// A device flow whose polls get these errors in order; nil is a success.
    private func device(
        _ answers: [String?], start: String = #""expires_in":900,"interval":5"#,
        page: String = "https://auth.example.com/d", pollTime: Duration = .zero
    ) async throws -> (result: Result<ConversationResponse, any Error>, sleeps: [Int64], presenter: Presenter) {
        let (presenter, clock, polls) = (Presenter(), TestClock(sleepsAdvance: true), Box(0))
        let server = TokenServer()
        server.override { form throws(ConversationError) in
            guard form["grant_type"]?.hasSuffix("device_code") == true else {
                return TokenServer.json(
                    "{\"device_code\":\"d\",\"user_code\":\"AB-CD\",\"verification_uri\":\"\(page)\",\(start)}")
            }
            clock.advance(by: pollTime)
            let poll = polls.value
            polls.update { $0 += 1 }
            switch answers[min(poll, answers.count - 1)] {
            case nil: return nil
            case "offline": throw ConversationError(.connectionFailed, "no route")
            case let error?: return TokenServer.refusal(error)
            }
        }
        let bench = try OAuth2Bench(
            grant: .deviceAuthorization(
                DeviceAuthorizationGrant(endpoint: "https://auth.example.com/token", presenter: presenter)),
            server: server, clock: clock)
        bench.manager.update { $0.interactionTimeout = nil }
        let result: Result<ConversationResponse, any Error>
        do { result = .success(try await bench.get()) } catch { result = .failure(error) }
        // Drop the engine's own sleeps for its time limits.
        return (result, clock.slept.map(\.components.seconds).filter { $0 > 0 }, presenter)
    }

    @Test func deviceLogin() async throws {
        let (result, sleeps, presenter) = try await device([
            "authorization_pending", "slow_down", "authorization_pending", "offline", nil,
        ])
        #expect(try result.get().status == .ok)
        let prompt = try #require(presenter.shown.value.first)
        #expect(prompt.userCode.value == "AB-CD")
        #expect(prompt.verificationURL.absoluteString == "https://auth.example.com/d")
        #expect(presenter.dismissed.value == 1)
        // slow_down adds five seconds, a failed connection doubles the interval (RFC 8628 §3.5).
        #expect(Array(sleeps.filter { [5, 10, 20].contains($0) }.suffix(5)) == [5, 5, 10, 10, 20])
    }

    /// Some servers, such as Auth0, issue tokens for the audience that a parameter names.
    @Test(
        arguments: [
            OAuth2Grant.clientCredentials, .password(UsernamePassword(username: "alice", password: "p")), nil,
        ] as [OAuth2Grant?])
    func furtherParametersAreSent(grant: OAuth2Grant?) async throws {
        let server = TokenServer()
        server.override { form throws(ConversationError) in
            form["grant_type"] == nil
                ? TokenServer.json(
                    #"{"device_code":"d","user_code":"A","verification_uri":"https://a.example/d","expires_in":900}"#)
                : nil
        }
        let device = try OAuth2Grant.deviceAuthorization(
            DeviceAuthorizationGrant(endpoint: "https://auth.example.com/token", presenter: Presenter()))
        let bench = try OAuth2Bench(
            grant: grant ?? device, server: server, authentication: .basic(secret: "s"),
            parameters: ["audience": "https://api.example.com/", "organization": "o"],
            clock: TestClock(sleepsAdvance: true))
        bench.manager.update { $0.interactionTimeout = nil }
        #expect(try await bench.get().status == .ok)
        let forms = bench.server.now.forms
        #expect(forms.count == (grant == nil ? 2 : 1))
        #expect(forms.allSatisfy { $0["audience"] == "https://api.example.com/" && $0["organization"] == "o" })
    }

    @Test(arguments: ["grant_type", "scope", "client_secret", "code", "assertion"])
    func parametersOfTokenRequestsAreItsOwn(name: String) {
        #expect {
            _ = try OAuth2Bench(grant: .clientCredentials, authentication: .basic(secret: "s"), parameters: [name: "x"])
        } throws: { ($0 as? OAuth2Error)?.code == .invalidConfiguration }
    }

    @Test(arguments: [
        ("access_denied", OAuth2Error.Code.accessDenied), ("expired_token", .expired), ("invalid_client", .refused),
    ])
    func deviceLoginRefused(error: String, code: OAuth2Error.Code) async throws {
        let (result, _, presenter) = try await device(["authorization_pending", error])
        #expect { _ = try result.get() } throws: {
            (($0 as? ConversationError)?.underlyingError as? OAuth2Error)?.code == code
        }
        #expect(presenter.dismissed.value == 1)
    }

    @Test func deviceLoginEndsWithItsCode() async throws {
        let (result, _, _) = try await device(["authorization_pending"], start: #""expires_in":"60""#)
        #expect { _ = try result.get() } throws: {
            (($0 as? ConversationError)?.underlyingError as? OAuth2Error)?.code == .expired
        }
    }

    /// The table of limits in docs/threat-model.md: the time of slow answers counts for the code's lifetime.
    @Test func theTimeOfPollsCounts() async throws {
        let start = #""expires_in":600,"interval":5"#
        let (quick, sleeps, _) = try await device(["authorization_pending"], start: start)
        let (slow, fewer, _) = try await device(["authorization_pending"], start: start, pollTime: .seconds(95))
        for result in [quick, slow] {
            #expect { _ = try result.get() } throws: {
                (($0 as? ConversationError)?.underlyingError as? OAuth2Error)?.code == .expired
            }
        }
        #expect(sleeps.filter { $0 == 5 }.count >= 120)
        #expect((1..<20).contains(fewer.filter { $0 == 5 }.count))
    }

    @Test(arguments: [
        "http://auth.example.com/d", "javascript:alert(1)", "https://u:p@auth.example.com/", "http://127.0.0.1:9200/d",
        "https://localhost/d",
    ])
    func nobodyIsSentToAnUnsafePage(page: String) async throws {
        let (result, _, presenter) = try await device([nil], page: page)
        #expect(throws: (any Error).self) { _ = try result.get() }
        #expect(presenter.shown.value.isEmpty)
    }
}
