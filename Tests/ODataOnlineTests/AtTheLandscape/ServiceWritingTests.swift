import Foundation
import HttpConversation
import TestLandscape
import Testing

@testable import ODataOnline

@Suite(.timeLimit(.minutes(2))) struct ServiceWritingTests {
    @Test(arguments: ODataVersion.allCases)
    func createChangeAndDelete(_ version: ODataVersion) async throws {
        try await withServices { bench in
            // With a login, changes also need a CSRF token.
            let store = try await bench.store(version, login: "basic")
            let row: ODataRow = [
                "Name": "a'b\"c\\😀\n", "Price": .decimal(Decimal(string: "12345678901234567.89") ?? 0),
                "Stock": .int64(.max),
                "Code": .guid(UUID()), "Digest": .binary(Data([0xFB, 0xFF, 0])), "Weight": 0.1,
                "Changed": .dateTime(try #require(ODataDateTime("2026-01-10T06:10:33.5+01:00"))),
                "Lasts": .duration(.milliseconds(90_061_500)),
            ]
            let made = try await store.create(row, in: "Products")
            let path = try #require(made.path)
            let read = try await store.row(ODataQuery(path))
            for name in row.names where name != "Changed" { #expect(read[name] == row[name], "\(name)") }
            #expect(read["Changed"]?.dateTime?.date == row["Changed"]?.dateTime?.date)
            #expect(read.etag == made.etag)

            let changed = try await store.update(path, with: ["Name": "x"], ifMatch: read.etag)
            #expect(changed.etag != read.etag)
            let late = await failure { try await store.update(path, with: ["Name": "y"], ifMatch: read.etag) }
            #expect(late?.code == .preconditionFailed)
            #expect(late?.currentETag == changed.etag)
            #expect(await failure { try await store.update(path, with: ["Name": "y"]) }?.code == .preconditionRequired)
            #expect(try await store.row(ODataQuery(path))["Price"] == row["Price"])
            try await store.update(path, with: ["Name": "z"], ifMatch: "*", by: .replace)
            #expect(try await store.row(ODataQuery(path))["Price"] == .null)
            try await store.delete(path, ifMatch: "*")
            #expect(await failure { _ = try await store.row(ODataQuery(path)) }?.code == .notFound)

            let wrong = await failure { try await store.create(["Colour": 1, "Code": "x"], in: "Products") }
            #expect(wrong?.code == .refused)
            #expect(wrong?.serverError?.details.compactMap(\.target).sorted() == ["Code", "Colour"])
        }
    }

    @Test(arguments: [(ODataVersion.v2, false), (.v4, false), (.v4, true)])
    func batches(_ version: ODataVersion, _ usesJSON: Bool) async throws {
        try await withServices { bench in
            var options = ODataStoreConfiguration()
            options.usesJSONBatches = usesJSON
            let store = try await bench.store(version, login: "basic", options: options)
            var batch = ODataBatch()
            batch.continuesAfterErrors = true
            let read = batch.read(ODataQuery("Products").filter(ODataProperty("Name") == "Käse & Brot"))
            let (order, line) = batch.changeSet { changes in
                let order = changes.create(["OrderID": .int64(5), "Note": "batch"], in: "Orders")
                return (
                    order, changes.create(["Position": 1, "Quantity": .decimal(2)], in: order.path.property("Lines"))
                )
            }
            let (good, bad) = batch.changeSet { changes in
                (
                    changes.create(["OrderID": .int64(6), "Note": "never"], in: "Orders"),
                    changes.update(ODataPath("Products").key(1), with: ["Name": "x"], ifMatch: "\"old\"")
                )
            }
            let missing = batch.read(ODataQuery(ODataPath("Products").key(999)))
            let results = try await store.send(batch)
            #expect(try results.rows(of: read).rows.map { $0["ProductID"]?.int64 } == [4])
            #expect(try results.written(of: order).row?["OrderID"]?.int64 == 5)
            try results.check(line)
            #expect(results.error(of: good)?.code == .notDone)
            #expect([.preconditionFailed, .notDone].contains(results.error(of: bad)?.code))
            #expect(results.error(of: missing)?.code == .notFound)
            #expect(try await store.count(ODataQuery("Orders").filter(ODataProperty("Note") == "batch")) == 1)
            #expect(try await store.count(ODataQuery("Orders").filter(ODataProperty("Note") == "never")) == 0)
            #expect(
                try await store.count(ODataQuery(ODataPath("Orders").key(ODataKey(.int64(5))).property("Lines"))) == 1)
        }
    }

    @Test(arguments: [
        (ODataFault.batchOrder, ODataError.Code.batchMismatch), (.batchFewer, .batchMismatch),
        (.batchMore, .batchMismatch),
        (.malformedBatch, .malformedAnswer),
    ])
    func batchesThatGoWrong(_ fault: ODataFault, _ code: ODataError.Code) async throws {
        try await withServices { bench in
            let store = try await bench.store(.v4)
            bench.landscape.odataRule.fault = fault
            var batch = ODataBatch()
            batch.read(ODataQuery(ODataPath("Products").key(1)))
            batch.read(ODataQuery(ODataPath("Products").key(2)))
            #expect(await failure { _ = try await store.send(batch) }?.code == code)
        }
    }

    @Test(arguments: ODataVersion.allCases)
    func mediaAndOperations(_ version: ODataVersion) async throws {
        try await withServices { bench in
            let store = try await bench.store(version)
            let product = ODataPath("Products").key(1)
            let media = try await store.media(product)
            #expect(media.contentType == "image/png")
            #expect(try await media.body.collect(upTo: 1 << 20).starts(with: [0x89, 0x50]))
            try await store.updateMedia(product, .bytes([1, 2, 3]), contentType: "image/gif", ifMatch: media.etag)
            #expect(try await store.media(product).body.collect(upTo: 10) == [1, 2, 3])
            let made = try await store.createMedia(.bytes([4]), contentType: "image/gif", slug: "näme", in: "Products")
            #expect(try await store.media(try #require(made.path)).body.collect(upTo: 10) == [4])

            let text = "O'Neil & Söhne +%#"
            #expect(try await store.call(function: "Echo", ["text": .string(text)]).string == text)
            let top = try await store.call(function: "TopProducts", ["count": 2])
            #expect(top.elements?.count == 2)
            if version == .v4 {
                let discounted = try await store.call(
                    action: "Landscape.Discount", on: product, ["percent": .decimal(10)], ifMatch: "*")
                #expect(discounted.row?["ProductID"]?.int64 == 1)
                #expect(
                    try await store.call(function: "Landscape.PriceAfter", on: product, ["percent": .decimal(10)])
                        .decimal != nil)
                #expect(try await store.rows(ofFunction: "TopProducts", ["count": 3]).all().count == 3)
            }
            try await store.call(action: "Reset")
        }
    }

    @Test(arguments: ODataVersion.allCases)
    func links(_ version: ODataVersion) async throws {
        try await withServices { bench in
            let store = try await bench.store(version)
            let order = ODataPath("Orders").key(ODataKey(.int64(9_007_199_254_740_991)))
            let customer = order.property("Customer")
            try await store.link(customer, to: ODataPath("Customers").key("ÅNGA/1"), isSingle: true)
            #expect(try await store.row(ODataQuery(customer))["CustomerID"]?.string == "ÅNGA/1")
            try await store.unlink(customer)
            #expect(await failure { _ = try await store.row(ODataQuery(customer)) }?.code == .notFound)
        }
    }
}
