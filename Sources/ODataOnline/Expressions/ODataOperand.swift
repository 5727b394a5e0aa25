public import HttpConvPlatform

/// An operand of an expression: a property, another expression, or a Swift value.
public protocol ODataOperand: Sendable {
    /// The operand as an expression.
    var expression: ODataExpression { get }
}

/// A property or an expression: operators and functions apply to it.
public protocol ODataTerm: ODataOperand {}

extension ODataValue: ODataOperand {
    /// The value as a literal.
    public var expression: ODataExpression { ODataExpression(.literal(self)) }
}
extension String: ODataOperand {
    /// `Edm.String`
    public var expression: ODataExpression { ODataValue.string(self).expression }
}
extension Bool: ODataOperand {
    /// `Edm.Boolean`
    public var expression: ODataExpression { ODataValue.boolean(self).expression }
}
extension Int: ODataOperand {
    /// The smallest type that holds the whole number.
    public var expression: ODataExpression { ODataValue.integer(Int64(self)).expression }
}
extension Int32: ODataOperand {
    /// `Edm.Int32`
    public var expression: ODataExpression { ODataValue.integer(Int64(self)).expression }
}
extension Int64: ODataOperand {
    /// `Edm.Int64`
    public var expression: ODataExpression { ODataValue.int64(self).expression }
}
extension Double: ODataOperand {
    /// `Edm.Double`
    public var expression: ODataExpression { ODataValue.double(self).expression }
}
extension Float: ODataOperand {
    /// `Edm.Single`
    public var expression: ODataExpression { ODataValue.single(self).expression }
}
extension Decimal: ODataOperand {
    /// `Edm.Decimal`
    public var expression: ODataExpression { ODataValue.decimal(self).expression }
}
extension UUID: ODataOperand {
    /// `Edm.Guid`
    public var expression: ODataExpression { ODataValue.guid(self).expression }
}
extension Data: ODataOperand {
    /// `Edm.Binary`
    public var expression: ODataExpression { ODataValue.binary(self).expression }
}
extension Date: ODataOperand {
    /// `Edm.DateTimeOffset`. For an `Edm.DateTime` of OData 2.0 see ``ODataDateTime/init(_:hasOffset:)``.
    public var expression: ODataExpression { ODataValue.time(self).expression }
}
extension Duration: ODataOperand {
    /// `Edm.Duration`, or `Edm.Time` in OData 2.0.
    public var expression: ODataExpression { ODataValue.duration(self).expression }
}
extension ODataDateTime: ODataOperand {
    /// `Edm.DateTimeOffset`, or `Edm.DateTime` in OData 2.0 without an offset.
    public var expression: ODataExpression { ODataValue.dateTime(self).expression }
}
extension ODataDate: ODataOperand {
    /// `Edm.Date`, or the midnight of an `Edm.DateTime` in OData 2.0.
    public var expression: ODataExpression { ODataValue.date(self).expression }
}
extension ODataTimeOfDay: ODataOperand {
    /// `Edm.TimeOfDay`, or `Edm.Time` in OData 2.0.
    public var expression: ODataExpression { ODataValue.timeOfDay(self).expression }
}
extension ODataEnumeration: ODataOperand {
    /// A member of an enumeration type.
    public var expression: ODataExpression { ODataValue.enumeration(self).expression }
}
