// Rows have the names that services give them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import HTTPTypes
import TestLandscape
import Testing

@testable import ODataOnline

/// Tests against the landscape, which shares no code with the library.
@Suite(.timeLimit(.minutes(2))) struct ServiceReadingTests {
    /// Each property of a product is found by a filter with a literal of its type.
    @Test(arguments: ODataVersion.allCases, [ODataStoreConfiguration.Format.json, .atom])
    func everyLiteralFindsItsEntity(_ version: ODataVersion, _ format: ODataStoreConfiguration.Format) async throws {
        try await withServices { bench in
            var options = ODataStoreConfiguration()
            options.format = format
            let store = try await bench.store(version, options: options)
            #expect(store.version == version)
            let product = try await store.row(ODataQuery(ODataPath("Products").key(5)))
            for (name, value) in zip(product.names, product.values) where value != .null {
                if case .deferred = value { continue }
                // A float's decimal notation may differ from the double's.
                if case .single = value { continue }
                let query = ODataQuery("Products").filter(
                    ODataProperty(name) == value && ODataProperty("ProductID") == 5)
                let found = try await store.rows(query).all()
                #expect(found.map { $0["ProductID"]?.int64 } == [5], "\(name) \(value)")
                #expect(found.first?[name] == value)
            }
            #expect(product["Price"]?.decimal == Decimal(string: "12345678901234571.89"))
            #expect(product["Stock"]?.int64 == 9_223_372_036_854_775_005)
        }
    }

    @Test(arguments: ODataVersion.allCases)
    func awkwardTextsAndKeys(_ version: ODataVersion) async throws {
        try await withServices { bench in
            let store = try await bench.store(version)
            for product in try await store.rows("Products").all() {
                let name = try #require(product["Name"]?.string)
                let found = try await store.rows(ODataQuery("Products").filter(ODataProperty("Name") == name)).all()
                #expect(found.map { $0["ProductID"] } == [product["ProductID"]], "\(name)")
                let parts = try await store.count(ODataQuery("Products").filter(ODataProperty("Name").contains(name)))
                #expect(parts == 1)
            }
            for id in ["ALFKI", "BLAU S", "O'HARA", "ÅNGA/1"] {
                let customer = try await store.row(ODataQuery(ODataPath("Customers").key(ODataKey(.string(id)))))
                #expect(customer["CustomerID"]?.string == id)
                let path = try #require(store.path(of: customer, in: "Customers"))
                #expect(try await store.row(ODataQuery(path))["CustomerID"]?.string == id)
            }
        }
    }

    @Test(arguments: ODataVersion.allCases, [ODataStoreConfiguration.Format.json, .atom])
    func pages(_ version: ODataVersion, _ format: ODataStoreConfiguration.Format) async throws {
        try await withServices { bench in
            var options = ODataStoreConfiguration()
            options.format = format
            let store = try await bench.store(version, options: options)
            var query = ODataQuery("Rows")
            query.customOptions = ["rows": "950", "page": "100"]
            let ids = try await store.rows(query).all().compactMap { $0["ID"]?.int64 }
            #expect(ids.count == 950 && ids == ids.sorted() && Set(ids).count == 950)
            struct Row: Decodable, Sendable {
                var ID: Int
                var Name: String
                var Amount: Decimal
                var Changed: Date
                var IsOdd: Bool
            }
            let rows = try await store.rows(query, as: Row.self).all()
            #expect(rows.map { Int64($0.ID) } == ids)
            let row = try #require(rows.dropFirst(7).first)
            #expect(row.Amount == Decimal(row.ID) + Decimal(string: "0.25")! && row.Name.hasSuffix("ünïcödé"))
            let page = try await store.page(query.counted())
            #expect(page.rows.count == 100 && page.count == 950 && page.nextLink != nil)
            #expect(try await store.page(query, after: page.nextLink).rows.first?["ID"]?.int64 == ids[100])
        }
    }

    @Test func lightJSONOfVersion2() async throws {
        try await withServices { bench in
            var options = ODataStoreConfiguration()
            options.fields[.accept] = "application/json;odata=minimalmetadata"
            let store = try ODataStore(
                at: bench.root(.v2), version: .v2, with: bench.manager(),
                model: try await bench.store(.v2).model, configuration: options)
            let rows = try await store.rows(ODataQuery("Products").top(3)).all()
            #expect(rows.count == 3)
            #expect(rows.first?["Price"]?.decimal == Decimal(string: "12345678901234567.89"))
            #expect(try await store.row(ODataQuery(ODataPath("Products").key(1)))["ProductID"]?.int64 == 1)
        }
    }

    @Test(arguments: ODataVersion.allCases)
    func selectionOrderAndExpansion(_ version: ODataVersion) async throws {
        try await withServices { bench in
            let store = try await bench.store(version)
            let query = ODataQuery("Orders").expand(
                "Customer", ODataExpand("Lines", ODataSelection().expand("Product"))
            )
            .order(.descending("OrderID")).top(2).skip(1)
            let orders = try await store.rows(query).all()
            #expect(orders.compactMap { $0["OrderID"]?.int64 } == [9_007_199_254_741_001, 9_007_199_254_741_000])
            let order = try #require(orders.first)
            #expect(order["Customer"]?.row?["CustomerID"]?.string == order["CustomerID"]?.string)
            let line = try #require(order["Lines"]?.elements?.first?.row)
            #expect(line["Product"]?.row?["Name"]?.string != nil)
            let names = try await store.rows(ODataQuery("Customers").select("CustomerID")).all().first?.names
            #expect(names == ["CustomerID"])
            let key: ODataKey = ["OrderID": try #require(line["OrderID"]), "Position": try #require(line["Position"])]
            #expect(try await store.row(ODataQuery(ODataPath("OrderLines").key(key)))["Quantity"] == line["Quantity"])
            let city = ODataPath("Customers").key("ALFKI").property("Address").property("City")
            #expect(try await store.value(city).string == "Köln")
            #expect(String(decoding: try await store.rawValue(city), as: UTF8.self) == "Köln")
            let links = try await store.links(
                ODataPath("Orders").key(ODataKey(try #require(order["OrderID"]))).property("Lines"))
            #expect(links.count == order["Lines"]?.elements?.count)
            #expect(try await store.serviceDocument().items.map(\.name).contains("Products"))
        }
    }

    @Test func functionsOfTheFilter() async throws {
        try await withServices { bench in
            for version in ODataVersion.allCases {
                let store = try await bench.store(version)
                let name = ODataProperty("Name"), id = ODataProperty("ProductID")
                let filters: [(any ODataTerm, [Int64])] = [
                    (name.hasPrefix("T") || name.hasSuffix("'"), [1, 12]), (name.lowercased == "coffee", [2]),
                    (name.length == 3, [1, 5]), (id.isOne(of: [2, 4]), [2, 4]), (!(id > 2), [1, 2]),
                    (id * 2 == 8, [4]), (id % 5 == 0, [5, 10]), (ODataProperty("Remark").isNull && id < 6, [1, 5]),
                    (name.trimmed == "spaces", [8]), (name.substring(from: 1) == "ea", [1]),
                    (name.index(of: "off") == 1, [2]), (id + 1 == 3 && id - 1 == 1, [2]),
                ]
                for (filter, expected) in filters {
                    let query = ODataQuery("Products").filter(filter.expression).order(.ascending("ProductID"))
                    #expect(try await store.rows(query).all().compactMap { $0["ProductID"]?.int64 } == expected)
                }
            }
            let store = try await bench.store(.v4)
            let query = ODataQuery("Orders").filter(ODataProperty("Lines").any { $0.property("Position") == 3 })
            #expect(try await store.count(query) == 4)
        }
    }

    @Test(
        arguments: [
            (ODataFault.malformedJSON, ODataError.Code.malformedAnswer, .json),
            (.malformedAtom, .malformedAnswer, .atom),
            (.wrongTypes, .wrongType, .json), (.page, .malformedAnswer, .json), (.laughs, .malformedAnswer, .atom),
            (.externalEntity, .malformedAnswer, .atom), (.deep, .tooLarge, .json), (.endlessText, .tooLarge, .json),
            (.endlessText, .tooLarge, .atom), (.endlessRows, .tooLarge, .json), (.endlessNesting, .tooLarge, .json),
            (.endlessNesting, .tooLarge, .atom), (.nextElsewhere, .linkRefused, .json),
            (.nextItself, .pagesInACircle, .json), (.nextFile, .malformedAnswer, .json),
            (.nextForever, .tooManyPages, .json),
        ] as [(ODataFault, ODataError.Code, ODataStoreConfiguration.Format)])
    func failuresAreReported(
        _ fault: ODataFault, _ code: ODataError.Code, _ format: ODataStoreConfiguration.Format
    ) async throws {
        try await withServices { bench in
            var options = ODataStoreConfiguration()
            options.format = format
            options.limits.pageRows = 20_000
            options.limits.pages = 30
            let store = try await bench.store(.v2, options: options)
            bench.landscape.odataRule.fault = fault
            let error = await failure { for try await _ in store.rows("Rows") {} }
            // An endless text may also be reported as a text of the wrong type.
            #expect(error?.code == code, "\(String(describing: error))")
        }
    }

    @Test(arguments: [
        (ODataFault.malformedMetadata, ODataError.Code.malformedAnswer), (.laughs, .malformedAnswer),
        (.externalEntity, .malformedAnswer), (.page, .malformedAnswer),
    ])
    func badMetadataIsReported(_ fault: ODataFault, _ code: ODataError.Code) async throws {
        try await withServices { bench in
            bench.landscape.odataRule.fault = fault
            #expect(await failure { _ = try await bench.store(.v4) }?.code == code)
        }
    }
}
