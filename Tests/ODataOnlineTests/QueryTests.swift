import Foundation
import Testing

@testable import ODataOnline

@Suite struct QueryTests {
    private static let name = ODataProperty("Name")
    private static let price = ODataProperty("Price")
    private static let filters: [(ODataExpression, v2: String, v4: String)] = [
        (price > 10 && name != "x", "Price gt 10 and Name ne 'x'", "Price gt 10 and Name ne 'x'"),
        (
            price > 10 || name == "a" && !price.isNull, "Price gt 10 or (Name eq 'a' and not (Price eq null))",
            "Price gt 10 or (Name eq 'a' and not (Price eq null))"
        ),
        ((price + 1) * 2 >= Decimal(9), "((Price add 1) mul 2) ge 9M", "((Price add 1) mul 2) ge 9"),
        (-price < 0, "-(Price) lt 0", "-(Price) lt 0"),
        (name.contains("a'b"), "substringof('a''b',Name)", "contains(Name,'a''b')"),
        (name.lowercased.hasPrefix("x"), "startswith(tolower(Name),'x')", "startswith(tolower(Name),'x')"),
        (name.length == 3, "length(Name) eq 3", "length(Name) eq 3"),
        (name.substring(from: 1, length: 2) == "bc", "substring(Name,1,2) eq 'bc'", "substring(Name,1,2) eq 'bc'"),
        (name.isOne(of: ["a", "b"]), "(Name eq 'a' or Name eq 'b')", "(Name eq 'a' or Name eq 'b')"),
        (name.isOne(of: [String]()), "false", "false"),
        (ODataProperty("Category/Name") == "x", "Category/Name eq 'x'", "Category/Name eq 'x'"),
        (
            ODataProperty("Items").any { $0.property("Price") > 5 }, "Items/any(x:x/Price gt 5)",
            "Items/any(x:x/Price gt 5)"
        ),
        (ODataExpression.call("cast", ODataProperty("A")) == 1, "cast(A) eq 1", "cast(A) eq 1"),
        (price == Int64(5), "Price eq 5L", "Price eq 5"),
    ]

    @Test(arguments: filters.indices)
    func filterTexts(_ index: Int) throws {
        let (expression, v2, v4) = Self.filters[index]
        var writer2 = ExpressionWriter(.v2)
        var writer4 = ExpressionWriter(.v4)
        #expect(try writer2.text(expression) == v2)
        #expect(try writer4.text(expression) == v4)
    }

    @Test(arguments: ["a b", "a eq 1 or b", "", "a)", "a'", "$filter", "a/", "/a", "a//b"])
    func propertyNamesAreChecked(_ path: String) {
        var writer = ExpressionWriter(.v4)
        #expect(throws: ODataError.self) { try writer.text(ODataProperty(path) == 1) }
    }

    @Test func nestedLambdasNeedNames() throws {
        let expression = ODataProperty("A").any { $0.property("B").any { $0 == 1 } }
        var writer = ExpressionWriter(.v4)
        #expect(throws: ODataError.self) { try writer.text(expression) }
        let named = ODataProperty("A").any { a in a.property("B").all("y") { $0 == a.property("C") } }
        #expect(try writer.text(named) == "A/any(x:x/B/all(y:y eq x/C))")
    }

    private var query: ODataQuery {
        ODataQuery("Products").filter(Self.price > 1).filter(Self.name != "").select("ID", "Name")
            .expand("Category", ODataExpand("Items", ODataSelection().select("Price").expand("Product")))
            .order(.ascending("Name"), .descending(Self.price)).top(5).skip(10).counted()
    }

    @Test func optionsOfVersion4() throws {
        let options = try #require(try query.query(.v4).removingPercentEncoding)
        #expect(
            options
                == "$filter=Price gt 1 and Name ne ''&$select=ID,Name&$expand=Category,Items($select=Price;$expand=Product)"
                + "&$orderby=Name,Price desc&$top=5&$skip=10&$count=true")
    }

    @Test func optionsOfVersion2() throws {
        let options = try #require(try query.query(.v2).removingPercentEncoding)
        #expect(
            options
                == "$filter=Price gt 1 and Name ne ''&$select=ID,Name,Category,Items/Price,Items/Product"
                + "&$expand=Category,Items/Product&$orderby=Name,Price desc&$top=5&$skip=10&$inlinecount=allpages")
    }

    @Test func expandsThatVersion2LacksAreRefused() {
        let query = ODataQuery("P").expand(ODataExpand("Items", ODataSelection().top(1)))
        #expect(throws: ODataError.self) { try query.query(.v2) }
        #expect(throws: ODataError.self) { try ODataQuery("P").search("x").query(.v2) }
        #expect(throws: ODataError.self) { try ODataQuery("P").top(-1).query(.v4) }
    }

    @Test func searchIsAPhrase() throws {
        #expect(try ODataQuery("P").search("a\" OR b").query(.v4).removingPercentEncoding == "$search=\"a\\\" OR b\"")
    }

    @Test func customOptionsCannotReplaceSystemOptions() throws {
        var query = ODataQuery("P")
        query.customOptions = ["sap-client": "1&$top=5"]
        #expect(try query.query(.v2) == "sap-client=1%26$top%3D5")
        query.customOptions = ["$top": "5"]
        #expect(throws: ODataError.self) { try query.query(.v2) }
    }
}
