import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import TestSupport
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: discovery", .timeLimit(.minutes(1)))
struct DiscoveryTests {
    private static let issuer = "https://auth.example.com/tenant"
    private static let metadata = """
        {"issuer":"https://auth.example.com/tenant","authorization_endpoint":"https://auth.example.com/authorize",
        "token_endpoint":"https://auth.example.com/token","revocation_endpoint":"https://auth.example.com/revoke",
        "authorization_response_iss_parameter_supported":true}
        """

    private func support(
        _ scopes: [String] = [], clock: TestClock = TestClock()
    ) throws -> DiscoveredOAuth2ServerSupport {
        try DiscoveredOAuth2ServerSupport(
            issuer: Self.issuer, clientID: "native",
            tokenOrigins: [try Origin(scheme: .https, host: "api.example.com")], authentication: .none,
            scopes: scopes, grant: .authorizationCode(redirectURI: "com.example.app:/back"), name: nil, clock: clock)
    }

    /// Runs a question with documents by their URL; other URLs are 404.
    private func ask<Answer: Sendable>(
        _ documents: [String: ScriptedTransport.Answer], challenge value: String = "Bearer", log: CollectedLog? = nil,
        _ question: @escaping @Sendable (OAuth2Challenge) async throws -> Answer
    ) async throws -> (answer: Result<Answer, any Error>, asked: [String]) {
        let transport = ScriptedTransport { request, _ in
            documents[request.target.absoluteString] ?? .init(.notFound, body: "<html>")
        }
        let target = try TargetURL("https://api.example.com/items")
        let manager = HttpConversationManager(transport: transport)
        if let log { manager.update { $0.logger = log.logger } }
        let challenge = OAuth2Challenge(
            target: target, response: HTTPResponse(status: .unauthorized, headerFields: [.wwwAuthenticate: value]),
            context: manager.detachedContext(for: target))
        let result: Result<Answer, any Error>
        do { result = .success(try await question(challenge)) } catch { result = .failure(error) }
        return (result, transport.requests.map(\.target.absoluteString))
    }

    private static let oauthPlace = "https://auth.example.com/.well-known/oauth-authorization-server/tenant"
    private static let openIDPlace = "https://auth.example.com/tenant/.well-known/openid-configuration"

    /// The table of limits in docs/threat-model.md.
    @Test func theTimeAndTheLengthOfADocumentAreBounded() async throws {
        let support = try support(["openid"])
        let endless = ScriptedTransport.Answer(
            .ok, chunks: [[UInt8]](repeating: [UInt8](repeating: 0x20, count: 64 << 10), count: 17))
        let transport = ScriptedTransport { _, _ in endless }
        let target = try TargetURL("https://api.example.com/items")
        let challenge = OAuth2Challenge(
            target: target, response: HTTPResponse(status: .unauthorized, headerFields: [.wwwAuthenticate: "Bearer"]),
            context: HttpConversationManager(transport: transport).detachedContext(for: target))
        let error = await #expect(throws: OAuth2Error.self) { _ = try await support.config(forChallenge: challenge) }
        #expect(error?.code == .malformedResponse)
        #expect(transport.requests.map(\.options.timeLimit) == [.seconds(120)])
    }

    @Test(arguments: [([String](), [oauthPlace, openIDPlace]), (["openid"], [openIDPlace])])
    func bothPlacesAreKnown(scopes: [String], asked: [String]) async throws {
        let support = try support(scopes)
        let (result, requests) = try await ask([Self.openIDPlace: .init(.ok, body: Self.metadata)]) {
            // The second time no request is sent.
            _ = try await support.config(forChallenge: $0)
            return try await support.config(forChallenge: $0)
        }
        let configuration = try result.get()
        #expect(requests == asked)
        #expect(configuration.tokenEndpoint.absoluteString == "https://auth.example.com/token")
        #expect(configuration.revocationEndpoint?.absoluteString == "https://auth.example.com/revoke")
        #expect(configuration.issuer == Self.issuer)
        guard case .authorizationCode(let grant) = configuration.grant else {
            Issue.record("not a code grant")
            return
        }
        #expect(grant.requiresIssuer)
    }

    @Test(arguments: [
        (metadata.replacing("com/tenant", with: "com/tenant/"), OAuth2Error.Code.issuerMismatch),
        (metadata.replacing("\"issuer\":\"https://auth", with: "\"issuer\":\"https://evil"), .issuerMismatch),
        (metadata.replacing("\"issuer\"", with: "\"issuer2\""), .issuerMismatch),
        (
            metadata.replacing("https://auth.example.com/token", with: "http://auth.example.com/token"),
            .insecureEndpoint
        ),
        (metadata.replacing("https://auth.example.com/authorize", with: "evil.app:/x"), .invalidConfiguration),
        (metadata.replacing("token_endpoint", with: "token"), .discoveryFailed), ("<html>", .discoveryFailed),
    ])
    func hostileMetadata(text: String, code: OAuth2Error.Code) async throws {
        let support = try support()
        let (result, _) = try await ask([Self.oauthPlace: .init(.ok, body: text)]) {
            try await support.config(forChallenge: $0)
        }
        #expect { _ = try result.get() } throws: { ($0 as? OAuth2Error)?.code == code }
    }

    /// The error names the issuer of the document, and says what to do if only its form differs.
    @Test(
        arguments: [
            ("https://auth.example.com/tenant/", "Write the issuer exactly"),
            ("https://auth.example.com/{tenantid}", "Put the tenant"),
            ("https://evil.example", "the configured one is \"\(issuer)\"."), (nil, "names no issuer"),
        ] as [(String?, String)])
    func anotherIssuerIsNamed(named: String?, text: String) throws {
        let place = try TargetURL(Self.oauthPlace)
        let member = "\"issuer\":\"\(Self.issuer)\""
        let document = Self.metadata.replacing(member, with: named.map { "\"issuer\":\"\($0)\"" } ?? "\"x\":1")
        let error = #expect(throws: OAuth2Error.self) {
            _ = try ServerMetadata(Array(document.utf8), issuer: Self.issuer, at: place)
        }
        #expect(error?.code == .issuerMismatch && error?.message.contains(text) == true)
        #expect(error?.message.contains(named.map { "\"\($0)\"" } ?? "issuer") == true)
    }

    /// An issuer elsewhere makes nobody ask this machine, nor open a page on it (security rule S12).
    @Test(
        arguments: [
            "token_endpoint", "authorization_endpoint", "revocation_endpoint", "jwks_uri", "end_session_endpoint",
            "device_authorization_endpoint", "pushed_authorization_request_endpoint", "mtls_endpoint_aliases",
        ], ["http://127.0.0.1:9200/_shutdown?x", "https://localhost/x", "http://[::1]:80/x", "https://a.localhost/x"])
    func endpointsOnThisMachine(name: String, place: String) async throws {
        func document(of issuer: String) throws -> ServerMetadata {
            let value = name.hasPrefix("mtls") ? "{\"token_endpoint\":\"\(place)\"}" : "\"\(place)\""
            let token = name == "token_endpoint" ? "" : "\"token_endpoint\":\"\(issuer)/token\","
            let text = "{\"issuer\":\"\(issuer)\",\(token)\"\(name)\":\(value)}"
            let metadata = try ServerMetadata(
                Array(text.utf8), issuer: issuer, at: TargetURL("\(issuer)/.well-known/x"))
            return name.hasPrefix("mtls") ? try metadata.forCertificates() : metadata
        }
        let error = #expect(throws: OAuth2Error.self) { try document(of: "https://auth.example.com") }
        #expect(error?.code == .insecureEndpoint && error?.message.contains("this machine") == true)
        // One on this machine may, and over TLS its endpoints for clients with a certificate, too.
        guard !name.hasPrefix("mtls") || place.hasPrefix("https") else { return }
        for issuer in ["http://127.0.0.1:8080", "https://localhost"] { _ = try document(of: issuer) }
    }

    /// Django-oauth-toolkit's document for OpenID lacks the revocation endpoint; its other document has it.
    @Test(arguments: [
        (metadata, "https://auth.example.com/revoke"),
        (metadata.replacing("\"issuer\":\"https://auth", with: "\"issuer\":\"https://evil"), nil), ("<html>", nil),
        (nil, nil),
    ])
    func theOtherPlaceFillsGaps(other: String?, revocation: String?) async throws {
        let support = try support(["openid"])
        let lacking = Self.metadata.replacing("revocation_endpoint", with: "x").replacing("m/token", with: "m/other")
        var documents = [Self.openIDPlace: ScriptedTransport.Answer(.ok, body: lacking)]
        documents[Self.oauthPlace] = other.map { .init(.ok, body: $0) }
        let (result, asked) = try await ask(documents) { try await support.config(forChallenge: $0) }
        let configuration = try result.get()
        #expect(asked == [Self.openIDPlace, Self.oauthPlace])
        #expect(configuration.revocationEndpoint?.absoluteString == revocation)
        // The values of the first document take precedence.
        #expect(configuration.tokenEndpoint.absoluteString == "https://auth.example.com/other")
    }

    /// A client with a certificate needs what either document says, also if the first one has all ordinary endpoints.
    @Test(arguments: [true, false]) func theOtherPlaceAddsWhatTheServerDemands(isComplete: Bool) async throws {
        let support = try DiscoveredOAuth2ServerSupport(
            issuer: Self.issuer, clientID: "native", tokenOrigins: ["https://api.example.com"],
            authentication: .tlsClientAuth(), scopes: ["openid"],
            grant: .authorizationCode(redirectURI: "com.example.app:/back"))
        let first = Self.metadata.replacing("authorization_response_iss_parameter_supported", with: "x")
        let other = Self.metadata.replacing(
            "\"issuer\"",
            with: """
                "require_pushed_authorization_requests":true,
                "pushed_authorization_request_endpoint":"https://auth.example.com/par",
                "tls_client_certificate_bound_access_tokens":true,
                "mtls_endpoint_aliases":{"token_endpoint":"https://mtls.example.net/token"},"issuer"
                """)
        let documents: [String: ScriptedTransport.Answer] = [
            Self.openIDPlace: .init(
                .ok, body: isComplete ? first : first.replacing("revocation_endpoint", with: "y")),
            Self.oauthPlace: .init(.ok, body: other),
        ]
        let (result, asked) = try await ask(documents) { try await support.config(forChallenge: $0) }
        let configuration = try result.get()
        #expect(asked == [Self.openIDPlace, Self.oauthPlace])
        #expect(configuration.tokenEndpoint.absoluteString == "https://mtls.example.net/token")
        #expect(configuration.bindsTokens)
        guard case .authorizationCode(let grant) = configuration.grant else {
            Issue.record("not a code grant")
            return
        }
        #expect(grant.requiresIssuer)
        #expect(grant.pushedRequestEndpoint?.absoluteString == "https://auth.example.com/par")
    }

    @Test func aServerInTroubleIsNotAskedTwice() async throws {
        let support = try support()
        let (result, asked) = try await ask([Self.oauthPlace: .init(.serviceUnavailable)]) {
            try await support.config(forChallenge: $0)
        }
        #expect { _ = try result.get() } throws: { ($0 as? OAuth2Error)?.code == .temporarilyUnavailable }
        #expect(asked.count == 1)
    }

    /// A renewal does not depend on documents that were read before: the known endpoints are used, and the documents are
    /// read again a minute later.
    @Test(
        arguments: [
            (.serviceUnavailable, "", true), (.ok, "<html>maintenance", true), (.notFound, "", true),
            (.ok, metadata.replacing("/tenant\"", with: "/other\""), false),
            (.ok, metadata.replacing("https://auth.example.com/token", with: "http://evil.example/"), true),
        ] as [(HTTPResponse.Status, String, Bool)])
    func knownEndpointsOutliveTheirDocuments(
        status: HTTPResponse.Status, body: String, isKept: Bool
    ) async throws {
        let answer = ScriptedTransport.Answer(status, body: body)
        let clock = TestClock()
        let support = try support(clock: clock)
        let good = [Self.oauthPlace: ScriptedTransport.Answer(.ok, body: Self.metadata)]
        let bad = [Self.oauthPlace: answer, Self.openIDPlace: answer]
        func endpoint(_ documents: [String: ScriptedTransport.Answer]) async throws -> (String?, asked: Int) {
            let (result, asked) = try await ask(documents) { try await support.config(forChallenge: $0) }
            if case .failure(let error) = result { #expect((error as? OAuth2Error)?.code == .issuerMismatch) }
            return (try? result.get().tokenEndpoint.absoluteString, asked.count)
        }
        let token = "https://auth.example.com/token"
        #expect(try await endpoint(good).0 == token)
        clock.advance(by: .seconds(3601))
        let first = try await endpoint(bad)
        #expect(first.0 == (isKept ? token : nil))
        #expect(first.asked > 0)
        guard isKept else { return }
        #expect(try await endpoint(bad).asked == 0)
        clock.advance(by: .seconds(61))
        #expect(try await endpoint(bad).asked > 0)
        clock.advance(by: .seconds(61))
        let other = Self.metadata.replacing("m/token", with: "m/other")
        #expect(try await endpoint([Self.oauthPlace: .init(.ok, body: other)]).0 == "https://auth.example.com/other")
    }

    @Test func resourceMetadataThatAreAwayRefuseNothing() async throws {
        let support = try support()
        let url = "https://api.example.com/meta"
        let (result, asked) = try await ask(
            [url: .init(.serviceUnavailable)], challenge: "Bearer resource_metadata=\"\(url)\""
        ) { try await support.recognizesChallenge(in: $0) }
        #expect(try result.get())
        #expect(asked.count == 1)
    }

    /// RFC 9728 within S12: the document may confirm the configured issuer, never introduce a new one.
    @Test(arguments: [
        ("https://api.example.com/meta", #"{"authorization_servers":["https://auth.example.com/tenant"]}"#, true, 1),
        ("https://api.example.com/meta", #"{"authorization_servers":["https://auth.example.com/tenant/"]}"#, true, 1),
        ("https://api.example.com/meta", #"{"authorization_servers":["https://evil.example"]}"#, false, 1),
        ("https://api.example.com/meta", "<html>", true, 1), ("https://api.example.com/gone", "", true, 1),
        ("https://evil.example/meta", #"{"authorization_servers":["https://evil.example"]}"#, true, 0),
        ("http://api.example.com/meta", "{}", true, 0), ("file:///etc/passwd", "", true, 0),
    ])
    func resourceMetadata(url: String, document: String, isOurs: Bool, requests: Int) async throws {
        let support = try support()
        let documents = url.hasSuffix("gone") ? [:] : [url: ScriptedTransport.Answer(.ok, body: document)]
        let log = CollectedLog()
        let (result, asked) = try await ask(documents, challenge: "Bearer resource_metadata=\"\(url)\"", log: log) {
            try await support.recognizesChallenge(in: $0)
        }
        // The refusal names both issuers.
        #expect(log.lines.contains { $0.contains("https://evil.example") && $0.contains(Self.issuer) } == !isOurs)
        #expect(try result.get() == isOurs)
        #expect(asked.count == requests)
    }

    @Test func aWholeLogin() async throws {
        let server = TokenServer()
        let bench = try OAuth2Bench(
            server: server, support: support(),
            web: ScriptedOAuth2WebStrategy(code: "c", adding: "&iss=https%3A%2F%2Fauth.example.com%2Ftenant"))
        let api = bench.transport
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            if request.target.path.contains(".well-known") { return .init(.ok, body: Self.metadata) }
            let response = try await api.send(request)
            let body = try await response.body.collect(upTo: 1 << 20)
            return .init(response.head.status, response.head.headerFields, body: String(decoding: body, as: UTF8.self))
        }
        let manager = HttpConversationManager(transport: transport, configuration: bench.manager.configuration)
        #expect(try await manager.get(TokenServer.api).text == "item for access-1")
        #expect(
            transport.requests.map { String($0.target.path) } == [
                "/items", "/.well-known/oauth-authorization-server/tenant", "/token", "/items",
            ])
    }

    /// Endpoints for clients with a certificate (RFC 8705 §5): used for these only, and only over TLS.
    @Test(
        arguments: [
            ("https://mtls.example.net/token", true, "https://mtls.example.net/token", nil),
            ("https://mtls.example.net/token", false, "https://auth.example.com/token", nil),
            ("http://127.0.0.1:8080/token", true, nil, .insecureEndpoint),
            ("http://mtls.example.net/token", true, nil, .insecureEndpoint),
            ("https://u:p@mtls.example.net/token", true, nil, .invalidConfiguration),
            ("mtls", true, nil, .invalidConfiguration),
            ("", true, "https://auth.example.com/token", nil),
        ] as [(String, Bool, String?, OAuth2Error.Code?)])
    func aliasesAreForCertificates(
        alias: String, usesCertificate: Bool, endpoint: String?, code: OAuth2Error.Code?
    ) async throws {
        let metadata = Self.metadata.replacing(
            "\"issuer\"",
            with: """
                "tls_client_certificate_bound_access_tokens":true,
                "mtls_endpoint_aliases":{"token_endpoint":"\(alias)"},"issuer"
                """)
        let support = try DiscoveredOAuth2ServerSupport(
            issuer: Self.issuer, clientID: "native", tokenOrigins: ["https://api.example.com"],
            authentication: usesCertificate ? .tlsClientAuth() : .none,
            grant: .authorizationCode(redirectURI: "com.example.app:/back"))
        let (result, _) = try await ask([Self.oauthPlace: .init(.ok, body: metadata)]) {
            try await support.config(forChallenge: $0)
        }
        switch result {
        case .success(let configuration):
            #expect(configuration.tokenEndpoint.absoluteString == endpoint)
            #expect(configuration.revocationEndpoint?.absoluteString == "https://auth.example.com/revoke")
            #expect(configuration.bindsTokens)
        case .failure(let error):
            #expect((error as? OAuth2Error)?.code == code)
        }
    }
}
