/// A value of a connection's property.
package enum MobileValue: Sendable, Hashable, Decodable {
    /// No value.
    case none
    /// A Boolean.
    case flag(Bool)
    /// A number of 32 bits.
    case number(Int)
    /// A text.
    case text(String)
    /// Milliseconds since 1970.
    case date(Int)

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .none
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }
}
