import HttpConvFormats

/// The names and roles of a row's members. They are learned from one row and reused for the next ones, which mostly
/// have the same members in the same order.
final class RowShape {
    enum Role {
        case property(EdmKind)
        /// `@odata.etag`: the name without its prefix.
        case annotation(Substring)
        /// `Items@odata.nextLink`
        case propertyAnnotation
        /// `__metadata` (2.0)
        case metadata
    }

    struct Member {
        let name: String
        let role: Role
    }

    private let model: ODataModel?
    private let type: ODataModel.StructuredType?
    private(set) var members: [Member] = []
    private(set) var names: [String] = []
    private(set) var positions: [String: Int] = [:]
    private var nested: [String: RowShape] = [:]

    init(_ type: String?, in model: ODataModel?) {
        self.model = model
        self.type = type.flatMap { model?.structuredType($0) }
    }

    /// Whether an object has exactly these members in this order.
    func fits(_ document: JSONDocument, _ object: Int) -> Bool {
        var index = object + 1
        let end = Int(document.tokens[object].next)
        for member in members {
            guard index < end, document.isText(index, member.name) else { return false }
            index = Int(document.tokens[index + 1].next)
        }
        return index == end
    }

    /// Learns the members of an object.
    func learn(_ object: JSONElement) throws(FormatFailure) {
        members = []
        names = []
        positions = [:]
        var seen: Set<String> = []
        for (name, value) in try object.members() {
            guard seen.insert(name).inserted else { throw FormatFailure("a row has a property twice") }
            let role = role(of: name, value)
            if case .property = role {
                positions[name] = names.count
                names.append(name)
            }
            members.append(Member(name: name, role: role))
        }
    }

    private func role(of name: String, _ value: JSONElement) -> Role {
        if name == "__metadata" { return value.kind == .object ? .metadata : .property(.unknown) }
        guard let at = name.utf8.firstIndex(of: UInt8(ascii: "@")) else {
            return name.hasPrefix("odata.") ? .annotation(name.dropFirst(6)) : .property(kind(of: name))
        }
        guard at == name.startIndex else { return .propertyAnnotation }
        let rest = name.dropFirst()
        return .annotation(rest.hasPrefix("odata.") ? rest.dropFirst(6) : rest)
    }

    private func kind(of name: String) -> EdmKind {
        guard let model, let type, let found = model.typeName(of: name, in: type) else { return .unknown }
        return model.kind(of: found)
    }

    /// The shape of a property's value.
    func shape(of property: String, _ kind: EdmKind) -> RowShape {
        if let found = nested[property] { return found }
        var type: String?
        if case .structured(let name) = kind { type = name }
        let shape = RowShape(type, in: model)
        nested[property] = shape
        return shape
    }
}
