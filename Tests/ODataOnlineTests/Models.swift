import HttpConversationTesting
import ODataOnline

/// Documents of both versions.
enum Models {
    static let two = """
        <?xml version="1.0" encoding="utf-8"?>
        <edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx">
          <edmx:DataServices m:DataServiceVersion="2.0" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">
            <Schema Namespace="Sales" xmlns="http://schemas.microsoft.com/ado/2008/09/edm" xmlns:sap="http://www.sap.com/Protocols/SAPData">
              <EntityType Name="Product" m:HasStream="true">
                <Key><PropertyRef Name="ID"/></Key>
                <Property Name="ID" Type="Edm.Int64" Nullable="false"/>
                <Property Name="Name" Type="Edm.String" MaxLength="40" sap:label="Product name"/>
                <Property Name="Price" Type="Edm.Decimal" Precision="13" Scale="3"/>
                <Property Name="Weight" Type="Edm.Double"/>
                <Property Name="Made" Type="Edm.DateTime"/>
                <Property Name="Changed" Type="Edm.DateTimeOffset" ConcurrencyMode="Fixed"/>
                <Property Name="Opens" Type="Edm.Time"/>
                <Property Name="Code" Type="Edm.Guid"/>
                <Property Name="Picture" Type="Edm.Binary"/>
                <Property Name="Size" Type="Sales.Size"/>
                <NavigationProperty Name="Category" Relationship="Sales.CategoryProducts" FromRole="Many" ToRole="One"/>
              </EntityType>
              <ComplexType Name="Size"><Property Name="Width" Type="Edm.Int32"/></ComplexType>
              <EntityType Name="Category">
                <Key><PropertyRef Name="Name"/><PropertyRef Name="Shop"/></Key>
                <Property Name="Name" Type="Edm.String"/><Property Name="Shop" Type="Edm.Int32"/>
                <NavigationProperty Name="Products" Relationship="Sales.CategoryProducts" FromRole="One" ToRole="Many"/>
              </EntityType>
              <Association Name="CategoryProducts">
                <End Role="One" Type="Sales.Category" Multiplicity="0..1"/>
                <End Role="Many" Type="Sales.Product" Multiplicity="*"/>
              </Association>
              <EntityContainer Name="C" m:IsDefaultEntityContainer="true">
                <EntitySet Name="Products" EntityType="Sales.Product"/>
                <EntitySet Name="Categories" EntityType="Sales.Category"/>
                <FunctionImport Name="Cheapest" ReturnType="Sales.Product" EntitySet="Products" m:HttpMethod="GET">
                  <Parameter Name="below" Type="Edm.Decimal"/>
                </FunctionImport>
                <FunctionImport Name="Close" m:HttpMethod="POST"/>
              </EntityContainer>
            </Schema>
          </edmx:DataServices>
        </edmx:Edmx>
        """

    static let four = """
        <edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
          <edmx:DataServices>
            <Schema Namespace="Sales.V1" Alias="S" xmlns="http://docs.oasis-open.org/odata/ns/edm">
              <EntityType Name="Thing" Abstract="true">
                <Key><PropertyRef Name="ID"/></Key>
                <Property Name="ID" Type="Edm.Int64" Nullable="false"/>
              </EntityType>
              <EntityType Name="Product" BaseType="S.Thing" OpenType="true">
                <Property Name="Price" Type="S.Money"/>
                <Property Name="Color" Type="S.Color"/>
                <Property Name="Day" Type="Edm.Date"/>
                <Property Name="Opens" Type="Edm.TimeOfDay"/>
                <Property Name="Lasts" Type="Edm.Duration"/>
                <Property Name="At" Type="Edm.DateTimeOffset"/>
                <Property Name="Tags" Type="Collection(Edm.String)"/>
                <Property Name="Picture" Type="Edm.Binary"/>
                <Property Name="Size" Type="S.Size"/>
                <NavigationProperty Name="Parts" Type="Collection(S.Product)" Partner="Whole" ContainsTarget="true"/>
                <NavigationProperty Name="Whole" Type="S.Product"/>
              </EntityType>
              <ComplexType Name="Size"><Property Name="Width" Type="Edm.Decimal"/></ComplexType>
              <TypeDefinition Name="Money" UnderlyingType="Edm.Decimal"/>
              <EnumType Name="Color" IsFlags="true"><Member Name="Red" Value="1"/><Member Name="Blue" Value="2"/></EnumType>
              <Function Name="Near" IsBound="true">
                <Parameter Name="it" Type="S.Product"/><Parameter Name="count" Type="Edm.Int32"/>
                <ReturnType Type="Collection(S.Product)"/>
              </Function>
              <Function Name="Total"><Parameter Name="until" Type="Edm.Date"/><ReturnType Type="Edm.Decimal"/></Function>
              <Action Name="Close" IsBound="true">
                <Parameter Name="it" Type="S.Product"/><Parameter Name="day" Type="Edm.Date"/>
              </Action>
              <EntityContainer Name="C">
                <EntitySet Name="Products" EntityType="S.Product">
                  <NavigationPropertyBinding Path="Whole" Target="Products"/>
                </EntitySet>
                <Singleton Name="Best" Type="S.Product"/>
                <FunctionImport Name="Total" Function="S.Total"/>
              </EntityContainer>
            </Schema>
          </edmx:DataServices>
        </edmx:Edmx>
        """

    static func model(_ text: String) async throws -> ODataModel {
        let (store, _) = try store { _, _ in .xml(text) }
        return try await store.metadata()
    }
}
