/// Writes a selection as query options.
struct SelectionWriter {
    let version: ODataVersion

    /// The options, before percent-encoding.
    func options(_ selection: ODataSelection) throws(ODataError) -> [(name: String, value: String)] {
        var options: [(String, String)] = []
        if let filter = selection.filter {
            var writer = ExpressionWriter(version)
            options.append(("$filter", try writer.text(filter)))
        }
        let selected = try selects(selection)
        if !selected.isEmpty { options.append(("$select", selected.joined(separator: ","))) }
        let expanded = version == .v2 ? try paths(selection.expanded) : try nested(selection.expanded)
        if !expanded.isEmpty { options.append(("$expand", expanded.joined(separator: ","))) }
        if !selection.orders.isEmpty { options.append(("$orderby", try orders(selection.orders))) }
        for (name, number) in [("$top", selection.top), ("$skip", selection.skip)] {
            guard let number else { continue }
            guard number >= 0 else { throw ODataError(.invalidRequest, "\(name) is less than zero.") }
            options.append((name, "\(number)"))
        }
        if selection.isCounted {
            options.append(version == .v2 ? ("$inlinecount", "allpages") : ("$count", "true"))
        }
        if let search = selection.search {
            guard version == .v4 else { throw ODataError(.invalidRequest, "OData 2.0 knows no $search: use a filter.") }
            // A phrase in quotes contains no operators.
            let phrase = search.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            options.append(("$search", "\"\(phrase)\""))
        }
        return options
    }

    /// The options as the query of an address.
    func query(_ selection: ODataSelection) throws(ODataError) -> String {
        try options(selection).map { "\($0.name)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
    }

    private func orders(_ orders: [ODataOrder]) throws(ODataError) -> String {
        var texts: [String] = []
        for order in orders {
            var writer = ExpressionWriter(version)
            texts.append(try writer.text(order.expression) + (order.isDescending ? " desc" : ""))
        }
        return texts.joined(separator: ",")
    }

    private func selects(_ selection: ODataSelection) throws(ODataError) -> [String] {
        for name in selection.selected where name != "*" { try ODataName.check(path: name) }
        guard version == .v2 else { return selection.selected }
        // OData 2.0 selects expanded properties by their paths, and an expanded property must be selected, too.
        var result = selection.selected
        for expand in selection.expanded {
            let inner = try selects(expand.selection)
            if inner.isEmpty, !selection.selected.isEmpty { result.append(expand.name) }
            if !inner.isEmpty, selection.selected.isEmpty { result.append("*") }
            result += inner.map { "\(expand.name)/\($0)" }
        }
        var seen: Set<String> = []
        return result.filter { seen.insert($0).inserted }
    }

    /// `Items,Items/Product` (2.0).
    private func paths(_ expanded: [ODataExpand]) throws(ODataError) -> [String] {
        var result: [String] = []
        for expand in expanded {
            try ODataName.check(path: expand.name)
            let inner = expand.selection
            guard inner.filter == nil, inner.orders.isEmpty, inner.top == nil, inner.skip == nil, !inner.isCounted,
                inner.search == nil
            else {
                throw ODataError(
                    .invalidRequest,
                    "OData 2.0 expands \(expand.name) as a whole: ask for its entities by themselves to filter, order or "
                        + "count them.")
            }
            let below = try paths(inner.expanded)
            result += below.isEmpty ? [expand.name] : below.map { "\(expand.name)/\($0)" }
        }
        return result
    }

    /// `Items($select=Price;$expand=Product)` (4.0).
    private func nested(_ expanded: [ODataExpand]) throws(ODataError) -> [String] {
        var result: [String] = []
        for expand in expanded {
            try ODataName.check(path: expand.name)
            let inner = try options(expand.selection).map { "\($0.name)=\($0.value)" }.joined(separator: ";")
            result.append(inner.isEmpty ? expand.name : "\(expand.name)(\(inner))")
        }
        return result
    }
}
