import ODataOnline

/// The target of a path of the command line, according to the model.
struct ODataModelPath {
    /// Whether the target is a collection.
    let isCollection: Bool

    /// The target; nil if the model does not have it.
    init?(_ path: String, in model: ODataModel?) {
        var type: String?
        var isCollection = false
        for segment in path.prefix(while: { $0 != "?" }).split(separator: "/") {
            let name = String(segment.prefix { $0 != "(" })
            if let before = type {
                guard let owner = model?.structuredType(before) else { return nil }
                let found =
                    model?.navigationProperties(of: owner).first { $0.name == name }?.type
                    ?? model?.properties(of: owner).first { $0.name == name }?.type
                guard let found else { return nil }
                (type, isCollection) = (found.name, found.isCollection)
            } else if let set = model?.sets[name] {
                (type, isCollection) = (set.type, !set.isSingleton)
            } else {
                return nil
            }
            if segment.hasSuffix(")") { isCollection = false }
        }
        guard type != nil else { return nil }
        self.isCollection = isCollection
    }
}
