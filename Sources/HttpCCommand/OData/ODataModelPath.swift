import HttpConvFormats
import ODataOnline

/// The target of a path of the command line, according to the model.
struct ODataModelPath {
    /// The form of the answer.
    enum Form {
        /// Entities, or complex values.
        case rows
        /// A single entity.
        case entity
        /// Any other value: a primitive or complex one, a collection of primitive ones, the result of a function.
        case value
    }

    let form: Form

    /// The type of a part of the path.
    private struct Target {
        let type: String
        var isCollection: Bool
        let isResult: Bool

        init(_ type: String, isCollection: Bool, isResult: Bool = false) {
            (self.type, self.isCollection, self.isResult) = (type, isCollection, isResult)
        }

        init?(_ type: ODataModel.TypeReference?, isResult: Bool = false) {
            guard let type else { return nil }
            self.init(type.name, isCollection: type.isCollection, isResult: isResult)
        }
    }

    /// The target; nil if the model does not have it.
    init?(_ path: String, in model: ODataModel?) {
        guard let model else { return nil }
        var target: Target?
        for segment in LiteralPath.segments(path) {
            let name = String(segment.prefix { $0 != "(" })
            let next =
                if let target { Self.next(segment, name, behind: target, in: model) } else {
                    Self.first(name, in: model)
                }
            guard var next else { return nil }
            // The parentheses of a function are those of its call; a key may follow them.
            let hasKey = next.isResult ? segment.contains(")(") : segment.hasSuffix(")")
            if hasKey { next.isCollection = false }
            target = next
        }
        guard let target else { return nil }
        let type = target.type
        let isPrimitive =
            type.hasPrefix("Edm.") || model.enumerationTypes[type] != nil || model.typeDefinitions[type] != nil
        let isEntity = model.structuredType(type)?.isEntity ?? !isPrimitive
        form =
            if target.isCollection { isPrimitive ? .value : .rows } else {
                isEntity && !target.isResult ? .entity : .value
            }
    }

    private static func first(_ name: String, in model: ODataModel) -> Target? {
        if let set = model.sets[name] { return Target(set.type, isCollection: !set.isSingleton) }
        return Target(model.imports[name]?.returnType, isResult: true)
    }

    /// The target of a segment behind another one.
    private static func next(
        _ segment: String, _ name: String, behind before: Target, in model: ODataModel
    ) -> Target? {
        if let owner = model.structuredType(before.type) {
            let found =
                model.navigationProperties(of: owner).first { $0.name == name }?.type
                ?? model.properties(of: owner).first { $0.name == name }?.type
            if let found { return Target(found) }
        }
        if model.structuredType(name) != nil { return Target(name, isCollection: before.isCollection) }
        if let overloads = model.operations[name] {
            return Target(bound(overloads, to: before, in: model)?.returnType, isResult: true)
        }
        // A key may be a segment of its own (OData 4.01 URL Conventions §4.3.6).
        let isKey = before.isCollection && name == segment && !name.hasPrefix("$") && !name.contains(".")
        return isKey ? Target(before.type, isCollection: false) : nil
    }

    /// The overload that is bound to a value: the one for its own type, or else for its nearest base type.
    private static func bound(
        _ overloads: [ODataModel.Operation], to value: Target, in model: ODataModel
    ) -> ODataModel.Operation? {
        var type: String? = value.type
        // Types that derive from each other in a circle must not hang the command.
        for _ in 0..<32 {
            guard let name = type else { return nil }
            let found = overloads.first { overload in
                guard overload.isBound, let binding = overload.parameters.first?.type else { return false }
                return binding.name == name && binding.isCollection == value.isCollection
            }
            if let found { return found }
            type = model.structuredType(name)?.baseType
        }
        return nil
    }
}
