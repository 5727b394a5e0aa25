import HttpConvFormats

/// The model of a service, as read from `$metadata` (CSDL 2.0 and 3.0; OData CSDL XML 4.01).
public struct ODataModel: Hashable, Sendable {
    /// The document's version of the protocol.
    public internal(set) var version: ODataVersion
    /// Entity types and complex types, by their qualified names.
    public internal(set) var structuredTypes: [String: StructuredType] = [:]
    /// Enumeration types, by their qualified names (4.0).
    public internal(set) var enumerationTypes: [String: EnumerationType] = [:]
    /// The primitive types behind type definitions, by the definitions' names (4.0).
    public internal(set) var typeDefinitions: [String: String] = [:]
    /// Associations, by their qualified names (2.0).
    var associations: [String: [AssociationEnd]] = [:]
    /// The types of the members that each type itself declares, by name. Reading a row looks up each member here.
    private var memberTypes: [String: [String: String]] = [:]
    /// Entity sets and singletons, by their names.
    public internal(set) var sets: [String: EntitySet] = [:]
    /// Functions and actions, by their qualified names. Overloads differ in their parameters (4.0).
    public internal(set) var operations: [String: [Operation]] = [:]
    /// Function imports, and action imports of 4.0, by their names.
    public internal(set) var imports: [String: OperationImport] = [:]

    struct AssociationEnd: Hashable, Sendable {
        let role: String
        let type: String
        let isCollection: Bool
    }

    init(version: ODataVersion) { self.version = version }

    /// A type by its qualified name.
    public func structuredType(_ name: String) -> StructuredType? { structuredTypes[name] }

    /// The type of a set's or singleton's entities.
    public func type(of set: String) -> StructuredType? { sets[set].flatMap { structuredTypes[$0.type] } }

    /// All properties of a type, inherited ones first.
    public func properties(of type: StructuredType) -> [Property] {
        lineage(of: type).reversed().flatMap(\.properties)
    }

    /// All navigation properties of a type, inherited ones first.
    public func navigationProperties(of type: StructuredType) -> [NavigationProperty] {
        lineage(of: type).reversed().flatMap(\.navigationProperties)
    }

    /// The names of the properties of a type's key.
    public func key(of type: StructuredType) -> [String] {
        lineage(of: type).first { !$0.key.isEmpty }?.key ?? []
    }

    private static let maximumLineage = 32

    /// A type and its base types.
    func lineage(of type: StructuredType) -> [StructuredType] {
        var result = [type]
        // Types that inherit from each other in a circle must not hang the reader.
        while let base = result.last?.baseType.flatMap({ structuredTypes[$0] }),
            result.count < Self.maximumLineage
        {
            result.append(base)
        }
        return result
    }

    /// The type of a property or navigation property, without `Collection(…)`.
    func typeName(of name: String, in type: StructuredType) -> String? {
        var current: StructuredType? = type
        // A lineage is no longer than this.
        for _ in 0..<Self.maximumLineage {
            guard let type = current else { return nil }
            if let found = memberTypes[type.name]?[name] { return found }
            current = type.baseType.flatMap { structuredTypes[$0] }
        }
        return nil
    }

    /// Prepares the look-ups. Call it when all types are known.
    mutating func index() {
        memberTypes = structuredTypes.mapValues { type in
            let members = type.properties.map { ($0.name, $0.type.name) }
            let links = type.navigationProperties.map { ($0.name, $0.type.name) }
            return Dictionary(members + links) { first, _ in first }
        }
    }

    /// The kind of a type's values.
    func kind(of type: String) -> EdmKind {
        if let kind = EdmKind(primitive: type) { return kind }
        if let underlying = typeDefinitions[type] { return EdmKind(primitive: underlying) ?? .unknown }
        if enumerationTypes[type] != nil { return .enumeration(type) }
        return structuredTypes[type] == nil ? .unknown : .structured(type)
    }

    /// The type of the entities at a path; nil if unknown.
    ///
    /// - Parameter references: the types of the entities that earlier parts of a batch make, by the parts' ids
    func typeName(at path: ODataPath, references: [String: String] = [:]) -> String? {
        var current: String?
        for segment in path.segments {
            switch segment {
            case .name(let name):
                current = typeName(of: name, behind: current)
                guard current != nil else { return nil }
            case .key: continue
            case .function(let name, _):
                current = operations[name]?.first?.returnType?.name ?? imports[name]?.returnType?.name
            case .link(let link):
                // The start of a link is known only if the link is relative to the root.
                guard !link.hasPrefix("/"), !link.contains("://") else { return nil }
                for part in LiteralPath.segments(link) {
                    current = typeName(of: String(part.prefix { $0 != "(" }), behind: current)
                    guard current != nil else { return nil }
                }
            case .reference(let id):
                current = references[id]
                guard current != nil else { return nil }
            case .system: return nil
            }
        }
        return current
    }

    /// The type that a name leads to, from the root or from a value of a type.
    private func typeName(of name: String, behind type: String?) -> String? {
        guard let type else { return sets[name]?.type ?? imports[name]?.returnType?.name }
        if structuredTypes[name] != nil { return name }
        return structuredTypes[type].flatMap { typeName(of: name, in: $0) } ?? operations[name]?.first?.returnType?.name
    }
}
