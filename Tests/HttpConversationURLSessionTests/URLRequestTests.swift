import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import TestLandscape
import Testing

@testable import HttpConversationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The verbs over Foundation's own types.
@Suite("URLRequest and HTTPURLResponse", .timeLimit(.minutes(1)))
struct URLRequestTests {
    private func request(_ url: String, _ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        change(&request)
        return request
    }

    @Test func allVerbs() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "urls-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try await withLandscape { landscape in
            let manager = HttpConversationManager(transport: URLSessionTransport())
            let (data, response) = try await manager.data(for: try request(landscape.urlString(.main, "/json")))
            #expect(response.statusCode == 200)
            #expect(response.url == landscape.url(.main, "/json"))
            #expect(response.value(forHTTPHeaderField: "content-type")?.contains("json") == true)
            #expect(String(decoding: data, as: UTF8.self).contains("hello"))
            #expect(try await manager.data(from: landscape.url(.main, "/json")).0 == data)

            let upload = try request(landscape.urlString(.main, "/upload")) { $0.httpMethod = "PUT" }
            let (sent, _) = try await manager.upload(for: upload, from: Data("hello".utf8))
            #expect(String(decoding: sent, as: UTF8.self).contains("\"length\":5"))

            let bytes = try request(landscape.urlString(.main, "/bytes/5000"))
            let (place, head) = try await manager.download(for: bytes, to: file)
            #expect(place == file && head.statusCode == 200)
            #expect(try Data(contentsOf: file).count == 5000)
            let (again, _) = try await manager.upload(for: upload, fromFile: file)
            #expect(String(decoding: again, as: UTF8.self).contains("\"length\":5000"))
            let (body, _) = try await manager.bytes(for: bytes)
            #expect(try await body.collect(upTo: 5000).count == 5000)
        }
    }

    @Test func errorStatusIsNoError() async throws {
        try await withLandscape { landscape in
            let manager = HttpConversationManager(transport: URLSessionTransport())
            let (_, response) = try await manager.data(for: try request(landscape.urlString(.main, "/status/503")))
            #expect(response.statusCode == 503)
        }
    }

    @Test func bodyStreamIsOneShot() async throws {
        let converted = try ConversationRequest(
            try request("http://example.com/") {
                $0.httpMethod = "PUT"
                $0.httpBodyStream = InputStream(data: Data(repeating: 7, count: 300_000))
                $0.setValue("300000", forHTTPHeaderField: "Content-Length")
            })
        let body = try #require(converted.body)
        #expect(!body.isRestartable)
        #expect(body.length == 300_000)
        #expect(converted.headerFields[.contentLength] == nil)
        let stream = try await body.open().stream()
        var count = 0
        while let chunk = try await stream.next() { count += chunk.count }
        #expect(count == 300_000)
        #expect(!body.isReplayable)
    }

    /// Their reads cannot be ended, and take no thread of other work that blocks. Dispatch has 64 threads for that.
    @Test func silentStreamsBlockNothingElse() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (reads, begun) = AsyncStream<Void>.makeStream()
        let uploads = (0..<80).map { _ in
            let stream = InputStreamBody.stream(
                SilentStream {
                    begun.yield()
                    gate.wait()
                })
            return Task { try await stream.next() }
        }
        var beginning = reads.makeAsyncIterator()
        for _ in uploads { _ = await beginning.next() }
        for _ in uploads { gate.signal() }
        for upload in uploads { #expect(try await upload.value == nil) }
    }

    @Test func conversionIsChecked() throws {
        let converted = try ConversationRequest(
            try request("http://example.com/a?b=c") {
                $0.httpMethod = "PATCH"
                $0.httpBody = Data("x".utf8)
                $0.setValue("1", forHTTPHeaderField: "X-One")
            })
        #expect(converted.method == .patch)
        #expect(converted.target.absoluteString == "http://example.com/a?b=c")
        #expect(converted.body?.length == 1)
        #expect(converted.headerFields[.init("X-One")!] == "1")
        func code(_ url: String, _ change: (inout URLRequest) -> Void = { _ in }) throws -> ConversationError.Code? {
            let request = try request(url, change)
            do { _ = try ConversationRequest(request) } catch { return error.code }
            return nil
        }
        #expect(try code("ftp://example.com/") == .unsupportedScheme)
        #expect(try code("/relative") == .invalidURL)
        #expect(try code("http://example.com/") { $0.url = nil } == .invalidURL)
        #expect(try code("http://example.com/") { $0.httpMethod = "GE T" } == .invalidRequest)
        #expect(
            try code("http://example.com/") { $0.setValue("evil", forHTTPHeaderField: "Host") } == .invalidRequest)
    }

    @Test func requestsOwnLimitsAndCookies() async throws {
        try await withLandscape { landscape in
            let manager = HttpConversationManager(transport: URLSessionTransport())
            manager.update { $0.connectTimeout = .milliseconds(100) }
            let gate = landscape.hold("/json")
            let slow = try request(landscape.urlString(.main, "/json")) { $0.timeoutInterval = 0.2 }
            let error = await #expect(throws: ConversationError.self) { _ = try await manager.data(for: slow) }
            #expect(error?.code == .timedOut)
            gate.release()
            for bad in [0, -1, Double.infinity, .nan] {
                let request = try request(landscape.urlString(.main, "/json")) { $0.timeoutInterval = bad }
                #expect(await failureCode { _ = try await manager.data(for: request) } == .invalidRequest)
            }
            let cached = try request(landscape.urlString(.main, "/json")) { $0.cachePolicy = .returnCacheDataDontLoad }
            await #expect(throws: ConversationError.self) { _ = try await manager.data(for: cached) }

            _ = try await manager.data(for: try request(landscape.urlString(.main, "/cookies/set?line=a%3D1")))
            let echo = landscape.urlString(.main, "/cookies/echo")
            let (with, _) = try await manager.data(for: try request(echo))
            #expect(String(decoding: with, as: UTF8.self).contains("\"a\""))
            let (without, _) = try await manager.data(for: try request(echo) { $0.httpShouldHandleCookies = false })
            #expect(!String(decoding: without, as: UTF8.self).contains("\"a\""))
        }
    }

    // MARK: A session's configuration

    @Test func sessionConfigurationIsTakenOver() async throws {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 7
        configuration.timeoutIntervalForResource = 70
        configuration.httpAdditionalHeaders = ["X-App": "1", "User-Agent": "app/1", "X-Number": 5]
        configuration.httpCookieAcceptPolicy = .never
        let manager = HttpConversationManager(configuration)
        #expect(manager.configuration.connectTimeout == .seconds(7))
        #expect(manager.configuration.idleTimeout == .seconds(7))
        #expect(manager.configuration.networkTimeout == .seconds(70))
        #expect(!manager.configuration.handlesCookies)
        #expect(manager.transport is URLSessionTransport)
        try manager.validate()
        try await withLandscape { landscape in
            let echo = try await manager.get(landscape.urlString(.main, "/echo"), fields: [.userAgent: "mine"]).text
            #expect(echo.contains("X-App") && echo.contains("X-Number") && echo.contains("mine"))
            #expect(!echo.contains("app/1"))
            // These fields are not sent to other servers.
            let other = try await manager.get(landscape.urlString(.main, "/redirect/to/other?path=/echo")).text
            #expect(!other.contains("X-App"))
        }
    }

    /// A server that a redirect leads to demands a token, which is fetched by a request with the same filters.
    @Test func additionalHeadersStayAtTheirServer() async throws {
        let key = try #require(HTTPField.Name("X-API-Key"))
        let token = try #require(HTTPField.Name("X-CSRF-Token"))
        let transport = ScriptedTransport { request, _ in
            if request.target.origin.host == "a.example" {
                return .init(.temporaryRedirect, [.location: "https://b.example/x"])
            }
            switch request.headerFields[token] {
            case nil: return .init(.forbidden, [token: "Required"])
            case "Fetch": return .init(.ok, [token: "t1"])
            default: return .init(.ok)
            }
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-API-Key": "CANARY", "User-Agent": "app/1"]
        let manager = HttpConversationManager(transport: transport, CommonAuthenticationConfigurator())
        manager.update { $0.takeOver(configuration) }
        #expect(try await manager.post("https://a.example/x", .text("one book")).status == .ok)
        #expect(transport.requests.map(\.target.origin.host) == ["a.example"] + Array(repeating: "b.example", count: 3))
        #expect(transport.requests.map { $0.headerFields[key] } == ["CANARY", nil, nil, nil])
        #expect(transport.requests.allSatisfy { $0.headerFields[.userAgent] == "app/1" })
    }

    @Test func impossibleSettingsAreProblems() throws {
        func problem(_ change: (URLSessionConfiguration) -> Void) -> ConversationError? {
            let configuration = URLSessionConfiguration.default
            change(configuration)
            return HttpConversationManager(configuration).configuration.problems.first
        }
        #expect(problem { _ in } == nil)
        #expect(problem { $0.timeoutIntervalForRequest = .infinity }?.code == .invalidConfiguration)
        #expect(problem { $0.timeoutIntervalForResource = -1 }?.code == .invalidConfiguration)
        #expect(problem { $0.httpAdditionalHeaders = ["X": "a\nb"] }?.code == .invalidConfiguration)
        #expect(problem { $0.httpAdditionalHeaders = [1: Date()] }?.code == .invalidConfiguration)
        let background = URLSessionConfiguration.default
        background.identifier = "background"
        var configuration = HttpConversationManager.Configuration()
        configuration.takeOver(background)
        #expect(configuration.problems.first?.code == .invalidConfiguration)
        #expect(problem { $0.urlCache = nil } == nil)
        #expect(
            problem { $0.urlCache = URLCache(memoryCapacity: 1, diskCapacity: 1 << 20, diskPath: nil) }?.message
                .contains("urlCache")
                == true)
        #expect(problem { $0.requestCachePolicy = .reloadIgnoringLocalCacheData } == nil)
        #expect(
            problem { $0.requestCachePolicy = .returnCacheDataElseLoad }?.message.contains("requestCachePolicy") == true
        )
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "a", .value: "secret", .domain: "example.com", .path: "/",
        ]
        let own = URLSessionConfiguration.ephemeral
        own.httpCookieStorage?.setCookie(try #require(HTTPCookie(properties: properties)))
        let message = HttpConversationManager(own).configuration.problems.first?.message
        #expect(message?.contains("httpCookieStorage") == true && message?.contains("secret") == false)
        #expect(problem { $0.protocolClasses = [] }?.message.contains("protocolClasses") == true)
        #expect(HttpConversationManager(URLSessionConfiguration.ephemeral).configuration.problems.isEmpty)
        #if canImport(FoundationNetworking)
        #expect(problem { $0.connectionProxyDictionary = ["HTTPEnable": 1] }?.code == .invalidConfiguration)
        #endif
    }

    /// Settings that only Apple's configurations have.
    @Test func settingsWithoutAnEquivalent() {
        let usual = SessionSettings(minimumTLS: 0x0303, maximumTLS: 0x0304)
        func problems(_ change: (inout SessionSettings) -> Void) -> String {
            var settings = usual
            change(&settings)
            return settings.problems(usual: usual).joined()
        }
        #expect(problems { _ in } == "")
        #expect(problems { $0.minimumTLS = 0x0304 }.contains("tlsMinimumSupportedProtocolVersion"))
        #expect(problems { $0.isMultipath = true }.contains("multipathServiceType"))
        #expect(problems { $0.serviceType = 3 }.contains("networkServiceType"))
        #expect(problems { $0.hasProxyConfigurations = true }.contains("proxyConfigurations"))
        #expect(problems { $0.requiresDNSSEC = true }.contains("DNSSEC"))
        #expect(problems { $0.hasSharedContainer = true }.contains("sharedContainerIdentifier"))
    }

    /// A request and a transport both say which networks may be used.
    @Test func networksThatBothAllow() {
        var (request, transport) = (URLSessionTransport.NetworkAccess(), URLSessionTransport.NetworkAccess())
        #expect(request.intersection(transport) == request)
        request.allowsCellular = false
        transport.allowsExpensive = false
        let both = request.intersection(transport)
        #expect(!both.allowsCellular && !both.allowsExpensive && both.allowsConstrained)
        transport.allowsConstrained = false
        #expect(!request.intersection(transport).allowsConstrained)
    }

    @Test func proxyDictionaries() {
        let found = URLSessionTransport.Configuration.proxies([
            "HTTPEnable": 1, "HTTPProxy": "proxy.example", "ExceptionsList": ["*.local"], "Other": Data(), 7: "x",
        ])
        #expect(
            found == [
                "HTTPEnable": .number(1), "HTTPProxy": .text("proxy.example"), "ExceptionsList": .list(["*.local"]),
            ])
        #expect(found["HTTPEnable"]?.foundation as? Int == 1)
        #expect(found["HTTPProxy"]?.foundation as? String == "proxy.example")
        #expect(found["ExceptionsList"]?.foundation as? [String] == ["*.local"])
    }

    // MARK: The conversation, delegates, and completion

    @Test func verbsKnowTheirConversation() async throws {
        try await withLandscape { landscape in
            let manager = HttpConversationManager(transport: URLSessionTransport())
            let delegate = RecordingDelegate()
            let asked = try request(landscape.urlString(.main, "/json"))
            let (data, response) = try await manager.data(for: asked, delegate: delegate)
            #expect(response.conversation?.target.path == "/json")
            let (results, found) = AsyncStream<Result<(Data, HTTPURLResponse), ConversationError>>.makeStream()
            let conversation = manager.executeRequest(asked) { found.yield($0) }
            var answers = results.makeAsyncIterator()
            let answer = try #require(await answers.next()).get()
            #expect(answer.0 == data)
            #expect(answer.1.conversation?.id == conversation?.id)
            let invalid = manager.executeRequest(try request("ftp://example.com/")) { found.yield($0) }
            #expect(invalid == nil)
            let file = FileManager.default.temporaryDirectory.appending(path: "urls-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            let (others, told) = AsyncStream<HTTPURLResponse?>.makeStream()
            let ofForms = RecordingDelegate()
            manager.executeDownloadRequest(asked, to: file, delegate: ofForms) { told.yield(try? $0.get().1) }
            var responses = others.makeAsyncIterator()
            #expect(try #require(await responses.next())?.conversation?.target.path == "/json")
            #expect(try Data(contentsOf: file) == data)
            manager.executeStreamedRequest(asked, delegate: ofForms) { result in
                let (body, response) = (try? result.get()) ?? (nil, nil)
                told.yield((try? await body?.collect(upTo: 1 << 20)) == [UInt8](data) ? response : nil)
            }
            #expect(try #require(await responses.next())?.statusCode == 200)
            #expect(ofForms.hops.count >= 2, "\(ofForms.hops)")
            let failure = try #require(await answers.next())
            #expect(throws: ConversationError.self) { try failure.get() }
        }
        #expect(
            HTTPURLResponse(url: URL(filePath: "/"), statusCode: 200, httpVersion: nil, headerFields: nil)?.conversation
                == nil)
    }

    #if canImport(FoundationNetworking)
    /// FoundationNetworking would use the proxy unasked.
    @Test func environmentsProxyIsRefused() throws {
        let target = try TargetURL("http://example.com/")
        #expect(throws: ConversationError.self) {
            try EnvironmentProxies.refuse(for: target, in: ["http_proxy": "http://127.0.0.1:1"])
        }
        try EnvironmentProxies.refuse(
            for: target, in: ["http_proxy": "http://127.0.0.1:1", "no_proxy": "example.com"])
        try EnvironmentProxies.refuse(for: target, in: [:])
        // FoundationNetworking makes no exception for this machine.
        #expect(throws: ConversationError.self) {
            try EnvironmentProxies.refuse(
                for: try TargetURL("http://localhost/"), in: ["http_proxy": "http://127.0.0.1:1"])
        }
    }
    #endif
}

/// A stream whose only read waits, and which is empty.
private final class SilentStream: InputStream {
    private let wait: @Sendable () -> Void

    init(_ wait: @escaping @Sendable () -> Void) {
        self.wait = wait
        super.init(data: Data())
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        wait()
        return 0
    }
}
