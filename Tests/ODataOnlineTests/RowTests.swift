// Rows have the names that services give them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import HttpConvFormats
import HttpConversationTesting
import TestSupport
import Testing

@testable import ODataOnline

@Suite struct RowTests {
    private static let verbose = #"""
        {"d":{"results":[{"__metadata":{"uri":"https://service.example/sales/Products(1)","etag":"W/\"1\"","type":"Sales.Product",
        "media_src":"Products(1)/$value","content_type":"image/png"},"ID":"9007199254740993","Name":"O'Neil","Price":"12.50",
        "Weight":"1.5","Made":"\/Date(1484028633406)\/","Changed":"/Date(1484028633406+0060)/","Opens":"PT6H10M",
        "Code":"12345678-aabb-ccdd-eeff-ddccbbaa0011","Picture":"AQID","Size":{"__metadata":{"type":"Sales.Size"},"Width":7},
        "Category":{"__deferred":{"uri":"https://service.example/sales/Products(1)/Category"}}}]}}
        """#
    private static let atom = """
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
         xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"><title>Products</title><m:count>1</m:count>
         <entry m:etag='W/"1"'><id>https://service.example/sales/Products(1)</id><category term="Sales.Product" scheme="x"/>
         <link rel="edit" href="Products(1)"/><link rel="edit-media" href="Products(1)/$value"/>
         <link rel="http://schemas.microsoft.com/ado/2007/08/dataservices/related/Category" type="application/atom+xml;type=entry" href="Products(1)/Category"/>
         <content type="image/png" src="Products(1)/$value"/>
         <m:properties><d:ID m:type="Edm.Int64">9007199254740993</d:ID><d:Name>O'Neil</d:Name><d:Price m:type="Edm.Decimal">12.50</d:Price>
         <d:Weight m:type="Edm.Double">1.5</d:Weight><d:Made m:type="Edm.DateTime">2017-01-10T06:10:33.406</d:Made>
         <d:Changed m:type="Edm.DateTimeOffset">2017-01-10T07:10:33.406+01:00</d:Changed><d:Opens m:type="Edm.Time">PT6H10M</d:Opens>
         <d:Code m:type="Edm.Guid">12345678-aabb-ccdd-eeff-ddccbbaa0011</d:Code><d:Picture m:type="Edm.Binary">AQID</d:Picture>
         <d:Size m:type="Sales.Size"><d:Width m:type="Edm.Int32">7</d:Width></d:Size></m:properties></entry></feed>
        """

    @Test func propertiesAreAddedAndRemoved() {
        var row: ODataRow = ["a": 1, "b": 2, "c": 3]
        row["a"] = nil
        row["d"] = 4
        row["b"] = 5
        #expect(row.names == ["b", "c", "d"])
        #expect(row["a"] == nil)
        #expect(["b", "c", "d"].map { row[$0]?.int64 } == [5, 3, 4])
        row["d"] = nil
        row["a"] = 6
        #expect(row == ["b": 5, "c": 3, "a": 6])
    }

    @Test func lookUpsAreLinear() async {
        func seconds(_ count: Int) async -> Double {
            var shortest = Double.infinity
            for _ in 0..<3 {
                await Task.yield()
                var found = 0
                let time = ThreadTime.measure {
                    var row = ODataRow()
                    for number in 0..<count { row["p\(number)"] = .integer(Int64(number)) }
                    for number in 0..<count where row["p\(number)"] != nil { found += 1 }
                }
                #expect(found == count)
                shortest = min(shortest, time / .seconds(1))
            }
            return shortest
        }
        let ratio = await seconds(16000) / seconds(2000)
        // 8 if it grows as the number does, 64 if it grows with its square.
        #expect(ratio < 24, "\(ratio)")
    }

    private func check(_ row: ODataRow, isTyped: Bool) throws {
        #expect(row["ID"]?.int64 == 9_007_199_254_740_993)
        #expect(row["Name"]?.string == "O'Neil")
        #expect(row["Price"]?.decimal == Decimal(string: "12.5"))
        #expect(row["Weight"]?.double == 1.5)
        #expect(row["Made"]?.dateTime?.description == "2017-01-10T06:10:33.406")
        #expect(row["Changed"]?.dateTime?.description == "2017-01-10T07:10:33.406+01:00")
        #expect(row["Opens"]?.duration == .seconds(22200))
        #expect(row["Code"]?.guid != nil)
        #expect(row["Picture"]?.binary == Data([1, 2, 3]))
        #expect(row["Size"]?.row?["Width"]?.int64 == 7)
        guard case .deferred? = row["Category"] else { throw ODataError(.wrongType, "not deferred") }
        #expect(row.etag == "W/\"1\"")
        #expect(row.annotations.type == "Sales.Product")
        #expect(row.annotations.mediaReadLink == "Products(1)/$value")
        #expect(row.annotations.mediaContentType == "image/png")
        if isTyped {
            #expect(row["ID"] == .int64(9_007_199_254_740_993))
            #expect(row["Price"] == .decimal(Decimal(string: "12.5") ?? 0))
            #expect(row["Opens"] == .duration(.seconds(22200)))
        }
    }

    @Test(arguments: [true, false])
    func verboseJSON(_ isTyped: Bool) async throws {
        let model = isTyped ? try await Models.model(Models.two) : nil
        let (store, _) = try store(.v2, model: model) { _, _ in .json(Self.verbose) }
        try check(try #require(try await store.rows("Products").all().first), isTyped: isTyped)
    }

    @Test(arguments: [true, false])
    func atom(_ isTyped: Bool) async throws {
        let model = isTyped ? try await Models.model(Models.two) : nil
        var options = ODataStoreConfiguration()
        options.format = .atom
        let (store, transport) = try store(.v2, model: model, options: options) { _, _ in
            .xml(Self.atom, "application/atom+xml;type=feed")
        }
        try check(try #require(try await store.rows("Products").all().first), isTyped: isTyped)
        #expect(try await store.page("Products").count == 1)
        #expect(transport.requests.first?.headerFields[.accept] == "application/atom+xml, application/xml")
    }

    private struct Product: Codable, Equatable, Sendable {
        struct Category: Codable, Equatable {}
        struct Size: Codable, Equatable { var Width: Int }
        var ID: Int64
        var Name: String
        var Price: Decimal
        var Weight: Double
        var Made: Date
        var Code: UUID
        var Picture: Data
        var Size: Size
        var Category: Category?
        var Missing: String?
    }

    @Test func valuesOfTheApplicationsTypes() async throws {
        for (text, type) in [(Self.verbose, "application/json"), (Self.atom, "application/atom+xml")] {
            let (store, _) = try store(.v2) { _, _ in .xml(text, type) }
            let product = try #require(try await store.rows("Products", as: Product.self).all().first)
            #expect(product.ID == 9_007_199_254_740_993)
            #expect(product.Price == Decimal(string: "12.50"))
            #expect(product.Made == Date(timeIntervalSince1970: 1_484_028_633.406))
            #expect(product.Size.Width == 7)
            #expect(product.Category == nil)
            #expect(product.Picture == Data([1, 2, 3]))
        }
    }

    @Test func version4() async throws {
        let model = try await Models.model(Models.four)
        let json = #"""
            {"@odata.context":"$metadata#Products","value":[{"@odata.etag":"W/\"2\"","@odata.id":"Products(1)","@odata.type":"#Sales.V1.Product",
            "ID":1,"Price":12345678901234567890.123456789012345678,"Color":"Red,Blue","Day":"2017-01-10","Opens":"06:10:33.5",
            "Lasts":"P1DT1S","At":"2017-01-10T06:10:33.1234567Z","Tags":["a","b"],"Size":{"Width":1.10},
            "Parts@odata.nextLink":"Products(1)/Parts?$skip=1","Parts":[{"ID":2,"Price":1}],"Whole":null,"Extra":1.25}]}
            """#
        let (store, _) = try store(model: model) { _, _ in .json(json) }
        let row = try #require(try await store.rows("Products").all().first)
        #expect(row.etag == "W/\"2\"")
        #expect(row.annotations.type == "Sales.V1.Product")
        #expect(row["ID"] == .int64(1))
        #expect(row["Price"]?.decimal?.description == "12345678901234567890.123456789012345678")
        #expect(row["Color"] == .enumeration(ODataEnumeration(type: "Sales.V1.Color", member: "Red,Blue")))
        #expect(row["Day"]?.date == ODataDate(year: 2017, month: 1, day: 10))
        #expect(row["Opens"]?.timeOfDay == ODataTimeOfDay(hour: 6, minute: 10, second: 33, nanoseconds: 500_000_000))
        #expect(row["Lasts"]?.duration == .seconds(86401))
        #expect(row["At"]?.dateTime?.nanoseconds == 123_456_700)
        #expect(row["Tags"] == ["a", "b"])
        #expect(row["Size"]?.row?["Width"] == .decimal(Decimal(string: "1.1") ?? 0))
        #expect(row["Parts"]?.elements?.first?.row?["Price"] == .decimal(1))
        #expect(row["Whole"] == .null)
        #expect(row["Extra"] == .decimal(Decimal(string: "1.25") ?? 0))
        #expect(row.annotations.properties["Parts@odata.nextLink"] == "Products(1)/Parts?$skip=1")
        #expect(row.names.first == "ID")
    }

    /// An expanded collection that a service cut off can be told from a complete one.
    @Test func expandedCollectionsKeepTheirNextLinks() async throws {
        let links = ["Products(1)/Parts?s=2", nil]
        func json(_ link: String?) -> String {
            let next = link.map { #","__next":"\#($0)""# } ?? ""
            return #"{"d":{"results":[{"ID":1,"Parts":{"results":[{"ID":2}]\#(next)}}]}}"#
        }
        func atom(_ link: String?) -> String {
            let metadata = "http://schemas.microsoft.com/ado/2007/08/dataservices"
            let part =
                "<entry><content><m:properties><d:ID m:type=\"Edm.Int32\">2</d:ID></m:properties></content></entry>"
            let next = link.map { "<link rel=\"next\" href=\"\($0)\"/>" } ?? ""
            return """
                <feed xmlns="http://www.w3.org/2005/Atom" xmlns:m="\(metadata)/metadata" xmlns:d="\(metadata)"><entry>
                <link rel="\(metadata)/related/Parts"><m:inline><feed>\(part)\(next)</feed></m:inline></link></entry></feed>
                """
        }
        for link in links {
            for (text, type) in [(json(link), "application/json"), (atom(link), "application/atom+xml")] {
                let (store, _) = try store(.v2) { _, _ in .xml(text, type) }
                let row = try #require(try await store.rows("Products").all().first)
                #expect(row["Parts"]?.elements?.map { $0.row?["ID"]?.int64 } == [2])
                #expect(row.annotations.properties["Parts@odata.nextLink"] == link)
            }
        }
    }

    @Test func addressesOfRows() async throws {
        let model = try await Models.model(Models.four)
        let (store, _) = try store(model: model) { _, _ in .json("{}") }
        let path = try #require(store.path(of: ["ID": .int64(7)], in: "Products"))
        #expect(try path.text(.v4) == "Products(7)")
        #expect(store.path(of: ["Name": "x"], in: "Products") == nil)
        #expect(store.path(of: ["ID": 7], in: "Unknown") == nil)
        let link = ODataPath(link: "https://service.example/sales/Products(7)")
        #expect(store.client.typeName(at: link, in: model) == "Sales.V1.Product")
        for text in ["Products('a/b?c')/Whole", "Products(1)/Sales.V1.Near(count=2)?a=b/c"] {
            #expect(store.client.typeName(at: ODataPath(link: text), in: model) == "Sales.V1.Product")
        }
    }

    /// A service behind a proxy may write the address that it has inside.
    @Test(arguments: [
        ("http://inner:8000/sales/Products(7L)", "Products(7L)"),
        ("https://service.example/sales/Products(7L)", "https://service.example/sales/Products(7L)"),
        ("Products(7L)", "Products(7L)"),
    ])
    func addressesOfRowsLeadBelowTheRoot(link: String, expected: String) async throws {
        let model = try await Models.model(Models.two)
        let (store, _) = try store(.v2, model: model) { _, _ in
            .json(#"{"d":{"__metadata":{"uri":"\#(link)"},"ID":"7"}}"#)
        }
        let row = try await store.row(ODataQuery(ODataPath("Products").key(7)))
        #expect(try store.path(of: row, in: "Products")?.text(.v2) == expected)
        // Without a key, the service's link is all that is known.
        #expect(try store.path(of: row, in: "Unknown")?.text(.v2) == link)
    }

    @Test func rowsOfOtherShapesAreRead() async throws {
        let (store, _) = try store { _, _ in
            .json(#"{"value":[{"a":1,"b":2},{"b":3},{},{"a":4,"b":5,"c":6},{"b":1,"a":2}]}"#)
        }
        let rows = try await store.rows("P").all()
        #expect(rows == [["a": 1, "b": 2], ["b": 3], [:], ["a": 4, "b": 5, "c": 6], ["b": 1, "a": 2]])
    }

    /// The shapes of the first row's complex values do not stay in memory until the last row.
    ///
    /// - Parameter path: the names that lead to a complex value of the first row
    @Test(arguments: [(["n0"], "new"), (["a", "n0"], "nested"), (["p0"], "other")])
    func shapesOfComplexValuesAreForgotten(_ path: [String], _ rows: String) throws {
        func row(_ number: Int) -> String {
            let large = "{" + (0..<200).map { "\"m\($0)\":1" }.joined(separator: ",") + "}"
            switch rows {
            case "new": return "{\"n\(number)\":\(large)}"
            case "nested": return "{\"a\":{\"n\(number)\":\(large)}}"
            // All rows have the same names, and each has its complex value elsewhere.
            default:
                return "{" + (0..<50).map { "\"p\($0)\":\($0 == number ? large : "null")" }.joined(separator: ",") + "}"
            }
        }
        let (store, _) = try store { _, _ in .json("{}") }
        let reader = RowReader(client: store.client)
        let shape = RowShape(nil, in: nil)
        weak var first: RowShape?
        for number in 0..<50 {
            let text = row(number)
            let read = try reader.row(JSONDocument(Array(text.utf8)).root, shape)
            #expect(read.values.contains { $0.row?.names.isEmpty == false })
            if number == 0 { first = path.reduce(shape) { $0.shape(of: $1, .unknown) } }
        }
        #expect(first == nil)
    }

    @Test(arguments: [
        #"{"ID":"x"}"#, #"{"Price":"1,5"}"#, #"{"Price":123456789012345678901234567890123456789}"#,
        #"{"Day":"2017-02-30"}"#,
        #"{"ID":true}"#, #"{"Lasts":"P1Y"}"#, #"{"Price":1e999999999}"#, #"{"ID":1.5}"#, #"{"Size":{"Width":"a"}}"#,
    ])
    func wrongTypesAreErrors(_ row: String) async throws {
        let model = try await Models.model(Models.four)
        let (store, _) = try store(model: model) { _, _ in .json("{\"value\":[\(row)]}") }
        #expect(await failure { _ = try await store.rows("Products").all() }?.code == .wrongType)
    }

    @Test func decodingErrorsNameThePlace() async throws {
        let (store, _) = try store(.v2) { _, _ in .json(#"{"d":{"results":[{"ID":"x"}]}}"#) }
        let error = await failure { _ = try await store.rows("Products", as: Product.self).all() }
        #expect(error?.code == .wrongType)
        #expect(error?.message.contains("ID") == true)
    }

    @Test(arguments: [#"{"a":1,"a":2}"#, "1", "[]", "\"x\""])
    func invalidRows(_ row: String) async throws {
        let (store, _) = try store { _, _ in .json("{\"value\":[\(row)]}") }
        #expect(await failure { _ = try await store.rows("P").all() }?.code == .malformedAnswer)
    }

    @Test(arguments: [
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry></feed>", "<feed/>",
        "<entry xmlns=\"http://www.w3.org/2005/Atom\"",
        "<!DOCTYPE feed [<!ENTITY a \"b\">]><feed xmlns=\"http://www.w3.org/2005/Atom\">&a;</feed>", "x", "",
        "<feed xmlns=\"http://www.w3.org/2005/Atom\">",
    ])
    func invalidFeeds(_ text: String) async throws {
        let (store, _) = try store(.v2) { _, _ in .xml(text, "application/atom+xml") }
        #expect(await failure { _ = try await store.rows("P").all() }?.code == .malformedAnswer)
    }

    @Test func linksOfFeedsMayHaveReferences() async throws {
        let (store, transport) = try store(.v2) { _, index in
            let link = index == 0 ? "<link rel=\"next\" href=\"P?a=1&amp;b=%26amp;&#38;c=&lt;\"/>" : ""
            return .xml("<feed xmlns=\"http://www.w3.org/2005/Atom\">\(link)</feed>", "application/atom+xml")
        }
        #expect(try await store.rows("P").all().isEmpty)
        #expect(transport.requests.last?.target.requestTarget == "/sales/P?a=1&b=%26amp;&c=%3C")
    }

    @Test func anEndlessEntryEnds() async throws {
        var options = ODataStoreConfiguration()
        options.limits.rowBytes = 1 << 20
        let piece = Array(String(repeating: "<a>b</a>", count: 8192).utf8)
        let (store, _) = try store(.v2, options: options) { _, _ in
            .init(
                .ok, [.contentType: "application/atom+xml"],
                chunks: [Array("<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry>".utf8)]
                    + [[UInt8]](repeating: piece, count: 200))
        }
        #expect(await failure { _ = try await store.rows("P").all() }?.code == .tooLarge)
    }

    @Test func oneEntity() async throws {
        let (two, _) = try store(.v2) { _, _ in .json(#"{"d":{"ID":"1","results":"no list"}}"#) }
        #expect(try await two.row(ODataQuery(ODataPath("P").key(1)))["results"]?.string == "no list")
        let (four, _) = try store { _, _ in .json(#"{"@odata.context":"c","ID":1}"#) }
        #expect(try await four.row(ODataQuery(ODataPath("P").key(1)))["ID"]?.int64 == 1)
        let (none, _) = try store { _, _ in .init(.noContent) }
        #expect(await failure { _ = try await none.row(ODataQuery("P")) }?.code == .notFound)
    }

    /// Properties with the names that the formats use for their own members.
    @Test func propertiesNamedAsMembersOfTheFormat() async throws {
        let answers = [
            #"{"@odata.context":"c","value":1,"unit":"kg"}"#,
            #"{"@odata.context":"c","value":1,"value@odata.type":"Edm.Int32"}"#,
            #"{"odata.metadata":"c","value":1}"#, #"{"value":[{"Exam":{"results":[1],"passed":true}}]}"#,
        ]
        let (store, _) = try store { _, index in .json(answers[index]) }
        let path = ODataPath("P").key(1).property("Weight")
        let weight = try await store.value(path).row
        #expect(weight?["value"]?.int64 == 1)
        #expect(weight?["unit"]?.string == "kg")
        #expect(try await store.value(path).int64 == 1)
        #expect(try await store.value(path).int64 == 1)
        let exam = try #require(try await store.rows("P").all().first?["Exam"]?.row)
        #expect(exam["passed"] == true)
        #expect(exam["results"] == [1])
    }

    @Test func complexPropertiesHaveTheTypesOfTheModel() async throws {
        let model = try await Models.model(Models.four)
        let (store, _) = try store(model: model) { _, _ in .json(#"{"@odata.context":"c","Width":2}"#) }
        let size = try await store.value(ODataPath("Products").key(1).property("Size"))
        #expect(size.row?["Width"] == .decimal(2))
    }

    @Test func propertiesAndCounts() async throws {
        let (store, transport) = try store { request, _ in
            switch request.target.path {
            case "/sales/P(1)/Price": .json(#"{"@odata.context":"c","value":12.5}"#)
            case "/sales/P(1)/None": .init(.noContent)
            case "/sales/P(1)/Name/$value": .init(.ok, [.contentType: "text/plain"], body: "Tea")
            default: .init(.ok, [.contentType: "text/plain"], body: "\u{FEFF}42")
            }
        }
        let product = ODataPath("P").key(1)
        #expect(try await store.value(product.property("Price")).decimal == Decimal(string: "12.5"))
        #expect(try await store.value(product.property("None")) == .null)
        #expect(try await store.rawValue(product.property("Name")) == Array("Tea".utf8))
        #expect(try await store.count(ODataQuery("P").filter(ODataProperty("A") == 1)) == 42)
        #expect(transport.requests.last?.target.requestTarget == "/sales/P/$count?$filter=A%20eq%201")
    }
}
