import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import ODataOnline

/// Rows of derived types, and operations with several overloads.
@Suite struct TypesOfRowsTests {
    private static let two = """
        <edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx"><edmx:DataServices>
        <Schema Namespace="N" xmlns="http://schemas.microsoft.com/ado/2008/09/edm">
        <EntityType Name="Base"><Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.Int32"/></EntityType>
        <EntityType Name="Special" BaseType="N.Base"><Property Name="Count" Type="Edm.Int64"/></EntityType>
        <EntityType Name="Other"><Property Name="Count" Type="Edm.Int32"/></EntityType>
        <EntityContainer Name="C"><EntitySet Name="Things" EntityType="N.Base"/></EntityContainer>
        </Schema></edmx:DataServices></edmx:Edmx>
        """
    private static let four = """
        <edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
        <Schema Namespace="N" xmlns="http://docs.oasis-open.org/odata/ns/edm">
        <EntityType Name="Base"><Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.Int32"/>
        <Property Name="Place" Type="N.Place"/></EntityType>
        <EntityType Name="Special" BaseType="N.Base"><Property Name="Count" Type="Edm.Int64"/></EntityType>
        <EntityType Name="Other"><Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.Int32"/>
        <Property Name="Count" Type="Edm.Int32"/></EntityType>
        <ComplexType Name="Place"/>
        <ComplexType Name="Street" BaseType="N.Place"><Property Name="Width" Type="Edm.Decimal"/></ComplexType>
        <Function Name="Size" IsBound="true"><Parameter Name="it" Type="N.Other"/><ReturnType Type="Edm.Date"/></Function>
        <Function Name="Size" IsBound="true"><Parameter Name="it" Type="N.Base"/><ReturnType Type="Edm.Decimal"/></Function>
        <Function Name="Size" IsBound="true"><Parameter Name="it" Type="Collection(N.Base)"/>
        <ReturnType Type="Edm.TimeOfDay"/></Function>
        <Function Name="Size" IsBound="true"><Parameter Name="it" Type="N.Base"/><Parameter Name="unit" Type="Edm.String"/>
        <ReturnType Type="Edm.Guid"/></Function>
        <Function Name="Size"><ReturnType Type="Edm.Duration"/></Function>
        <Action Name="Close" IsBound="true"><Parameter Name="it" Type="N.Other"/><Parameter Name="day" Type="Edm.String"/>
        </Action>
        <Action Name="Close" IsBound="true"><Parameter Name="it" Type="N.Base"/><Parameter Name="day" Type="Edm.Date"/>
        </Action>
        <EntityContainer Name="C"><EntitySet Name="Things" EntityType="N.Base"/>
        <EntitySet Name="Specials" EntityType="N.Special"/><EntitySet Name="Others" EntityType="N.Other"/>
        <FunctionImport Name="Size" Function="N.Size"/></EntityContainer>
        </Schema></edmx:DataServices></edmx:Edmx>
        """

    @Test func rowsHaveTheirOwnTypes() async throws {
        let model = try await Models.model(Self.four)
        let (store, _) = try store(model: model) { _, _ in
            .json(
                """
                {"value":[{"ID":1},{"@odata.type":"#N.Special","ID":2,"Count":3,
                "Place":{"@odata.type":"#N.Street","Width":2}},{"@odata.type":"#N.Other","ID":4,"Count":5},
                {"@type":"#N.Special","ID":6,"Count":7},{"@odata.type":"#N.Unknown","ID":8,"Count":9}]}
                """)
        }
        let rows = try await store.rows("Things").all()
        #expect(rows.map { $0["Count"] } == [nil, .int64(3), 5, .int64(7), 9])
        #expect(rows[1]["Place"]?.row?["Width"] == .decimal(2))
        // A set of another type has its own rows.
        #expect(try await store.rows("Others").all()[1]["ID"] == 2)
    }

    @Test func rowsOfVersion2HaveTheirOwnTypes() async throws {
        let model = try await Models.model(Self.two)
        let (store, transport) = try store(.v2, model: model) { request, _ in
            guard request.method == .get else { return .init(.noContent) }
            return .json(
                """
                {"d":{"results":[{"__metadata":{"type":"N.Base"},"ID":1},
                {"__metadata":{"type":"N.Special"},"ID":2,"Count":"3"},
                {"__metadata":{"type":"N.Other"},"ID":4,"Count":5}]}}
                """)
        }
        let rows = try await store.rows("Things").all()
        #expect(rows.map { $0["Count"] } == [nil, .int64(3), 5])
        // A number of this type has quotes.
        var changed = rows[1]
        changed["Count"] = 4
        try await store.update(ODataPath("Things").key(2), with: changed)
        try await store.create(["__metadata": .complex(["type": "N.Special"]), "Count": 5], in: "Things")
        try await store.create(["__metadata": .complex(["type": "N.Other"]), "Count": 6], in: "Things")
        #expect(
            transport.bodies.suffix(3).map { String(decoding: $0, as: UTF8.self) } == [
                #"{"ID":2,"Count":"4"}"#, #"{"__metadata":{"type":"N.Special"},"Count":"5"}"#,
                #"{"__metadata":{"type":"N.Other"},"Count":6}"#,
            ])
    }

    @Test func overloadsAreChosenByTheValue() async throws {
        let model = try await Models.model(Self.four)
        let (store, transport) = try store(model: model) { request, _ in
            guard request.method == .get else { return .init(.noContent) }
            switch request.target.path.dropFirst("/sales/".count) {
            case "Others(1)/N.Size()": return .json(#"{"value":"2017-01-10"}"#)
            case "Things(1)/N.Size()", "Specials(1)/N.Size()": return .json(#"{"value":1.5}"#)
            case "Things/N.Size()": return .json(#"{"value":"06:10:33"}"#)
            case "Things(1)/N.Size(unit='m')":
                return .json(#"{"value":"12345678-aabb-ccdd-eeff-ddccbbaa0011"}"#)
            default: return .json(#"{"value":"PT1M"}"#)
            }
        }
        let thing = ODataPath("Things").key(1)
        let other = ODataPath("Others").key(1)
        #expect(try await store.call(function: "N.Size", on: other).date == ODataDate("2017-01-10"))
        for path in [thing, ODataPath("Specials").key(1)] {
            guard case .decimal = try await store.call(function: "N.Size", on: path) else {
                Issue.record("not a decimal")
                return
            }
        }
        guard case .timeOfDay = try await store.call(function: "N.Size", on: "Things") else {
            Issue.record("not a time")
            return
        }
        #expect(try await store.call(function: "N.Size", on: thing, ["unit": "m"]).guid != nil)
        #expect(try await store.call(function: "Size") == .duration(.seconds(60)))
        #expect(try await store.value(ODataPath(link: "Others(1)/N.Size()")).date != nil)
        // An unknown value's function may have any type: the value stays a text.
        let unknown = ODataPath(link: "/sales/elsewhere")
        #expect(model.operation(named: "N.Size", boundTo: nil, parameters: nil) == nil)
        #expect(store.client.type(at: unknown, in: model) == nil)
        let day = ODataValue.dateTime(try #require(ODataDateTime("2017-01-10T06:10:33Z")))
        try await store.call(action: "N.Close", on: thing, ["day": day])
        try await store.call(action: "N.Close", on: other, ["day": day])
        #expect(
            transport.bodies.suffix(2).map { String(decoding: $0, as: UTF8.self) }
                == [#"{"day":"2017-01-10"}"#, #"{"day":"2017-01-10T06:10:33Z"}"#])
    }

    /// Links to the rest of an expanded collection have one name, also with the short names of 4.01.
    @Test(arguments: ["Parts@nextLink", "Parts@odata.nextLink"])
    func nextLinksOfExpandedCollections(_ name: String) async throws {
        let (store, _) = try store { _, _ in
            .json("{\"value\":[{\"\(name)\":\"P(1)/Parts?s=2\",\"Parts\":[{\"ID\":2}],\"Parts@Core.Note\":\"n\"}]}")
        }
        let row = try #require(try await store.rows("P").all().first)
        #expect(row.annotations.properties == ["Parts@odata.nextLink": "P(1)/Parts?s=2", "Parts@Core.Note": "n"])
    }

    /// A value that OData allows, and that the types of this library cannot hold, is told from a wrong one.
    @Test(arguments: [
        (#"{"Day":"-0044-03-15"}"#, true), (#"{"Day":"10000-01-01"}"#, true), (#"{"Day":"2017-02-30"}"#, false),
        (#"{"Price":123456789012345678901234567890123456789}"#, true), (#"{"Price":"1,5"}"#, false),
        (#"{"At":"0001-01-01T00:00:00+05:00"}"#, true), (#"{"At":"12024-02-29T00:00:00Z"}"#, true),
        (#"{"At":"12023-02-29T00:00:00Z"}"#, false), (#"{"Day":"012024-02-29"}"#, false), (#"{"Day":"-"}"#, false),
    ]) func valuesBeyondTheLibrary(_ row: String, _ isBeyond: Bool) async throws {
        let model = try await Models.model(Models.four)
        let (store, _) = try store(model: model) { _, _ in .json("{\"value\":[\(row)]}") }
        let error = await failure { _ = try await store.rows("Products").all() }
        #expect(error?.code == .wrongType)
        #expect(error?.message.contains("beyond what this library holds") == isBeyond)
    }
}
