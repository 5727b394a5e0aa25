import Foundation
import HttpC
import ODataOnline
import Testing

extension RealServerTests {
    /// The store against independent services.
    @Suite(.serialized) struct OData {
        @Test("The entities of the services are read", arguments: ODataBench.Maker.allCases)
        func metadata(_ maker: ODataBench.Maker) async throws {
            let store = try await ODataBench.open(maker).store
            #expect(store.version == (maker == .odatapy || maker == .sap4 ? .v4 : .v2))
            let model = try #require(store.model)
            let isSAP = maker == .sap || maker == .sap4
            let set = maker == .sap ? "A_Product" : maker == .sap4 ? "Product" : "Products"
            let type = try #require(model.type(of: set))
            #expect(model.key(of: type) == [isSAP ? "Product" : "ID"])
            let document = try await store.serviceDocument()
            #expect(document.items.contains { $0.name == set })
        }

        @Test(
            "Fifty rows in pages of seven",
            arguments: [
                (ODataBench.Maker.odatapy, ODataStoreConfiguration.Format.json), (.pyslet, .json), (.pyslet, .atom),
            ])
        func pages(_ maker: ODataBench.Maker, _ format: ODataStoreConfiguration.Format) async throws {
            var options = ODataStoreConfiguration()
            options.format = format
            let bench = try await ODataBench.open(maker, options)
            let query = ODataQuery("Products").filter(ODataProperty("ID") <= 50)
            let first = try await bench.store.page(query)
            #expect(first.rows.count == 7 && first.nextLink != nil)
            var ids: [Int64] = []
            for try await row in bench.store.rows(query) { ids.append(row["ID"]?.int64 ?? -1) }
            #expect(ids.sorted() == Array(1...50))
        }

        @Test("Atom is read, too")
        func atom() async throws {
            var options = ODataStoreConfiguration()
            options.format = .atom
            let bench = try await ODataBench.open(.pyslet, options)
            let row = try await bench.store.row(ODataQuery(ODataPath("Products").key(1)))
            #expect(row["Name"]?.string == "O'Neil's \"best\" 100 %")
            #expect(row["Price"]?.decimal == Decimal(string: "1234567890123457.78"))
        }

        @Test("Values come as they are", arguments: [ODataBench.Maker.odatapy, .pyslet])
        func values(_ maker: ODataBench.Maker) async throws {
            let row = try await ODataBench.open(maker).store.row(ODataQuery(ODataPath("Products").key(3)))
            #expect(row["Name"]?.string == "日本茶")
            #expect(row["Price"]?.decimal == Decimal(string: "1234567890123459.78"))
            #expect(row["Stock"]?.int64 == 9_007_199_254_740_993)
            #expect(row["Code"]?.guid == UUID(uuidString: "0f8fad5b-d9cb-469f-a165-708677289503"))
            #expect(row["Digest"]?.binary == Data([0, 255, 3]))
            #expect(row["IsSold"]?.bool == false && row["Weight"]?.double == 0.3)
        }

        private static let awkward = [
            "O'Neil's \"best\" 100 %", "Käse & Brot", "日本茶", "a+b=c?d#e/f", "semi;colon,comma", "emoji 🫖",
        ]

        @Test("Literals of each type, and awkward text")
        func filters() async throws {
            let bench = try await ODataBench.open(.odatapy)
            let name = ODataProperty("Name")
            for (index, text) in Self.awkward.enumerated() {
                #expect(try await bench.ids(name == text) == [Int64(index + 1)], "\(text)")
            }
            #expect(try await bench.ids(name.contains("O'Neil")) == [1])
            let values: [(String, ODataValue)] = [
                ("Price", .decimal(try #require(Decimal(string: "1234567890123457.78")))),
                ("Stock", .int64(9_007_199_254_740_991)), ("Weight", .double(0.1)),
                ("Code", .guid(try #require(UUID(uuidString: "0f8fad5b-d9cb-469f-a165-708677289501")))),
                ("Digest", .binary(Data([0, 255, 1]))), ("Released", .date(try #require(ODataDate("2026-01-02")))),
                ("Changed", .dateTime(try #require(ODataDateTime("2026-01-01T02:00:00+01:00")))),
                ("Opens", .timeOfDay(try #require(ODataTimeOfDay("07:01:00")))),
                ("Lasts", .duration(.seconds(25 * 3600 + 1))), ("ID", 1),
            ]
            for (property, value) in values {
                #expect(try await bench.ids(ODataProperty(property) == value) == [1], "\(property)")
            }
            #expect(
                try await bench.ids(ODataProperty("Remark") == ODataValue.null && ODataProperty("ID") < 9) == [4, 8])
        }

        /// All filters but those of times of a day, for which pyslet has a notation of its own.
        @Test("Literals of version 2")
        func filtersOfVersion2() async throws {
            let bench = try await ODataBench.open(.pyslet)
            #expect(try await bench.ids(ODataProperty("Name").contains("ä") && ODataProperty("ID") < 10) == [2])
            let values: [(String, ODataValue)] = [
                ("Price", .decimal(try #require(Decimal(string: "1234567890123457.78")))),
                ("Stock", .int64(9_007_199_254_740_991)),
                ("Code", .guid(try #require(UUID(uuidString: "0f8fad5b-d9cb-469f-a165-708677289501")))),
                ("Digest", .binary(Data([0, 255, 1]))), ("Weight", .double(0.1)), ("Length", .single(0.5)), ("ID", 1),
                ("Floor", -1), ("Colour", 201), ("Shelf", -1001),
                ("Changed", .dateTime(try #require(ODataDateTime("2026-01-02T02:00:00+01:00")))),
            ]
            for (property, value) in values {
                let condition = ODataProperty(property) == value && ODataProperty("ID") <= 28
                #expect(try await bench.ids(condition) == [1], "\(property)")
            }
            let released = ODataProperty("Released") == (try #require(ODataDateTime("2026-01-02T00:00:00")))
            #expect(try await bench.ids(released && ODataProperty("ID") < 28) == [1])
            #expect(try await bench.ids(ODataProperty("IsSold") == true && ODataProperty("ID") < 6) == [2, 4])
            for (index, text) in Self.awkward.enumerated() {
                #expect(try await bench.ids(ODataProperty("Name") == text) == [Int64(index + 1)], "\(text)")
            }
        }

        @Test("An entity's life, with its versions", arguments: [ODataBench.Maker.odatapy, .pyslet])
        func entity(_ maker: ODataBench.Maker) async throws {
            let store = try await ODataBench.open(maker).store
            let id = ODataBench.newID()
            let row: ODataRow = ["ID": .integer(id), "Name": "new", "Price": .decimal(Decimal(1) / 10)]
            let made = try await store.create(row, in: "Products")
            let etag = try #require(made.etag)
            let path = ODataPath("Products").key(ODataKey(.integer(id)))
            var change: ODataRow = ["Name": "it's changed"]
            // Pyslet needs the key in changes, and compares the property behind its ETags instead of If-Match.
            if maker == .pyslet { (change["ID"], change["Version"]) = (.integer(id), made.row?["Version"]) }
            let changed = try await store.update(path, with: change, ifMatch: etag)
            let now = try await store.row(ODataQuery(path))
            #expect(now["Name"]?.string == "it's changed" && now.etag != etag)
            #expect(changed.etag == nil || changed.etag == now.etag)
            let late = await #expect(throws: ODataError.self) {
                try await store.update(path, with: change, ifMatch: etag)
            }
            #expect(late?.code == (maker == .pyslet ? .notAllowed : .preconditionFailed))
            #expect(late?.currentETag == (maker == .pyslet ? nil : now.etag))
            try await store.delete(path, ifMatch: now.etag)
            let gone = await #expect(throws: ODataError.self) { _ = try await store.row(ODataQuery(path)) }
            #expect(gone?.code == .notFound)
        }

        @Test("A batch with a part that fails", arguments: [false, true])
        func batch(asJSON: Bool) async throws {
            var options = ODataStoreConfiguration()
            options.usesJSONBatches = asJSON
            let store = try await ODataBench.open(.odatapy, options).store
            let id = ODataBench.newID()
            var batch = ODataBatch()
            batch.continuesAfterErrors = true
            let read = batch.read(ODataQuery(ODataPath("Products").key(2)))
            let (good, bad) = batch.changeSet { changes in
                (
                    changes.create(["ID": .integer(id), "Name": "x"], in: "Products"),
                    changes.create(["ID": 1, "Name": "is there"], in: "Products")
                )
            }
            let last = batch.changeSet { $0.create(["ID": .integer(id + 1), "Name": "y"], in: "Products") }
            let results = try await store.send(batch)
            #expect(try results.row(of: read)["Name"]?.string == "Käse & Brot")
            #expect(results.error(of: bad)?.code == .conflict)
            #expect(results.error(of: good)?.code == .notDone)
            #expect(try results.written(of: last).row?["Name"]?.string == "y")
            let gone = await #expect(throws: ODataError.self) {
                _ = try await store.row(ODataQuery(ODataPath("Products").key(ODataKey(.integer(id)))))
            }
            #expect(gone?.code == .notFound)
        }

        /// The version 4 service only supports batches in JSON.
        @Test("Batches in SAP's manner", arguments: [ODataBench.Maker.sap, .sap4])
        func batchesOfSAP(_ maker: ODataBench.Maker) async throws {
            var options = ODataStoreConfiguration()
            options.usesJSONBatches = maker == .sap4
            let store = try await ODataBench.open(maker, options).store
            let set = ODataPath(maker == .sap ? "A_Product" : "Product")
            func product(_ id: String) -> ODataRow {
                ["Product": .string(id), "ProductType": "FERT", "BaseUnit": "PC"]
            }
            let id = "T\(ODataBench.newID())"
            var batch = ODataBatch()
            let (first, second) = batch.changeSet { changes in
                (changes.create(product(id), in: set), changes.create(product(id + "b"), in: set))
            }
            let read = batch.read(ODataQuery(set).filter(ODataProperty("Product") == id).select("Product"))
            let (never, twice) = batch.changeSet { changes in
                (changes.create(product(id + "c"), in: set), changes.create(product(id), in: set))
            }
            let missing = batch.read(ODataQuery(set.key("NOTHING")))
            let results = try await store.send(batch)
            #expect(try results.written(of: first).row?["Product"]?.string == id)
            #expect(try results.written(of: second).row?["Product"]?.string == id + "b")
            #expect(try results.rows(of: read).rows.map { $0["Product"]?.string } == [id])
            #expect(results.error(of: missing)?.code == .notFound)
            #expect(results.error(of: never) != nil && results.error(of: twice) != nil)
            let count = try await store.count(ODataQuery(set).filter(ODataProperty("Product").hasPrefix(id)))
            #expect(count == 2, "all of a change set is done, or nothing")
        }

        @Test("In SAP's manner: a token and versions", arguments: [ODataBench.Maker.sap, .sap4])
        func sap(_ maker: ODataBench.Maker) async throws {
            let store = try await ODataBench.open(maker).store
            let set = ODataPath(maker == .sap ? "A_Product" : "Product")
            let id = "T\(ODataBench.newID())"
            let made = try await store.create(
                ["Product": .string(id), "ProductType": "FERT", "BaseUnit": "PC"], in: set)
            #expect(made.row?["Product"]?.string == id)
            let path = set.key(ODataKey(.string(id)))
            let etag = try #require(try await store.row(ODataQuery(path)).etag)
            let refused = await #expect(throws: ODataError.self) {
                try await store.update(path, with: ["ProductGroup": "L001"])
            }
            #expect(refused?.code == .preconditionRequired)
            try await store.update(path, with: ["ProductGroup": "L001"], ifMatch: etag)
            let now = try await store.row(ODataQuery(path))
            #expect(now["ProductGroup"]?.string == "L001" && now.etag != etag)
            let late = await #expect(throws: ODataError.self) {
                try await store.update(path, with: ["ProductGroup": "L002"], ifMatch: etag)
            }
            #expect(late?.code == .preconditionFailed && late?.currentETag == now.etag)
            let rows = store.rows(ODataQuery(set).filter(ODataProperty("Product") == id).select("Product"))
            var count = 0
            for try await _ in rows { count += 1 }
            #expect(count == 1)
        }
    }
}
