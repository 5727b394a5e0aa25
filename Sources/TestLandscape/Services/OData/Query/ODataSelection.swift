/// The visible part of an entity or a collection: `$select`, `$expand`, and the options in its parentheses.
struct ODataSelection: Sendable {
    /// The selected properties; nil: all.
    var selected: Set<String>?
    var expanded: [String: ODataSelection] = [:]
    var filter: ODataExpression?
    var order: [(expression: ODataExpression, isDescending: Bool)] = []
    var skip: Int?
    var top: Int?

    func shows(_ name: String) -> Bool { selected?.contains(name) ?? true }

    /// The selection in a context URL of V4.
    var context: String { selected.map { "(" + $0.sorted().joined(separator: ",") + ")" } ?? "" }

    /// The filtered entities in order. Invalid expressions were refused before.
    func apply(to entities: [ODataEntity], _ set: ODataModel.EntitySet, _ data: ODataData) -> [ODataEntity] {
        let sorted = (try? sorted(try filtered(entities, set, data), set, data)) ?? []
        let rest = sorted.dropFirst(skip ?? 0)
        return Array(rest.prefix(top ?? rest.count))
    }

    func filtered(
        _ entities: [ODataEntity], _ set: ODataModel.EntitySet, _ data: ODataData
    ) throws(ODataFailure) -> [ODataEntity] {
        guard let filter else { return entities }
        var result: [ODataEntity] = []
        for entity in entities where try ODataEvaluator(data: data, set: set, entity: entity).isTrue(filter) {
            result.append(entity)
        }
        return result
    }

    func sorted(
        _ entities: [ODataEntity], _ set: ODataModel.EntitySet, _ data: ODataData
    ) throws(ODataFailure) -> [ODataEntity] {
        guard !order.isEmpty else { return entities }
        var keyed: [(values: [ODataValue], entity: ODataEntity)] = []
        for entity in entities {
            let evaluator = ODataEvaluator(data: data, set: set, entity: entity)
            var values: [ODataValue] = []
            for item in order { values.append(try evaluator.value(item.expression)) }
            keyed.append((values, entity))
        }
        var failure: ODataFailure?
        keyed.sort { one, other in
            for (index, item) in order.enumerated() {
                do throws(ODataFailure) {
                    let result = try ODataFunctions.compare(one.values[index], other.values[index])
                    if result != 0 { return (result < 0) != item.isDescending }
                } catch {
                    failure = error
                }
            }
            return false
        }
        if let failure { throw failure }
        return keyed.map(\.entity)
    }
}
