import Foundation

extension ODataService {
    func write(
        _ place: ODataPathTarget, _ call: ODataRequest, _ data: inout ODataData
    ) throws(ODataFailure) -> ODataAnswer {
        if let set = Self.set(of: place), set.name == "Rows" { throw ODataFailure(405, "rows cannot be changed") }
        switch (place, call.meaning) {
        case (.collection(let set, _, let owner), "POST"): return try create(set, owner, call, &data)
        case (.entity(let set, let entity), "PUT"), (.entity(let set, let entity), "PATCH"),
            (.entity(let set, let entity), "MERGE"):
            return try update(set, entity, call, &data)
        case (.entity(let set, let entity), "DELETE"):
            let index = try checked(set, entity, call, data)
            data.remove(set.name, at: index)
            return ODataAnswer(204)
        case (.media(let set, let entity), "PUT"):
            guard let index = data.index(of: entity.properties, in: set) else { throw .nothing }
            if let wanted = call.field("If-Match"), wanted != "*", wanted != "\"m\(entity.media?.changes ?? 0)\"" {
                throw ODataFailure(412, "the media was changed", tag: "\"m\(entity.media?.changes ?? 0)\"")
            }
            data.change(set.name, at: index) { entity in
                entity.media = .init(
                    type: call.field("Content-Type") ?? "application/octet-stream", bytes: call.body,
                    changes: (entity.media?.changes ?? 0) + 1)
            }
            return ODataAnswer(204)
        case (.links(let owner, _), let method): return try link(owner, method, call, &data)
        default: throw ODataFailure(405, "not by this method")
        }
    }

    private static func set(of place: ODataPathTarget) -> ODataModel.EntitySet? {
        switch place {
        case .collection(let set, _, _), .entity(let set, _): set
        default: nil
        }
    }

    // MARK: Bodies

    private func members(_ call: ODataRequest) throws(ODataFailure) -> [String: ODataJSON] {
        guard call.field("Content-Type")?.lowercased().contains("json") == true else {
            throw ODataFailure(415, "JSON, please")
        }
        guard var members = try ODataJSON.read(call.body).members else { throw ODataFailure(400, "an object, please") }
        if version == .v2, let inner = members["d"]?.members { members = inner }
        return members
    }

    /// The properties of a body. The failure lists all problems at once.
    private func properties(
        _ members: [String: ODataJSON], _ set: ODataModel.EntitySet
    ) throws(ODataFailure) -> [String: ODataValue] {
        var properties: [String: ODataValue] = [:]
        var wrong: [(message: String, target: String)] = []
        for (name, json) in members.sorted(by: { $0.key < $1.key }) {
            if name == "__metadata" || name.contains("@") || name.hasPrefix("odata.") || set.navigation(name) != nil {
                continue
            }
            guard let property = set.property(name) else {
                wrong.append(("\(set.type) has no such property", name))
                continue
            }
            guard let value = json.value(property.type, version), value != .null || property.isNullable else {
                wrong.append(("that is no \(property.type.name(version))", name))
                continue
            }
            properties[name] = value
        }
        guard wrong.isEmpty else {
            var failure = ODataFailure(400, "the entity is not right", code: "LND/ENTITY", target: wrong[0].target)
            failure.details = wrong
            throw failure
        }
        return properties
    }

    // MARK: Creating

    private func create(
        _ set: ODataModel.EntitySet, _ owner: ODataOwner?, _ call: ODataRequest, _ data: inout ODataData
    ) throws(ODataFailure) -> ODataAnswer {
        var entity = ODataEntity(properties: [:])
        var members: [String: ODataJSON] = [:]
        if set.hasMedia, call.field("Content-Type")?.lowercased().contains("json") != true {
            let type = call.field("Content-Type") ?? "application/octet-stream"
            entity.media = .init(type: type, bytes: call.body)
            if let name = call.field("Slug") { entity.properties["Name"] = .text(PercentCoding.decodeText(name)) }
        } else {
            members = try self.members(call)
            entity.properties = try properties(members, set)
        }
        if let owner { entity.properties[owner.navigation.theirs] = owner.entity.properties[owner.navigation.own] }
        try insert(&entity, set, &data)
        for navigation in set.navigations {
            try insert(members[navigation.name], navigation, of: entity, &data)
            try bind(members["\(navigation.name)@odata.bind"], navigation, of: &entity, set, &data)
        }
        let writer = try ODataWriter(
            version: version, format: ODataFormat(version, accept: call.field("Accept"), format: nil), root: root,
            data: data)
        let uri = root + writer.uri(entity, set)
        var fields = Self.tag(entity, set) + [HeaderField(name: "Location", value: uri)]
        if call.field("Prefer")?.contains("return=minimal") == true {
            fields.append(HeaderField(name: "OData-EntityId", value: uri))
            return ODataAnswer(204, fields: fields)
        }
        return ODataAnswer(
            201, writer.single(entity, set, ODataSelection()), type: writer.format.type(version, isFeed: false),
            fields: fields)
    }

    private func insert(
        _ entity: inout ODataEntity, _ set: ODataModel.EntitySet, _ data: inout ODataData
    ) throws(ODataFailure) {
        for key in set.keys where entity.properties[key] == nil {
            guard set.keys.count == 1, let type = set.property(key)?.type, type.range != nil else {
                throw ODataFailure(400, "“\(key)” is wanted", code: "LND/ENTITY", target: key)
            }
            let numbers = data.entities(set.name).compactMap { entity in
                if case .integer(let number) = entity.properties[key] { number } else { Int64?.none }
            }
            entity.properties[key] = .integer((numbers.max() ?? 0) + 1)
        }
        guard data.index(of: entity.properties, in: set) == nil else {
            throw ODataFailure(409, "there is a \(set.type) of that key", code: "LND/EXISTS")
        }
        data.add(entity, to: set.name)
    }

    /// Adds the nested entities of a new entity.
    private func insert(
        _ json: ODataJSON?, _ navigation: ODataModel.Navigation, of entity: ODataEntity, _ data: inout ODataData
    ) throws(ODataFailure) {
        guard let json, let target = ODataModel.set(navigation.target) else { return }
        let inner = json.members?["results"] ?? json
        guard navigation.isMany, case .list(let list) = inner else { return }
        for item in list {
            guard let members = item.members else { throw ODataFailure(400, "an object, please") }
            var child = ODataEntity(properties: try properties(members, target))
            child.properties[navigation.theirs] = entity.properties[navigation.own]
            try insert(&child, target, &data)
        }
    }

    private func bind(
        _ json: ODataJSON?, _ navigation: ODataModel.Navigation, of entity: inout ODataEntity,
        _ set: ODataModel.EntitySet, _ data: inout ODataData
    ) throws(ODataFailure) {
        guard let uri = json?.string, !navigation.isMany else { return }
        let value = try linked(uri, navigation, data).properties[navigation.theirs] ?? .null
        entity.properties[navigation.own] = value
        guard let index = data.index(of: entity.properties, in: set) else { return }
        data.change(set.name, at: index) { $0.properties[navigation.own] = value }
    }

    // MARK: Changing

    /// The position of an entity, if the request may change it.
    private func checked(
        _ set: ODataModel.EntitySet, _ entity: ODataEntity, _ call: ODataRequest, _ data: ODataData
    ) throws(ODataFailure) -> Int {
        guard let index = data.index(of: entity.properties, in: set) else { throw .nothing }
        guard set.hasTags else { return index }
        guard let wanted = call.field("If-Match") else {
            guard rule.needsTags else { return index }
            throw ODataFailure(428, "If-Match is wanted", code: "LND/TAG")
        }
        let tags = wanted.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard tags.contains("*") || tags.contains(entity.tag) else {
            throw ODataFailure(412, "the \(set.type) was changed meanwhile", code: "LND/CHANGED", tag: entity.tag)
        }
        return index
    }

    private func update(
        _ set: ODataModel.EntitySet, _ entity: ODataEntity, _ call: ODataRequest, _ data: inout ODataData
    ) throws(ODataFailure) -> ODataAnswer {
        let index = try checked(set, entity, call, data)
        var properties = try properties(try members(call), set)
        for key in set.keys { properties[key] = entity.properties[key] }
        if call.meaning != "PUT" {
            properties = entity.properties.merging(properties) { old, new in
                guard case .complex(let before) = old, case .complex(let after) = new else { return new }
                return .complex(before.merging(after) { $1 })
            }
        }
        data.change(set.name, at: index) { entity in
            entity.properties = properties
            entity.changes += 1
        }
        return ODataAnswer(204, fields: Self.tag(data.entities(set.name)[index], set))
    }

    // MARK: Links

    private func linked(
        _ uri: String, _ navigation: ODataModel.Navigation, _ data: ODataData
    ) throws(ODataFailure) -> ODataEntity {
        guard let call = ODataRequest(method: "GET", target: uri, root: root, fields: [], body: []),
            case .entity(let set, let entity) = try ODataPath(version: version, data: data).place(
                call.segments, rows: 0),
            set.name == navigation.target
        else { throw ODataFailure(400, "that is no \(navigation.target)") }
        return entity
    }

    private func link(
        _ owner: ODataOwner, _ method: String, _ call: ODataRequest, _ data: inout ODataData
    ) throws(ODataFailure) -> ODataAnswer {
        let navigation = owner.navigation
        guard let index = data.index(of: owner.entity.properties, in: owner.set) else { throw .nothing }
        if method == "DELETE", !navigation.isMany {
            data.change(owner.set.name, at: index) { $0.properties[navigation.own] = .null }
            return ODataAnswer(204)
        }
        let members = try members(call)
        guard method == (navigation.isMany ? "POST" : "PUT"),
            let uri = (members["uri"] ?? members["@odata.id"])?.string
        else { throw ODataFailure(405, "not by this method") }
        let other = try linked(uri, navigation, data)
        if navigation.isMany, let target = ODataModel.set(navigation.target), !target.keys.contains(navigation.theirs),
            let place = data.index(of: other.properties, in: target)
        {
            data.change(target.name, at: place) {
                $0.properties[navigation.theirs] = owner.entity.properties[navigation.own]
            }
        } else if !navigation.isMany {
            data.change(owner.set.name, at: index) {
                $0.properties[navigation.own] = other.properties[navigation.theirs]
            }
        } else {
            throw ODataFailure(400, "a key cannot be changed")
        }
        return ODataAnswer(204)
    }
}
