import Foundation
import HttpC
import HttpConvTelemetry
import HttpConversationNIO
import InMemoryTracing
import LandscapeSupport
import MetricsTestKit
import Testing
import Tracing

/// Spans and metrics of conversations with the landscape.
@Suite(.landscape, .timeLimit(.minutes(1))) struct TelemetryTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private struct Bench {
        let landscape: Landscape
        let tracer = W3CTracer()
        let metrics = TestMetrics()
        let manager: HttpConversationManager

        init(
            _ landscape: Landscape, _ login: CommonAuthenticationConfigurator = CommonAuthenticationConfigurator(),
            times: Int = 1, transport: NIOTransport? = nil
        ) throws {
            self.landscape = landscape
            var login = login
            login.multiplexer = UserInteractionMultiplexer()
            login.webStrategies = WebStrategies(
                default: TerminalWebStrategy(
                    prompter: nil,
                    answers: try FormAnswers(
                        ["user": .text("alice"), "username": .text("alice"), "password": .text("wonderland")],
                        origins: [landscape.urlString(), landscape.identityProvider()])))
            var configuration = HttpConversationManager.Configuration()
            configuration.apply(login)
            let telemetry = TelemetryConfigurator(tracer: tracer, metrics: metrics)
            for _ in 0..<times { configuration.apply(telemetry) }
            manager =
                transport.map { HttpConversationManager(transport: $0, configuration: configuration) }
                ?? HttpConversationManager(configuration: configuration)
        }

        @discardableResult
        func get(_ path: String, fields: HTTPFields = [:]) async throws -> ConversationResponse {
            try await manager.data(for: HTTPRequest(.get, landscape.urlString(.main, path), fields: fields))
        }

        static func saml2(_ landscape: Landscape) throws -> Bench {
            try Bench(
                landscape,
                .saml2(finish: "/SAMLAuthLauncher", parameter: "finishEndpointParam", for: landscape.urlString()))
        }

        static func oauth2(
            _ landscape: Landscape, storage: any OAuth2TokenStorage = InMemoryTokenStorage()
        ) throws -> Bench {
            var login = CommonAuthenticationConfigurator.oauth2(
                issuer: landscape.urlString(.main, "/oauth2"), clientID: "native", for: landscape.urlString())
            login.tokenStorage = storage
            return try Bench(landscape, login)
        }

        /// The requests that belong to a trace, or those that do not.
        func traced(_ isTraced: Bool) -> [String] {
            landscape.requests().filter { $0.values(of: "traceparent").isEmpty != isTraced }.map {
                "\($0.method) \($0.origin) \($0.path)"
            }
        }
    }

    @Test func aConversationIsASpanWithItsExchanges() async throws {
        let bench = try Bench(landscape, .password("alice", "wonderland", for: landscape.urlString()), times: 2)
        try await bench.get("/basic/realm1/x?token=canary")
        let spans = bench.tracer.spans
        #expect(spans.map(\.operationName) == ["conversation", "GET", "GET"])
        #expect(bench.tracer.base.activeSpans.isEmpty)
        #expect(Set(spans.map(\.traceID)).count == 1)
        #expect(spans.dropFirst().allSatisfy { $0.parentSpanID == spans[0].spanID })
        #expect(spans.map { $0.text("http.response.status_code") } == ["200", "401", "200"])
        #expect(spans.map { $0.text("http.request.resend_count") } == [nil, nil, "1"])
        #expect(spans.map { $0.text("error.type") } == [nil, "401", nil])
        let url = landscape.urlString(.main, "/basic/realm1/x?token=…")
        for span in spans {
            #expect(span.text("url.full") == url && span.text("server.address") == "127.0.0.1")
            #expect(span.text("server.port") == "\(landscape.port())" && span.text("url.scheme") == "http")
            #expect(span.text("network.protocol.version") == "1.1" && span.text("http.request.method") == "GET")
        }
        #expect(spans.map(\.kind) == [.internal, .client, .client])
        #expect(spans[0].events.map(\.name) == ["attemptStarted", "challengeReceived", "challengeAnswered"])
        // Each exchange sends its own span's id.
        #expect(
            landscape.requests().map { $0.values(of: "traceparent") }
                == spans.dropFirst().map { ["00-\($0.traceID)-\($0.spanID)-01"] })
        let sent = try #require(landscape.requests().first)
        #expect(sent.values(of: "tracestate").count == 1 && sent.values(of: "baggage") == [])
        #expect(sent.values(of: "authorization") == [])
    }

    /// The server gets the value; no span, event or metric has it.
    @Test(
        arguments: [
            "$filter=Name%20eq%20'canary'", "%24filter=canary", "access_token=canary", "sap-password=canary",
            "code=canary",
            "SAMLResponse=canary", "X-Amz-Signature=canary", "sig=canary", "canary", "page=1&b=canary",
            "$search=%22canary%22",
        ])
    func spansHaveNoValuesOfQueries(query: String) async throws {
        let bench = try Bench(landscape)
        try await bench.get(
            "/redirect/302?to=/json?\(query.replacing("%", with: "%25").replacing("&", with: "%26"))&\(query)")
        _ = try? await bench.manager.data(for: HTTPRequest(.get, "http://127.0.0.1:1/?\(query)"))
        #expect(landscape.requests().allSatisfy { $0.target.contains("canary") } && landscape.requests().count == 2)
        #expect(bench.tracer.spans.count == 5)
        for span in bench.tracer.spans {
            #expect(span.text("url.full")?.contains("?") == true)
            #expect(!span.everything.contains("canary"), "\(span.everything)")
        }
        let metrics = "\(bench.metrics.timers.map(\.dimensions)) \(bench.metrics.counters.map(\.dimensions))"
        #expect(!metrics.contains("canary"), "\(metrics)")
    }

    /// OpenTelemetry's form of protocols.
    @Test func spansKnowTheVersionOfTLS() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
        let bench = try Bench(landscape, transport: NIOTransport(configuration: configuration))
        _ = try await bench.manager.data(for: HTTPRequest(.get, landscape.urlString(.secure, "/json")))
        let span = try #require(bench.tracer.spans.last)
        #expect(span.text("tls.protocol.name") == "tls" && span.text("tls.protocol.version") == "1.3")
    }

    @Test func theCallersSpanIsTheParent() async throws {
        let bench = try Bench(landscape)
        _ = try await withSpan("caller") { _ in try await bench.get("/json") }
        let caller = bench.tracer.startSpan("caller", context: .topLevel)
        try await ServiceContext.withValue(caller.context) { _ = try await bench.get("/json") }
        try await ServiceContext.withValue(caller.context) {
            let request = try HTTPRequest(.get, landscape.urlString(.main, "/json"))
            _ = try await bench.manager.start(request).value
        }
        let conversations = bench.tracer.spans.filter { $0.operationName == "conversation" }
        #expect(conversations.map(\.parentSpanID) == [nil, caller.spanID, caller.spanID])
    }

    @Test func pagesOfALoginAreChildrenWithoutSpansOfTheirOwn() async throws {
        let bench = try Bench.saml2(landscape)
        #expect(try await bench.get("/saml/post-post/report").status == .ok)
        let conversations = bench.tracer.spans.filter { $0.operationName == "conversation" }
        #expect(conversations.count > 3)
        #expect(conversations.dropFirst().allSatisfy { $0.parentSpanID == conversations[0].spanID })
        #expect(bench.traced(true) == Array(repeating: "GET main /saml/post-post/report", count: 2))
        #expect(bench.traced(false).contains { $0.hasPrefix("POST other /idp/") })
        #expect(bench.metrics.counterTotal(label: "httpconversation.logins") == 1)
        #expect(
            bench.metrics.counterTotal(
                label: "httpconversation.logins", dimensions: [("kind", "SAML2"), ("outcome", "succeeded")]) == 1)
    }

    @Test func tokenServersAreToldNothing() async throws {
        let bench = try Bench.oauth2(landscape)
        #expect(try await bench.get("/api/orders").status == .ok)
        #expect(bench.traced(true) == Array(repeating: "GET main /api/orders", count: 2))
        #expect(bench.traced(false).contains("POST main /oauth2/token"))
        #expect(
            bench.metrics.counterTotal(label: "httpconversation.tokens", dimensions: [("outcome", "granted")]) == 1)
        let text = bench.tracer.spans.map(\.everything).joined(separator: "\n")
        let sent = landscape.requests().flatMap(\.fields).filter {
            ["authorization", "cookie"].contains($0.name.lowercased())
        }
        #expect(sent.count > 1)
        for field in sent {
            for part in field.value.split(separator: /[ =;]/) where part.count > 12 && !part.contains("OAUTH2") {
                #expect(!text.contains(part), "\(part)")
            }
        }
        #expect(!text.contains("wonderland"))
    }

    /// The storage's error is an application's own, so its text is no dimension.
    @Test func failuresOfTheTokenStorageAreCounted() async throws {
        struct Full: OAuth2TokenStorage {
            struct Failure: Error { let text = "canary" }
            func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? { nil }
            func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
                throw Failure()
            }
            func removeAllTokens() async throws {}
        }
        let bench = try Bench.oauth2(landscape, storage: Full())
        for _ in 0..<3 { #expect(try await bench.get("/api/orders").status == .ok) }
        #expect(
            bench.metrics.counterTotal(
                label: "httpconversation.storage.failures",
                dimensions: [("operation", "write"), ("code", "storageFailed")]) == 1)
        #expect(!bench.tracer.spans.map(\.everything).joined().contains("canary"))
    }

    @Test(arguments: ["/redirect/to/other?path=/json", "/redirect/to/secure?path=/json"])
    func otherOriginsAreToldNothing(_ path: String) async throws {
        let bench = try Bench(landscape)
        _ = try? await bench.get(path)
        _ = try? await bench.get("/redirect/to/main?path=/json")
        #expect(bench.traced(true).allSatisfy { $0.hasPrefix("GET main") })
        #expect(bench.traced(true).count == 3)
        if path.contains("other") { #expect(bench.traced(false) == ["GET other /json"]) }
    }

    @Test func aTraceOfTheCallersStays() async throws {
        let bench = try Bench(landscape)
        try await bench.get("/json", fields: [HTTPField.Name("traceparent") ?? .accept: "00-own-own-01"])
        #expect(landscape.requests().map { $0.values(of: "traceparent") } == [["00-own-own-01"]])
        #expect(bench.tracer.spans.count == 2)
    }

    @Test func failuresAreInTheSpan() async throws {
        let bench = try Bench(landscape)
        await #expect(throws: ConversationError.self) { try await bench.get("/fault/cut-mid-head") }
        #expect(bench.tracer.base.activeSpans.isEmpty)
        let spans = bench.tracer.spans
        #expect(spans.allSatisfy { $0.status?.code == .error && $0.text("error.type")?.isEmpty == false })
        let code = spans[0].text("error.type") ?? ""
        #expect(
            bench.metrics.counterTotal(
                label: "httpconversation.conversations",
                dimensions: [("http.request.method", "GET"), ("outcome", code), ("child", "false")]) == 1)
    }

    @Test func metricsCountAndTime() async throws {
        let bench = try Bench(landscape, .password("alice", "wonderland", for: landscape.urlString()))
        for _ in 0..<3 { try await bench.get("/digest/sha256/x") }
        let metrics = bench.metrics
        #expect(
            metrics.counterTotal(
                label: "httpconversation.conversations",
                dimensions: [("http.request.method", "GET"), ("outcome", "2xx"), ("child", "false")]) == 3)
        #expect(metrics.timers(label: "httpconversation.duration").flatMap(\.values).count == 3)
        #expect(
            metrics.timers(label: "http.client.request.duration").flatMap(\.values).count
                == landscape.requests().count)
        #expect(
            metrics.counterTotal(
                label: "httpconversation.challenges", dimensions: [("scheme", "digest"), ("verdict", "use")]) == 1)
        #expect(
            metrics.counterTotal(label: "httpconversation.connections", dimensions: [("reused", "false")])
                == Set(landscape.requests().map(\.connection)).count)
    }

    /// The number of series stays bounded for all texts of servers and callers.
    @Test func labelsAreFew() async throws {
        let bench = try Bench(landscape)
        for number in 0..<30 {
            let method = HTTPRequest.Method("ODD\(number)") ?? .get
            let url = landscape.urlString(.main, "/challenge?line=Odd\(number)%20realm=r\(number)&status=401")
            _ = try await bench.manager.data(for: HTTPRequest(method, url))
            try await bench.get("/status/\(500 + number)")
        }
        #expect(bench.metrics.counters.count <= 6, "\(bench.metrics.counters.map(\.dimensions))")
        #expect(bench.metrics.timers.count <= 4)
        #expect(
            bench.metrics.counterTotal(
                label: "httpconversation.conversations",
                dimensions: [("http.request.method", "_OTHER"), ("outcome", "4xx"), ("child", "false")]) == 30)
        #expect(Set(bench.tracer.spans.map { $0.text("http.request.method") }) == ["GET", "_OTHER"])
        #expect(Set(bench.tracer.spans.map(\.operationName)) == ["conversation", "GET", "HTTP"])
    }
}
