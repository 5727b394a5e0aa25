import HTTPTypes
import HttpConversation
import HttpConversationNIO
import HttpConversationTesting
import TestLandscape
import Testing

/// Reports about connections to observers.
@Suite(.timeLimit(.minutes(1))) struct ConnectionReportTests {
    private func run(
        _ body: (Landscape, NIOTransport, HttpConversationManager, RecordingObserver) async throws -> Void
    ) async throws {
        try await withLandscape { landscape async throws in
            let transport = NIOTransport.make {
                $0.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
            }
            let observer = RecordingObserver()
            var configuration = HttpConversationManager.Configuration()
            configuration.observers.add(observer)
            try await body(
                landscape, transport, HttpConversationManager(transport: transport, configuration: configuration),
                observer)
        }
    }

    private func responses(_ observer: RecordingObserver) -> [ObservedResponse] {
        observer.events.compactMap { if case .responseReceived(let response) = $0.kind { response } else { nil } }
    }

    private func reports(_ observer: RecordingObserver) -> [ConnectionReport] {
        responses(observer).compactMap(\.connection)
    }

    @Test(arguments: [(LandscapeOrigin.main, nil), (.secure, "TLS 1.3"), (.multiplexed, "TLS 1.3")])
    func responsesKnowTheirConnection(origin: LandscapeOrigin, tls: String?) async throws {
        try await run { landscape, _, manager, observer in
            let url = landscape.urlString(origin, origin == .multiplexed ? "/" : "/json")
            for _ in 1...2 { _ = try await manager.data(for: HTTPRequest(.get, url)) }
            let found = reports(observer)
            #expect(found.count == 2 && found.first === found.last, "one connection, one report")
            #expect(observer.events.compactMap(\.response?.reusedConnection).contains(true))
            let report = try #require(found.first)
            #expect(report.peer == "127.0.0.1:\(landscape.port(origin))")
            #expect(report.tlsVersion == tls)
            #expect((report.connectTime ?? .zero) > .zero)
            #expect((report.tlsTime != nil) == (tls != nil))
            #expect(report.certificate?.subject == (tls == nil ? nil : "CN=localhost"))
            #expect(report.certificate.map { $0.names.contains("127.0.0.1") } != false)
        }
    }

    /// Through a TLS proxy there are two certificates; the report has the server's.
    @Test(arguments: [LandscapeOrigin.proxy, .secureProxy], [LandscapeOrigin.main, .secure])
    func throughATLSProxyTheServersCertificateIsReported(proxy: LandscapeOrigin, origin: LandscapeOrigin) async throws {
        try await run { landscape, _, manager, observer in
            let server = try ProxyServer(landscape.urlString(proxy, ""))
            manager.update { $0.proxies = ProxySettings(http: server, https: server) }
            _ = try await manager.data(for: HTTPRequest(.get, landscape.urlString(origin, "/json")))
            let report = try #require(reports(observer).first)
            #expect(report.peer == "127.0.0.1:\(landscape.port(proxy))")
            #expect((report.tlsVersion != nil) == (origin == .secure))
            #expect((report.certificate != nil) == (origin == .secure))
        }
    }

    @Test func connectionsHaveDifferentNumbers() async throws {
        try await run { landscape, _, manager, observer in
            for origin in [LandscapeOrigin.main, .other] {
                _ = try await manager.data(for: HTTPRequest(.get, landscape.urlString(origin, "/json")))
            }
            #expect(Set(reports(observer).map(\.number)).count == 2)
        }
    }

    /// Without an observer there is no report.
    @Test func reportsAreMadeOnlyForObservers() async throws {
        try await run { landscape, transport, _, _ async throws in
            let url = landscape.urlString(.secure, "/json")
            let silent = try await transport.send(.get, url)
            #expect(silent.connection == nil)
            let told = try await transport.send(.get, url) { $0.reportsConnection = true }
            #expect(told.connection != nil)
        }
    }

    @Test(arguments: ["goaway", "refused", "misdirected", "http1"])
    func repetitionsHaveAReason(fault: String) async throws {
        try await run { landscape, _, manager, observer in
            _ = try await manager.data(for: HTTPRequest(.get, landscape.urlString(.multiplexed, "/fault/\(fault)")))
            let reasons = responses(observer).last?.repetitions
            let words = ["misdirected": "421", "http1": "HTTP/1.1"][fault] ?? "not begun"
            #expect(reasons?.count == 1 && reasons?.first?.contains(words) == true, "\(reasons ?? [])")
        }
    }
}
