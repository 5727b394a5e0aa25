import Foundation
import HttpConversationTesting
import Testing

@testable import ODataOnline

/// By the ABNF of OData 4.01 and the "Abstract Type System" of 2.0.
@Suite struct LiteralTests {
    private static let guid = UUID(uuidString: "12345678-AABB-CCDD-EEFF-DDCCBBAA0011") ?? UUID()
    private static let cases: [(ODataValue, v2: String, v4: String)] = [
        (.null, "null", "null"), (true, "true", "true"), (5, "5", "5"),
        (.integer(5_000_000_000), "5000000000L", "5000000000"), (.int64(5), "5L", "5"),
        (.decimal(Decimal(string: "-12.50") ?? 0), "-12.5M", "-12.5"), (.double(1.5), "1.5d", "1.5"),
        (.double(1e300), "1e+300d", "1e+300"), (.double(-.infinity), "-INF", "-INF"), (.single(2.5), "2.5f", "2.5"),
        ("O'Neil", "'O''Neil'", "'O''Neil'"), ("", "''", "''"), ("''", "''''''", "''''''"),
        (.guid(guid), "guid'12345678-aabb-ccdd-eeff-ddccbbaa0011'", "12345678-aabb-ccdd-eeff-ddccbbaa0011"),
        (.binary(Data([0x0A, 0xFB, 0xFF])), "X'0AFBFF'", "binary'Cvv_'"),
        (
            .dateTime(ODataDateTime("2017-01-10T06:10:33.406") ?? .epoch), "datetime'2017-01-10T06:10:33.406'",
            "2017-01-10T06:10:33.406Z"
        ),
        (
            .dateTime(ODataDateTime("2017-01-10T06:10:33+01:00") ?? .epoch),
            "datetimeoffset'2017-01-10T06:10:33+01:00'",
            "2017-01-10T06:10:33+01:00"
        ),
        (.date(ODataDate("2017-01-10") ?? .epoch), "datetime'2017-01-10T00:00:00'", "2017-01-10"),
        (.timeOfDay(ODataTimeOfDay("06:10:33.5") ?? .midnight), "time'PT6H10M33.5S'", "06:10:33.5"),
        (.duration(.seconds(93784)), "time'P1DT2H3M4S'", "duration'P1DT2H3M4S'"),
        (
            .enumeration(ODataEnumeration(type: "Sales.Color", member: "Red,Blue")), "Sales.Color'Red,Blue'",
            "Sales.Color'Red,Blue'"
        ),
    ]

    @Test(arguments: cases.indices)
    func literal(_ index: Int) throws {
        let (value, v2, v4) = Self.cases[index]
        #expect(try EdmLiteral.text(value, .v2) == v2)
        #expect(try EdmLiteral.text(value, .v4) == v4)
    }

    @Test(arguments: [ODataValue.complex(["a": 1]), [1, 2], .deferred("x")])
    func valuesWithoutALiteral(_ value: ODataValue) {
        #expect(throws: ODataError.self) { try EdmLiteral.text(value, .v4) }
    }

    @Test func enumerationTypesAreChecked() {
        let value = ODataValue.enumeration(ODataEnumeration(type: "A'or 1 eq 1", member: "x"))
        #expect(throws: ODataError.self) { try EdmLiteral.text(value, .v4) }
    }

    @Test(arguments: [
        "%", "+", "&", "#", "=", "?", "/", "\\", ";", "ü", "日本", "😀", "a b", "\"", "<>", "\u{0}\r\n\t", "''",
    ])
    func awkwardTextIsUnchanged(_ text: String) async throws {
        let (store, transport) = try store { _, _ in .json("{\"value\":[]}") }
        _ = try await store.rows(ODataQuery("Products").filter(ODataProperty("Name") == text)).all()
        let target = try #require(transport.requests.first).target
        #expect(target.path == "/sales/Products")
        let pairs = try #require(target.query).split(separator: "&")
        #expect(pairs.count == 1)
        let value = pairs[0].dropFirst("$filter=".count)
        #expect(value.removingPercentEncoding == "Name eq '\(text.replacing("'", with: "''"))'")
        #expect(!value.contains("+") && !value.contains("#"))
    }

    @Test(arguments: [
        ("A/1", "Products('A%2F1')"), ("a'b", "Products('a''b')"), ("50%", "Products('50%25')"),
        ("ü😀", "Products('%C3%BC%F0%9F%98%80')"), ("a?b#c+d e", "Products('a%3Fb%23c%2Bd%20e')"),
        ("..", "Products('..')"),
    ])
    func keys(_ key: String, _ path: String) async throws {
        let (store, transport) = try store { _, _ in .json("{}") }
        _ = try await store.row(ODataQuery(ODataPath("Products").key(ODataKey(.string(key)))))
        #expect(transport.requests.first?.target.path == "/sales/\(path)")
    }

    @Test func compoundKeys() throws {
        let path = ODataPath("Items").key(["Order": 7, "Day": .date(try #require(ODataDate("2017-01-10")))]).property(
            "Product")
        #expect(try path.text(.v4) == "Items(Order=7,Day=2017-01-10)/Product")
        #expect(try path.text(.v2) == "Items(Order=7,Day=datetime'2017-01-10T00:00:00')/Product")
    }

    @Test(arguments: ["a/../../b", "x/..", "..\\..", "a/./b"])
    func keysThatLookLikePathsAreNotSent(_ key: String) async throws {
        let (store, transport) = try store { _, _ in .json("{}") }
        let error = await failure {
            _ = try await store.row(ODataQuery(ODataPath("P").key(ODataKey(.string(key + "/x")))))
        }
        #expect(error?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: ["", "a b", "a/b", "../x", "a?b", "Products('1')", "1a", "a'", "$batch", "a\r\nb"])
    func namesAreChecked(_ name: String) async throws {
        let (store, transport) = try store { _, _ in .json("{\"value\":[]}") }
        #expect(await failure { _ = try await store.rows(ODataQuery(ODataPath(name))).all() }?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }
}

// swift-format-ignore: NeverForceUnwrap
extension ODataDateTime { static var epoch: ODataDateTime { ODataDateTime("1970-01-01T00:00:00")! } }
// swift-format-ignore: NeverForceUnwrap
extension ODataDate { static var epoch: ODataDate { ODataDate("1970-01-01")! } }
// swift-format-ignore: NeverForceUnwrap
extension ODataTimeOfDay { static var midnight: ODataTimeOfDay { ODataTimeOfDay("00:00")! } }
