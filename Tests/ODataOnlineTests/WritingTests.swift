import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import ODataOnline

@Suite struct WritingTests {
    private static let values: [(ODataValue, v2: String, v4: String)] = [
        (.null, "null", "null"), (true, "true", "true"), (5, "5", "5"), (.int64(5), "\"5\"", "5"),
        (.decimal(Decimal(string: "0.10") ?? 0), "\"0.1\"", "0.1"), (.double(1.5), "1.5", "1.5"),
        (.double(.infinity), "\"INF\"", "\"INF\""),
        ("a\"\\\n\u{1}é😀", "\"a\\\"\\\\\\n\\u0001é😀\"", "\"a\\\"\\\\\\n\\u0001é😀\""),
        (.binary(Data([0xFB, 0xFF])), "\"+/8=\"", "\"-_8=\""),
        (
            .dateTime(ODataDateTime("2017-01-10T06:10:33.406") ?? .epoch), "\"/Date(1484028633406)/\"",
            "\"2017-01-10T06:10:33.406Z\""
        ),
        (
            .dateTime(ODataDateTime("2017-01-10T07:10:33+01:00") ?? .epoch), "\"/Date(1484028633000+0060)/\"",
            "\"2017-01-10T07:10:33+01:00\""
        ),
        (.date(ODataDate("2017-01-10") ?? .epoch), "\"/Date(1484006400000)/\"", "\"2017-01-10\""),
        (.timeOfDay(ODataTimeOfDay("06:10:33") ?? .midnight), "\"PT6H10M33S\"", "\"06:10:33\""),
        (.timeOfDay(ODataTimeOfDay("06:10:33.5") ?? .midnight), "\"PT6H10M33.5S\"", "\"06:10:33.5\""),
        (
            .timeOfDay(ODataTimeOfDay("00:00:00.000000001") ?? .midnight), "\"PT0H0M0.000000001S\"",
            "\"00:00:00.000000001\""
        ),
        (.duration(.seconds(61)), "\"PT1M1S\"", "\"PT1M1S\""), ([1, "x"], "[1,\"x\"]", "[1,\"x\"]"),
        (.complex(["a": nil]), "{\"a\":null}", "{\"a\":null}"),
    ]

    @Test(arguments: values.indices)
    func value(_ index: Int) throws {
        let (value, v2, v4) = Self.values[index]
        for (version, expected) in [(ODataVersion.v2, v2), (.v4, v4)] {
            let json = try EntityWriter(version: version, model: nil).json(["P": value], of: nil)
            #expect(String(decoding: json, as: UTF8.self) == "{\"P\":\(expected)}")
        }
    }

    @Test func numbersAreWrittenAsTheModelSays() async throws {
        let model = try await Models.model(Models.two)
        let json = try EntityWriter(version: .v2, model: model).json(
            ["ID": 1, "Price": 2, "Weight": 3], of: "Sales.Product")
        #expect(String(decoding: json, as: UTF8.self) == #"{"ID":"1","Price":"2","Weight":3}"#)
    }

    private struct Times: Encodable {
        enum CodingKeys: String, CodingKey { case made = "Made", changed = "Changed" }
        var made = Date(timeIntervalSince1970: 1_484_028_633.406)
        var changed = Date(timeIntervalSince1970: 1_484_028_633.406)
    }

    /// Services refuse an offset for `Edm.DateTime`, and want one for `Edm.DateTimeOffset`.
    @Test func timesAreWrittenAsTheModelSays() async throws {
        let writer = EntityWriter(version: .v2, model: try await Models.model(Models.two))
        let expected = #"{"Changed":"/Date(1484028633406+0000)/","Made":"/Date(1484028633406)/"}"#
        let local = ODataValue.dateTime(try #require(ODataDateTime("2017-01-10T06:10:33.406")))
        let rows: [ODataRow] = [try writer.row(Times()), ["Changed": local, "Made": local]]
        for row in rows {
            let sorted: ODataRow = ["Changed": row["Changed"] ?? .null, "Made": row["Made"] ?? .null]
            let json = try writer.json(sorted, of: "Sales.Product")
            #expect(String(decoding: json, as: UTF8.self) == expected)
        }
        let day = ODataValue.date(try #require(ODataDate("2017-01-10")))
        let json = try writer.json(["Changed": day, "Made": day], of: "Sales.Product")
        #expect(String(decoding: json, as: UTF8.self).contains(#""Changed":"/Date(1484006400000+0000)/""#))
    }

    /// The notation of a text depends on the version, also if the program does not know the type.
    @Test func textsAreWrittenAsTheModelSays() async throws {
        let two = EntityWriter(version: .v2, model: try await Models.model(Models.two))
        let row: ODataRow = [
            "Made": "2017-01-10T06:10:33", "Changed": "/Date(1484028633000)/", "Picture": "-_8", "Name": "2017-01-10",
        ]
        #expect(
            String(decoding: try two.json(row, of: "Sales.Product"), as: UTF8.self)
                == #"{"Made":"/Date(1484028633000)/","Changed":"/Date(1484028633000+0000)/","#
                + #""Picture":"+/8=","Name":"2017-01-10"}"#)
        let wrong = try two.json(["Made": "today", "Picture": "?"], of: "Sales.Product")
        #expect(String(decoding: wrong, as: UTF8.self) == #"{"Made":"today","Picture":"?"}"#)
        let four = EntityWriter(version: .v4, model: try await Models.model(Models.four))
        let day: ODataRow = ["Picture": "+/8=", "Day": .time(Date(timeIntervalSince1970: 0))]
        let written = try four.json(day, of: "Sales.V1.Product")
        #expect(String(decoding: written, as: UTF8.self) == #"{"Picture":"-_8=","Day":"1970-01-01"}"#)
    }

    private struct Order: Encodable {
        var price = Decimal(string: "0.1") ?? 0
        var at = Date(timeIntervalSince1970: 1_484_028_633.406)
        var bytes = Data([0xFB, 0xFF])
        var nothing: Int?
        var tags = ["a"]
    }

    @Test func valuesOfTheApplicationsTypes() async throws {
        for (version, time, price, bytes) in [
            (ODataVersion.v2, "/Date(1484028633406+0000)/", "\"0.1\"", "+/8="),
            (.v4, "2017-01-10T06:10:33.406Z", "0.1", "-_8="),
        ] {
            let (store, transport) = try store(version) { _, _ in .init(.noContent) }
            try await store.create(Order(), in: "Orders")
            let body = try #require(transport.bodies.first.map { String(decoding: $0, as: UTF8.self) })
            #expect(body.contains("\"at\":\"\(time)\""))
            #expect(body.contains("\"price\":\(price)"))
            #expect(body.contains("\"bytes\":\"\(bytes)\""))
            #expect(body.contains("\"tags\":[\"a\"]"))
            #expect(transport.requests.first?.headerFields[.contentType] == "application/json")
        }
    }

    @Test func creating() async throws {
        let (store, transport) = try store { _, _ in
            .json(#"{"@odata.etag":"W/\"1\"","ID":7}"#, .created, [.location: "https://service.example/sales/P(7)"])
        }
        let written = try await store.create(["Name": "Tea"], in: "P")
        #expect(written.row?["ID"]?.int64 == 7)
        #expect(written.etag == "W/\"1\"")
        let path = try #require(written.path)
        _ = try await store.row(ODataQuery(path))
        #expect(transport.requests.last?.target.path == "/sales/P(7)")
        #expect(transport.requests.first?.method == .post)
        #expect(transport.requests.first?.headerFields[.odataVersion] == "4.0")
    }

    @Test(arguments: ODataVersion.allCases)
    func changing(_ version: ODataVersion) async throws {
        let (store, transport) = try store(version) { _, _ in .init(.noContent, [.eTag: "\"2\""]) }
        let product = ODataPath("P").key(1)
        #expect(try await store.update(product, with: ["a": 1], ifMatch: "\"1\"").etag == "\"2\"")
        try await store.update(product, with: ["a": 1], by: .replace)
        try await store.delete(product, ifMatch: "*")
        try await store.setValue(5, of: product.property("Price"))
        #expect(
            transport.requests.map(\.method.rawValue) == [version == .v2 ? "MERGE" : "PATCH", "PUT", "DELETE", "PUT"])
        #expect(transport.requests.map { $0.headerFields[.ifMatch] } == ["\"1\"", nil, "*", nil])
        #expect(
            String(decoding: transport.bodies.last ?? [], as: UTF8.self)
                == (version == .v2 ? #"{"Price":5}"# : #"{"value":5}"#))
    }

    @Test func aPropertyIsSetAsTheModelSays() async throws {
        let model = try await Models.model(Models.two)
        let (store, transport) = try store(.v2, model: model) { _, _ in .init(.noContent) }
        let product = ODataPath("Products").key(1)
        try await store.setValue(.time(Date(timeIntervalSince1970: 1)), of: product.property("Made"))
        try await store.setValue(5, of: product.property("Price"))
        try await store.setValue(.complex(["Width": 5]), of: product.property("Size"))
        #expect(
            transport.bodies.map { String(decoding: $0, as: UTF8.self) }
                == [#"{"Made":"/Date(1000)/"}"#, #"{"Price":"5"}"#, #"{"Size":{"Width":5}}"#])
    }

    @Test(arguments: ["a\r\nX: y", "", "é", "\u{7F}"])
    func etagsAreChecked(_ etag: String) async throws {
        let (store, transport) = try store { _, _ in .init(.noContent) }
        #expect(await failure { try await store.delete(ODataPath("P").key(1), ifMatch: etag) }?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: ["field", "entity", "nowhere"])
    func aLostUpdateReportsTheCurrentETag(_ place: String) async throws {
        let (store, transport) = try store { request, _ in
            switch (request.method, place) {
            case (.get, "entity"): .json(#"{"@odata.etag":"\"3\"","ID":1}"#)
            case (.get, _): .init(.notFound)
            case (_, "field"): .init(.preconditionFailed, [.eTag: "\"3\""])
            default: .init(.preconditionFailed)
            }
        }
        let error = await failure { try await store.update(ODataPath("P").key(1), with: ["a": 1], ifMatch: "\"1\"") }
        #expect(error?.code == .preconditionFailed)
        #expect(error?.currentETag == (place == "nowhere" ? nil : "\"3\""))
        #expect(transport.requests.count == (place == "field" ? 1 : 2))
    }

    @Test(arguments: ["a'b", "a b", "", "@", "x@y z", "a/b@odata.bind\""])
    func namesOfPropertiesAreChecked(_ name: String) async throws {
        let (store, transport) = try store { _, _ in .init(.noContent) }
        var row = ODataRow()
        row[name] = 1
        #expect(await failure { try await store.create(row, in: "P") }?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: ODataVersion.allCases)
    func links(_ version: ODataVersion) async throws {
        let (store, transport) = try store(version) { request, _ in
            guard request.method == .get else { return .init(.noContent) }
            return version == .v2
                ? .json(#"{"d":{"results":[{"uri":"https://service.example/sales/P(2)"}]}}"#)
                : .json(#"{"value":[{"@odata.id":"P(2)"}]}"#)
        }
        let parts = ODataPath("P").key(1).property("Parts")
        let found = try #require(try await store.links(parts).first)
        try await store.link(parts, to: found)
        try await store.link(ODataPath("P").key(1).property("Whole"), to: ODataPath("P").key(3), isSingle: true)
        try await store.unlink(parts, key: 2)
        try await store.unlink(ODataPath("P").key(1).property("Whole"))
        let paths = transport.requests.map { "\($0.method) \($0.target.requestTarget.dropFirst("/sales/".count))" }
        let bodies = transport.bodies.map { String(decoding: $0, as: UTF8.self) }
        if version == .v2 {
            #expect(
                paths == [
                    "GET P(1)/$links/Parts", "POST P(1)/$links/Parts", "PUT P(1)/$links/Whole",
                    "DELETE P(1)/$links/Parts(2)", "DELETE P(1)/$links/Whole",
                ])
            #expect(bodies.first == #"{"uri":"https://service.example/sales/P(2)"}"#)
        } else {
            #expect(
                paths == [
                    "GET P(1)/Parts/$ref", "POST P(1)/Parts/$ref", "PUT P(1)/Whole/$ref",
                    "DELETE P(1)/Parts/$ref?$id=https:%2F%2Fservice.example%2Fsales%2FP(1)%2FParts(2)",
                    "DELETE P(1)/Whole/$ref",
                ])
            #expect(bodies.last == #"{"@odata.id":"https://service.example/sales/P(3)"}"#)
        }
    }

    private static func isNext(_ request: TransportRequest) -> Bool { request.target.query == "$skiptoken=1" }

    @Test(arguments: ODataVersion.allCases)
    func linksOfSeveralPages(_ version: ODataVersion) async throws {
        let (store, transport) = try store(version) { request, _ in
            switch (version, Self.isNext(request)) {
            case (.v2, false):
                .json(#"{"d":{"results":[{"uri":"P(2)"}],"__next":"P(1)/$links/Parts?$skiptoken=1"}}"#)
            case (.v2, true): .json(#"{"d":{"results":[{"uri":"P(3)"}]}}"#)
            case (.v4, false):
                .json(#"{"value":[{"@odata.id":"P(2)"}],"@odata.nextLink":"/sales/P(1)/Parts/$ref?$skiptoken=1"}"#)
            case (.v4, true): .json(#"{"value":[{"@odata.id":"P(3)"}]}"#)
            }
        }
        let links = try await store.links(ODataPath("P").key(1).property("Parts"))
        #expect(links == [ODataPath(link: "P(2)"), ODataPath(link: "P(3)")])
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: ODataVersion.allCases)
    func resultsOfSeveralPages(_ version: ODataVersion) async throws {
        let (store, _) = try store(version) { request, _ in
            switch (version, Self.isNext(request)) {
            case (.v2, false): .json(#"{"d":{"Near":{"results":[1],"__next":"Near?$skiptoken=1"}}}"#)
            case (.v2, true): .json(#"{"d":{"results":[2]}}"#)
            case (.v4, false): .json(#"{"value":[1],"@odata.nextLink":"?$skiptoken=1"}"#)
            case (.v4, true): .json(#"{"value":[2]}"#)
            }
        }
        #expect(try await store.call(function: "Near") == [1, 2])
        #expect(try await store.value("Near") == [1, 2])
        if version == .v4 { #expect(try await store.call(action: "Near") == [1, 2]) }
    }

    @Test func pagesOfResultsAreBounded() async throws {
        let (itself, _) = try store { _, _ in .json(#"{"value":[1],"@odata.nextLink":"Near()"}"#) }
        #expect(await failure { _ = try await itself.call(function: "Near") }?.code == .pagesInACircle)
        let (elsewhere, _) = try store { _, _ in .json(#"{"value":[],"@odata.nextLink":"https://evil.example/"}"#) }
        let path = ODataPath("P").key(1).property("Parts")
        #expect(await failure { _ = try await elsewhere.links(path) }?.code == .linkRefused)
        var options = ODataStoreConfiguration()
        options.limits.rowBytes = 1000
        let (endless, transport) = try store(options: options) { _, index in
            .json(#"{"value":[1],"@odata.nextLink":"Near()?page=\#(index)"}"#)
        }
        #expect(await failure { _ = try await endless.call(function: "Near") }?.code == .tooLarge)
        #expect((2...30).contains(transport.requests.count))
        let (wrong, _) = try store { _, index in
            .json(index == 0 ? #"{"value":[1],"@odata.nextLink":"?page=1"}"# : #"{"value":2}"#)
        }
        #expect(await failure { _ = try await wrong.call(function: "Near") }?.code == .malformedAnswer)
    }

    /// An entity with a single property stays an entity.
    @Test func smallEntitiesOfVersion2() async throws {
        let (store, _) = try store(.v2) { _, _ in
            .json(#"{"d":{"__metadata":{"uri":"Users('x')","etag":"\"1\""},"UserName":"x"}}"#)
        }
        let me = try await store.call(function: "Me")
        #expect(me.row?["UserName"] == "x" && me.row?.etag == "\"1\"")
        #expect(try await store.value(ODataPath("Users").key("x").property("UserName")) == "x")
        #expect(try await store.value(ODataPath(link: "Me?a=b")).row?["UserName"] == "x")
    }

    @Test func operationsOfVersion2() async throws {
        let (store, transport) = try store(.v2) { request, _ in
            request.method == .post ? .init(.noContent) : .json(#"{"d":{"Cheapest":{"ID":"1","Name":"a"}}}"#)
        }
        let row = try await store.call(function: "Cheapest", ["below": .decimal(5), "name": "a&b"])
        #expect(row.row?["Name"] == "a")
        #expect(try await store.call(action: "Close") == .null)
        #expect(transport.requests.first?.target.requestTarget == "/sales/Cheapest?below=5M&name='a%26b'")
        #expect(transport.requests.last?.method == .post)
        #expect(await failure { _ = try await store.call(function: "x", on: "P") }?.code == .invalidRequest)
    }

    @Test func operationsOfVersion4() async throws {
        let model = try await Models.model(Models.four)
        let (store, transport) = try store(model: model) { request, _ in
            if request.method == .post { return .init(.noContent) }
            return request.target.path.hasSuffix(")") && request.target.path.contains("Near")
                ? .json(#"{"value":[{"ID":1,"Price":2}]}"#) : .json(#"{"value":1.5}"#)
        }
        #expect(try await store.call(function: "Total", ["until": .date(.epoch)]).decimal == Decimal(string: "1.5"))
        let product = ODataPath("Products").key(1)
        let near = try await store.call(function: "Sales.V1.Near", on: product, ["count": 2])
        #expect(near.elements?.first?.row?["Price"] == .decimal(2))
        let rows = try store.rows(ofFunction: "Sales.V1.Near", on: product, ["count": 2])
        #expect(try await rows.all().first?["ID"] == .int64(1))
        try await store.call(
            action: "Sales.V1.Close", on: product, ["reason": "x", "day": .time(Date(timeIntervalSince1970: 0))],
            ifMatch: "\"1\"")
        #expect(
            transport.requests.map(\.target.path) == [
                "/sales/Total(until=1970-01-01)", "/sales/Products(1)/Sales.V1.Near(count=2)",
                "/sales/Products(1)/Sales.V1.Near(count=2)", "/sales/Products(1)/Sales.V1.Close",
            ])
        #expect(
            transport.bodies.last.map { String(decoding: $0, as: UTF8.self) }
                == #"{"reason":"x","day":"1970-01-01"}"#)
    }

    @Test func media() async throws {
        let (store, transport) = try store(.v2) { request, _ in
            request.method == .get
                ? .init(.ok, [.contentType: "image/png", .eTag: "\"m\""], chunks: [[1, 2], [3]])
                : .json(#"{"d":{"ID":"1"}}"#, .created)
        }
        let media = try await store.media(ODataPath("P").key(1))
        #expect(try await media.body.collect(upTo: 10) == [1, 2, 3])
        #expect(media.contentType == "image/png")
        #expect(media.etag == "\"m\"")
        try await store.createMedia(.bytes([1]), contentType: "image/png", slug: "a b.png", in: "P")
        try await store.updateMedia(ODataPath("P").key(1), .bytes([2]), contentType: "image/gif", ifMatch: "*")
        #expect(transport.requests.map(\.target.path) == ["/sales/P(1)/$value", "/sales/P", "/sales/P(1)/$value"])
        #expect(transport.requests[1].headerFields[.slug] == "a%20b.png")
        #expect(transport.requests[2].headerFields[.contentType] == "image/gif")
        let wrong = await failure { try await store.createMedia(.bytes([1]), contentType: "a/b\r\nX: y", in: "P") }
        #expect(wrong?.code == .invalidRequest)
    }

    @Test(arguments: [
        (400, ODataError.Code.refused), (401, .notAuthenticated), (403, .notAllowed), (404, .notFound),
        (409, .conflict),
        (412, .preconditionFailed), (428, .preconditionRequired), (429, .serverFailed), (503, .serverFailed),
    ])
    func errorsAreTold(_ status: Int, _ code: ODataError.Code) async throws {
        let four =
            #"{"error":{"code":"C1","message":"no\u0007","target":"Price","details":[{"code":"D","message":"d","target":"t"}],"innererror":{"trace":"x"}}}"#
        let two =
            #"{"error":{"code":"C1","message":{"lang":"en","value":"no\u0007"},"innererror":{"errordetails":[{"code":"D","message":"d","propertyref":"t","severity":"error"}]}}}"#
        let xml =
            #"<error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><code>C1</code><message xml:lang="en">no</message></error>"#
        for (text, type) in [(four, "application/json"), (two, "application/json"), (xml, "application/xml")] {
            let (store, _) = try store { _, _ in .init(.init(code: status), [.contentType: type], body: text) }
            let error = try #require(await failure { try await store.create(["a": 1], in: "P") })
            #expect(error.code == code)
            #expect(error.status == status)
            #expect(error.serverError?.code == "C1")
            #expect(error.serverError?.message.hasPrefix("no") == true)
            #expect(error.serverError?.message.contains("\u{7}") == false)
            if type == "application/json" {
                #expect(error.serverError?.details.first?.target == "t")
                #expect(error.serverError?.innerError != nil)
            }
        }
    }
}
