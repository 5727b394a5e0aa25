/// A member of an enumeration type (`Edm.EnumType` of OData 4.0).
public struct ODataEnumeration: Hashable, Sendable {
    /// The type's name with its namespace, such as `Sales.Color`.
    public let type: String
    /// The member's name or number. Several members of flags are separated by commas.
    public let member: String

    /// A member of a type.
    public init(type: String, member: String) {
        self.type = type
        self.member = member
    }
}
