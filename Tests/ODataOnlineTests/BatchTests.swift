import HTTPTypes
import HttpConvFormats
import HttpConversation
import HttpConversationTesting
import Testing

@testable import ODataOnline

@Suite struct BatchTests {
    /// A read, a change set of two, another read.
    private static func batch() -> (batch: ODataBatch, parts: [ODataBatch.Part]) {
        var batch = ODataBatch()
        let first = batch.read(ODataQuery("P").filter(ODataProperty("Name") == "a&b"))
        let changes = batch.changeSet { changes in
            let order = changes.create(["Name": "x"], in: "Orders")
            return [order, changes.create(["Count": 1], in: order.path.property("Items"))]
        }
        let last = batch.read(ODataQuery(ODataPath("P").key(1)))
        return (batch, [first] + changes + [last])
    }

    private static func http(_ status: String, _ body: String = "", id: Int? = nil) -> String {
        "Content-Type: application/http\r\n" + (id.map { "Content-ID: \($0)\r\n" } ?? "") + "\r\nHTTP/1.1 \(status)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)\r\n"
    }

    private static func multipart(_ parts: [String], _ boundary: String = "b") -> String {
        parts.map { "--\(boundary)\r\n\($0)" }.joined() + "--\(boundary)--\r\n"
    }

    private static func changes(_ parts: [String]) -> String {
        "Content-Type: multipart/mixed; boundary=\"c 1\"\r\n\r\n" + multipart(parts, "c 1") + "\r\n"
    }

    private static let rows = http("200 Success", #"{"value":[{"ID":1}]}"#)
    private static let row = http("200 OK", #"{"ID":1}"#)
    private static func created(_ id: Int?) -> String { http("201 Created", #"{"ID":7}"#, id: id) }
    private static let refused = http("400 Bad", #"{"error":{"code":"C","message":"no"}}"#)

    private func results(
        _ text: String, type: String = "multipart/mixed; boundary=b"
    ) async throws -> (ODataBatchResults, [ODataBatch.Part], ScriptedTransport) {
        let (store, transport) = try store { _, _ in .init(.ok, [.contentType: type], body: text) }
        let (batch, parts) = Self.batch()
        return (try await store.send(batch), parts, transport)
    }

    @Test func batchesFollowTheProtocol() async throws {
        let answer = Self.multipart([Self.rows, Self.changes([Self.created(2), Self.created(3)]), Self.row])
        let (_, _, transport) = try await results(answer)
        let request = try #require(transport.requests.first)
        #expect(request.target.path == "/sales/$batch")
        let type = try #require(request.headerFields[.contentType])
        let boundary = try #require(type.split(separator: "=").last)
        let mark = boundary.dropFirst("batch_".count)
        let lines = [
            "--\(boundary)", "Content-Type: application/http", "Content-Transfer-Encoding: binary", "Content-ID: 1", "",
            "GET P?$filter=Name%20eq%20'a%26b' HTTP/1.1", "Accept: application/json", "", "", "--\(boundary)",
            "Content-Type: multipart/mixed; boundary=changeset_1_\(mark)", "", "--changeset_1_\(mark)",
            "Content-Type: application/http", "Content-Transfer-Encoding: binary", "Content-ID: 2", "",
            "POST Orders HTTP/1.1", "Accept: application/json", "Content-Type: application/json", "Content-Length: 12",
            "",
            #"{"Name":"x"}"#, "--changeset_1_\(mark)", "Content-Type: application/http",
            "Content-Transfer-Encoding: binary", "Content-ID: 3", "", "POST $2/Items HTTP/1.1",
            "Accept: application/json",
            "Content-Type: application/json", "Content-Length: 11", "", #"{"Count":1}"#, "--changeset_1_\(mark)--",
        ]
        let body = String(decoding: transport.bodies.first ?? [], as: UTF8.self)
        #expect(body.components(separatedBy: "\r\n").starts(with: lines))
        #expect(body.hasSuffix("--\(boundary)--\r\n"))
    }

    /// The type of an entity that the change set itself makes is known, too.
    @Test func entitiesBelowNewOnesAreWrittenAsTheModelSays() async throws {
        let model = try await Models.model(Models.two)
        let (store, transport) = try store(.v2, model: model) { _, _ in .init(.badRequest) }
        var batch = ODataBatch()
        batch.changeSet { changes in
            let category = changes.create(["Name": "x"], in: "Categories")
            let product = changes.create(["Price": 5], in: category.path.property("Products"))
            changes.update(product.path, with: ["ID": 6])
        }
        _ = await failure { _ = try await store.send(batch) }
        let body = String(decoding: transport.bodies.first ?? [], as: UTF8.self)
        #expect(body.contains("$1/Products") && body.contains(#"{"Price":"5"}"#) && body.contains(#"{"ID":"6"}"#))
    }

    @Test(arguments: ["Content-Length: 1\r\n 0\r\n", "content-length\r\n : 10\r\n", " A: b\r\n"])
    func aLengthInTwoLinesIsRefused(_ fields: String) throws {
        let message = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n0123456789".utf8)
        #expect(throws: FormatFailure.self) { _ = try MultipartReader.message(message[...]) }
    }

    @Test func repeatedFieldsAreAList() throws {
        let message = Array("HTTP/1.1 200 OK\r\nWarning: a\r\nwarning: b\r\nContent-Length: 1\r\n\r\n0".utf8)
        let (_, part) = try MultipartReader.message(message[...])
        #expect(part.fields["warning"] == "a, b")
        #expect(part.body.count == 1)
    }

    @Test(arguments: ["Content-Length: 1", "content-type: a/b", "Content-ID: 1", "ETag: a", "Location: /", "Many: 1"])
    func fieldsAreRefusedIfRepeatedTooOften(_ field: String) throws {
        let fields = String(repeating: field + "\r\n", count: field == "Many: 1" ? 101 : 2)
        let message = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n0".utf8)
        #expect(throws: FormatFailure.self) { _ = try MultipartReader.message(message[...]) }
    }

    @Test(arguments: [(2, 3), (3, 2), (nil, nil)] as [(Int?, Int?)])
    func eachPartGetsItsAnswer(_ first: Int?, _ second: Int?) async throws {
        let answer = Self.multipart([Self.rows, Self.changes([Self.created(first), Self.created(second)]), Self.row])
        // A field may go on in the next line (RFC 9112 §5.2).
        let folded = answer.replacing("Content-Type: app", with: "Content-Type:\r\n \r\n\tapp")
        let texts = [answer, answer.replacing("\r\n", with: "\n"), "preamble\r\n" + answer + "epilogue", folded]
        for text in texts + [folded.replacing("\r\n", with: "\n")] {
            let (results, parts, _) = try await results(text)
            #expect(try results.rows(of: parts[0]).rows.first?["ID"]?.int64 == 1)
            #expect(try results.written(of: parts[1]).row?["ID"]?.int64 == 7)
            #expect(try results.written(of: parts[2]).row?["ID"]?.int64 == 7)
            #expect(try results.row(of: parts[3])["ID"]?.int64 == 1)
            #expect(parts.allSatisfy { results.error(of: $0) == nil })
        }
    }

    @Test func failuresHaveTheirOwnCodes() async throws {
        // A change set fails as a whole, without naming the failed request. The other requests are done.
        let (some, parts, _) = try await results(Self.multipart([Self.rows, Self.refused, Self.row]))
        #expect(parts.map { some.error(of: $0)?.code } == [nil, .notDone, .notDone, nil])
        #expect(some.error(of: parts[1])?.serverError?.code == "C")
        // The service names the failed request.
        let said = Self.http("400 Bad", "", id: 3)
        let (one, _, _) = try await results(Self.multipart([Self.rows, Self.changes([said]), Self.row]))
        #expect(parts.map { one.error(of: $0)?.code } == [nil, .notDone, .refused, nil])
        // The service stops at the first failure.
        let (stopped, _, _) = try await results(Self.multipart([Self.refused]))
        #expect(parts.map { stopped.error(of: $0)?.code } == [.refused, .notDone, .notDone, .notDone])
    }

    @Test(arguments: [
        [rows, changes([created(2), created(3)])], [rows], [], [rows, row, row], [rows, changes([created(2)]), row],
        [rows, changes([created(2), created(2)]), row], [rows, changes([created(2), created(9)]), row],
        [rows, changes([created(2), created(nil)]), row], [changes([created(2), created(3)]), rows, row],
        [rows, changes([created(2), created(3)]), row, row], [http("200 OK", "{}", id: 4), refused, row],
        [rows, changes([created(2), created(3), created(2)]), row],
    ])
    func answersThatDoNotFit(_ parts: [String]) async throws {
        let error = await failure { _ = try await results(Self.multipart(parts)) }
        #expect(error?.code == .batchMismatch)
    }

    @Test(arguments: [
        "", "--b", "--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Type: application/http\r\n\r\nnonsense\r\n--b--",
        "--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 999 x\r\n\r\n--b--", "--b\r\nno field\r\n\r\n\r\n--b--",
        "--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}\r\n--b--",
    ])
    func invalidAnswers(_ text: String) async throws {
        #expect(await failure { _ = try await results(text) }?.code == .malformedAnswer)
    }

    @Test func theNumberOfPartsIsBounded() async throws {
        let text = String(repeating: "--b\r\n\r\n", count: 200_000)
        #expect(await failure { _ = try await results(text) }?.code == .tooLarge)
    }

    @Test(arguments: ["application/json", "text/html", "multipart/mixed", "multipart/mixed; boundary="])
    func otherContentTypesAreRefused(_ type: String) async throws {
        let error = await failure { _ = try await results("x", type: type) }
        #expect(error?.code == .malformedAnswer)
    }

    @Test func emptyBatchesAndDanglingReferencesAreNotSent() async throws {
        let (store, transport) = try store { _, _ in .init(.ok) }
        #expect(await failure { _ = try await store.send(ODataBatch()) }?.code == .invalidRequest)
        var batch = ODataBatch()
        let part = batch.changeSet { $0.create(["a": 1], in: "P") }
        batch.changeSet { $0.delete(part.path) }
        #expect(await failure { _ = try await store.send(batch) }?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    // MARK: JSON

    private func json(_ text: String) async throws -> (ODataBatchResults, [ODataBatch.Part], ScriptedTransport) {
        var options = ODataStoreConfiguration()
        options.usesJSONBatches = true
        let (store, transport) = try store(options: options) { _, _ in .json(text) }
        let (batch, parts) = Self.batch()
        return (try await store.send(batch), parts, transport)
    }

    private static func response(_ id: Int, _ status: Int, _ body: String = #"{"ID":7}"#) -> String {
        #"{"id":"\#(id)","status":\#(status),"headers":{"content-type":"application/json"},"body":\#(body)}"#
    }

    private static func responses(_ all: [String]) -> String { "{\"responses\":[\(all.joined(separator: ","))]}" }

    @Test func jsonInAnyOrder() async throws {
        let answer = Self.responses([
            Self.response(4, 200), Self.response(3, 201), Self.response(1, 200, #"{"value":[{"ID":1}]}"#),
            Self.response(2, 201),
        ])
        let (results, parts, transport) = try await json(answer)
        #expect(try results.rows(of: parts[0]).rows.count == 1)
        #expect(try results.written(of: parts[2]).row?["ID"]?.int64 == 7)
        let body = String(decoding: transport.bodies.first ?? [], as: UTF8.self)
        #expect(
            body.contains(
                #"{"id":"3","atomicityGroup":"g1","method":"post","url":"$2/Items","dependsOn":["2"],"headers":{"content-type":"application/json"},"body":{"Count":1}}"#
            ))
    }

    @Test func failuresOfJSONHaveTheirOwnCodes() async throws {
        let error = #"{"error":{"code":"C","message":"no"}}"#
        let answer = Self.responses([
            Self.response(1, 200), Self.response(2, 400, error), Self.response(3, 424, "null"), Self.response(4, 200),
        ])
        let (results, parts, _) = try await json(answer)
        #expect(parts.map { results.error(of: $0)?.code } == [nil, .refused, .notDone, nil])
        #expect(results.error(of: parts[1])?.serverError?.code == "C")
        let (stopped, _, _) = try await json(Self.responses([Self.response(1, 404, error)]))
        #expect(parts.map { stopped.error(of: $0)?.code } == [.notFound, .notDone, .notDone, .notDone])
    }

    @Test(arguments: [
        [], [1, 2, 3], [1, 2, 3, 4, 4], [1, 2, 3, 9], [1, 1, 2, 3],
    ])
    func jsonAnswersThatDoNotMatchAreRefused(_ ids: [Int]) async throws {
        let error = await failure { _ = try await json(Self.responses(ids.map { Self.response($0, 200) })) }
        #expect(error?.code == .batchMismatch)
    }

    @Test func jsonChangeSetsAreAllOrNothing() async throws {
        let answer = Self.responses([
            Self.response(1, 200), Self.response(2, 201), Self.response(3, 400, "null"), Self.response(4, 200),
        ])
        #expect(await failure { _ = try await json(answer) }?.code == .batchMismatch)
    }

    @Test(arguments: [
        "{}", "{\"responses\":{}}", "{\"responses\":[{}]}", "{\"responses\":[{\"id\":\"1\",\"status\":\"x\"}]}", "[",
    ])
    func invalidJSONAnswersAreRefused(_ text: String) async throws {
        #expect(await failure { _ = try await json(text) }?.code == .malformedAnswer)
    }
}
