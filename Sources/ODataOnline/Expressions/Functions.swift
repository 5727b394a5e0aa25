/// Functions (OData 4.01 URL Conventions §5.1.1.5 and following; OData 2.0 URI Conventions).
extension ODataTerm {
    /// Whether the value is null.
    public var isNull: ODataExpression { self == ODataValue.null }

    /// Whether the text contains another one.
    public func contains(_ text: some ODataOperand) -> ODataExpression {
        ODataExpression(.contains(expression.node, text.expression.node))
    }
    /// Whether the text starts with another one.
    public func hasPrefix(_ text: some ODataOperand) -> ODataExpression { call("startswith", text) }
    /// Whether the text ends with another one.
    public func hasSuffix(_ text: some ODataOperand) -> ODataExpression { call("endswith", text) }
    /// The position of another text in this one, from 0; -1 if it is missing.
    public func index(of text: some ODataOperand) -> ODataExpression { call("indexof", text) }
    /// The text with another one behind it.
    public func appending(_ text: some ODataOperand) -> ODataExpression { call("concat", text) }
    /// The text from a position on, counted from 0.
    public func substring(from start: some ODataOperand) -> ODataExpression { call("substring", start) }
    /// A piece of the text.
    public func substring(from start: some ODataOperand, length: some ODataOperand) -> ODataExpression {
        ODataExpression(.call("substring", [expression.node, start.expression.node, length.expression.node]))
    }
    /// Whether all of some flags are set (4.0).
    public func has(_ flags: ODataEnumeration) -> ODataExpression {
        ODataExpression(.binary("has", expression.node, flags.expression.node))
    }
    /// Whether it is one of some values. It is written as comparisons, so services of all versions understand it.
    public func isOne(of values: [some ODataOperand]) -> ODataExpression {
        ODataExpression(.isOne(expression.node, of: values.map(\.expression.node)))
    }
    /// The number of characters.
    public var length: ODataExpression { call("length") }
    /// The text in small letters.
    public var lowercased: ODataExpression { call("tolower") }
    /// The text in capitals.
    public var uppercased: ODataExpression { call("toupper") }
    /// The text without spaces at both ends.
    public var trimmed: ODataExpression { call("trim") }
    /// The year of a date.
    public var year: ODataExpression { call("year") }
    /// The month of a date.
    public var month: ODataExpression { call("month") }
    /// The day of a date.
    public var day: ODataExpression { call("day") }
    /// The hour of a time.
    public var hour: ODataExpression { call("hour") }
    /// The minute of a time.
    public var minute: ODataExpression { call("minute") }
    /// The second of a time.
    public var second: ODataExpression { call("second") }
    /// The nearest whole number.
    public var rounded: ODataExpression { call("round") }
    /// The whole number below.
    public var floor: ODataExpression { call("floor") }
    /// The whole number above.
    public var ceiling: ODataExpression { call("ceiling") }

    private func call(_ function: String, _ arguments: any ODataOperand...) -> ODataExpression {
        ODataExpression(.call(function, [expression.node] + arguments.map(\.expression.node)))
    }
}
