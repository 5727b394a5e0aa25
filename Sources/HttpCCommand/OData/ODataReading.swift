import HttpC
import HttpCTerminal
import HttpConvFormats
import ODataOnline

/// Reads rows, or a single one, and prints them as they arrive.
struct ODataReading: Sendable {
    let store: ODataStore
    /// The path below the service, percent-encoded where needed.
    let path: String
    /// The query, percent-encoded.
    let query: String
    let followsPages: Bool

    func print(asTable: Bool) async throws {
        if let set = counted {
            let count = try await store.count(query(for: set))
            return try StandardOutput.write(Array("\(count)\n".utf8))
        }
        var printer = ODataRowPrinter(asTable: asTable, store.version)
        let query = query(for: path)
        do {
            switch form {
            case .entity: try printer.print(try await store.row(query))
            case .value:
                switch try await store.value(query.path) {
                case .complex(let row): try printer.print(row)
                case let value: try printer.print(value)
                }
            case .rows where followsPages:
                for try await row in store.rows(query) { try printer.print(row) }
            case .rows:
                for row in try await store.page(query).rows { try printer.print(row) }
            }
        } catch {
            // Rows that have arrived are still printed.
            try? printer.finish()
            throw error
        }
        try printer.finish()
    }

    private func query(for path: String) -> ODataQuery {
        ODataQuery(ODataPath(link: ODataPathText.adding(query, to: path)))
    }

    /// The path of the rows that are to be counted (`Rows/$count`); nil if rows are read.
    private var counted: String? {
        let (name, count) = (path.prefix { $0 != "?" }, "/$count")
        return name.hasSuffix(count) ? String(name.dropLast(count.count) + path.dropFirst(name.count)) : nil
    }

    /// The form of the answer. A path that the model does not have leads to an entity if it ends in a key.
    private var form: ODataModelPath.Form {
        if let known = ODataModelPath(path, in: store.model) { return known.form }
        let last = LiteralPath.segments(path).last ?? ""
        let name = String(last.prefix { $0 != "(" })
        let isFunction = store.model?.imports[name] != nil || name.contains(".")
        return last.hasSuffix(")") && !isFunction ? .entity : .rows
    }
}
