import HttpC
import HttpCTerminal
import ODataOnline

/// A model as text: an outline for people, JSON for programs.
///
/// Derived types also list the members of their base types, so a short document can have a long text. It is written in
/// pieces, and refused if it exceeds the limit (security rule S24).
struct ODataModelText {
    private static let maximumBytes = 32 << 20
    private static let pieceSize = 16 << 10

    private let model: ODataModel
    private let isJSON: Bool
    private typealias Output = (String) throws -> Void

    init(_ model: ODataModel, asJSON isJSON: Bool) {
        self.model = model
        self.isJSON = isJSON
    }

    /// Writes the text in pieces, once its length is known to be within the limit.
    func write(_ output: ([UInt8]) throws -> Void) throws {
        var length = 0
        try pieces { piece in
            length += piece.utf8.count
            guard length <= Self.maximumBytes else {
                throw CommandFailure(
                    .tooLarge,
                    "The text of the service's metadata is longer than \(Self.maximumBytes >> 20) MiB, because many types derive from large ones. Nothing was printed. Ask for one set, such as httpc odata URL PATH --top 1."
                )
            }
        }
        var pending: [UInt8] = []
        try pieces { piece in
            pending += piece.utf8
            guard pending.count >= Self.pieceSize else { return }
            try output(pending)
            pending.removeAll(keepingCapacity: true)
        }
        try output(pending)
    }

    private func pieces(_ output: Output) throws { try isJSON ? json(output) : outline(output) }

    // MARK: For people

    private func outline(_ output: Output) throws {
        for set in model.sets.values.sorted(by: { $0.name < $1.name }) {
            guard let type = model.structuredType(set.type) else { continue }
            try output(
                "\(safe(set.name))\(set.isSingleton ? " (one)" : "")  \(safe(type.name))\(type.hasStream ? ", media" : "")\n"
            )
            try output(members(of: type) + "\n")
        }
        for type in model.structuredTypes.values.sorted(by: { $0.name < $1.name }) where !type.isEntity {
            try output("\(safe(type.name))\n" + members(of: type) + "\n")
        }
        for operation in model.imports.values.sorted(by: { $0.name < $1.name }) {
            try output("\(operation.isAction ? "action" : "function") \(safe(operation.name))\n")
        }
        for operation in model.operations.values.joined().sorted(by: { $0.name < $1.name }) where operation.isBound {
            try output("\(operation.isAction ? "action" : "function") \(safe(operation.name))\n")
        }
    }

    private func members(of type: ODataModel.StructuredType) -> String {
        let keys = Set(model.key(of: type))
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

    private func safe(_ text: String) -> String { TerminalText.sanitise(text, limit: 100) }

    // MARK: For programs

    private func json(_ output: Output) throws {
        try output("{\"version\":\"\(model.version == .v2 ? "2.0" : "4.0")\",\"sets\":[")
        try list(model.sets.values.sorted { $0.name < $1.name }, output) { set in
            try output(
                "{\"name\":\(quoted(set.name)),\"type\":\(quoted(set.type)),\"singleton\":\(set.isSingleton)}")
        }
        try output("],\"types\":[")
        try list(model.structuredTypes.values.sorted { $0.name < $1.name }, output) { type in
            try output(
                "{\"name\":\(quoted(type.name)),\"entity\":\(type.isEntity),\"media\":\(type.hasStream),"
                    + "\"key\":[\(model.key(of: type).map(quoted).joined(separator: ","))],\"properties\":[")
            try list(model.properties(of: type), output) { property in
                try output(
                    "{\"name\":\(quoted(property.name)),\"type\":\(quoted("\(property.type)")),"
                        + "\"nullable\":\(property.isNullable)"
                        + (property.label.map { ",\"label\":\(quoted($0))" } ?? "") + "}")
            }
            try output("],\"navigation\":[")
            try list(model.navigationProperties(of: type), output) {
                try output("{\"name\":\(quoted($0.name)),\"type\":\(quoted("\($0.type)"))}")
            }
            try output("]}")
        }
        try output("]}\n")
    }

    private func list<Item>(_ items: [Item], _ output: Output, _ write: (Item) throws -> Void) throws {
        for (index, item) in items.enumerated() {
            if index > 0 { try output(",") }
            try write(item)
        }
    }

    private func quoted(_ text: String) -> String { TerminalJSON.quoted(text) }
}
