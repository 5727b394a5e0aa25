/// Follows a path from the root.
struct ODataPath {
    let version: ODataVersion
    let data: ODataData

    func place(_ segments: [String], rows: Int) throws(ODataFailure) -> ODataPathTarget {
        guard let first = segments.first else { throw .nothing }
        let (name, arguments) = Self.parts(first)
        var place: ODataPathTarget
        if let operation = ODataModel.operations.first(where: { $0.name == name && (version == .v2 || $0.bound == nil) }
        ) {
            place = .operation(operation, on: nil, arguments: arguments)
        } else if let set = ODataModel.set(name) {
            let all = set.name == "Rows" ? [] : data.entities(set.name)
            place = .collection(set, all, of: nil)
            if let arguments { place = try entity(arguments, set, all, rows: rows) }
        } else {
            throw .nothing
        }
        var rest = segments.dropFirst()
        while let segment = rest.popFirst() { place = try step(place, segment, &rest, rows: rows) }
        return place
    }

    /// The name and the arguments of `Name(arguments)`.
    static func parts(_ segment: String) -> (name: String, arguments: String?) {
        guard let open = segment.firstIndex(of: "("), segment.last == ")" else { return (segment, nil) }
        return (String(segment[..<open]), String(segment[segment.index(after: open)...].dropLast()))
    }

    private func entity(
        _ arguments: String, _ set: ODataModel.EntitySet, _ entities: [ODataEntity], rows: Int
    ) throws(ODataFailure) -> ODataPathTarget {
        let key = try key(arguments, set)
        if set.name == "Rows", case .integer(let id) = key["ID"], (0..<Int64(rows)).contains(id) {
            return .entity(set, ODataSamples.row(Int(id)))
        }
        guard let entity = entities.first(where: { one in set.keys.allSatisfy { one.properties[$0] == key[$0] } })
        else {
            throw ODataFailure(404, "there is no \(set.type) of that key", code: "LND/KEY")
        }
        return .entity(set, entity)
    }

    func key(_ arguments: String, _ set: ODataModel.EntitySet) throws(ODataFailure) -> [String: ODataValue] {
        let values = try Self.named(arguments, version, single: set.keys.count == 1 ? set.keys[0] : nil)
        for name in set.keys where values[name] == nil || values.count != set.keys.count {
            throw .syntax("the key of \(set.type) is \(set.keys.joined(separator: ", "))")
        }
        return values
    }

    /// The arguments of `a=1,b='x'`, or one value without a name.
    static func named(
        _ text: String, _ version: ODataVersion, single: String?
    ) throws(ODataFailure) -> [String: ODataValue] {
        var tokens = try ODataToken.read(text, version)[...]
        if let single, tokens.count == 2, case .literal(let value) = tokens.first { return [single: value] }
        var values: [String: ODataValue] = [:]
        while tokens.first != .end {
            guard case .word(let name) = tokens.popFirst(), tokens.popFirst() == .sign("="),
                case .literal(let value) = tokens.popFirst()
            else { throw .syntax("“\(text)” are no named values") }
            values[name] = value
            if tokens.first == .sign(",") { tokens.removeFirst() }
        }
        return values
    }

    private func step(
        _ place: ODataPathTarget, _ segment: String, _ rest: inout ArraySlice<String>, rows: Int
    ) throws(ODataFailure) -> ODataPathTarget {
        switch (place, segment) {
        case (.collection(let set, let entities, _), "$count"): return .count(set, entities)
        case (.collection(_, let entities, let owner?), "$ref") where version == .v4: return .links(owner, entities)
        case (.property(_, _, _, let type, let value), "$value"):
            guard value != .null else { throw ODataFailure(version == .v2 ? 404 : 204, "it has no value") }
            return .raw(type, value)
        case (.property(let set, let entity, _, .address, .complex(let members)), _):
            guard let property = ODataModel.address.first(where: { $0.name == segment }) else { throw .nothing }
            return .property(set, entity, name: segment, property.type, members[segment] ?? .null)
        case (.entity(let set, let entity), "$value") where set.hasMedia: return .media(set, entity)
        case (.entity(let set, let entity), "$links") where version == .v2:
            guard let navigation = rest.popFirst().flatMap(set.navigation) else { throw .nothing }
            return .links(
                ODataOwner(set: set, entity: entity, navigation: navigation), data.related(entity, navigation))
        case (.entity(let set, let entity), _):
            if let property = set.property(segment) {
                return .property(set, entity, name: segment, property.type, entity.properties[segment] ?? .null)
            }
            return try related(set, entity, segment, &rest, rows: rows)
        default: throw .nothing
        }
    }

    private func related(
        _ set: ODataModel.EntitySet, _ entity: ODataEntity, _ segment: String, _ rest: inout ArraySlice<String>,
        rows: Int
    ) throws(ODataFailure) -> ODataPathTarget {
        let (name, arguments) = Self.parts(segment)
        if version == .v4, name.hasPrefix(ODataModel.namespace + "."),
            let operation = ODataModel.operations.first(where: {
                $0.bound == set.name && "\(ODataModel.namespace).\($0.name)" == name
            })
        {
            return .operation(operation, on: (set, entity), arguments: arguments)
        }
        guard let navigation = set.navigation(name), let target = ODataModel.set(navigation.target) else {
            throw .nothing
        }
        let related = data.related(entity, navigation)
        let owner = ODataOwner(set: set, entity: entity, navigation: navigation)
        if navigation.isMany {
            guard let arguments else { return .collection(target, related, of: owner) }
            return try self.entity(arguments, target, related, rows: rows)
        }
        if version == .v4, rest.first == "$ref" {
            rest.removeFirst()
            return .links(owner, related)
        }
        return related.first.map { .entity(target, $0) } ?? .missing(target)
    }
}
