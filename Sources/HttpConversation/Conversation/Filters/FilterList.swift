/// Filters or observers of one kind, in order of addition, each under an id.
///
/// `Configuration.add` adds a filter with several roles to all its lists at once.
public struct FilterList<Element: Sendable>: Sendable {
    /// A class, because loops run before each request, and copying an element costs more than asking most of them.
    final class Entry: Sendable {
        let id: String
        let owner: ConfiguratorID?
        let element: Element

        init(id: String, owner: ConfiguratorID?, element: Element) {
            self.id = id
            self.owner = owner
            self.element = element
        }
    }

    private(set) var entries: [Entry] = []

    /// An empty list.
    public init() {}

    /// The elements in order.
    public var elements: [Element] { entries.map(\.element) }
    /// The ids in order. Elements that were added without one have an id made from their types' names.
    public var ids: [String] { entries.map(\.id) }
    /// Whether the list is empty.
    public var isEmpty: Bool { entries.isEmpty }

    /// Adds an element at the end. It replaces an element with the same id and configurator in its place, so that
    /// configuring twice has no further effect. Without an id nothing is replaced.
    ///
    /// - Parameters:
    ///   - element: the element
    ///   - id: the element's id, for replacing or removing it
    ///   - owner: the configurator that adds it; another one's element with the same id stays
    public mutating func add(_ element: Element, id: String? = nil, of owner: ConfiguratorID? = nil) {
        let id = id ?? FilterID.free(for: element, among: ids)
        if let index = entries.firstIndex(where: { $0.id == id && $0.owner == owner }) {
            entries[index] = Entry(id: id, owner: owner, element: element)
        } else {
            entries.append(Entry(id: id, owner: owner, element: element))
        }
    }

    /// Removes the elements with this id, of any configurator.
    ///
    /// - Returns: whether there were any
    @discardableResult
    public mutating func remove(id: String) -> Bool { removeEntries { $0.id == id } }

    /// Removes the elements that were added as this value.
    mutating func remove(_ added: AddedValue) -> Bool { removeEntries { added.isSame(as: $0.element) } }

    mutating func remove(id: String, of owner: ConfiguratorID?) { removeEntries { $0.id == id && $0.owner == owner } }

    @discardableResult
    private mutating func removeEntries(_ isMeant: (Entry) -> Bool) -> Bool {
        let count = entries.count
        entries.removeAll(where: isMeant)
        return entries.count < count
    }

    /// Maps the elements, keeping their ids; nil removes one.
    ///
    /// - Parameter others: only elements whose id and owner are in it are changed; nil: all are changed
    func mapping(thoseOf others: FilterList? = nil, _ change: (Element) -> Element?) -> FilterList {
        guard !isEmpty else { return self }
        var copy = self
        copy.entries = entries.compactMap { entry in
            if let others, !others.entries.contains(where: { $0.id == entry.id && $0.owner == entry.owner }) {
                return entry
            }
            return change(entry.element).map { Entry(id: entry.id, owner: entry.owner, element: $0) }
        }
        return copy
    }

    /// The elements of a type, in order.
    public func all<Kind>(of type: Kind.Type) -> [Kind] { entries.compactMap { $0.element as? Kind } }
}
