import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import HttpConversationURLSession
import LandscapeSupport
import Testing

/// Single exchanges, without URLSession's own features.
@Suite("Exchanges over URLSession", .landscape, .timeLimit(.minutes(1)))
struct ExchangeTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private struct Echo: Decodable {
        struct Field: Decodable {
            let name: String
            let value: String
        }
        struct Body: Decodable { let length: Int }
        let method: String
        let target: String
        let fields: [Field]
        let body: Body

        func values(_ name: String) -> [String] {
            fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        }
    }

    private struct Upload: Decodable { let length: Int }

    private func echo(_ text: String) throws -> Echo { try JSONDecoder().decode(Echo.self, from: Data(text.utf8)) }

    @Test(arguments: [HTTPRequest.Method.get, .post, .put, .patch, .delete, .options, .init("PROPFIND")!])
    func methodsAndFields(_ method: HTTPRequest.Method) async throws {
        var fields: HTTPFields = [.accept: "text/plain", .contentType: "text/plain", .cookie: "a=1"]
        fields.append(HTTPField(name: .cookie, value: "b=2"))
        fields.append(HTTPField(name: .init("Host")!, value: "evil.example"))
        fields[.proxyAuthorization] = "Basic c2VjcmV0"
        let body: RequestBody? = method == .get || method == .delete ? nil : .text("hello")
        let text = try await URLSessionTransport().text(
            method, landscape.urlString(.main, "/echo?a=%20b&c=d%2Fe"), fields: fields, body: body)
        let echo = try echo(text)
        #expect(echo.method == method.rawValue)
        #expect(echo.target == "/echo?a=%20b&c=d%2Fe")
        #expect(echo.values("Host") == ["127.0.0.1:\(landscape.port())"])
        #expect(echo.values("Accept") == ["text/plain"])
        #expect(echo.values("Cookie") == ["a=1; b=2"])
        #expect(echo.values("Proxy-Authorization").isEmpty)
        #expect(echo.values("Content-Type") == ["text/plain"])
        #expect(echo.body.length == (body == nil ? 0 : 5))
    }

    @Test func bodyWithoutTypeIsNoForm() async throws {
        let text = try await URLSessionTransport().text(
            .post, landscape.urlString(.main, "/echo"), body: .text("a"))
        #expect(try echo(text).values("Content-Type") == ["application/octet-stream"])
    }

    @Test(arguments: [300, 301, 302, 303, 305, 307, 308])
    func redirectsAreAnswers(_ status: Int) async throws {
        let response = try await URLSessionTransport().send(
            .post, landscape.urlString(.main, "/redirect/\(status)?to=/json"), body: .text("x"))
        #expect(response.head.status.code == status)
        #expect(response.head.headerFields[.location] == "/json")
        _ = try await response.body.collect(upTo: 1 << 16)
        #expect(landscape.count(path: "/json") == 0)
    }

    /// The transport returns such redirects unchanged, whatever URLSession would do with them.
    @Test(arguments: [
        "data", "empty", "fragment", "garbage", "garbage-control", "garbage-port", "garbage-space", "javascript",
        "none", "query", "relative", "several-locations", "unknown-scheme", "userinfo", "scheme-relative",
    ])
    func strangeRedirectsAreAnswers(_ kind: String) async throws {
        let response = try await URLSessionTransport().send(.get, landscape.urlString(.main, "/redirect/\(kind)"))
        #expect(response.head.status == .found)
    }

    /// A 401 that URLSession could answer itself, and others.
    @Test(arguments: ["/basic/realm1/a", "/digest/all/a", "/upload/reject?then=drain"])
    func challengesAreAnswers(_ path: String) async throws {
        let transport = URLSessionTransport()
        for _ in 0..<2 {
            let response = try await transport.send(.get, landscape.urlString(.main, path))
            #expect(response.head.status == .unauthorized)
            #expect(response.head.headerFields[.wwwAuthenticate]?.isEmpty == false)
            _ = try await response.body.collect(upTo: 1 << 16)
        }
        let asked = landscape.requests().filter { $0.path == path.prefix { $0 != "?" } }
        #expect(asked.count == 2)
    }

    @Test func cookiesAreFields() async throws {
        let lines = ["a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/", "b=2; HttpOnly", "c=x=y"]
        let query = lines.map { "line=" + $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics)! }
        let transport = URLSessionTransport()
        let response = try await transport.send(
            .get, landscape.urlString(.main, "/cookies/set?" + query.joined(separator: "&")))
        #expect(response.head.headerFields[values: .setCookie] == lines)
        _ = try await response.body.collect(upTo: 1 << 16)
        // URLSession stores no cookies.
        let echo = try await transport.text(.get, landscape.urlString(.main, "/echo"))
        #expect(try self.echo(echo).values("Cookie").isEmpty)
    }

    @Test func headHasNoBody() async throws {
        let response = try await URLSessionTransport().send(.head, landscape.urlString(.main, "/bytes/1000"))
        #expect(response.head.headerFields[.contentLength] == "1000")
        #expect(try await response.body.collect(upTo: 10).isEmpty)
    }

    @Test(arguments: [0, 1, 4 << 20]) func bodies(_ count: Int) async throws {
        let transport = URLSessionTransport()
        for path in ["/bytes/\(count)", "/stream/\(count)"] {
            let response = try await transport.send(.get, landscape.urlString(.main, path))
            #expect(try await response.body.collect(upTo: count).count == count)
        }
    }

    @Test func contentCodingsAreUndone() async throws {
        let transport = URLSessionTransport()
        for path in ["/gzip?n=5000", "/deflate?n=5000"] {
            let response = try await transport.send(.get, landscape.urlString(.main, path))
            #expect(response.head.headerFields[.contentEncoding] == nil)
            #expect(response.head.headerFields[.contentLength] == nil)
            #expect(try await response.body.collect(upTo: 5000).count == 5000)
        }
        let plain = try await transport.send(.get, landscape.urlString(.main, "/echo")) { $0.decompresses = false }
        let text = String(decoding: try await plain.body.collect(upTo: 1 << 16), as: UTF8.self)
        #expect(try echo(text).values("Accept-Encoding") == ["identity"])
    }

    // MARK: Uploads

    private static let big = [UInt8](repeating: 7, count: 3 << 20)

    private static func pieces(_ count: Int) -> RequestBodyStream {
        let left = Counter(count)
        return RequestBodyStream { left.take() ? [UInt8](repeating: 7, count: 64 << 10) : nil }
    }

    @Test(arguments: ["bytes", "one-shot", "stream", "small stream", "known length", "file", "empty"])
    func uploads(_ kind: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "urls-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(Self.big).write(to: file)
        let (body, count): (RequestBody, Int) =
            switch kind {
            case "bytes": (.bytes(Self.big), Self.big.count)
            case "one-shot": (.oneShot(Self.pieces(20)), 20 * 64 << 10)
            case "stream": (.stream { Self.pieces(20) }, 20 * 64 << 10)
            case "small stream": (.stream(length: 64 << 10) { Self.pieces(1) }, 64 << 10)
            case "known length": (.stream(length: 20 * 64 << 10) { Self.pieces(20) }, 20 * 64 << 10)
            case "file": (.file(file), Self.big.count)
            default: (.bytes([]), 0)
            }
        let sent = Counter(0)
        let text = try await URLSessionTransport().text(
            .put, landscape.urlString(.main, "/upload"), body: body.onProgress { count, _ in sent.set(count) })
        #expect(try JSONDecoder().decode(Upload.self, from: Data(text.utf8)).length == count)
        #expect(sent.value == count)
    }

    @Test(arguments: [19, 21]) func wrongLengthIsNoBody(_ pieces: Int) async throws {
        let body = RequestBody.stream(length: 20 * 64 << 10) { Self.pieces(pieces) }
        let error = await URLSessionTransport().failure(.put, landscape.urlString(.main, "/upload"), body: body)
        #expect(error?.code == .bodyUnavailable)
        #expect(landscape.requests(path: "/upload", status: 200).isEmpty)
    }

    @Test func failingSourceIsNoBody() async throws {
        struct Broken: Error {}
        let body = RequestBody.oneShot(RequestBodyStream { throw Broken() })
        let error = await URLSessionTransport().failure(.put, landscape.urlString(.main, "/upload"), body: body)
        #expect(error?.code == .bodyUnavailable)
        #expect(error?.underlyingError is Broken)
    }

    /// The server demands a login before it reads the body, so a one-shot body is still unread.
    @Test func refusedBodyIsUnused() async throws {
        let body = RequestBody.oneShot(Self.pieces(20))
        let response = try await URLSessionTransport().send(
            .put, landscape.urlString(.main, "/upload/basic"), body: body)
        #expect(response.head.status == .unauthorized)
        #expect(body.isReplayable)
    }

    // MARK: Requests that cannot be sent

    @Test(arguments: [
        ("GET", "/echo", true), ("HEAD", "/echo", true), ("CONNECT", "/echo", false), ("GET", "/a/../echo", false),
        ("GET", "/a/%2e%2E/echo", false), ("GET", "/./echo", false),
    ])
    func refused(_ method: String, _ path: String, _ hasBody: Bool) async throws {
        let target = try #require(HTTPRequest.Method(method))
        let error = await URLSessionTransport().failure(
            target, "http://127.0.0.1:1\(path)", body: hasBody ? .text("x") : nil)
        #expect(error?.code == .invalidRequest)
    }

    @Test func missingAbilitiesAreReported() async throws {
        let identity = await URLSessionTransport().failure(.get, "https://127.0.0.1:1/") {
            $0.clientIdentity = ClientIdentitySource { nil }
        }
        #expect(identity?.code == .invalidConfiguration)
        #expect(identity?.message.contains("clientCertificates") == true)
        let trust = await URLSessionTransport().failure(.get, "https://127.0.0.1:1/") {
            $0.serverTrust = ServerTrustPolicy { _, _ in }
        }
        #expect(trust?.message.contains("serverTrust") == true)
        let proxy = try ProxySettings.always(ProxyServer(.http, host: "127.0.0.1", port: 1))
        let manager = HttpConversationManager(transport: URLSessionTransport())
        manager.update { $0.proxies = proxy }
        #expect(await failureCode { _ = try await manager.get("http://127.0.0.1:1/") } == .invalidConfiguration)
    }
}
