import HttpConversation
import HttpConversationTesting
import ODataOnline
import Testing

@testable import HttpCCommand

@Suite struct ODataModelPathTests {
    private static let four = """
        <edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
          <Schema Namespace="S" xmlns="http://docs.oasis-open.org/odata/ns/edm">
            <EntityType Name="P"><Key><PropertyRef Name="ID"/></Key>
              <Property Name="ID" Type="Edm.String"/><Property Name="Tags" Type="Collection(Edm.String)"/>
              <Property Name="Size" Type="S.Size"/><Property Name="Sizes" Type="Collection(S.Size)"/>
              <NavigationProperty Name="Cat" Type="S.P"/><NavigationProperty Name="Parts" Type="Collection(S.P)"/>
            </EntityType>
            <EntityType Name="Q" BaseType="S.P"><NavigationProperty Name="Boss" Type="S.P"/></EntityType>
            <ComplexType Name="Size"><Property Name="Width" Type="Edm.Int32"/></ComplexType>
            <Function Name="Near"><Parameter Name="x" Type="Edm.String"/><ReturnType Type="S.P"/></Function>
            <Function Name="Top"><Parameter Name="n" Type="Edm.Int32"/><ReturnType Type="Collection(S.P)"/></Function>
            <Function Name="Total"><ReturnType Type="Edm.Decimal"/></Function>
            <Function Name="Like" IsBound="true"><Parameter Name="it" Type="S.Q"/><ReturnType Type="S.P"/></Function>
            <Function Name="Like" IsBound="true"><Parameter Name="it" Type="S.P"/>
              <ReturnType Type="Collection(S.P)"/></Function>
            <EntityContainer Name="C">
              <EntitySet Name="Ps" EntityType="S.P"/><Singleton Name="Me" Type="S.P"/>
              <FunctionImport Name="Near" Function="S.Near"/><FunctionImport Name="Top" Function="S.Top"/>
              <FunctionImport Name="Total" Function="S.Total"/>
            </EntityContainer>
          </Schema></edmx:DataServices></edmx:Edmx>
        """

    private static let two = """
        <edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx">
          <edmx:DataServices m:DataServiceVersion="2.0"
            xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">
          <Schema Namespace="S" xmlns="http://schemas.microsoft.com/ado/2008/09/edm">
            <EntityType Name="P"><Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.String"/></EntityType>
            <EntityContainer Name="C">
              <EntitySet Name="Ps" EntityType="S.P"/>
              <FunctionImport Name="Best" ReturnType="S.P" EntitySet="Ps"><Parameter Name="n" Type="Edm.Int32"/>
              </FunctionImport>
              <FunctionImport Name="All" ReturnType="Collection(S.P)" EntitySet="Ps"/>
            </EntityContainer>
          </Schema></edmx:DataServices></edmx:Edmx>
        """

    private static func model(_ text: String) async throws -> ODataModel {
        let transport = ScriptedTransport { _, _ in .init(.ok, [.contentType: "application/xml"], body: text) }
        let manager = HttpConversationManager(transport: transport)
        return try await ODataStore(at: "https://service.example/s/", version: .v4, with: manager).metadata()
    }

    @Test func theFormOfAnAnswer() async throws {
        let (four, two) = (try await Self.model(Self.four), try await Self.model(Self.two))
        let cases: [(String, ODataModel, ODataModelPath.Form?)] = [
            ("Ps", four, .rows), ("Ps?$top=1", four, .rows), ("Ps('a')", four, .entity), ("Me", four, .entity),
            ("Ps('a')/Cat", four, .entity), ("Ps('a/b')/Cat", four, .entity), ("Ps('a?b')/Parts", four, .rows),
            ("Ps('a')/Parts('b')", four, .entity), ("Ps/a", four, .entity), ("Ps/a/Parts", four, .rows),
            ("Ps/a/Parts/b", four, .entity), ("Ps('a')/S.Q", four, .entity), ("Ps('a')/S.Q/Boss", four, .entity),
            ("Ps/S.Q", four, .rows), ("Ps/S.Q('a')", four, .entity), ("Near(x=1)", four, .value),
            ("Near(x='a/b')/Cat", four, .entity), ("Total()", four, .value), ("Top(n=3)", four, .rows),
            ("Top(n=3)('a')", four, .value), ("Ps('a')/S.Like()", four, .rows), ("Ps('a')/S.Q/S.Like()", four, .value),
            ("Ps('a')/ID", four, .value), ("Ps('a')/Tags", four, .value), ("Ps('a')/Size", four, .value),
            ("Ps('a')/Size/Width", four, .value), ("Ps('a')/Sizes", four, .rows), ("Ps/$value", four, nil),
            ("Ps('a')/None", four, nil), ("None", four, nil), ("", four, nil),
            ("Best?n=1", two, .value), ("All", two, .rows), ("Ps('a')", two, .entity),
        ]
        for (path, model, form) in cases { #expect(ODataModelPath(path, in: model)?.form == form, "\(path)") }
    }
}
