import Foundation

/// Computes expressions for one entity.
struct ODataEvaluator {
    let data: ODataData
    let set: ODataModel.EntitySet
    let entity: ODataEntity
    var variables: [String: (set: ODataModel.EntitySet, entity: ODataEntity)] = [:]

    func isTrue(_ expression: ODataExpression) throws(ODataFailure) -> Bool {
        switch try value(expression) {
        case .flag(let flag): flag
        case .null: false
        default: throw .syntax("the condition is neither true nor false")
        }
    }

    func value(_ expression: ODataExpression) throws(ODataFailure) -> ODataValue {
        switch expression {
        case .literal(let value): return value
        case .path(let names): return try value(at: names)
        case .not(let inner): return .flag(!(try isTrue(inner)))
        case .negated(let inner):
            guard let number = try value(inner).number else { throw .syntax("only numbers can be negative") }
            return .decimal(-number)
        case .call(let name, let arguments):
            var values: [ODataValue] = []
            for argument in arguments { values.append(try value(argument)) }
            return try ODataFunctions.call(name, values)
        case .binary("and", let left, let right): return .flag(try isTrue(left) ? try isTrue(right) : false)
        case .binary("or", let left, let right): return .flag(try isTrue(left) ? true : try isTrue(right))
        case .binary(let name, let left, let right):
            return try ODataFunctions.binary(name, try value(left), try value(right))
        case .lambda(let names, let isAll, let variable, let body):
            return try .flag(lambda(names, isAll: isAll, variable, body))
        }
    }

    /// The start of a path: a variable or the entity.
    private func start(_ names: [String]) -> (ODataModel.EntitySet, ODataEntity, ArraySlice<String>) {
        if let first = names.first, let found = variables[first] { return (found.set, found.entity, names.dropFirst()) }
        return (set, entity, names[...])
    }

    private func value(at names: [String]) throws(ODataFailure) -> ODataValue {
        var (set, entity, rest) = start(names)
        while let name = rest.popFirst() {
            if let navigation = set.navigation(name) {
                let related = data.related(entity, navigation)
                if rest.first == "$count" { return .integer(Int64(related.count)) }
                guard !navigation.isMany, let target = ODataModel.set(navigation.target) else {
                    throw .syntax("\(name) is a collection")
                }
                guard let one = related.first else { return .null }
                (set, entity) = (target, one)
                continue
            }
            guard set.property(name) != nil else { throw .unknownProperty(name, of: set) }
            let value = entity.properties[name] ?? .null
            guard let member = rest.popFirst() else { return value }
            guard case .complex(let members) = value, let inner = members[member], rest.isEmpty else {
                throw .unknownProperty("\(name)/\(member)", of: set)
            }
            return inner
        }
        throw .syntax("an entity is no value")
    }

    private func lambda(
        _ names: [String], isAll: Bool, _ variable: String, _ body: ODataExpression?
    ) throws(ODataFailure) -> Bool {
        let (set, entity, rest) = start(names)
        guard rest.count == 1, let navigation = rest.first.flatMap(set.navigation), navigation.isMany,
            let target = ODataModel.set(navigation.target)
        else { throw .syntax("\(names.joined(separator: "/")) is no collection") }
        let related = data.related(entity, navigation)
        guard let body else { return !related.isEmpty }
        for one in related {
            var inner = self
            inner.variables[variable] = (target, one)
            if try inner.isTrue(body) != isAll { return !isAll }
        }
        return isAll
    }
}
