/// Replaces aliases of namespaces by the namespaces, and resolves the targets of associations.
struct ModelResolver {
    private var model: ODataModel
    private let aliases: [String: String]

    init(_ model: ODataModel, aliases: [String: String]) {
        self.model = model
        self.aliases = aliases
    }

    func resolved() -> ODataModel {
        var model = model
        model.typeDefinitions = model.typeDefinitions.mapValues(resolved)
        model.associations = model.associations.mapValues { ends in
            ends.map { .init(role: $0.role, type: resolved($0.type), isCollection: $0.isCollection) }
        }
        model.sets = model.sets.mapValues { set in
            var set = set
            set.type = resolved(set.type)
            return set
        }
        model.operations = model.operations.mapValues { $0.map(resolved) }
        model.imports = model.imports.mapValues(resolved)
        let associations = model.associations.mapValues { ends in
            Dictionary(ends.map { ($0.role, $0) }) { first, _ in first }
        }
        model.structuredTypes = model.structuredTypes.mapValues { resolved($0, associations) }
        // A function import of 4.0 takes its return type and parameters from its function.
        let operations = model.operations
        model.imports = model.imports.mapValues { found in
            guard let operation = found.operation.flatMap({ operations[$0]?.first { !$0.isBound } })
            else { return found }
            var found = found
            found.returnType = operation.returnType
            found.parameters = operation.parameters
            return found
        }
        model.index()
        return model
    }

    private func resolved(
        _ type: ODataModel.StructuredType, _ associations: [String: [String: ODataModel.AssociationEnd]]
    ) -> ODataModel.StructuredType {
        var type = type
        type.baseType = type.baseType.map(resolved)
        for index in type.properties.indices { type.properties[index].type = resolved(type.properties[index].type) }
        for index in type.navigationProperties.indices {
            var property = type.navigationProperties[index]
            property.type = resolved(property.type)
            if let association = property.association,
                let end = associations[resolved(association.name)]?[association.role]
            {
                property.type = ODataModel.TypeReference(name: end.type, isCollection: end.isCollection)
            }
            type.navigationProperties[index] = property
        }
        return type
    }

    private func resolved(_ operation: ODataModel.Operation) -> ODataModel.Operation {
        var operation = operation
        operation.parameters = operation.parameters.map(resolved)
        operation.returnType = operation.returnType.map(resolved)
        return operation
    }

    private func resolved(_ found: ODataModel.OperationImport) -> ODataModel.OperationImport {
        var found = found
        found.operation = found.operation.map(resolved)
        found.parameters = found.parameters.map(resolved)
        found.returnType = found.returnType.map(resolved)
        return found
    }

    private func resolved(_ parameter: ODataModel.Parameter) -> ODataModel.Parameter {
        var parameter = parameter
        parameter.type = resolved(parameter.type)
        return parameter
    }

    private func resolved(_ type: ODataModel.TypeReference) -> ODataModel.TypeReference {
        ODataModel.TypeReference(name: resolved(type.name), isCollection: type.isCollection)
    }

    private func resolved(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), let namespace = aliases[String(name[..<dot])] else { return name }
        return namespace + name[dot...]
    }
}
