/// The type of a property.
enum ODataType: Sendable, Hashable {
    case string, boolean, byte, sbyte, int16, int32, int64, single, double, decimal, guid, binary
    /// A day; in V2 with a time without a zone.
    case date
    /// A time without a zone in V2, with a zone in V4.
    case timestamp
    /// A time with a zone.
    case instant
    /// A duration.
    case duration
    /// A time of day.
    case timeOfDay
    /// The only complex type.
    case address

    /// The name in metadata.
    func name(_ version: ODataVersion) -> String {
        switch self {
        case .string: "Edm.String"
        case .boolean: "Edm.Boolean"
        case .byte: "Edm.Byte"
        case .sbyte: "Edm.SByte"
        case .int16: "Edm.Int16"
        case .int32: "Edm.Int32"
        case .int64: "Edm.Int64"
        case .single: "Edm.Single"
        case .double: "Edm.Double"
        case .decimal: "Edm.Decimal"
        case .guid: "Edm.Guid"
        case .binary: "Edm.Binary"
        case .date: version == .v2 ? "Edm.DateTime" : "Edm.Date"
        case .timestamp: version == .v2 ? "Edm.DateTime" : "Edm.DateTimeOffset"
        case .instant: "Edm.DateTimeOffset"
        case .duration: version == .v2 ? "Edm.Time" : "Edm.Duration"
        case .timeOfDay: version == .v2 ? "Edm.Time" : "Edm.TimeOfDay"
        case .address: "\(ODataModel.namespace).Address"
        }
    }

    /// The range of a whole number; nil for other types.
    var range: ClosedRange<Int64>? {
        switch self {
        case .byte: 0...255
        case .sbyte: -128...127
        case .int16: -32_768...32_767
        case .int32: -2_147_483_648...2_147_483_647
        case .int64: Int64.min...Int64.max
        default: nil
        }
    }
}
