import HttpConversation
import HttpConversationTesting
import TestSupport
import Testing

@testable import ODataOnline

@Suite struct MetadataTests {
    @Test func version2() async throws {
        let model = try await Models.model(Models.two)
        #expect(model.version == .v2)
        let product = try #require(model.type(of: "Products"))
        #expect(product.name == "Sales.Product")
        #expect(product.hasStream)
        #expect(model.key(of: product) == ["ID"])
        #expect(model.properties(of: product).map(\.name).prefix(3) == ["ID", "Name", "Price"])
        #expect(product.properties[1].label == "Product name")
        #expect(product.properties[1].maximumLength == 40)
        #expect(product.properties[2].scale == 3)
        #expect(product.properties[5].isConcurrencyToken)
        #expect(product.navigationProperties.first?.type.description == "Sales.Category")
        let category = try #require(model.type(of: "Categories"))
        #expect(category.navigationProperties.first?.type.description == "Collection(Sales.Product)")
        #expect(model.key(of: category) == ["Name", "Shop"])
        #expect(model.imports["Cheapest"]?.parameters.first?.type.name == "Edm.Decimal")
        #expect(model.imports["Close"]?.isAction == true)
        #expect(model.type(at: ODataPath("Products").key(1).property("Category"))?.name == "Sales.Category")
    }

    /// The first of duplicate names counts, own properties win over inherited ones, and a circle of types ends.
    @Test func membersAreFoundByName() throws {
        let text = """
            <edmx:Edmx Version="4.0" xmlns:edmx="e"><Schema Namespace="N" xmlns="s"><EntityType Name="A" BaseType="N.B">
            <Property Name="p" Type="Edm.Int32"/><Property Name="p" Type="Edm.String"/></EntityType>
            <EntityType Name="B" BaseType="N.A"><Property Name="p" Type="Edm.Date"/><Property Name="q" Type="Edm.Guid"/>
            <NavigationProperty Name="r" Type="Collection(N.A)"/></EntityType></Schema></edmx:Edmx>
            """
        let model = try CSDLReader.model(Array(text.utf8))
        let type = try #require(model.structuredType("N.A"))
        #expect(model.typeName(of: "p", in: type) == "Edm.Int32")
        #expect(model.typeName(of: "q", in: type) == "Edm.Guid")
        #expect(model.typeName(of: "r", in: type) == "N.A")
        #expect(model.typeName(of: "s", in: type) == nil)
    }

    @Test func lookUpsAreLinear() async throws {
        func seconds(_ count: Int) async throws -> Double {
            let properties = (0..<count).map { "<Property Name=\"p\($0)\" Type=\"Edm.Int32\"/>" }.joined()
            let text =
                "<edmx:Edmx Version=\"4.0\" xmlns:edmx=\"e\"><Schema Namespace=\"N\" xmlns=\"s\"><EntityType Name=\"A\">"
                + properties + "</EntityType></Schema></edmx:Edmx>"
            let model = try CSDLReader.model(Array(text.utf8))
            let type = try #require(model.structuredType("N.A"))
            var shortest = Double.infinity
            for _ in 0..<3 {
                await Task.yield()
                var found = 0
                let time = ThreadTime.measure {
                    for number in 0..<count where model.typeName(of: "p\(number)", in: type) != nil { found += 1 }
                }
                #expect(found == count)
                shortest = min(shortest, time / .seconds(1))
            }
            return shortest
        }
        let ratio = try await seconds(16000) / seconds(2000)
        // 8 if it grows as the number does, 64 if it grows with its square.
        #expect(ratio < 24, "\(ratio)")
    }

    @Test func version4() async throws {
        let model = try await Models.model(Models.four)
        #expect(model.version == .v4)
        let product = try #require(model.type(of: "Products"))
        #expect(product.baseType == "Sales.V1.Thing")
        #expect(model.key(of: product) == ["ID"])
        #expect(model.properties(of: product).first?.name == "ID")
        #expect(model.kind(of: "Sales.V1.Money") == .decimal)
        #expect(model.enumerationTypes["Sales.V1.Color"]?.members.map(\.name) == ["Red", "Blue"])
        #expect(model.operations["Sales.V1.Near"]?.first?.returnType?.description == "Collection(Sales.V1.Product)")
        #expect(model.operations["Sales.V1.Close"]?.first?.isAction == true)
        #expect(model.imports["Total"]?.returnType?.name == "Edm.Decimal")
        #expect(model.sets["Best"]?.isSingleton == true)
        #expect(product.navigationProperties.first?.containsTarget == true)
    }

    @Test func openingReadsTheVersion() async throws {
        for (text, version) in [(Models.two, ODataVersion.v2), (Models.four, .v4)] {
            let transport = ScriptedTransport { _, _ in .xml(text) }
            let manager = HttpConversationManager(transport: transport)
            let store = try await ODataStore.open(at: "https://service.example/a/b", with: manager)
            #expect(store.version == version)
            #expect(store.model != nil)
            #expect(transport.requests.map(\.target.absoluteString) == ["https://service.example/a/b/$metadata"])
        }
    }

    @Test(arguments: [
        "", "{}", "<a/>", "<Edmx", "<Edmx Version=\"4.0\"><x></Edmx>",
        "<!DOCTYPE Edmx [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><Edmx>&b;</Edmx>",
        "<!DOCTYPE Edmx SYSTEM \"file:///etc/passwd\"><Edmx/>", "<Edmx>&unknown;</Edmx>",
    ])
    func invalidMetadata(_ text: String) async throws {
        let (store, _) = try store { _, _ in .xml(text) }
        #expect(await failure { _ = try await store.metadata() }?.code == .malformedAnswer)
    }

    @Test func depthNumberAndLengthAreBounded() async throws {
        let deep = "<Edmx>" + String(repeating: "<a>", count: 100_000)
        let wide = "<Edmx>" + String(repeating: "<a/>", count: 20_000) + "</Edmx>"
        // libxml2 compares attributes of a tag with each other, and looks for a namespace among all in scope.
        let attributes = "<Edmx " + (0..<1000).map { "a\($0)=\"\" " }.joined() + "/>"
        let namespaces = "<Edmx " + (0..<100).map { "xmlns:n\($0)=\"x\" " }.joined() + "/>"
        let tag = "<Edmx a=\"" + String(repeating: "x", count: 300_000) + "\"/>"
        var options = ODataStoreConfiguration()
        options.limits.metadataBytes = 1 << 20
        let long = "<Edmx>" + String(repeating: " ", count: 2 << 20)
        for text in [deep, wide, attributes, namespaces, tag, long] {
            let (store, _) = try store(options: options) { _, _ in .xml(text) }
            #expect(await failure { _ = try await store.metadata() }?.code == .tooLarge, "\(text.prefix(20))")
        }
        // Comments do not count towards the limit for a tag.
        let comments =
            "<Edmx>" + String(repeating: "<!--\(String(repeating: "x", count: 90_000))-->", count: 10) + "</Edmx>"
        let (store, _) = try store { _, _ in .xml(comments) }
        _ = try await store.metadata()
    }

    @Test func circularBaseTypesDoNotHang() async throws {
        let model = try await Models.model(
            "<Edmx Version=\"4.0\"><DataServices><Schema Namespace=\"N\"><EntityType Name=\"A\" BaseType=\"N.B\"/>"
                + "<EntityType Name=\"B\" BaseType=\"N.A\"/></Schema></DataServices></Edmx>")
        let type = try #require(model.structuredType("N.A"))
        #expect(model.key(of: type).isEmpty)
        #expect(model.typeName(of: "x", in: type) == nil)
    }

    @Test func htmlPagesAreNotMetadata() async throws {
        let (store, _) = try store { _, _ in .xml("<html/>", "text/html") }
        #expect(await failure { _ = try await store.metadata() }?.code == .notAnODataService)
    }

    @Test(arguments: [
        ("{\"value\":[{\"name\":\"P\",\"kind\":\"EntitySet\",\"url\":\"P\"}]}", "application/json"),
        ("{\"d\":{\"EntitySets\":[\"P\"]}}", "application/json"),
        (
            "<service xmlns=\"http://www.w3.org/2007/app\" xmlns:a=\"http://www.w3.org/2005/Atom\"><workspace><a:title>D</a:title>"
                + "<collection href=\"P\"><a:title>P</a:title></collection></workspace></service>", "application/xml"
        ),
    ])
    func serviceDocument(_ text: String, _ type: String) async throws {
        let (store, _) = try store(.v2) { _, _ in .xml(text, type) }
        let document = try await store.serviceDocument()
        #expect(document.items.map(\.name) == ["P"])
        #expect(document.items.map(\.link) == ["P"])
    }
}
