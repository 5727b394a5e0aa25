import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import ODataOnline

/// Links of a service behind a proxy, the reads after a refusal, and errors in XML.
@Suite struct ServiceLinksTests {
    private static let inner = "http://inner:8000/sales/"

    /// The entity can be changed by the path that the creation gave.
    @Test(arguments: ["field", "body", "batch"])
    func aCreatedEntityHasAUsablePath(_ place: String) async throws {
        let model = try await Models.model(Models.two)
        let link = Self.inner + "Products(7L)"
        let body = #"{"d":{"__metadata":{"uri":"\#(link)"},"ID":"7"}}"#
        let (store, transport) = try store(.v2, model: model) { request, index in
            guard index == 0 else { return .init(.noContent) }
            if place == "batch" {
                let answer =
                    "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\n"
                    + "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nLocation: \(link)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)\r\n--c--\r\n\r\n--b--\r\n"
                return .init(.accepted, [.contentType: "multipart/mixed; boundary=b"], body: answer)
            }
            return .json(body, .created, place == "field" ? [.location: link] : [:])
        }
        var path: ODataPath?
        if place == "batch" {
            var batch = ODataBatch()
            let part = batch.changeSet { $0.create(["Name": "Tea"], in: "Products") }
            path = try await store.send(batch).written(of: part).path
        } else {
            path = try await store.create(["Name": "Tea"], in: "Products").path
        }
        try await store.update(try #require(path), with: ["Name": "Coffee"])
        #expect(transport.requests.last?.target.absoluteString == "https://service.example/sales/Products(7L)")
    }

    @Test func aChangedEntityHasAUsablePath() async throws {
        let (store, transport) = try store { _, _ in
            .json(#"{"ID":7}"#, .ok, [.location: Self.inner + "P(7)"])
        }
        let path = try #require(try await store.update(ODataPath("P").key(7), with: ["a": 1]).path)
        try await store.delete(path)
        #expect(transport.requests.map(\.target.path) == ["/sales/P(7)", "/sales/P(7)"])
    }

    /// Without a model the key is unknown, and no link out of the service is followed.
    @Test func noForeignLinkIsFollowed() async throws {
        let (store, transport) = try store { _, _ in
            .json(#"{"ID":7}"#, .created, [.location: Self.inner + "P(7)"])
        }
        let path = try #require(try await store.create(["a": 1], in: "P").path)
        #expect(await failure { try await store.delete(path) }?.code == .linkRefused)
        #expect(transport.requests.count == 1)
    }

    @Test func streamsOfEntitiesBehindAProxy() async throws {
        let (store, transport) = try store(.v2) { _, index in
            let uri = index == 0 ? "Products(1)" : Self.inner + "Products(1)"
            let media = Self.inner + "Products(1)/$value"
            return index % 2 == 0
                ? .json(#"{"d":{"__metadata":{"uri":"\#(uri)","media_src":"\#(media)"},"ID":"1"}}"#)
                : .init(.ok, [.contentType: "image/png"], chunks: [[1]])
        }
        let row = try await store.row(ODataQuery(ODataPath("Products").key(1)))
        _ = try await store.media(of: row)
        #expect(transport.requests.last?.target.absoluteString == "https://service.example/sales/Products(1)/$value")
        let other = try await store.row(ODataQuery(ODataPath("Products").key(1)))
        #expect(await failure { _ = try await store.media(of: other) }?.code == .linkRefused)
        #expect(transport.requests.count == 3)
    }

    /// A stream property has no `$value` in 4.0, also if the model does not know it.
    @Test func streamsOfProperties() async throws {
        let (four, transport) = try store { _, _ in .init(.ok, [.contentType: "image/png"], chunks: [[1]]) }
        let product = ODataPath("P").key(1)
        for path in [product.property("Photo"), product.cast(to: "N.Special").property("Photo"), product, "Me"] {
            _ = try await four.media(path)
        }
        _ = try await four.media(product.cast(to: "N.Special"))
        try await four.updateMedia(product.property("Photo"), .bytes([1]), contentType: "image/png")
        #expect(
            transport.requests.map { String($0.target.path.dropFirst("/sales/".count)) } == [
                "P(1)/Photo", "P(1)/N.Special/Photo", "P(1)/$value", "Me/$value", "P(1)/N.Special/$value", "P(1)/Photo",
            ])
        let (two, requests) = try store(.v2) { _, _ in .init(.ok, chunks: [[1]]) }
        _ = try await two.media(product.property("Photo"))
        #expect(requests.requests.first?.target.path == "/sales/P(1)/Photo/$value")
    }

    /// After a 412 only an entity is read: reading the address of an operation would call it.
    @Test func nothingElseIsReadAfterARefusal() async throws {
        for version in ODataVersion.allCases {
            let (store, transport) = try store(version) { request, _ in
                request.method == .get ? .json(#"{"@odata.etag":"\"3\"","ID":1}"#) : .init(.preconditionFailed)
            }
            let errors = [
                await failure { try await store.call(action: "Close", ifMatch: "\"1\"") },
                await failure { try await store.create(["a": 1], in: "P") },
            ]
            #expect(errors.map { $0?.code } == [.preconditionFailed, .preconditionFailed])
            #expect(transport.requests.map(\.method) == [.post, .post])
            guard version == .v4 else { continue }
            let product = ODataPath("P").key(1)
            let bound = await failure { try await store.call(action: "N.Close", on: product, ifMatch: "\"1\"") }
            #expect(bound?.currentETag == "\"3\"")
            #expect(transport.requests.suffix(2).map(\.target.path) == ["/sales/P(1)/N.Close", "/sales/P(1)"])
        }
    }

    @Test func detailsOfErrorsInXML() async throws {
        let detail = "<errordetail><code>D</code><message>d</message><propertyref>t</propertyref>"
        let more = String(repeating: detail + "</errordetail>", count: 120)
        let text = """
            <error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><code>C1</code>
            <message xml:lang="en">no</message><innererror><transactionid>5D</transactionid>
            <errordetails>\(detail)<severity>error</severity></errordetail>\(more)</errordetails></innererror></error>
            """
        let (store, _) = try store(.v2) { _, _ in
            .init(.badRequest, [.contentType: "application/xml"], body: text)
        }
        let error = try #require(await failure { try await store.create(["a": 1], in: "P") }?.serverError)
        #expect(error.code == "C1" && error.message == "no")
        #expect(error.details.count == 100)
        let first = try #require(error.details.first)
        #expect(first.code == "D" && first.message == "d" && first.target == "t" && first.severity == "error")
        #expect(error.innerError?.hasPrefix("transactionid: 5D; code: D; message: d; propertyref: t") == true)
    }
}
