import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Synchronization
import TestLandscape
import Testing

@testable import HttpConversationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The requests of background sessions, and the results of their transfers.
@Suite("Background transfers", .timeLimit(.minutes(1)))
struct BackgroundTests {
    @Test func labelsComeBack() throws {
        let label = BackgroundLabel(conversationID: ConversationID(), kind: .upload, path: "/a \"b\"/ü")
        #expect(BackgroundLabel(text: label.text) == label)
        let place = BackgroundLabel.CookiePlace(name: "a", domain: "b.example", path: "/")
        for known in [[], [place]] as [Set] {
            let label = BackgroundLabel(
                conversationID: label.conversationID, kind: .upload, path: "/a", cookies: [place], known: known)
            #expect(BackgroundLabel(text: label.text) == label)
        }
        for text in [
            nil, "", "{}", "x", #"{"version":2,"id":"0000000000000001","kind":"upload","path":"/a"}"#,
            #"{"version":1,"id":"1","kind":"upload","path":"/a"}"#,
            #"{"version":1,"id":"000000000000000g","kind":"upload","path":"/a"}"#,
            #"{"version":1,"id":"0000000000000001","kind":"upload","path":"a"}"#,
            #"{"version":1,"id":"0000000000000001","kind":"other","path":"/a"}"#,
        ] {
            #expect(BackgroundLabel(text: text) == nil, "\(text ?? "nil")")
        }
    }

    @Test(arguments: [
        (200, "https://a.example/x", true), (404, "https://a.example/x", true), (401, "https://a.example/x", false),
        (407, "https://a.example/x", false), (200, "https://login.example/x", false),
        (200, "https://files.example/x", true), (200, "https://a.example/login", false),
    ])
    func ends(_ status: Int, _ answered: String, _ isFinished: Bool) throws {
        let outcome = BackgroundOutcome.of(
            HTTPResponse(status: .init(code: status)), asked: try TargetURL("https://a.example/x"),
            answered: try TargetURL(answered), known: [try TargetURL("https://files.example").origin],
            isChallenge: { _, url in url.path == "/login" })
        switch outcome {
        case .finished: #expect(isFinished)
        case .authenticationRequired: #expect(!isFinished)
        case .failed: Issue.record("failed")
        }
    }

    /// An error page does not replace a file.
    @Test(arguments: [(200, true), (206, true), (302, false), (404, false), (401, false), (500, false)])
    func successfulResponsesReplaceTheFile(_ status: Int, _ isForTheFile: Bool) throws {
        let url = try TargetURL("https://a.example/x")
        let outcome = BackgroundOutcome.of(HTTPResponse(status: .init(code: status)), asked: url, answered: url)
        #expect(outcome.isForTheFile == isForTheFile)
    }

    /// A part that was not asked for does not replace a file. The rest of a resumed download reaches to the file's end.
    @Test(arguments: [
        (206, nil, false), (206, "bytes 0-9/10", true), (206, "bytes 4-9/10", true), (206, "bytes 0-9/20", false),
        (206, "bytes 10-19/20", false), (206, "bytes 0-9/*", true), (206, "bytes 0-8/*", false),
        (206, "bytes 0-9223372036854775807/*", false), (200, nil, true), (200, "bytes 0-8/20", true),
    ])
    func onlyTheWholeReplacesTheFile(_ status: Int, _ range: String?, _ isWhole: Bool) {
        var head = HTTPResponse(status: .init(code: status))
        head.headerFields[.contentRange] = range
        #expect(BackgroundOutcome.finished(head).isWhole(size: 10) == isWhole)
    }

    private func manager(
        _ configurator: CommonAuthenticationConfigurator, _ transport: any HTTPTransport = URLSessionTransport()
    ) -> HttpConversationManager {
        var configurator = configurator
        configurator.multiplexer = UserInteractionMultiplexer()
        return HttpConversationManager(transport: transport, configurator)
    }

    /// The login happens beforehand, and its secrets are not sent where a redirect leads.
    @Test func secretsDoNotFollowRedirects() async throws {
        try await withLandscape { landscape in
            let manager = manager(.password("alice", "wonderland", for: landscape.urlString()))
            let url = landscape.urlString(.main, "/basic/realm1/a")
            let request = try HTTPRequest(.put, url)
            let error = await #expect(throws: ConversationError.self) {
                _ = try await manager.planBackgroundTransfer(for: request)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("authorization") == true)
            #expect(error?.message.contains("wonderland") == false)
            #expect(landscape.requests(path: "/basic/realm1/a", method: "PUT").isEmpty)
            var policy = BackgroundTransferPlan.Policy()
            policy.sendsSecretFields = true
            let plan = try await manager.planBackgroundTransfer(for: request, policy: policy)
            #expect(plan.headerFields[.authorization]?.hasPrefix("Basic ") == true)
            #expect(!plan.headerFields.contains { $0.name.canonicalName.contains("mark") })
            #expect(landscape.requests(path: "/basic/realm1/a", method: "PUT").isEmpty)
        }
    }

    /// The request's own login is tried ahead, if the policy allows that the transfer has it.
    @Test(arguments: [true, false]) func theRequestsOwnLoginIsUsed(isAllowed: Bool) async throws {
        let transport = ScriptedTransport { request, _ in
            request.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: "Bearer"]) : .init(.ok)
        }
        let manager = testManager(transport)
        var policy = BackgroundTransferPlan.Policy()
        policy.sendsSecretFields = isAllowed
        let request = try HTTPRequest(
            .put, "https://example.com/a",
            fields: [.authorization: "Bearer own", .contentType: "a/b", .ifNoneMatch: "*"])
        guard isAllowed else {
            let code = await failureCode { try await manager.planBackgroundTransfer(for: request, policy: policy) }
            #expect(code == .invalidRequest && transport.requests.isEmpty)
            return
        }
        let plan = try await manager.planBackgroundTransfer(for: request, policy: policy)
        #expect(plan.headerFields[.authorization] == "Bearer own" && plan.headerFields[.ifNoneMatch] == "*")
        #expect(transport.requests.map(\.method) == [.head])
        #expect(transport.requests.first?.headerFields[.contentType] == nil)
        #expect(transport.requests.first?.headerFields[.ifNoneMatch] == nil)
    }

    /// A filter or provider of the login ahead needs them, too.
    @Test func valuesOfTheContextReachTheLogin() async throws {
        let manager = testManager(ScriptedTransport { _, _ in .init(.ok) })
        let filter = AccountFilter()
        manager.update { $0.requestFilters.add(filter) }
        _ = try await manager.planBackgroundTransfer(
            for: HTTPRequest(.put, "https://example.com/a"), policy: .init()
        ) { $0[Account.self] = "alice" }
        #expect(filter.accounts.withLock { $0 } == ["HEAD alice", "PUT alice"])
    }

    /// The request for a token has the filters of the conversation that needs it, and is not the transfer's.
    @Test func aTokenIsFetchedForThePlan() async throws {
        let token = try #require(HTTPField.Name("X-CSRF-Token"))
        let transport = ScriptedTransport { request, _ in
            request.headerFields[token] == "Fetch" ? .init(.ok, [token: "t1"]) : .init(.ok)
        }
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(csrf: try CSRFService(root: "https://example.com/inbox/"))
        var policy = BackgroundTransferPlan.Policy()
        policy.sendsSecretFields = true
        let plan = try await manager(configurator, transport).planBackgroundTransfer(
            for: HTTPRequest(.put, "https://example.com/inbox/7"), policy: policy)
        #expect(plan.method == .put && plan.headerFields[token] == "t1")
        #expect(transport.requests.count { $0.headerFields[token] == "Fetch" } == 1)
        #expect(!transport.requests.contains { $0.method == .put })
        let names = transport.requests.flatMap(\.headerFields).map(\.name.canonicalName)
        #expect(!names.contains { $0.contains("mark") })
    }

    /// The system would fail at that server each time.
    @Test func aServerThatWantsACertificateIsRefused() async throws {
        struct Provider: ClientCertProvider {
            var isInteractive: Bool { false }

            func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
                let summary = CertificateSummary(
                    subject: "CN=a", issuer: "CN=a", names: [], notBefore: .distantPast, notAfter: .distantFuture,
                    fingerprint: [1], publicKeyFingerprint: [1])
                return .identity(ClientIdentity(certificates: [[1]], privateKey: .der([1]), summary: summary))
            }
        }
        for asks in [true, false] {
            let transport = ScriptedTransport(capabilities: [.streamingRequests, .clientCertificates]) {
                request, _ throws(ConversationError) in
                if asks, let source = request.options.clientIdentity { _ = try await source.identity() }
                return .init(.ok)
            }
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(clientCertificate: Provider())
            let manager = HttpConversationManager(transport: transport, configurator)
            let code = await failureCode {
                _ = try await manager.planBackgroundTransfer(for: HTTPRequest(.put, "https://example.com/a"))
            }
            #expect(code == (asks ? .invalidConfiguration : nil))
            #expect(transport.requests.map(\.method) == [.head], "the server was asked")
        }
    }

    @Test func uploadsHaveAType() throws {
        func fields(_ kind: BackgroundLabel.Kind, _ own: HTTPFields = [:]) throws -> [String: String] {
            RequestFields.ofTransfer(
                TransportRequest(
                    target: try TargetURL("https://example.com/a"), method: .put, headerFields: own, body: nil,
                    options: TransportOptions()), kind)
        }
        #expect(try fields(.upload)["Content-Type"] == "application/octet-stream")
        #expect(try fields(.upload, [.contentType: "text/plain"])["Content-Type"] == "text/plain")
        #expect(try fields(.download)["Content-Type"] == nil)
    }

    /// Apple's systems may give an application another home folder with an update.
    @Test func filesMoveWithTheHomeFolder() {
        func path(_ path: String, _ before: String?) -> String { BackgroundLabel.path(path, from: before, to: "/new") }
        #expect(path("/old/Documents/a", "/old") == "/new/Documents/a")
        for (before, kept) in [("/old", "/older/a"), ("/old", "/other/a"), ("/", "/a"), (nil, "/old/a")] {
            #expect(path(kept, before) == kept)
        }
        #expect(path("/new/a", "/new") == "/new/a")
        let text = #"{"home":"/old","id":"000000000000000a","kind":"download","path":"/old/a","version":1}"#
        #expect(BackgroundLabel(text: text)?.path == BackgroundLabel.home + "/a")
    }

    @Test func cookiesGoToTheirStore() async throws {
        try await withLandscape { landscape in
            let manager = HttpConversationManager(transport: URLSessionTransport())
            _ = try await manager.get(landscape.urlString(.main, "/cookies/set?line=sid%3Dsecret%3B%20Path%3D%2F"))
            let plan = try await manager.planBackgroundTransfer(
                for: HTTPRequest(.put, landscape.urlString(.main, "/upload"), fields: [.contentType: "text/plain"]))
            #expect(plan.cookies.map(\.name) == ["sid"])
            #expect(plan.headerFields[.cookie] == nil)
            #expect(plan.headerFields[.contentType] == "text/plain")
            #expect(plan.method == .put)
            // A cookie field of the caller's own would be sent to any server.
            let own = try HTTPRequest(.put, landscape.urlString(.main, "/upload"), fields: [.cookie: "own=1"])
            await #expect(throws: ConversationError.self) { _ = try await manager.planBackgroundTransfer(for: own) }
        }
    }

    /// The delegate hears of the login ahead, and not of the conversation that only determines the request.
    @Test func delegatesAreToldOfTheLoginAlone() async throws {
        try await withLandscape { landscape in
            let delegate = RecordingDelegate()
            let manager = manager(.password("alice", "wonderland", for: landscape.urlString()))
            manager.update { $0.delegate = delegate }
            var policy = BackgroundTransferPlan.Policy()
            policy.sendsSecretFields = true
            _ = try await manager.planBackgroundTransfer(
                for: HTTPRequest(.put, landscape.urlString(.main, "/basic/realm1/a")), policy: policy)
            #expect(delegate.hops.contains { $0.hasPrefix("challenged") }, "\(delegate.hops)")
            #expect(!delegate.hops.contains { $0.hasPrefix("PUT") }, "\(delegate.hops)")
            #expect(!delegate.calls.contains(.failed(.cancelled)), "\(delegate.calls)")
        }
    }

    @Test func tokensAreFetchedAhead() async throws {
        try await withLandscape { landscape in
            let manager = manager(
                .oauth2(
                    issuer: landscape.issuer(), clientID: "native", for: landscape.urlString(), scopes: ["read"],
                    grant: .password(UsernamePassword(username: "alice", password: "wonderland"))))
            var policy = BackgroundTransferPlan.Policy()
            policy.sendsSecretFields = true
            let plan = try await manager.planBackgroundTransfer(
                for: HTTPRequest(.get, landscape.urlString(.main, "/api/data")), policy: policy)
            #expect(plan.headerFields[.authorization]?.hasPrefix("Bearer ") == true)
        }
    }

    /// A background session's servers are not judged by filters (security rule S28).
    @Test(arguments: [true, false]) func pinsAreNotLost(isPinned: Bool) async throws {
        try await withLandscape { landscape in
            var configuration = HttpConversationManager.Configuration()
            configuration.challengeFilters.add(
                JudgingFilter(policy: isPinned ? ConnectionPolicy([.pinnedKeys]) : ConnectionPolicy()))
            let manager = HttpConversationManager(transport: URLSessionTransport(), configuration: configuration)
            let request = try HTTPRequest(.put, landscape.urlString(.main, "/upload"))
            do {
                _ = try await manager.planBackgroundTransfer(for: request)
                #expect(!isPinned)
            } catch {
                #expect(isPinned && (error as? ConversationError)?.code == .invalidConfiguration, "\(error)")
            }
            #expect(landscape.requests().isEmpty == isPinned)
        }
    }

    @Test func withoutALoginTheChallengeIsDelivered() async throws {
        try await withLandscape { landscape in
            let manager = HttpConversationManager(transport: URLSessionTransport())
            let request = try HTTPRequest(.put, landscape.urlString(.main, "/basic/realm1/a"))
            let code = await failureCode { try await manager.planBackgroundTransfer(for: request) }
            #expect(code == .authenticationFailed)
        }
    }

    /// Login cookies leave the store with the last transfer that needs them; the application's own stay.
    @Test func loginCookiesAreRemoved() throws {
        func place(_ name: String) -> TransferCookies.Place { .init(name: name, domain: "example.com", path: "/") }
        func label(_ cookies: Set<TransferCookies.Place>) -> BackgroundLabel {
            BackgroundLabel(conversationID: ConversationID(), kind: .download, path: "/f", cookies: cookies)
        }
        let (own, session, other) = (place("own"), place("session"), place("other"))
        var cookies = TransferCookies()
        let first = label(try cookies.begin([own: 1, session: 2], known: [own: 1]))
        #expect(first.cookies == [session], "the application had the other one before")
        #expect(BackgroundLabel(text: first.text) == first)
        let second = label(try cookies.begin([session: 2, other: 3], known: [own: 1, session: 2]))
        #expect(second.cookies == [session, other])
        #expect(cookies.end(first).isEmpty, "the second transfer needs it")
        #expect(cookies.end(second) == [session, other])
        #expect(try cookies.begin([session: 2], known: [session: 2]).isEmpty, "now it is the application's")
        // After a relaunch.
        var later = TransferCookies()
        later.found([first.cookies, second.cookies])
        #expect(later.end(second) == [other])
        #expect(later.end(first) == [session])
    }

    /// The system sends what is in the store, so the cookie of one account never replaces another's.
    @Test func anotherSessionIsRefused() throws {
        let store = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let url = try TargetURL("https://files.example/")
        func cookies(_ value: String) throws -> [Cookie] {
            let jar = CookieStore()
            jar.store(setCookie: ["sid=\(value); Path=/"], from: url)
            return jar.cookies(for: url)
        }
        func values() -> [String] { (store.cookies ?? []).map(\.value) }
        func end(_ places: Set<TransferCookies.Place>, _ transfers: inout TransferCookies) {
            store.remove(
                transfers.end(.init(conversationID: ConversationID(), kind: .upload, path: "/f", cookies: places)))
        }
        var transfers = TransferCookies()
        let first = try store.bring(cookies("alice"), for: url, noting: &transfers)
        #expect(values() == ["alice"] && first.count == 1)
        let error = #expect(throws: ConversationError.self) {
            try store.bring(cookies("bob"), for: url, noting: &transfers)
        }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("sid") == true)
        #expect(error?.message.contains("alice") == false && error?.message.contains("bob") == false)
        #expect(values() == ["alice"])
        // A transfer without a session, or with one in another cookie, would be sent with the first account's.
        #expect(throws: ConversationError.self) { try store.bring([], for: url, noting: &transfers) }
        #expect(try store.bring([], for: TargetURL("https://b.example/"), noting: &transfers).isEmpty)
        #expect(try store.bring([], for: nil, noting: &transfers).isEmpty)
        // Another upload of the same account.
        let second = try store.bring(cookies("alice"), for: url, noting: &transfers)
        end(first, &transfers)
        // The application has removed the cookie that the second one needs.
        store.remove(second)
        #expect(throws: ConversationError.self) { try store.bring(cookies("bob"), for: url, noting: &transfers) }
        end(second, &transfers)
        // Nobody needs the first account's any more.
        end(try store.bring(cookies("bob"), for: url, noting: &transfers), &transfers)
        #expect(values().isEmpty)
        // The application's own stays.
        var others = TransferCookies()
        _ = try store.bring(cookies("own"), for: url, noting: &others)
        #expect(throws: ConversationError.self) { try store.bring(cookies("bob"), for: url, noting: &transfers) }
        #expect(try store.bring(cookies("own"), for: url, noting: &transfers).isEmpty)
        #expect(values() == ["own"])
        // The value that a transfer of an earlier launch needs is not known.
        var later = TransferCookies()
        later.found([first])
        #expect(try store.bring(cookies("own"), for: url, noting: &later) == first)
        store.remove(first)
        var last = TransferCookies()
        last.found([first])
        #expect(throws: ConversationError.self) { try store.bring(cookies("own"), for: url, noting: &last) }
    }
}

private enum Account: ConversationContextKey { typealias Value = String }

/// Records each request's method with the account in the context.
private final class AccountFilter: RequestFilter {
    let accounts = Mutex<[String]>([])

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        let account = context.root[Account.self] ?? "none"
        accounts.withLock { $0.append("\(request.method) \(account)") }
    }
}
