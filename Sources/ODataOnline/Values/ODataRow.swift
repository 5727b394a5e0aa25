/// A row with properties that are unknown at compile time: an entity, or a value of a complex type.
///
/// ```swift
/// let row: ODataRow = ["Name": "Tea", "Price": .decimal(2.5)]
/// row["Name"]?.string
/// ```
/// Properties keep the service's order. Values have their types if the store knows the model
/// (``ODataStore/open(at:with:configuration:)``). Without it they have the types of JSON, and ``ODataValue/decimal``,
/// ``ODataValue/dateTime`` and so on read them from texts.
public struct ODataRow: Sendable {
    /// The names of the properties. The rows of a page share them.
    public private(set) var names: [String]
    /// The values of the properties, in the order of their names.
    public private(set) var values: [ODataValue]
    /// The position of each name. The rows of a page share them.
    private var positions: [String: Int]
    private let noted: Noted?

    private final class Noted: Sendable {
        let annotations: ODataAnnotations
        init(_ annotations: ODataAnnotations) { self.annotations = annotations }
    }

    /// An empty row.
    public init() { self.init(names: [], positions: [:], values: [], annotations: nil) }

    init(names: [String], positions: [String: Int], values: [ODataValue], annotations: ODataAnnotations?) {
        self.names = names
        self.positions = positions
        self.values = values
        noted = annotations.map { Noted($0) }
    }

    /// The service's statements about the entity.
    public var annotations: ODataAnnotations { noted?.annotations ?? ODataAnnotations() }
    /// The version of the entity, for `If-Match`.
    public var etag: String? { noted?.annotations.etag }
    /// The path of the entity by the service's annotations; nil without one.
    public var path: ODataPath? {
        (noted?.annotations.editLink ?? noted?.annotations.id).map { ODataPath(link: $0) }
    }

    /// The value of a property; nil if the row has no such property. Setting nil removes the property.
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
