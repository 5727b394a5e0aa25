/// The model of the services: types, sets and operations.
struct ODataModel: Sendable {
    static let namespace = "Landscape"

    struct Property: Sendable {
        let name: String
        let type: ODataType
        var isNullable = true
    }

    struct Navigation: Sendable {
        let name: String
        /// The target set.
        let target: String
        let isMany: Bool
        /// The properties that must be equal: one of this entity, and one of the target.
        let own: String
        let theirs: String
    }

    struct EntitySet: Sendable {
        let name: String
        let type: String
        let keys: [String]
        let properties: [Property]
        var navigations: [Navigation] = []
        var hasMedia = false
        var hasTags = true

        func property(_ name: String) -> Property? { properties.first { $0.name == name } }
        func navigation(_ name: String) -> Navigation? { navigations.first { $0.name == name } }
    }

    static let address = [
        Property(name: "Street", type: .string), Property(name: "City", type: .string),
        Property(name: "Country", type: .string),
    ]

    static let sets: [EntitySet] = [
        EntitySet(
            name: "Customers", type: "Customer", keys: ["CustomerID"],
            properties: [
                Property(name: "CustomerID", type: .string, isNullable: false), Property(name: "Name", type: .string),
                Property(name: "Address", type: .address, isNullable: false), Property(name: "Since", type: .date),
            ],
            navigations: [
                Navigation(name: "Orders", target: "Orders", isMany: true, own: "CustomerID", theirs: "CustomerID")
            ]),
        EntitySet(
            name: "Orders", type: "Order", keys: ["OrderID"],
            properties: [
                Property(name: "OrderID", type: .int64, isNullable: false), Property(name: "CustomerID", type: .string),
                Property(name: "Placed", type: .timestamp), Property(name: "Total", type: .decimal),
                Property(name: "Note", type: .string),
            ],
            navigations: [
                Navigation(
                    name: "Customer", target: "Customers", isMany: false, own: "CustomerID", theirs: "CustomerID"),
                Navigation(name: "Lines", target: "OrderLines", isMany: true, own: "OrderID", theirs: "OrderID"),
            ]),
        EntitySet(
            name: "OrderLines", type: "OrderLine", keys: ["OrderID", "Position"],
            properties: [
                Property(name: "OrderID", type: .int64, isNullable: false),
                Property(name: "Position", type: .int32, isNullable: false),
                Property(name: "ProductID", type: .int32), Property(name: "Quantity", type: .decimal),
            ],
            navigations: [
                Navigation(name: "Product", target: "Products", isMany: false, own: "ProductID", theirs: "ProductID"),
                Navigation(name: "Order", target: "Orders", isMany: false, own: "OrderID", theirs: "OrderID"),
            ], hasTags: false),
        EntitySet(
            name: "Products", type: "Product", keys: ["ProductID"],
            properties: [
                Property(name: "ProductID", type: .int32, isNullable: false), Property(name: "Name", type: .string),
                Property(name: "Price", type: .decimal), Property(name: "IsSold", type: .boolean),
                Property(name: "Code", type: .guid), Property(name: "Stock", type: .int64),
                Property(name: "Shelf", type: .int16), Property(name: "Grade", type: .byte),
                Property(name: "Trend", type: .sbyte), Property(name: "Weight", type: .double),
                Property(name: "Rating", type: .single), Property(name: "Digest", type: .binary),
                Property(name: "Released", type: .date), Property(name: "Packed", type: .timestamp),
                Property(name: "Changed", type: .instant), Property(name: "Opens", type: .timeOfDay),
                Property(name: "Lasts", type: .duration), Property(name: "Remark", type: .string),
            ], hasMedia: true),
        EntitySet(
            name: "Rows", type: "Row", keys: ["ID"],
            properties: [
                Property(name: "ID", type: .int32, isNullable: false), Property(name: "Name", type: .string),
                Property(name: "Amount", type: .decimal), Property(name: "Changed", type: .instant),
                Property(name: "IsOdd", type: .boolean),
            ], hasTags: false),
    ]

    static func set(_ name: String) -> EntitySet? { sets.first { $0.name == name } }

    struct Operation: Sendable {
        let name: String
        /// The parameters by name, without the binding parameter.
        let parameters: [Property]
        let changes: Bool
        /// The result: entities of a set, or one value.
        let result: Result
        /// The set whose entities it is bound to in V4. In V2 the key is a parameter.
        var bound: String?

        enum Result: Sendable {
            case entities(String)
            case entity(String)
            case value(ODataType)
            case nothing
        }
    }

    static let operations: [Operation] = [
        Operation(
            name: "TopProducts", parameters: [Property(name: "count", type: .int32)], changes: false,
            result: .entities("Products")),
        Operation(
            name: "Echo", parameters: [Property(name: "text", type: .string)], changes: false, result: .value(.string)),
        Operation(
            name: "PriceAfter", parameters: [Property(name: "percent", type: .decimal)], changes: false,
            result: .value(.decimal), bound: "Products"),
        Operation(
            name: "Discount", parameters: [Property(name: "percent", type: .decimal)], changes: true,
            result: .entity("Products"), bound: "Products"),
        Operation(name: "Reset", parameters: [], changes: true, result: .nothing),
    ]

    /// The parameters in V2, which has no bound operations.
    static func parameters(of operation: Operation) -> [Property] {
        guard let set = operation.bound.flatMap(Self.set) else { return operation.parameters }
        return set.properties.filter { set.keys.contains($0.name) } + operation.parameters
    }
}
