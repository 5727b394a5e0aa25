import Foundation

extension ODataService {
    func read(_ place: ODataPathTarget, _ call: ODataRequest, _ writer: ODataWriter) throws(ODataFailure) -> ODataAnswer
    {
        switch place {
        case .collection(let set, let entities, _): return try collection(set, entities, call, writer)
        case .entity(let set, let entity):
            let query = try ODataQuery(call.query, set: set, version, preference: nil)
            let fields = Self.tag(entity, set)
            if set.hasTags, call.field("If-None-Match") == entity.tag { return ODataAnswer(304, fields: fields) }
            return ODataAnswer(
                200, writer.single(entity, set, query.shape), type: writer.format.type(version, isFeed: false),
                fields: fields)
        case .missing: throw ODataFailure(version == .v2 ? 404 : 204, "there is none")
        case .property(let set, let entity, let name, let type, let value):
            guard value != .null || version == .v2 else { throw ODataFailure(204, "it has no value") }
            let text = writer.value(value, type, name: name, context: writer.uri(entity, set) + "/\(name)")
            let format = writer.format.kind == .atom ? "application/xml" : writer.format.type(version, isFeed: false)
            return ODataAnswer(200, text, type: format, fields: Self.tag(entity, set))
        case .raw(let type, let value):
            guard case .binary(let bytes) = value else {
                return ODataAnswer(200, ODataText.text(value, type, version) ?? "", type: Self.plain)
            }
            var answer = ODataAnswer(200, type: "application/octet-stream")
            answer.body = bytes
            return answer
        case .media(_, let entity):
            guard let media = entity.media else { throw .nothing }
            let tag = HeaderField(name: "ETag", value: "\"m\(media.changes)\"")
            var answer = ODataAnswer(200, type: media.type, fields: [tag])
            answer.body = media.bytes
            return answer
        case .count(let set, let entities):
            let query = try ODataQuery(call.query, set: set, version, preference: nil)
            let all = set.name == "Rows" ? (0..<query.rows).map(ODataSamples.row) : entities
            return ODataAnswer(200, "\(try query.shape.filtered(all, set, writer.data).count)", type: Self.plain)
        case .links(let owner, let entities): return links(owner, entities, writer)
        case .operation: throw .nothing
        }
    }

    private func links(_ owner: ODataOwner, _ entities: [ODataEntity], _ writer: ODataWriter) -> ODataAnswer {
        guard let set = ODataModel.set(owner.navigation.target) else { return ODataAnswer(404) }
        let uris = entities.map { ODataText.quoted(root + writer.uri($0, set)) }
        let name = version == .v2 ? "uri" : "@odata.id"
        let objects = uris.map { "{\"\(name)\":\($0)}" }
        let list = "[" + objects.joined(separator: ",") + "]"
        let text =
            if version == .v2 {
                "{\"d\":" + (owner.navigation.isMany ? "{\"results\":\(list)}" : objects.first ?? "null") + "}"
            } else {
                owner.navigation.isMany ? "{\"value\":\(list)}" : objects.first ?? "{}"
            }
        return ODataAnswer(200, text, type: "application/json")
    }

    /// A page of a collection.
    func collection(
        _ set: ODataModel.EntitySet, _ entities: [ODataEntity], _ call: ODataRequest, _ writer: ODataWriter
    ) throws(ODataFailure) -> ODataAnswer {
        let query = try ODataQuery(call.query, set: set, version, preference: call.field("Prefer"))
        let isGenerated = set.name == "Rows"
        let isPlain = query.shape.filter == nil && query.shape.order.isEmpty
        var all = isGenerated && !isPlain ? (0..<query.rows).map(ODataSamples.row) : entities
        if !isPlain {
            all = try query.shape.filtered(all, set, writer.data)
            all = try query.shape.sorted(all, set, writer.data)
        }
        let total = isGenerated && isPlain ? query.rows : all.count
        let skipped = min(query.shape.skip ?? 0, total)
        let end = query.shape.top.map { min(total, skipped + $0) } ?? total
        let start = min(skipped + query.token, end)
        let size = max(1, min(query.pageSize ?? rule.pageSize, 10_000))
        let stop = min(start + size, end)
        let page = isGenerated && isPlain ? (start..<stop).map(ODataSamples.row) : Array(all[start..<stop])
        var next = stop < end ? link(call, token: query.token + page.count) : nil
        if let fault = rule.fault { next = fault.next(instead: next, of: self, link(call, token: query.token)) }
        let text = writer.collection(
            page, set, query.shape, count: query.counts ? total : nil, next: next)
        var answer = ODataAnswer(200, text, type: writer.format.type(version, isFeed: true))
        answer.isPage = true
        return answer
    }

    /// The URL of another page of the same query.
    private func link(_ call: ODataRequest, token: Int) -> String {
        let items = call.query.filter { $0.name != "$skiptoken" }.map {
            PercentCoding.encode($0.name).replacingOccurrences(of: "%24", with: "$") + "="
                + PercentCoding.encode($0.text)
        }
        return root + call.segments.map(Self.encode).joined(separator: "/") + "?"
            + (items + (token > 0 ? ["$skiptoken=\(token)"] : [])).joined(separator: "&")
    }

    private static func encode(_ segment: String) -> String {
        let (name, arguments) = ODataPath.parts(segment)
        let encoded = PercentCoding.encode(name).replacingOccurrences(of: "%24", with: "$")
        return encoded + (arguments.map { "(" + PercentCoding.encode($0) + ")" } ?? "")
    }
}
