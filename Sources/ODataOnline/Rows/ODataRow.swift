/// A row of which nobody knows beforehand what is in it: an entity, or a value of a complex type.
///
/// ```swift
/// let row: ODataRow = ["Name": "Tea", "Price": .decimal(2.5)]
/// row["Name"]?.string
/// ```
/// Properties are in the order in which the service has them. What values are is known where the store knows the model
/// (``ODataStore/open(at:with:options:)``); where it does not, they are as JSON has them, and ``ODataValue/decimal``,
/// ``ODataValue/dateTime`` and so on read them out of texts.
public struct ODataRow: Sendable {
    /// The names of the properties. Rows of a page share them.
    public private(set) var names: [String]
    /// The values of the properties, in the order of their names.
    public private(set) var values: [ODataValue]
    /// Where each name is. Rows of a page share it, like the names.
    private var positions: [String: Int]
    private let noted: Noted?

    private final class Noted: Sendable {
        let annotations: ODataAnnotations
        init(_ annotations: ODataAnnotations) { self.annotations = annotations }
    }

    /// A row without anything.
    public init() { self.init(names: [], positions: [:], values: [], annotations: nil) }

    init(names: [String], positions: [String: Int], values: [ODataValue], annotations: ODataAnnotations?) {
        self.names = names
        self.positions = positions
        self.values = values
        noted = annotations.map { Noted($0) }
    }

    /// What the service says about the entity.
    public var annotations: ODataAnnotations { noted?.annotations ?? ODataAnnotations() }
    /// The version of the entity, for `If-Match`.
    public var etag: String? { noted?.annotations.etag }
    /// Where the entity is, by what the service says; nil where it does not say.
    public var path: ODataPath? {
        (noted?.annotations.editLink ?? noted?.annotations.id).map { ODataPath(link: $0) }
    }

    /// The value of a property; nil where the row has no such property. Setting nil takes it away.
    public subscript(name: String) -> ODataValue? {
        get { positions[name].map { values[$0] } }
        set {
            switch (positions[name], newValue) {
            case (let index?, let value?): values[index] = value
            case (let index?, nil):
                names.remove(at: index)
                values.remove(at: index)
                positions[name] = nil
                for later in index..<names.count { positions[names[later]] = later }
            case (nil, let value?):
                positions[name] = names.count
                names.append(name)
                values.append(value)
            case (nil, nil): break
            }
        }
    }
}

extension ODataRow: Hashable {
    public static func == (left: ODataRow, right: ODataRow) -> Bool {
        left.names == right.names && left.values == right.values && left.annotations == right.annotations
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(names)
        hasher.combine(values)
    }
}

extension ODataRow: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, ODataValue)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}
