import HttpC
import ODataOnline

/// A model: for people as an outline, for programs as JSON.
enum ODataModelText {
    static func outline(_ model: ODataModel) -> String {
        var text = ""
        for set in model.sets.values.sorted(by: { $0.name < $1.name }) {
            guard let type = model.structuredType(set.type) else { continue }
            text +=
                "\(safe(set.name))\(set.isSingleton ? " (one)" : "")  \(safe(type.name))\(type.hasStream ? ", media" : "")\n"
            text += members(of: type, in: model) + "\n"
        }
        for type in model.structuredTypes.values.sorted(by: { $0.name < $1.name }) where !type.isEntity {
            text += "\(safe(type.name))\n" + members(of: type, in: model) + "\n"
        }
        for operation in model.imports.values.sorted(by: { $0.name < $1.name }) {
            text += "\(operation.isAction ? "action" : "function") \(safe(operation.name))\n"
        }
        for operation in model.operations.values.joined().sorted(by: { $0.name < $1.name }) where operation.isBound {
            text += "\(operation.isAction ? "action" : "function") \(safe(operation.name))\n"
        }
        return text
    }

    private static func members(of type: ODataModel.StructuredType, in model: ODataModel) -> String {
        let keys = model.key(of: type)
        var rows = model.properties(of: type).map { property in
            [
                "  " + safe(property.name), safe("\(property.type)"),
                (keys.contains(property.name) ? "key" : "") + (property.isNullable ? "" : " not null"),
                property.label.map(safe) ?? "",
            ]
        }
        rows += model.navigationProperties(of: type).map { ["  " + safe($0.name), "→ " + safe("\($0.type)")] }
        return TextTable.text(rows)
    }

    private static func safe(_ text: String) -> String { TerminalText.sanitise(text, limit: 100) }

    static func json(_ model: ODataModel) -> String {
        let sets = model.sets.values.sorted { $0.name < $1.name }.map { set in
            "{\"name\":\(quoted(set.name)),\"type\":\(quoted(set.type)),\"singleton\":\(set.isSingleton)}"
        }
        let types = model.structuredTypes.values.sorted { $0.name < $1.name }.map { type in
            let properties = model.properties(of: type).map { property in
                "{\"name\":\(quoted(property.name)),\"type\":\(quoted("\(property.type)")),"
                    + "\"nullable\":\(property.isNullable)"
                    + (property.label.map { ",\"label\":\(quoted($0))" } ?? "") + "}"
            }
            let navigations = model.navigationProperties(of: type).map {
                "{\"name\":\(quoted($0.name)),\"type\":\(quoted("\($0.type)"))}"
            }
            return "{\"name\":\(quoted(type.name)),\"entity\":\(type.isEntity),\"media\":\(type.hasStream),"
                + "\"key\":[\(model.key(of: type).map(quoted).joined(separator: ","))],"
                + "\"properties\":[\(properties.joined(separator: ","))],"
                + "\"navigation\":[\(navigations.joined(separator: ","))]}"
        }
        let version = model.version == .v2 ? "2.0" : "4.0"
        return "{\"version\":\"\(version)\",\"sets\":[\(sets.joined(separator: ","))],"
            + "\"types\":[\(types.joined(separator: ","))]}\n"
    }

    private static func quoted(_ text: String) -> String { ODataText.quoted(text) }
}
