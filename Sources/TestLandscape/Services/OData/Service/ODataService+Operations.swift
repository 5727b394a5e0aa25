import Foundation

extension ODataService {
    func run(
        _ operation: ODataModel.Operation, _ bound: (ODataModel.EntitySet, ODataEntity)?, _ arguments: String?,
        _ call: ODataRequest, _ writer: ODataWriter, _ data: inout ODataData
    ) throws(ODataFailure) -> ODataAnswer {
        guard call.method == (operation.changes ? "POST" : "GET") else { throw ODataFailure(405, "not by this method") }
        let values = try self.arguments(operation, arguments, call)
        var target = bound
        if version == .v2, let set = operation.bound.flatMap(ODataModel.set) {
            guard let index = data.index(of: values, in: set) else { throw .nothing }
            target = (set, data.entities(set.name)[index])
        }
        switch operation.name {
        case "TopProducts":
            guard let set = ODataModel.set("Products"), case .integer(let count) = values["count"] else {
                throw .syntax("“count” is wanted")
            }
            let top = data.entities("Products").reversed().prefix(Int(clamping: max(0, count)))
            return try collection(set, Array(top), call, writer)
        case "Echo":
            return result(values["text"] ?? .null, .string, operation, writer)
        case "PriceAfter", "Discount":
            guard let (set, entity) = target, let price = entity.properties["Price"]?.number,
                let percent = values["percent"]?.number, let index = data.index(of: entity.properties, in: set)
            else { throw .syntax("“percent” is wanted") }
            guard (0...100).contains(percent) else {
                throw ODataFailure(400, "between 0 and 100, please", code: "LND/PERCENT", target: "percent")
            }
            let after = price - price * percent / 100
            if !operation.changes { return result(.decimal(after), .decimal, operation, writer) }
            data.change(set.name, at: index) { entity in
                entity.properties["Price"] = .decimal(after)
                entity.changes += 1
            }
            let changed = data.entities(set.name)[index]
            return ODataAnswer(
                200, writer.single(changed, set, ODataSelection()), type: writer.format.type(version, isFeed: false),
                fields: Self.tag(changed, set))
        default:
            data = ODataData()
            return ODataAnswer(204)
        }
    }

    private func result(
        _ value: ODataValue, _ type: ODataType, _ operation: ODataModel.Operation, _ writer: ODataWriter
    ) -> ODataAnswer {
        let text = writer.value(value, type, name: operation.name, context: type.name(version))
        let format = writer.format.kind == .atom ? "application/xml" : writer.format.type(version, isFeed: false)
        return ODataAnswer(200, text, type: format)
    }

    /// The arguments: in the query (V2), in parentheses with aliases, or in the body (V4).
    private func arguments(
        _ operation: ODataModel.Operation, _ text: String?, _ call: ODataRequest
    ) throws(ODataFailure) -> [String: ODataValue] {
        let parameters = version == .v2 ? ODataModel.parameters(of: operation) : operation.parameters
        var values: [String: ODataValue] = [:]
        if version == .v4, operation.changes {
            guard !parameters.isEmpty else { return [:] }
            let members = try ODataJSON.read(call.body).members ?? [:]
            for parameter in parameters {
                values[parameter.name] = members[parameter.name]?.value(parameter.type, version)
            }
        } else if version == .v4 {
            var text = text ?? ""
            for item in call.query where item.name.hasPrefix("@") {
                text = text.replacingOccurrences(of: "=\(item.name)", with: "=\(item.text)")
            }
            values = try ODataPath.named(text, version, single: nil)
        } else {
            for parameter in parameters {
                guard let text = call.option(parameter.name) else { continue }
                values.merge(try ODataPath.named("\(parameter.name)=\(text)", version, single: nil)) { $1 }
            }
        }
        for parameter in parameters where values[parameter.name] == nil {
            throw ODataFailure(400, "“\(parameter.name)” is wanted", code: "LND/PARAMETER", target: parameter.name)
        }
        return values
    }
}
