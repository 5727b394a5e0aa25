import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import ODataOnline

@Suite struct PagingTests {
    private func page(_ row: Int, next: String?) -> ScriptedTransport.Answer {
        .json("{\"value\":[{\"ID\":\(row)}]" + (next.map { ",\"@odata.nextLink\":\"\($0)\"" } ?? "") + "}")
    }

    @Test(arguments: [
        "https://service.example/sales/P?$skiptoken=1", "P?$skiptoken=1", "/sales/P?$skiptoken=1", "?$skiptoken=1",
        "https://SERVICE.example:443/sales/P?$skiptoken=1",
    ])
    func pagesAreFollowed(_ link: String) async throws {
        let (store, transport) = try store { _, index in self.page(index, next: index == 0 ? link : nil) }
        #expect(try await store.rows("P").all().map { $0["ID"]?.int64 } == [0, 1])
        #expect(transport.requests.last?.target.absoluteString == "https://service.example/sales/P?$skiptoken=1")
    }

    @Test(arguments: [
        "https://evil.example/sales/P", "http://service.example/sales/P", "https://service.example:444/sales/P",
        "https://service.example/other/P", "https://service.example/salesmen/P", "/P", "../P", "//evil.example/sales/P",
        "https://service.example/sales/%2e%2e/P", "https://service.example/sales/x%2f..%2f..%2fP",
    ])
    func pagesElsewhereAreNotRead(_ link: String) async throws {
        let (store, transport) = try store { _, index in self.page(index, next: link) }
        let error = await failure { _ = try await store.rows("P").all() }
        #expect(error?.code == .linkRefused)
        #expect(transport.requests.count == 1)
    }

    private static let readsBooks = "https://service.example/sales/Authors(101)/books"

    /// Answers of a page below the root: what it is relative to, and the next page.
    @Test(
        arguments: [
            (.v4, "../$metadata#Books", "Authors(101)/books?s=1", "Authors(101)/books?s=1"),
            (.v4, "/sales/$metadata#Books", "Authors(101)/books?s=1", "Authors(101)/books?s=1"),
            (.v4, "../$metadata#Books", "?s=1", "Authors(101)/books?s=1"),
            (.v4, nil, "books?s=1", "Authors(101)/books?s=1"),
            // The address behind a proxy.
            (.v4, "http://inside:8080/sales/$metadata#Books", "books?s=1", "Authors(101)/books?s=1"),
            (.v4, "/inside/$metadata#Books", "books?s=1", "Authors(101)/books?s=1"),
            (.v2, nil, "Authors(101)/books?s=1", "Authors(101)/books?s=1"),
            (.v2, nil, "?s=1", "Authors(101)/books?s=1"),
        ] as [(ODataVersion, String?, String, String)])
    func linksAreRelativeToTheContext(
        _ version: ODataVersion, _ context: String?, _ link: String, _ expected: String
    ) async throws {
        let member = context.map { "\"@odata.context\":\"\($0)\"," } ?? ""
        let (store, transport) = try store(version) { _, index in
            guard index == 0 else { return .json(version == .v2 ? #"{"d":[]}"# : #"{"value":[]}"#) }
            return .json(
                version == .v2
                    ? #"{"d":{"results":[],"__next":"\#(link)"}}"#
                    : #"{\#(member)"value":[],"@odata.nextLink":"\#(link)"}"#)
        }
        let path = ODataPath("Authors").key(101).property("books")
        let url = "https://service.example/sales/\(expected)"
        _ = try await store.rows(ODataQuery(path)).all()
        #expect(transport.requests.map(\.target.absoluteString) == [Self.readsBooks, url])
    }

    @Test(arguments: [("../", "Authors(101)/books?s=1"), (nil, "Authors(101)/books?s=1"), ("./", "books?s=1")])
    func linksOfFeedsAreRelativeToTheirBase(_ base: String?, _ link: String) async throws {
        let attribute = base.map { " xml:base=\"\($0)\"" } ?? ""
        let (store, transport) = try store(.v2) { _, index in
            let link = index == 0 ? "<link rel=\"next\" href=\"\(link)\"/>" : ""
            let feed = "<feed xmlns=\"http://www.w3.org/2005/Atom\"\(attribute)>\(link)</feed>"
            return .xml(feed, "application/atom+xml")
        }
        let path = ODataPath("Authors").key(101).property("books")
        _ = try await store.rows(ODataQuery(path)).all()
        #expect(transport.requests.map(\.target.absoluteString) == [Self.readsBooks, "\(Self.readsBooks)?s=1"])
    }

    @Test func linksOfSinglePagesAndBatchesAreRelativeToTheContext() async throws {
        let json = #"{"@odata.context":"../$metadata#Books","value":[],"@odata.nextLink":"Authors(101)/books?s=1"}"#
        let next = "\(Self.readsBooks)?s=1"
        let query = ODataQuery(ODataPath("Authors").key(101).property("books"))
        let (pages, _) = try store { _, _ in .json(json) }
        #expect(try await pages.page(query).nextLink == next)
        let answer = """
            --b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n\(json)\r
            --b--\r\n
            """
        let (store, transport) = try store { _, index in
            index == 0
                ? .init(.ok, [.contentType: "multipart/mixed; boundary=b"], body: answer) : .json(#"{"value":[]}"#)
        }
        var batch = ODataBatch()
        let part = batch.read(query)
        let page = try await store.send(batch).rows(of: part)
        #expect(page.nextLink == next)
        _ = try await store.page(query, after: page.nextLink)
        #expect(transport.requests.last?.target.absoluteString == next)
    }

    @Test(arguments: [
        "https://user:pw@service.example/sales/P", "ftp://service.example/sales/P", "https://service.example/\\u0001",
    ])
    func invalidPageLinks(_ link: String) async throws {
        let (store, transport) = try store { _, index in self.page(index, next: link) }
        #expect(await failure { _ = try await store.rows("P").all() }?.code == .malformedAnswer)
        #expect(transport.requests.count == 1)
    }

    @Test func trustedOriginsAreAskedWithoutCredentials() async throws {
        let transport = ScriptedTransport { _, index in
            self.page(
                index, next: ["https://other.example/x", "https://service.example/sales/P?last"].dropFirst(index).first)
        }
        let manager = testManager(transport) { $0.add(Secret()) }
        var options = ODataStoreConfiguration()
        options.trustedOrigins = [try Origin(scheme: .https, host: "other.example")]
        options.fields[.cookie] = "canary=1"
        let store = try ODataStore(
            at: "https://service.example/sales", version: .v4, with: manager, configuration: options)
        #expect(try await store.rows("P").all().count == 3)
        let fields = transport.requests.map { "\($0.headerFields)" }
        #expect(fields[0].contains("canary"))
        #expect(transport.requests[1].target.origin.host == "other.example")
        #expect(!fields[1].contains("canary"))
        // After a page elsewhere, the login is not sent again.
        #expect(!fields[2].contains("canary"))
    }

    /// Foreign pages get the same server trust filter as the service (security rule S28), but no client certificate.
    @Test func trustedOriginsGetTheSameChecks() async throws {
        let transport = ScriptedTransport(
            capabilities: [.streamingRequests, .streamingResponses, .serverTrust, .clientCertificates]
        ) { _, index in
            self.page(index, next: ["https://other.example/x"].dropFirst(index).first)
        }
        var configuration = HttpConversationManager.Configuration()
        configuration.challengeFilters.add(
            JudgingFilter(handles: [.serverTrust, .clientCertificate, .basic], requiring: .serverTrust))
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        var options = ODataStoreConfiguration()
        options.trustedOrigins = [try Origin(scheme: .https, host: "other.example")]
        let store = try ODataStore(
            at: "https://service.example/sales", version: .v4, with: manager, configuration: options)
        #expect(try await store.rows("P").all().count == 2)
        #expect(transport.requests.map { $0.options.serverTrust != nil } == [true, true])
        #expect(transport.requests.map { $0.options.clientIdentity != nil } == [true, false])
    }

    private struct Secret: RequestFilter {
        func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            request.headerFields[.authorization] = "Bearer canary"
        }
    }

    @Test func circularPageLinksEnd() async throws {
        let (itself, first) = try store { _, _ in self.page(1, next: "P") }
        #expect(await failure { _ = try await itself.rows("P").all() }?.code == .pagesInACircle)
        #expect(first.requests.count == 1)
        let (circle, second) = try store { _, index in self.page(1, next: "P?page=\(index % 3)") }
        #expect(await failure { _ = try await circle.rows("P").all() }?.code == .pagesInACircle)
        #expect(second.requests.count == 4)
    }

    @Test func endlessPagesEnd() async throws {
        var options = ODataStoreConfiguration()
        options.limits.pages = 50
        let (store, transport) = try store(options: options) { _, index in self.page(1, next: "P?page=\(index)") }
        #expect(await failure { _ = try await store.rows("P").all() }?.code == .tooManyPages)
        #expect(transport.requests.count == 50)
    }

    @Test func slowPagesTimeOut() async throws {
        var options = ODataStoreConfiguration()
        options.limits.waitingTime = .milliseconds(500)
        let (store, transport) = try store(options: options) { _, index in
            self.page(1, next: "P?page=\(index)").delayed(by: .milliseconds(30))
        }
        let error = await failure { _ = try await store.rows("P").all() }
        #expect((error?.underlyingError as? ConversationError)?.code == .timedOut)
        #expect((1...20).contains(transport.requests.count))
    }

    /// The caller's own time does not count.
    @Test func slowReadersDoNotTimeOut() async throws {
        var options = ODataStoreConfiguration()
        options.limits.waitingTime = .seconds(6)
        let (store, _) = try store(options: options) { _, index in self.page(1, next: "P?page=\(index)") }
        var rows = store.rows("P").makeAsyncIterator()
        _ = try await rows.next()
        try await Task.sleep(for: .milliseconds(6200))
        #expect(try await rows.next() != nil)
    }

    @Test func pagesAreFetchedOnDemand() async throws {
        let (store, transport) = try store { _, index in self.page(index, next: "P?page=\(index)") }
        let rows = store.rows("P")
        #expect(transport.requests.isEmpty)
        var iterator = rows.makeAsyncIterator()
        #expect(try await iterator.next()?["ID"]?.int64 == 0)
        #expect(transport.requests.count == 1)
        #expect(try await iterator.next()?["ID"]?.int64 == 1)
        #expect(transport.requests.count == 2)
    }

    @Test func readingStopsAfterAFailure() async throws {
        let (store, transport) = try store { _, index in
            index == 0
                ? self.page(0, next: "P?page=1")
                : .json("{\"error\":{\"code\":\"x\",\"message\":\"no\"}}", .internalServerError)
        }
        var iterator = store.rows("P").makeAsyncIterator()
        _ = try await iterator.next()
        let error = await failure { _ = try await iterator.next() }
        #expect(error?.code == .serverFailed)
        #expect(error?.serverError?.message == "no")
        #expect(try await iterator.next() == nil)
        #expect(transport.requests.count == 2)
    }

    @Test func aServiceThatFailsInTheMiddle() async throws {
        let (cut, _) = try store { _, _ in .json("{\"value\":[{\"ID\":1},{\"ID\"") }
        #expect(await failure { _ = try await cut.rows("P").all() }?.code == .malformedAnswer)
        let (said, _) = try store { _, _ in
            .json("{\"value\":[{\"ID\":1}],\"error\":{\"code\":\"c\",\"message\":\"m\"}}")
        }
        #expect(await failure { _ = try await said.rows("P").all() }?.serverError?.code == "c")
    }

    @Test func singlePages() async throws {
        let (store, _) = try store { _, index in
            .json(
                "{\"@odata.count\":2,\"value\":[{\"ID\":\(index)}]"
                    + (index == 0 ? ",\"@odata.nextLink\":\"P?page=1\"}" : "}"))
        }
        let first = try await store.page(ODataQuery("P").counted())
        #expect(first.count == 2)
        #expect(first.nextLink == "https://service.example/sales/P?page=1")
        let second = try await store.page("P", after: first.nextLink)
        #expect(second.rows.first?["ID"]?.int64 == 1)
        #expect(second.nextLink == nil)
        #expect(await failure { _ = try await store.page("P", after: "https://evil.example/") }?.code == .linkRefused)
    }

    @Test func redirectsToALoginAreRefused() async throws {
        let (store, _) = try store { _, index in
            index == 0 ? .init(.found, [.location: "https://login.example/"]) : self.page(1, next: nil)
        }
        #expect(await failure { _ = try await store.rows("P").all() }?.code == .notAnODataService)
    }
}
