import HttpC
import HttpCTerminal
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
        var printer = ODataRowPrinter(asTable: asTable)
        let query = query(for: path)
        do {
            if isOne {
                try printer.print(try await store.row(query))
            } else if followsPages {
                for try await row in store.rows(query) { try printer.print(row) }
            } else {
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
        let link = query.isEmpty ? path : path + (path.contains("?") ? "&" : "?") + query
        return ODataQuery(ODataPath(link: link))
    }

    /// The path of the rows that are to be counted (`Rows/$count`); nil if rows are read.
    private var counted: String? {
        let (name, count) = (path.prefix { $0 != "?" }, "/$count")
        return name.hasSuffix(count) ? String(name.dropLast(count.count) + path.dropFirst(name.count)) : nil
    }

    /// Whether the path ends in a key or leads to a single entity.
    private var isOne: Bool {
        let name = path.prefix { $0 != "?" }
        if name.hasSuffix(")") { return !isFunction(name) }
        return ODataModelPath(path, in: store.model)?.isCollection == false
    }

    private func isFunction(_ name: Substring) -> Bool {
        let last = name.split(separator: "/").last?.prefix { $0 != "(" } ?? ""
        return store.model?.imports[String(last)] != nil || last.contains(".")
    }
}
