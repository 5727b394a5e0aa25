/// The options of a query. Unknown options that begin with `$` are refused.
struct ODataQuery: Sendable {
    var shape: ODataSelection
    var counts = false
    /// The number of entities before this page.
    var token = 0
    /// The page size of `?page=` or `odata.maxpagesize`.
    var pageSize: Int?
    /// The number of generated rows of `?rows=`.
    var rows = 1000

    private static let known: Set<String> = [
        "$filter", "$select", "$expand", "$orderby", "$top", "$skip", "$count", "$inlinecount", "$skiptoken", "$format",
        "$search",
    ]

    init(_ items: [QueryItem], set: ODataModel.EntitySet?, _ version: ODataVersion, preference: String?)
        throws(ODataFailure)
    {
        var options: [String: String] = [:]
        for item in items {
            if item.name.hasPrefix("$"), !Self.known.contains(item.name) {
                throw ODataFailure(400, "there is no option “\(item.name)”")
            }
            guard options.updateValue(item.text, forKey: item.name) == nil || !item.name.hasPrefix("$") else {
                throw ODataFailure(400, "“\(item.name)” is there twice")
            }
        }
        shape = try Self.shape(options, set, version)
        counts = options["$count"] == "true" || options["$inlinecount"] == "allpages"
        token = try Self.number(options["$skiptoken"], "$skiptoken") ?? 0
        rows = min(try Self.number(options["rows"], "rows") ?? 1000, 1_000_000)
        pageSize = try Self.number(options["page"], "page")
        if pageSize == nil, let preference, let match = preference.firstMatch(of: /odata\.maxpagesize=(\d{1,6})/) {
            pageSize = Int(match.1)
        }
    }

    private static func number(_ text: String?, _ name: String) throws(ODataFailure) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), number >= 0 else { throw .syntax("“\(name)” wants a number") }
        return number
    }

    private static func shape(
        _ options: [String: String], _ set: ODataModel.EntitySet?, _ version: ODataVersion
    ) throws(ODataFailure) -> ODataSelection {
        var shape = ODataSelection()
        if let text = options["$filter"] { shape.filter = try .parse(text, version) }
        for part in split(options["$orderby"] ?? "", at: ",") {
            let words = part.split(separator: " ").map(String.init)
            let isDescending = words.last == "desc"
            let rest =
                words.count > 1 && (isDescending || words.last == "asc")
                ? words.dropLast().joined(separator: " ") : part
            shape.order.append((try .parse(rest, version), isDescending))
        }
        shape.skip = try number(options["$skip"], "$skip")
        shape.top = try number(options["$top"], "$top")
        for part in split(options["$expand"] ?? "", at: ",") { try expand(part, &shape, set, version) }
        if let text = options["$select"] { try select(text, &shape, set) }
        return shape
    }

    private static func select(
        _ text: String, _ shape: inout ODataSelection, _ set: ODataModel.EntitySet?
    ) throws(ODataFailure) {
        let names = split(text, at: ",")
        guard !names.contains("*") else { return }
        var own: Set<String> = []
        for name in names {
            let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
            guard let first = parts.first, let set else { throw .syntax("nothing to select from") }
            if parts.count > 1, shape.expanded[first] != nil {
                let target = set.navigation(first).flatMap { ODataModel.set($0.target) }
                var inner = shape.expanded[first] ?? ODataSelection()
                var selected = inner.selected ?? []
                try select(parts[1], &inner, target)
                selected.formUnion(inner.selected ?? [])
                inner.selected = selected
                shape.expanded[first] = inner
                continue
            }
            guard set.property(first) != nil || set.navigation(first) != nil else {
                throw .unknownProperty(first, of: set)
            }
            own.insert(first)
        }
        shape.selected = own
    }

    private static func expand(
        _ text: String, _ shape: inout ODataSelection, _ set: ODataModel.EntitySet?, _ version: ODataVersion,
        depth: Int = 0
    ) throws(ODataFailure) {
        guard depth < 10 else { throw .syntax("expanded too deep") }
        let open = version == .v4 ? text.firstIndex(of: "(") : nil
        let path = text[..<(open ?? text.endIndex)].split(separator: "/", maxSplits: 1).map(String.init)
        guard let name = path.first, let set, let target = set.navigation(name).flatMap({ ODataModel.set($0.target) })
        else { throw .syntax("“\(text)” cannot be expanded") }
        var inner = shape.expanded[name] ?? ODataSelection()
        if let open {
            guard text.last == ")" else { throw .syntax("“\(text)” has no end") }
            var options: [String: String] = [:]
            for option in split(String(text[text.index(after: open)...].dropLast()), at: ";") {
                let pair = option.split(separator: "=", maxSplits: 1).map(String.init)
                guard pair.count == 2 else { throw .syntax("“\(option)” is no option") }
                options[pair[0]] = pair[1]
            }
            inner = try self.shape(options, target, version)
        } else if path.count > 1 {
            try expand(path[1], &inner, target, version, depth: depth + 1)
        }
        shape.expanded[name] = inner
    }

    /// Splits at a sign outside of quotes and parentheses.
    private static func split(_ text: String, at sign: Unicode.Scalar) -> [String] {
        var parts = [String.UnicodeScalarView()]
        var depth = 0
        var isQuoted = false
        for scalar in text.unicodeScalars {
            if scalar == "'" { isQuoted.toggle() }
            if !isQuoted { depth += scalar == "(" ? 1 : scalar == ")" ? -1 : 0 }
            if scalar == sign, depth == 0, !isQuoted {
                parts.append(.init())
            } else {
                parts[parts.count - 1].append(scalar)
            }
        }
        return parts.map { String($0).trimmingPrefix(" ") }.map(String.init).filter { !$0.isEmpty }
    }
}
