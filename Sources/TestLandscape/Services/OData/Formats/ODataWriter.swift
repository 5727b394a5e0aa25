/// Writes entities as JSON, with the selected and expanded properties.
struct ODataWriter {
    let version: ODataVersion
    let format: ODataFormat
    /// The root, with a slash at its end.
    let root: String
    let data: ODataData

    func uri(_ entity: ODataEntity, _ set: ODataModel.EntitySet) -> String {
        let values = set.keys.map { key in
            let text = ODataLiteral.text(
                entity.properties[key] ?? .null, set.property(key)?.type ?? .string, version)
            return set.keys.count == 1 ? text : "\(key)=\(text)"
        }
        return "\(set.name)(\(values.joined(separator: ",")))"
    }

    // MARK: Collections

    func collection(
        _ entities: [ODataEntity], _ set: ODataModel.EntitySet, _ shape: ODataSelection, count: Int?, next: String?
    ) -> String {
        if format.kind == .atom { return atomFeed(entities, set, shape, count: count, next: next) }
        let rows = entities.map { json($0, set, shape) }.joined(separator: ",")
        if format.kind == .verbose {
            let count = count.map { ",\"__count\":\"\($0)\"" } ?? ""
            let next = next.map { ",\"__next\":\(ODataText.quoted($0))" } ?? ""
            return "{\"d\":{\"results\":[\(rows)]\(count)\(next)}}"
        }
        let count =
            count.map { "\"\(sign)count\":" + (version == .v2 || format.isCompatible ? "\"\($0)\"," : "\($0),") } ?? ""
        let next = next.map { ",\"\(sign)nextLink\":\(ODataText.quoted($0))" } ?? ""
        return "{" + context(set.name + shape.context) + count + "\"value\":[\(rows)]\(next)}"
    }

    func single(_ entity: ODataEntity, _ set: ODataModel.EntitySet, _ shape: ODataSelection) -> String {
        switch format.kind {
        case .atom: return atomEntry(entity, set, shape, isRoot: true)
        case .verbose: return "{\"d\":\(json(entity, set, shape))}"
        case .light:
            let suffix = version == .v2 ? "/@Element" : "/$entity"
            let object = json(entity, set, shape)
            return "{" + context(set.name + shape.context + suffix) + object.dropFirst()
        }
    }

    /// A single value, such as a property or an operation's result.
    func value(_ value: ODataValue, _ type: ODataType, name: String, context place: String) -> String {
        switch format.kind {
        case .atom:
            return "<?xml version=\"1.0\" encoding=\"utf-8\"?>" + atomProperty(value, type, name: name, isRoot: true)
        case .verbose: return "{\"d\":{\"\(name)\":\(ODataText.json(value, type, version, format))}}"
        case .light:
            let text = ODataText.json(value, type, version, format)
            if case .complex = value { return "{" + context(place) + text.dropFirst() }
            return "{" + context(place) + "\"value\":\(text)}"
        }
    }

    private var sign: String { version == .v2 ? "odata." : "@odata." }

    private func context(_ place: String) -> String {
        guard format.metadata != .none else { return "" }
        let name = version == .v2 ? "odata.metadata" : "@odata.context"
        return "\"\(name)\":\(ODataText.quoted("\(root)$metadata#\(place)")),"
    }

    // MARK: Entities

    private func json(_ entity: ODataEntity, _ set: ODataModel.EntitySet, _ shape: ODataSelection) -> String {
        let uri = uri(entity, set)
        var members = format.kind == .verbose ? [metadata(entity, set, uri)] : annotations(entity, set, uri)
        for property in set.properties where shape.shows(property.name) {
            let value = ODataText.json(entity.properties[property.name] ?? .null, property.type, version, format)
            if format.kind == .light, format.metadata == .full, property.type != .string, property.type != .boolean {
                let type = version == .v4 ? "#" + property.type.name(.v4).dropFirst(4) : property.type.name(.v2)
                members.append("\"\(property.name)@odata.type\":\"\(type)\"")
            }
            members.append("\"\(property.name)\":\(value)")
        }
        for navigation in set.navigations {
            if let inner = shape.expanded[navigation.name] {
                members.append("\"\(navigation.name)\":\(expansion(entity, navigation, inner))")
            } else if format.kind == .verbose, shape.shows(navigation.name) {
                members.append(
                    "\"\(navigation.name)\":{\"__deferred\":{\"uri\":\(ODataText.quoted("\(root)\(uri)/\(navigation.name)"))}}"
                )
            } else if format.kind == .light, format.metadata == .full {
                members.append(
                    "\"\(navigation.name)@odata.navigationLink\":\(ODataText.quoted("\(uri)/\(navigation.name)"))")
            }
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private func metadata(_ entity: ODataEntity, _ set: ODataModel.EntitySet, _ uri: String) -> String {
        let address = ODataText.quoted(root + uri)
        var text =
            "\"__metadata\":{\"id\":\(address),\"uri\":\(address),\"type\":\"\(ODataModel.namespace).\(set.type)\""
        if set.hasTags { text += ",\"etag\":\(ODataText.quoted(entity.tag))" }
        if let media = entity.media {
            let address = ODataText.quoted("\(root)\(uri)/$value")
            text += ",\"content_type\":\"\(media.type)\",\"media_src\":\(address),\"edit_media\":\(address)"
        }
        return text + "}"
    }

    private func annotations(_ entity: ODataEntity, _ set: ODataModel.EntitySet, _ uri: String) -> [String] {
        guard format.metadata != .none else { return [] }
        var members = set.hasTags ? ["\"\(sign)etag\":\(ODataText.quoted(entity.tag))"] : []
        if format.metadata == .full {
            let mark = version == .v4 ? "#" : ""
            members.append("\"\(sign)type\":\"\(mark)\(ODataModel.namespace).\(set.type)\"")
            members.append("\"\(sign)id\":\(ODataText.quoted(version == .v4 ? uri : root + uri))")
            members.append("\"\(sign)editLink\":\(ODataText.quoted(uri))")
        }
        if let media = entity.media {
            members.append("\"\(sign)mediaReadLink\":\(ODataText.quoted("\(uri)/$value"))")
            members.append("\"\(sign)mediaContentType\":\"\(media.type)\"")
        }
        return members
    }

    private func expansion(_ entity: ODataEntity, _ navigation: ODataModel.Navigation, _ shape: ODataSelection)
        -> String
    {
        guard let target = ODataModel.set(navigation.target) else { return "null" }
        let related = shape.apply(to: data.related(entity, navigation), target, data)
        guard navigation.isMany else { return related.first.map { json($0, target, shape) } ?? "null" }
        let rows = "[" + related.map { json($0, target, shape) }.joined(separator: ",") + "]"
        return format.kind == .verbose ? "{\"results\":\(rows)}" : rows
    }
}
