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
    private var memberTypes: [String: [String: TypeReference]] = [:]
    /// The types that other types derive from.
    private var baseTypes: Set<String> = []
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
    func typeName(of name: String, in type: StructuredType) -> String? { reference(of: name, in: type)?.name }

    /// The type of a property or navigation property.
    private func reference(of name: String, in type: StructuredType) -> TypeReference? {
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
            let members = type.properties.map { ($0.name, $0.type) }
            let links = type.navigationProperties.map { ($0.name, $0.type) }
            return Dictionary(members + links) { first, _ in first }
        }
        baseTypes = Set(structuredTypes.values.compactMap(\.baseType))
    }

    /// The kind of a type's values.
    func kind(of type: String) -> EdmKind {
        if let kind = EdmKind(primitive: type) { return kind }
        if let underlying = typeDefinitions[type] { return EdmKind(primitive: underlying) ?? .unknown }
        if enumerationTypes[type] != nil { return .enumeration(type) }
        return structuredTypes[type] == nil ? .unknown : .structured(type)
    }

    /// Whether values of a type may be of a derived type.
    func hasDerivedTypes(_ type: StructuredType) -> Bool { baseTypes.contains(type.name) }

    /// The type that a value says it has, if it is the declared type or derived from it; otherwise the declared one.
    ///
    /// - Parameter stated: the qualified name; nil if the value does not say
    func type(stated: String?, declared: StructuredType) -> StructuredType {
        guard let stated, stated != declared.name, hasDerivedTypes(declared), let own = structuredTypes[stated],
            lineage(of: own).contains(where: { $0.name == declared.name })
        else { return declared }
        return own
    }

    // MARK: Paths

    /// The type at a path; nil if unknown.
    ///
    /// - Parameter references: the types of the entities that earlier parts of a batch make, by the parts' ids
    func type(at path: ODataPath, references: [String: String] = [:]) -> TypeReference? {
        var current: TypeReference?
        for segment in path.segments {
            switch segment {
            case .name(let name): current = type(of: name, behind: current, parameters: nil)
            case .key: current = current.map { TypeReference(name: $0.name, isCollection: false) }
            case .function(let name, let parts):
                current = type(of: name, behind: current, parameters: parts.compactMap(\.name))
            case .link(let link):
                // The start of a link is known only if the link is relative to the root.
                guard !link.hasPrefix("/"), !link.contains("://") else { return nil }
                for part in LiteralPath.segments(link) {
                    current = type(ofLinkSegment: part, behind: current)
                    guard current != nil else { return nil }
                }
            case .reference(let id): current = references[id].map { TypeReference(name: $0, isCollection: false) }
            case .system: return nil
            }
            guard current != nil else { return nil }
        }
        return current
    }

    /// The type that a segment of a link leads to, with its key if it has one.
    private func type(ofLinkSegment segment: String, behind type: TypeReference?) -> TypeReference? {
        let name = String(segment.prefix { $0 != "(" })
        guard let found = self.type(of: name, behind: type, parameters: nil) else { return nil }
        // The parentheses of a function are those of its call; a key may follow them.
        let isCall = operations[name] != nil || type == nil && sets[name] == nil
        let hasKey = isCall ? segment.contains(")(") : segment.hasSuffix(")")
        return hasKey ? TypeReference(name: found.name, isCollection: false) : found
    }

    /// The type that a name leads to, from the root or from a value of a type.
    ///
    /// - Parameter parameters: the names of a function's parameters; nil if they are unknown
    private func type(of name: String, behind type: TypeReference?, parameters: [String]?) -> TypeReference? {
        guard let type else {
            if let set = sets[name] { return TypeReference(name: set.type, isCollection: !set.isSingleton) }
            return imports[name]?.returnType
        }
        if structuredTypes[name] != nil { return TypeReference(name: name, isCollection: type.isCollection) }
        return structuredTypes[type.name].flatMap { reference(of: name, in: $0) }
            ?? operation(named: name, boundTo: type, parameters: parameters)?.returnType
    }

    /// The overload of a function or action that is bound to a value (OData CSDL XML 4.01 §12.1 and §12.2): the one
    /// for the value's own type, or else for its nearest base type.
    ///
    /// - Parameters:
    ///   - name: the qualified name
    ///   - binding: the type of the value; nil if it is unknown
    ///   - parameters: the names of the parameters besides the value; nil if they are unknown
    /// - Returns: nil if there is none, or if several are possible whose types differ
    func operation(named name: String, boundTo binding: TypeReference?, parameters: [String]?) -> Operation? {
        let bound = operations[name]?.filter(\.isBound) ?? []
        guard let binding else { return Self.onlyOne(of: bound, parameters) }
        let types = structuredTypes[binding.name].map { lineage(of: $0).map(\.name) } ?? [binding.name]
        for type in types {
            let expected = TypeReference(name: type, isCollection: binding.isCollection)
            let overloads = bound.filter { $0.parameters.first?.type == expected }
            if !overloads.isEmpty { return Self.onlyOne(of: overloads, parameters) }
        }
        return nil
    }

    private static func onlyOne(of overloads: [Operation], _ parameters: [String]?) -> Operation? {
        let names = parameters.map { Set($0) }
        let exact = overloads.filter { overload in names.map { $0 == Set(overload.names) } ?? false }
        // Optional parameters may be left out.
        let fitting = overloads.filter { overload in names?.isSubset(of: overload.names) ?? true }
        let found = exact.isEmpty ? fitting : exact
        let isOne = found.allSatisfy { $0.returnType == found[0].returnType && $0.types == found[0].types }
        return isOne ? found.first : nil
    }
}

extension ODataModel.Operation {
    /// The names of the parameters besides the value that it is called on.
    fileprivate var names: [String] { parameters.dropFirst(isBound ? 1 : 0).map(\.name) }

    /// The types of the parameters besides that value, by their names.
    var types: [String: String] {
        Dictionary(parameters.dropFirst(isBound ? 1 : 0).map { ($0.name, $0.type.name) }) { first, _ in first }
    }
}
