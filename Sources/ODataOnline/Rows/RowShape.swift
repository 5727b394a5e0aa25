import HttpConvFormats

/// The names and roles of a row's members. They are learned from one row and reused for the next ones, which mostly
/// have the same members in the same order.
final class RowShape {
    enum Role {
        case property(EdmKind)
        /// `@odata.etag`: the name without its prefix.
        case annotation(Substring)
        /// `Items@odata.nextLink`, also if the service leaves out the prefix (4.01)
        case propertyAnnotation(String)
        /// `__metadata` (2.0)
        case metadata
    }

    struct Member {
        let name: String
        let role: Role
    }

    /// The memory that names have taken since the shapes of complex values were last removed: a rough estimate.
    private final class LearnedSize { var bytes = 0 }

    /// A service may send ever new names. They are learned anew after this many bytes.
    private static let sizeLimit = 1 << 20
    /// A name is kept three times, with its role and its position.
    private static let bytesPerName = 256

    private let model: ODataModel?
    private let type: ODataModel.StructuredType?
    /// Shared with the shapes of complex values.
    private let learned: LearnedSize
    private(set) var members: [Member] = []
    private(set) var names: [String] = []
    private(set) var positions: [String: Int] = [:]
    private var nested: [String: RowShape] = [:]
    /// The shapes of rows of derived types, by their types.
    private var derived: [String: RowShape] = [:]

    /// The shape of a whole row.
    convenience init(_ type: String?, in model: ODataModel?) { self.init(type, in: model, LearnedSize()) }

    private init(_ type: String?, in model: ODataModel?, _ learned: LearnedSize) {
        self.model = model
        self.type = type.flatMap { model?.structuredType($0) }
        self.learned = learned
    }

    /// Removes the shapes of complex values if they may take much memory. Called between rows, on the shape of a whole
    /// row.
    func limitSize() {
        guard learned.bytes > Self.sizeLimit else { return }
        nested = [:]
        derived = [:]
        learned.bytes = 0
    }

    /// The shape for an object, which may be of a type derived from the declared one (`@odata.type`, `__metadata`).
    func shape(for object: JSONElement) -> RowShape {
        guard let model, let type, model.hasDerivedTypes(type) else { return self }
        let stated = object["@odata.type"] ?? object["@type"] ?? object["__metadata"]?["type"]
        let own = model.type(stated: stated?.text.map(ODataAnnotations.typeName), declared: type)
        guard own.name != type.name else { return self }
        if let found = derived[own.name] { return found }
        let shape = RowShape(own.name, in: model, learned)
        derived[own.name] = shape
        return shape
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
            learned.bytes += Self.bytesPerName + name.utf8.count
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
        guard at == name.startIndex else {
            let term = name[name.index(after: at)...]
            // Names of other annotations have a dot.
            return .propertyAnnotation(term.contains(".") ? name : "\(name[...at])odata.\(term)")
        }
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
        let shape = RowShape(type, in: model, learned)
        nested[property] = shape
        return shape
    }
}
