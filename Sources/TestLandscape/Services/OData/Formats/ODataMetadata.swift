/// `$metadata`: CSDL of both versions, and the service documents.
enum ODataMetadata {
    static func csdl(_ version: ODataVersion) -> String {
        version == .v2 ? v2 : v4
    }

    private static let head = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"

    private static func properties(_ properties: [ODataModel.Property], _ version: ODataVersion) -> String {
        properties.map { property in
            let facets =
                switch property.type {
                case .decimal: " Precision=\"28\" Scale=\"\(version == .v2 ? "10" : "variable")\""
                case .date where version == .v2: " Precision=\"0\""
                case .timestamp, .instant, .timeOfDay, .duration: " Precision=\"3\""
                default: ""
                }
            return "<Property Name=\"\(property.name)\" Type=\"\(property.type.name(version))\""
                + (property.isNullable ? "" : " Nullable=\"false\"") + facets
                + (version == .v2 && property.name == "Name" ? " sap:label=\"Name &amp; title\"" : "") + "/>"
        }.joined()
    }

    private static func key(_ set: ODataModel.EntitySet) -> String {
        "<Key>" + set.keys.map { "<PropertyRef Name=\"\($0)\"/>" }.joined() + "</Key>"
    }

    private static func association(_ set: ODataModel.EntitySet, _ navigation: ODataModel.Navigation) -> String {
        "\(set.type)_\(navigation.name)"
    }

    private static func targetType(_ navigation: ODataModel.Navigation) -> String {
        ODataModel.set(navigation.target)?.type ?? ""
    }

    private static let v2: String = {
        let namespace = ODataModel.namespace
        var types = ""
        var associations = ""
        var links = ""
        for set in ODataModel.sets {
            types += "<EntityType Name=\"\(set.type)\"" + (set.hasMedia ? " m:HasStream=\"true\"" : "") + ">" + key(set)
            types += properties(set.properties, .v2)
            for navigation in set.navigations {
                let name = association(set, navigation)
                let roles = ("From\(set.type)", "To\(targetType(navigation))")
                types +=
                    "<NavigationProperty Name=\"\(navigation.name)\" Relationship=\"\(namespace).\(name)\" "
                    + "FromRole=\"\(roles.0)\" ToRole=\"\(roles.1)\"/>"
                associations +=
                    "<Association Name=\"\(name)\"><End Role=\"\(roles.0)\" Type=\"\(namespace).\(set.type)\" "
                    + "Multiplicity=\"\(navigation.isMany ? "1" : "*")\"/><End Role=\"\(roles.1)\" Type=\""
                    + "\(namespace).\(targetType(navigation))\" Multiplicity=\"\(navigation.isMany ? "*" : "0..1")\"/>"
                    + "</Association>"
                links +=
                    "<AssociationSet Name=\"\(name)Set\" Association=\"\(namespace).\(name)\">"
                    + "<End Role=\"\(roles.0)\" EntitySet=\"\(set.name)\"/>"
                    + "<End Role=\"\(roles.1)\" EntitySet=\"\(navigation.target)\"/></AssociationSet>"
            }
            types += "</EntityType>"
        }
        let complex = "<ComplexType Name=\"Address\">" + properties(ODataModel.address, .v2) + "</ComplexType>"
        let sets = ODataModel.sets.map {
            "<EntitySet Name=\"\($0.name)\" EntityType=\"\(namespace).\($0.type)\""
                + ($0.name == "Rows" ? " sap:creatable=\"false\"" : "") + "/>"
        }.joined()
        let functions = ODataModel.operations.map { operation in
            let result =
                switch operation.result {
                case .entities(let set):
                    " ReturnType=\"Collection(\(namespace).\(ODataModel.set(set)?.type ?? ""))\" EntitySet=\"\(set)\""
                case .entity(let set):
                    " ReturnType=\"\(namespace).\(ODataModel.set(set)?.type ?? "")\" EntitySet=\"\(set)\""
                case .value(let type): " ReturnType=\"\(type.name(.v2))\""
                case .nothing: ""
                }
            let method = operation.changes ? "POST" : "GET"
            let parameters = ODataModel.parameters(of: operation).map {
                "<Parameter Name=\"\($0.name)\" Type=\"\($0.type.name(.v2))\" Mode=\"In\"/>"
            }.joined()
            return "<FunctionImport Name=\"\(operation.name)\"\(result) m:HttpMethod=\"\(method)\">\(parameters)"
                + "</FunctionImport>"
        }.joined()
        return head + "<edmx:Edmx Version=\"1.0\" xmlns:edmx=\"http://schemas.microsoft.com/ado/2007/06/edmx\" "
            + "xmlns:m=\"\(MobileEntity.metadata)\" xmlns:sap=\"http://www.sap.com/Protocols/SAPData\">"
            + "<edmx:DataServices m:DataServiceVersion=\"2.0\"><Schema Namespace=\"\(namespace)\" "
            + "xmlns=\"http://schemas.microsoft.com/ado/2008/09/edm\">\(types)\(complex)\(associations)"
            + "<EntityContainer Name=\"Container\" m:IsDefaultEntityContainer=\"true\">\(sets)\(links)\(functions)"
            + "</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>"
    }()

    private static let v4: String = {
        let namespace = ODataModel.namespace
        let types = ODataModel.sets.map { set in
            let navigations = set.navigations.map { navigation in
                let type = "\(namespace).\(targetType(navigation))"
                return "<NavigationProperty Name=\"\(navigation.name)\" Type=\""
                    + (navigation.isMany ? "Collection(\(type))" : type) + "\"/>"
            }.joined()
            return "<EntityType Name=\"\(set.type)\"" + (set.hasMedia ? " HasStream=\"true\"" : "") + ">" + key(set)
                + properties(set.properties, .v4) + navigations + "</EntityType>"
        }.joined()
        let complex = "<ComplexType Name=\"Address\">" + properties(ODataModel.address, .v4) + "</ComplexType>"
        let operations = ODataModel.operations.map { operation in
            let kind = operation.changes ? "Action" : "Function"
            let binding = operation.bound.flatMap(ODataModel.set).map {
                "<Parameter Name=\"it\" Type=\"\(namespace).\($0.type)\"/>"
            }
            let result: String? =
                switch operation.result {
                case .entities(let set): "Collection(\(namespace).\(ODataModel.set(set)?.type ?? ""))"
                case .entity(let set): "\(namespace).\(ODataModel.set(set)?.type ?? "")"
                case .value(let type): type.name(.v4)
                case .nothing: nil
                }
            let parameters = operation.parameters.map {
                "<Parameter Name=\"\($0.name)\" Type=\"\($0.type.name(.v4))\"/>"
            }.joined()
            return "<\(kind) Name=\"\(operation.name)\"" + (binding == nil ? "" : " IsBound=\"true\"") + ">"
                + (binding ?? "") + parameters + (result.map { "<ReturnType Type=\"\($0)\"/>" } ?? "") + "</\(kind)>"
        }.joined()
        let sets = ODataModel.sets.map { set in
            "<EntitySet Name=\"\(set.name)\" EntityType=\"\(namespace).\(set.type)\">"
                + set.navigations.map {
                    "<NavigationPropertyBinding Path=\"\($0.name)\" Target=\"\($0.target)\"/>"
                }.joined() + "</EntitySet>"
        }.joined()
        let imports = ODataModel.operations.filter { $0.bound == nil }.map { operation in
            let kind = operation.changes ? "Action" : "Function"
            let set = if case .entities(let set) = operation.result { " EntitySet=\"\(set)\"" } else { "" }
            return "<\(kind)Import Name=\"\(operation.name)\" \(kind)=\"\(namespace).\(operation.name)\"\(set)/>"
        }.joined()
        return head + "<edmx:Edmx Version=\"4.0\" xmlns:edmx=\"http://docs.oasis-open.org/odata/ns/edmx\">"
            + "<edmx:DataServices><Schema Namespace=\"\(namespace)\" "
            + "xmlns=\"http://docs.oasis-open.org/odata/ns/edm\">\(types)\(complex)\(operations)"
            + "<EntityContainer Name=\"Container\">\(sets)\(imports)</EntityContainer></Schema></edmx:DataServices>"
            + "</edmx:Edmx>"
    }()

    /// The list of sets, as Atom (V2) or JSON.
    static func serviceDocument(_ version: ODataVersion, _ format: ODataFormat, root: String) -> String {
        let names = ODataModel.sets.map(\.name)
        switch (version, format.kind) {
        case (.v2, .atom):
            let collections = names.map {
                "<collection href=\"\($0)\"><atom:title>\($0)</atom:title></collection>"
            }.joined()
            return head + "<service xml:base=\"\(root)\" xmlns=\"http://www.w3.org/2007/app\" "
                + "xmlns:atom=\"http://www.w3.org/2005/Atom\"><workspace><atom:title>Default</atom:title>"
                + collections + "</workspace></service>"
        case (.v2, .verbose):
            return "{\"d\":{\"EntitySets\":[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]}}"
        default:
            let sets = names.map { "{\"name\":\"\($0)\",\"kind\":\"EntitySet\",\"url\":\"\($0)\"}" }
            let context = version == .v2 ? "odata.metadata" : "@odata.context"
            return "{\"\(context)\":\"\(root)$metadata\",\"value\":[" + sets.joined(separator: ",") + "]}"
        }
    }
}
