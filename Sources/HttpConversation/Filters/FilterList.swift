/// Filters or observers of one kind, in order of addition, each under an id.
public struct FilterList<Element: Sendable>: Sendable {
    /// No tuple: in the loops before each request, copying one costs several times as much.
    struct Entry: Sendable {
        let id: String
        var element: Element
    }

    private(set) var entries: [Entry] = []

    /// An empty list.
    public init() {}

    /// The elements in order.
    public var elements: [Element] { entries.map(\.element) }
    /// The ids in order.
    public var ids: [String] { entries.map(\.id) }
    /// Whether there is nothing to run.
    public var isEmpty: Bool { entries.isEmpty }

    /// Adds an element at the end; one with the same id is replaced in its place, so that adding twice is harmless.
    ///
    /// - Parameter id: the type's name where left out
    public mutating func add(_ element: Element, id: String? = nil) {
        // As Any, or the id would be the protocol's name: Element itself is an existential type.
        let id = id ?? String(reflecting: type(of: element as Any))
        if let index = entries.firstIndex(where: { $0.id == id }) {
            entries[index].element = element
        } else {
            entries.append(Entry(id: id, element: element))
        }
    }

    /// Removes the element with this id.
    ///
    /// - Returns: whether there was one
    @discardableResult
    public mutating func remove(id: String) -> Bool {
        let count = entries.count
        entries.removeAll { $0.id == id }
        return entries.count < count
    }

    /// The elements of a type, in order.
    public func all<Kind>(of type: Kind.Type) -> [Kind] { entries.compactMap { $0.element as? Kind } }
}
