import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConvConcurrency
import HttpConversation
import HttpConversationNIO
import TestLandscape
import Testing

@testable import HttpConvAuthFlows

/// SAML2 and one-time codes over sockets, with a scripted person who fills in the landscape's forms.
@Suite("Web logins at the landscape", .serialized, .timeLimit(.minutes(2)))
struct LandscapeWebLoginTests {
    /// The answer of a protected resource.
    private struct Answer: Decodable {
        struct Body: Decodable { let length: Int }
        let user: String
        let factors: [String]
        let method: String
        let path: String
        let body: Body
    }

    private struct Provider: SAML2ConfigProvider, OTPConfigProvider {
        let finish: TargetURL

        func saml2Config(for target: TargetURL) async throws -> SAML2Config? {
            try SAML2Config(
                identifyingHeader: "com.sap.cloud.security.login", finishEndpoint: finish,
                finishParameter: "finishEndpointParam")
        }

        func otpConfig(for target: TargetURL) async throws -> OTPConfig? { .sap }
    }

    private struct Bench {
        let landscape: Landscape
        let manager: HttpConversationManager
        let web: ScriptedWebLoginStrategy
        let provider: Provider
        var session: HttpSession { manager.configuration.session }

        func answer(_ path: String) async throws -> Answer { try Self.read(try await manager.get(url(path))) }
        func url(_ path: String) -> String { landscape.urlString(.main, path) }
        static func read(_ response: ConversationResponse) throws -> Answer {
            try JSONDecoder().decode(Answer.self, from: response.data)
        }
    }

    /// - Parameters:
    ///   - hasToken: whether OAuth2 gets a token with alice's password
    ///   - before: runs before the first page is opened
    ///   - answers: the input by field
    private func withBench(
        user: String? = nil, hasToken: Bool = false, before: @escaping @Sendable () async -> Void = {},
        answers: [String: String] = ["user": "alice", "password": "wonderland"],
        _ body: (Bench) async throws -> Void
    ) async throws {
        try await withLandscape { landscape in
            let transport = NIOTransport()
            let people = NIOTransport()
            let walker = PageWalker(people) { field in
                field == "passcode" || field == "code" ? landscape.passcode() : answers[field]
            }
            let web = ScriptedWebLoginStrategy { opened in
                await before()
                return try await walker.walk(opened)
            }
            let provider = Provider(finish: try TargetURL(landscape.finishEndpoint()))
            var configurator = CommonAuthenticationConfigurator()
            configurator.webStrategies = WebStrategies(default: web)
            configurator.multiplexer = UserInteractionMultiplexer()
            configurator.add(saml2: provider)
            configurator.add(otp: provider)
            if hasToken {
                configurator.add(
                    oauth2: try DiscoveredOAuth2ServerSupport(
                        issuer: landscape.issuer(), clientID: "native",
                        tokenOrigins: [try TargetURL(landscape.urlString()).origin], authentication: .none,
                        scopes: ["read"], grant: .password(UsernamePassword(username: "alice", password: "wonderland"))
                    ))
            }
            if let user { configurator.add(StaticCredentialProvider(username: user, password: "wonderland")) }
            let manager = HttpConversationManager(transport: transport, configurator)
            let bench = Bench(landscape: landscape, manager: manager, web: web, provider: provider)
            let result: Result<Void, any Error>
            do { result = .success(try await body(bench)) } catch { result = .failure(error) }
            await transport.shutdown()
            await people.shutdown()
            try result.get()
        }
    }

    private func key(_ bench: Bench) async throws -> SendableKey {
        let filter = try #require(bench.manager.configuration.redirectFilters.all(of: SAML2Filter.self).first)
        let config = try await bench.provider.saml2Config(for: bench.provider.finish)
        let known = try #require(config)
        return try #require(filter.login(known))
    }

    @Test(arguments: [
        "post-post", "post-artifact", "redirect-post", "redirect-artifact", "post-post-noheader",
        "post-post-noheader-401", "post-post-403", "post-post-noheader-utf16", "post-post-noheader-chunks",
    ])
    func everyBinding(_ variant: String) async throws {
        try await withBench { bench in
            let answer = try await bench.answer("/saml/\(variant)/a?x=1")
            #expect(answer.user == "alice")
            #expect(answer.path == "/saml/\(variant)/a")
            #expect(try await bench.answer("/saml/\(variant)/b").user == "alice")
            #expect(bench.landscape.samlCounters.logins == 1)
            #expect(bench.web.opened.count == 1)
            // The identity provider is another host: its session stays in the view.
            let hosts = Set(bench.session.cookies.snapshot.cookies.map(\.domain))
            #expect(hosts == [bench.provider.finish.origin.host])
        }
    }

    @Test func aPageThatOnlySpeaksOfSAMLIsDelivered() async throws {
        try await withBench { bench in
            _ = try await bench.answer("/saml/post-post-noheader/a")
            let page = try await bench.manager.get(bench.url("/saml/post-post-noheader/page.html"))
            #expect(page.status == .ok && page.text.contains("SAMLRequest"))
            #expect(bench.web.opened.count == 1)
        }
    }

    @Test func fiveHundredConversationsAgainstAnExpiredSession() async throws {
        let login = Gate()
        try await withBench(before: { await login.pass() }) { bench in
            let late = bench.landscape.hold("/saml/post-post/late")
            let path = { @Sendable (name: String, index: Int) in bench.url("/saml/post-post/\(name)?i=\(index)") }
            async let lateOnes = bench.manager.getAll((0..<30).map { path("late", $0) })
            try await late.waitForWaiters(30)
            async let others = bench.manager.getAll((0..<370).map { path("a", $0) })
            let key = try await key(bench)
            await bench.session.steps.waitForWaiters(370, of: key)
            async let newcomers = bench.manager.getAll((0..<100).map { path("new", $0) })
            await bench.session.steps.waitForWaiters(470, of: key)
            #expect(bench.landscape.count(path: "/saml/post-post/new") == 0)
            login.open()
            for result in await others + newcomers { #expect(try Bench.read(result.get()).user == "alice") }
            late.release()
            for result in await lateOnes { #expect(try Bench.read(result.get()).path == "/saml/post-post/late") }
            #expect(bench.landscape.samlCounters.logins == 1)
            #expect(bench.landscape.samlCounters.loginForms == 1)
            // Each late request was challenged, though the login had ended.
            #expect(bench.landscape.samlCounters.challenges >= 31)
            #expect(bench.web.opened.count == 1)
        }
    }

    @Test func aWrongPasswordIsTriedOnceForEverybody() async throws {
        let login = Gate()
        try await withBench(before: { await login.pass() }, answers: ["user": "alice", "password": "wrong"]) { bench in
            async let all = bench.manager.getAll((0..<500).map { bench.url("/saml/redirect-post/\($0)") })
            await bench.session.steps.waitForWaiters(500, of: try key(bench))
            login.open()
            for result in await all {
                #expect { try result.get() } throws: {
                    ($0 as? ConversationError)?.webLoginCode == .answersRefused
                }
            }
            #expect(bench.landscape.samlCounters.failedPasswords == 1)
            #expect(bench.landscape.samlCounters.logins == 0)
        }
    }

    @Test func bodiesArriveWholeAfterTheLogin() async throws {
        try await withBench { bench in
            for (variant, method) in [("post-post", HTTPRequest.Method.post), ("redirect-artifact", .put)] {
                bench.landscape.expireSessions()
                let request = try HTTPRequest(method, bench.url("/saml/\(variant)/upload"))
                let body = RequestBody.bytes(Array(repeating: UInt8(7), count: 300_000))
                let answer = try Bench.read(try await bench.manager.data(for: request, body: body))
                #expect(answer.body.length == 300_000)
                #expect(answer.method == method.rawValue)
            }
            #expect(bench.web.opened.count == 2)
        }
    }

    /// The login happens before the upload of a one-shot body; `UPLOAD_MIB` is its size.
    @Test func aLargeOneShotUploadAfterAPreflight() async throws {
        let pieces = (ProcessInfo.processInfo.environment["UPLOAD_MIB"].flatMap { Int($0) } ?? 16) * 8
        try await withBench { bench in
            try await bench.manager.preflight(bench.url("/saml/post-post/upload"))
            #expect(bench.web.opened.count == 1)
            let (body, pulled) = Self.pieces(pieces)
            let request = try HTTPRequest(.put, bench.url("/saml/post-post/upload"))
            let response = try await bench.manager.upload(for: request, from: body)
            #expect(try Bench.read(response).body.length == pieces << 17)
            #expect(response.attempts.count == 1 && pulled.value == pieces)
            #expect(bench.web.opened.count == 1)
        }
    }

    /// A one-shot body of pieces of 128 KiB, and the number of pieces that were read.
    private static func pieces(_ count: Int) -> (RequestBody, pulled: Box<Int>) {
        let pulled = Box(0)
        let body = RequestBody.oneShot(
            length: count << 17,
            RequestBodyStream {
                guard pulled.value < count else { return nil }
                pulled.update { $0 += 1 }
                return [UInt8](repeating: 7, count: 1 << 17)
            })
        return (body, pulled)
    }

    @Test func aServerThatIsNeverContentEndsInAnError() async throws {
        try await withBench { bench in
            await #expect {
                _ = try await bench.answer("/saml/post-post-never/a")
            } throws: { ($0 as? ConversationError)?.webLoginCode == .challengedAgain }
            #expect(bench.landscape.samlCounters.logins == 1)
        }
    }

    // MARK: One-time codes

    @Test(arguments: ["basic", "basic-elsewhere"]) func aCodeAfterBasic(_ variant: String) async throws {
        try await withBench(user: "alice") { bench in
            let answer = try await bench.answer("/otp/\(variant)/a")
            #expect(answer.user == "alice" && answer.factors.last == "OTP")
            #expect(bench.web.opened.map(\.login.purpose) == [.otp])
            #expect(bench.landscape.otpCounters.accepted == 1)
            #expect(try await bench.answer("/otp/\(variant)/b").factors.count == 2)
            #expect(bench.web.opened.count == 1)
        }
    }

    @Test func aCodeAfterAToken() async throws {
        try await withBench(hasToken: true) { bench in
            let answer = try await bench.answer("/otp/bearer/a")
            #expect(answer.user == "alice" && answer.factors.last == "OTP")
            #expect(bench.web.opened.map(\.login.purpose) == [.otp])
            #expect(bench.landscape.otpCounters.accepted == 1)
            #expect(try await bench.answer("/otp/bearer/b").factors.count == 2)
            #expect(bench.web.opened.count == 1)
            #expect(bench.landscape.oauthCounters.tokenRequests == 1)
        }
    }

    @Test func aCodeAfterSAML2ForManyConversations() async throws {
        try await withBench { bench in
            let results = await bench.manager.getAll((0..<100).map { bench.url("/otp/saml-post-post/\($0)") })
            for (index, result) in results.enumerated() {
                let answer = try Bench.read(result.get())
                #expect(answer.user == "alice" && answer.factors.count == 2)
                #expect(answer.path == "/otp/saml-post-post/\(index)")
            }
            #expect(bench.web.opened.map(\.login.purpose) == [.saml2, .otp])
            #expect(bench.landscape.otpCounters.accepted == 1)
            #expect(bench.landscape.otpCounters.strangers == 0)
        }
    }
}
