import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import MobileServices
import Synchronization
import TestLandscape
import TestSupport
import Testing

@Suite("Services beside the registration", .timeLimit(.minutes(1))) struct ServicesTests {
    /// A sink that collects a body and notes its end.
    private final class Sink: ResponseBodySink, ResponseBodyWriter {
        private let state = Mutex<(bytes: [UInt8], isComplete: Bool, isOpen: Bool)>(([], false, false))
        var bytes: [UInt8]? { state.withLock { $0.isComplete ? $0.bytes : nil } }
        var wasOpened: Bool { state.withLock { $0.isOpen } }

        func open() async throws(ConversationError) -> any ResponseBodyWriter {
            state.withLock { $0.isOpen = true }
            return self
        }
        func write(_ chunk: [UInt8]) async throws(ConversationError) { state.withLock { $0.bytes += chunk } }
        func complete() async throws(ConversationError) { state.withLock { $0.isComplete = true } }
        func discard() async {}
    }

    @Test func bundles() async throws {
        try await withMobileServer { bench in
            let client = try bench.client()
            let name = try await client.register().properties[.customizationBundleID]
            for bundle in [name, nil] {
                let sink = Sink()
                #expect(try await client.downloadBundle(bundle, to: sink) == ".zip")
                #expect(sink.bytes?.count == 100_000)
            }
            let directory = try TemporaryPlace.folder("bundle")
            defer { try? FileManager.default.removeItem(at: directory) }
            try await client.downloadBundle(name, to: OutputFile(directory.appending(path: "bundle.zip")))
            #expect(try Data(contentsOf: directory.appending(path: "bundle.zip")).count == 100_000)
            #expect(bench.landscape.mobileCounters.bundles == 3)
            let sink = Sink()
            #expect(await code { try await client.downloadBundle("Other:2.0", to: sink) } == .notFound)
            for name in ["", "a/b", "..", "a b", "a?b"] {
                #expect(await code { try await client.downloadBundle(name, to: sink) } == .invalidProperty)
            }
            #expect(!sink.wasOpened)
        }
    }

    /// A web page is refused as a bundle, and so is a truncated body.
    @Test func noBundle() async throws {
        let page = try ScriptedServer(.ok, type: "text/html", "<html>")
        let sink = Sink()
        #expect(await code { try await page.client.downloadBundle(to: sink) } == .notAMobileServer)
        #expect(!sink.wasOpened)
        let cut = try ScriptedServer { _, _ in .init(.ok, chunks: [[1], [2]]).failing(after: 1) }
        #expect(await code { try await cut.client.downloadBundle(to: sink) } == .conversationFailed)
        #expect(sink.bytes == nil)
    }

    @Test func traces() async throws {
        try await withMobileServer { bench in
            let client = try bench.client()
            try await client.register()
            try await client.uploadTrace(.text("a log"))
            var paths = ServicePaths()
            paths.traces = "mobileservices/btx/{appid}"
            let other = try bench.client(nil, try bench.application(paths: paths))
            try await other.uploadTrace(.bytes([1, 2, 3]), contentType: "application/xml")
            let uploads = bench.landscape.mobileUploads
            #expect(uploads.map(\.contentType) == ["text/plain; charset=utf-8", "application/xml"])
            #expect(uploads.map(\.length) == [5, 3])
            let id = MobileBench.applicationID
            #expect(
                uploads.map(\.path) == [
                    "mobileservices/application/\(id)/clientlogs/v1/runtime/log/application/\(id)",
                    "mobileservices/btx/\(id)",
                ])
            bench.landscape.mobileRule.properties["UploadLogs"] = .flag(false)
            #expect(await code { try await client.uploadTrace(.text("a log")) } == .notAllowed)
            #expect(await code { try await client.uploadTrace(.text("x"), contentType: "a\r\nb") } == .invalidProperty)
            paths.traces = "elsewhere"
            let wrong = try bench.client(nil, try bench.application(paths: paths))
            #expect(await code { try await wrong.uploadTrace(.text("a log")) } == .notFound)
        }
    }

    @Test func logOut() async throws {
        try await withMobileServer { bench in
            let manager = bench.manager()
            let client = try bench.client(manager)
            let id = try await client.register().id
            func cookies() throws -> [String] {
                try manager.configuration.session.cookies.cookies(for: bench.root).map(\.name).sorted()
            }
            #expect(try cookies() == ["X-SMP-APPCID", "X-SMP-SESSID"])
            try await client.logOut()
            #expect(bench.landscape.mobileCounters.logOuts == 1)
            #expect(try cookies().isEmpty)
            #expect(client.connectionID == id)
            // Without a session there is nothing to end, and no login is requested.
            let challenges = bench.landscape.counters.unauthorized
            try await client.logOut()
            #expect(bench.landscape.counters.unauthorized == challenges)
            #expect(try await client.connection().id == id)
        }
    }

    @Test(
        arguments: [(401, nil), (403, nil), (200, nil), (404, .notFound), (500, .serverFailed)]
            as [(Int, MobileServicesError.Code?)])
    func logOutSays(status: Int, expected: MobileServicesError.Code?) async throws {
        let server = try ScriptedServer { _, _ in
            .init(HTTPResponse.Status(code: status), [.wwwAuthenticate: "Basic realm=\"m\""])
        }
        // Logging out starts no login, even if credentials are available.
        var configurator = CommonAuthenticationConfigurator(session: server.manager.configuration.session)
        configurator.add(StaticCredentialProvider(username: "alice", password: "wonderland"))
        server.manager.update { [configurator] in $0.apply(configurator) }
        let session = server.manager.configuration.session
        try session.cookies.store(setCookie: ["X-SMP-SESSID=s; Path=/; Secure"], from: ScriptedServer.root)
        #expect(await code { try await server.client.logOut() } == expected)
        #expect(server.sent == ["POST /mobileservices/sessions/logout"])
        #expect(server.field("Cookie") == ["X-SMP-SESSID=s"])
        #expect(try session.cookies.cookies(for: ScriptedServer.root).isEmpty == (expected == nil))
    }

    /// A server that wants a token against cross-site request forgery gets one, without a login. If there is none, the
    /// session stays open, and so its cookies stay.
    @Test(arguments: [true, false]) func logOutWithAToken(givesToken: Bool) async throws {
        let server = try ScriptedServer { request, _ in
            let token = HTTPField.Name("X-CSRF-Token")
            func answer(_ status: HTTPResponse.Status, _ value: String? = nil) -> ScriptedTransport.Answer {
                var fields: HTTPFields = [:]
                if let token { fields[token] = value }
                return .init(status, fields)
            }
            let sent = token.flatMap { request.headerFields[$0] }
            if request.method == .get { return answer(.ok, givesToken ? "t1" : nil) }
            return sent == "t1" ? answer(.ok) : answer(.forbidden, "Required")
        }
        var configurator = CommonAuthenticationConfigurator(session: server.manager.configuration.session)
        configurator.add(StaticCredentialProvider(username: "alice", password: "wonderland"))
        server.manager.update { [configurator] in $0.apply(configurator) }
        let session = server.manager.configuration.session
        try session.cookies.store(setCookie: ["X-SMP-SESSID=s; Path=/; Secure"], from: ScriptedServer.root)
        #expect(await code { try await server.client.logOut() } == (givesToken ? nil : .refused))
        let logOut = "POST /mobileservices/sessions/logout"
        let fetch = "GET /mobileservices/sessions/"
        #expect(server.sent == (givesToken ? [logOut, fetch, logOut] : [logOut, fetch]))
        #expect(server.field("Cookie").allSatisfy { $0 == "X-SMP-SESSID=s" })
        #expect(try session.cookies.cookies(for: ScriptedServer.root).isEmpty == givesToken)
    }
}
