import HttpConvFormats

/// Reads `$metadata` in all versions of CSDL XML. It looks at the names of elements only, because their namespaces
/// differ between versions.
final class CSDLReader: XMLEventHandler {
    private static let maximumDepth = 64

    private var model = ODataModel(version: .v4)
    private var isModel = false
    private var open: [XMLElementStart] = []
    private var namespace = ""
    private var aliases: [String: String] = [:]
    private var type: ODataModel.StructuredType?
    private var enumeration: ODataModel.EnumerationType?
    private var operation: ODataModel.Operation?
    private var operationImport: ODataModel.OperationImport?
    private var association: (name: String, ends: [ODataModel.AssociationEnd])?

    static func model(_ bytes: [UInt8], maximumElements: Int = 100_000) throws(FormatFailure) -> ODataModel {
        let reader = CSDLReader()
        try XMLEventReader.read(
            bytes, maximumDepth: maximumDepth, maximumElements: maximumElements, handler: reader)
        guard reader.isModel else { throw FormatFailure("it is not OData metadata") }
        return ModelResolver(reader.model, aliases: reader.aliases).resolved()
    }

    func read(_ text: String) {}

    func started(_ element: XMLElementStart) throws(FormatFailure) {
        if open.isEmpty {
            guard element.name == "Edmx" else { throw FormatFailure("it is not OData metadata") }
            isModel = true
            let version = element["Version"] ?? "1.0"
            model.version = version.hasPrefix("1.") ? .v2 : .v4
        }
        let parent = open.last?.name
        open.append(element)
        switch element.name {
        case "Schema":
            namespace = element["Namespace"] ?? ""
            if let alias = element["Alias"] { aliases[alias] = namespace }
        case "EntityType", "ComplexType": type = structured(element)
        case "PropertyRef" where parent == "Key": type?.key.append(element["Alias"] ?? element["Name"] ?? "")
        case "Property" where parent == "EntityType" || parent == "ComplexType":
            type?.properties.append(property(element))
        case "NavigationProperty" where type != nil: type?.navigationProperties.append(navigation(element))
        case "EnumType":
            enumeration = ODataModel.EnumerationType(name: qualified(element), isFlags: element["IsFlags"] == "true")
        case "Member" where enumeration != nil:
            enumeration?.members.append(
                .init(
                    name: element["Name"] ?? "",
                    value: element["Value"].flatMap { PeerNumber.integer($0.utf8, as: Int64.self) }))
        case "TypeDefinition": model.typeDefinitions[qualified(element)] = element["UnderlyingType"]
        case "Association": association = (qualified(element), [])
        case "End" where parent == "Association":
            association?.ends.append(
                .init(
                    role: element["Role"] ?? "", type: element["Type"] ?? "",
                    isCollection: element["Multiplicity"] == "*"))
        case "EntitySet", "Singleton":
            let name = element["Name"] ?? ""
            model.sets[name] = ODataModel.EntitySet(
                name: name, type: element["EntityType"] ?? element["Type"] ?? "",
                isSingleton: element.name == "Singleton")
        case "Function" where parent == "Schema", "Action" where parent == "Schema":
            operation = ODataModel.Operation(
                name: qualified(element), isAction: element.name == "Action", isBound: element["IsBound"] == "true")
        case "FunctionImport", "ActionImport": operationImport = imported(element)
        case "Parameter":
            operation?.parameters.append(parameter(element))
            operationImport?.parameters.append(parameter(element))
        case "ReturnType":
            if let type = element["Type"] {
                operation?.returnType = ODataModel.TypeReference(type)
                operationImport?.returnType = ODataModel.TypeReference(type)
            }
        default: break
        }
    }

    func ended() {
        guard let element = open.popLast() else { return }
        switch element.name {
        case "EntityType", "ComplexType":
            if let type { model.structuredTypes[type.name] = type }
            type = nil
        case "EnumType":
            if let enumeration { model.enumerationTypes[enumeration.name] = enumeration }
            enumeration = nil
        case "Association":
            if let association { model.associations[association.name] = association.ends }
            association = nil
        case "Function", "Action":
            if let operation { model.operations[operation.name, default: []].append(operation) }
            operation = nil
        case "FunctionImport", "ActionImport":
            if let operationImport { model.imports[operationImport.name] = operationImport }
            operationImport = nil
        default: break
        }
    }

    // MARK: Elements

    private func qualified(_ element: XMLElementStart) -> String {
        let name = element["Name"] ?? ""
        return namespace.isEmpty ? name : "\(namespace).\(name)"
    }

    /// An attribute of the metadata namespace, in any version.
    private func protocolAttribute(_ name: String, of element: XMLElementStart) -> String? {
        element.attributes.first { $0.name == name && $0.namespace.hasSuffix("/metadata") }?.value
    }

    private func structured(_ element: XMLElementStart) -> ODataModel.StructuredType {
        ODataModel.StructuredType(
            name: qualified(element), isEntity: element.name == "EntityType", baseType: element["BaseType"],
            isAbstract: element["Abstract"] == "true", isOpen: element["OpenType"] == "true",
            hasStream: (element["HasStream"] ?? protocolAttribute("HasStream", of: element)) == "true")
    }

    private func property(_ element: XMLElementStart) -> ODataModel.Property {
        ODataModel.Property(
            name: element["Name"] ?? "", type: ODataModel.TypeReference(element["Type"] ?? "Edm.String"),
            isNullable: element["Nullable"] != "false", maximumLength: Self.number(element["MaxLength"]),
            precision: Self.number(element["Precision"]), scale: Self.number(element["Scale"]),
            label: element.attributes.first { $0.name == "label" && $0.namespace.contains("sap.com") }?.value,
            isConcurrencyToken: element["ConcurrencyMode"] == "Fixed")
    }

    /// A facet; nil also for `max` and `variable`.
    private static func number(_ facet: String?) -> Int? { facet.flatMap { PeerNumber.integer($0, in: 0...Int.max) } }

    private func navigation(_ element: XMLElementStart) -> ODataModel.NavigationProperty {
        var property = ODataModel.NavigationProperty(
            name: element["Name"] ?? "", type: ODataModel.TypeReference(element["Type"] ?? ""),
            partner: element["Partner"], containsTarget: element["ContainsTarget"] == "true")
        if let relationship = element["Relationship"] {
            property.association = .init(name: relationship, role: element["ToRole"] ?? "")
        }
        return property
    }

    private func imported(_ element: XMLElementStart) -> ODataModel.OperationImport {
        let method = element.attributes.first { $0.name == "HttpMethod" }?.value
        return ODataModel.OperationImport(
            name: element["Name"] ?? "", operation: element["Function"] ?? element["Action"],
            isAction: element.name == "ActionImport" || (method ?? "GET") != "GET", method: method,
            returnType: element["ReturnType"].map { ODataModel.TypeReference($0) })
    }

    private func parameter(_ element: XMLElementStart) -> ODataModel.Parameter {
        ODataModel.Parameter(
            name: element["Name"] ?? "", type: ODataModel.TypeReference(element["Type"] ?? ""),
            isNullable: element["Nullable"] != "false")
    }
}
