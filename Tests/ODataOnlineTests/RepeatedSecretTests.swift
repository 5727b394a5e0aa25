import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import ODataOnline

/// Services that repeat in their errors what the request carried (security rule S20).
@Suite struct RepeatedSecretTests {
    private typealias Answer = ScriptedTransport.Answer

    private static let secret = "hunter2secret"
    private static let error =
        #"{"code":"C","message":"no \#(secret)","details":[{"code":"D","message":"nor \#(secret)"}]}"#

    private struct Login: RequestFilter {
        func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            request.headerFields[.authorization] = "Bearer \(RepeatedSecretTests.secret)"
        }
    }

    private func store(
        isObserved: Bool, inJSON: Bool = false, _ script: @escaping @Sendable (TransportRequest) -> Answer
    ) throws -> ODataStore {
        let manager = testManager(ScriptedTransport { request, _ in script(request) }) {
            $0.add(Login())
            if isObserved { $0.observers.add(RecordingObserver()) }
        }
        var options = ODataStoreConfiguration()
        options.usesJSONBatches = inJSON
        return try ODataStore(
            at: "https://service.example/sales", version: .v4, with: manager, configuration: options)
    }

    private func expectHidden(_ error: ODataError?, _ code: ODataError.Code) {
        #expect(error?.code == code)
        #expect(error?.serverError?.message == "no …")
        #expect(error?.serverError?.details.map(\.message) == ["nor …"])
    }

    @Test(arguments: [true, false]) func errorsInTheMiddleOfAnAnswer(isObserved: Bool) async throws {
        let page = Answer.json(#"{"value":[{"ID":1}],"error":\#(Self.error)}"#)
        let store = try store(isObserved: isObserved) { _ in page }
        expectHidden(await failure { _ = try await store.rows("P").all() }, .serverFailed)
        expectHidden(await failure { _ = try await store.page("P") }, .serverFailed)
        // The links in front of the error are not all links.
        let links = Answer.json(#"{"value":[{"@odata.id":"Q(1)"}],"error":\#(Self.error)}"#)
        let linking = try self.store(isObserved: isObserved) { _ in links }
        let path = ODataPath("P").key(1).property("Items")
        expectHidden(await failure { _ = try await linking.links(path) }, .serverFailed)
    }

    /// A page of a batch may end with an error, too: its rows are not all rows.
    @Test(arguments: [true, false], [true, false])
    func partsOfBatches(isObserved: Bool, inJSON: Bool) async throws {
        let error = "{\"error\":\(Self.error)}"
        let page = #"{"value":[{"ID":1}],"error":\#(Self.error)}"#
        let store = try store(isObserved: isObserved, inJSON: inJSON) { _ in
            let parts = [(1, 200, page), (2, 400, error)]
            guard !inJSON else {
                let responses = parts.map { id, status, body in
                    #"{"id":"\#(id)","status":\#(status),"body":\#(body)}"#
                }
                return .json(#"{"responses":[\#(responses.joined(separator: ","))]}"#)
            }
            let texts = parts.map { _, status, body in
                "--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 \(status) x\r\n\r\n\(body)\r\n"
            }
            return Answer(.ok, [.contentType: "multipart/mixed; boundary=b"], body: texts.joined() + "--b--\r\n")
        }
        var batch = ODataBatch()
        let (rows, refused) = (batch.read("P"), batch.read("Q"))
        let results = try await store.send(batch)
        expectHidden(await failure { _ = try results.rows(of: rows) }, .serverFailed)
        expectHidden(results.error(of: refused), .refused)
    }

    /// A redirect that is not followed is an error with a status below 400.
    @Test(arguments: [300, 400]) func refusals(status: Int) async throws {
        let answer = Answer.json("{\"error\":\(Self.error)}", HTTPResponse.Status(code: status))
        let store = try store(isObserved: false) { _ in answer }
        expectHidden(await failure { _ = try await store.rows("P").all() }, .refused)
    }

    /// The version of a refusal is left out if it repeats a secret.
    @Test(arguments: [("\"\(secret)\"", nil), ("\"7\"", "\"7\"")] as [(String, String?)])
    func versions(tag: String, shown: String?) async throws {
        let answer = Answer(.preconditionFailed, [.eTag: tag])
        let store = try store(isObserved: false) { _ in answer }
        let error = await failure { _ = try await store.page("P") }
        #expect(error?.code == .preconditionFailed && error?.currentETag == shown)
    }

    /// Links and redirects may have what was sent in the name of a server.
    @Test(arguments: [true, false]) func namesOfServers(isObserved: Bool) async throws {
        let host = "https://x-\(Self.secret).example/sales/P"
        let linked = try store(isObserved: isObserved) { _ in
            .json(#"{"value":[{"@odata.mediaReadLink":"\#(host)"}],"@odata.nextLink":"\#(host)"}"#)
        }
        let link = await failure { _ = try await linked.rows("P").all() }
        #expect(link?.code == .linkRefused && link?.message.contains("at https://x-….example: it is") == true)
        let rows = try await linked.page("P").rows
        let row = try #require(rows.first)
        let media = await failure { _ = try await linked.media(of: row) }
        #expect(media?.code == .linkRefused && media?.message.contains(Self.secret) == false)
        let redirecting = try store(isObserved: isObserved) { request in
            request.target.origin.host == "service.example"
                ? Answer(.found, [.location: host]) : .json(#"{"value":[]}"#)
        }
        let redirect = await failure { _ = try await redirecting.rows("P").all() }
        #expect(redirect?.code == .notAnODataService)
        #expect(redirect?.message.hasPrefix("https://x-….example answered instead of") == true)
    }
}
