/// An expression of `$filter` or `$orderby` (OData 4.01 URL Conventions §5.1.1; OData 2.0 URI Conventions).
///
/// ```swift
/// let name = ODataProperty("Name"), price = ODataProperty("Price")
/// let filter = name.contains("O'Neil & Söhne") && price * 2 > Decimal(9.5) || !ODataProperty("Sold").isNull
/// ```
/// Values are quoted and encoded for the service's version of OData, so a user's text cannot become a part of the
/// expression.
public struct ODataExpression: ODataTerm {
    indirect enum Node: Sendable {
        case literal(ODataValue)
        case path(String)
        case binary(String, Node, Node)
        case not(Node)
        case negative(Node)
        case call(String, [Node])
        /// `contains`, whose arguments have the opposite order in OData 2.0.
        case contains(Node, Node)
        case lambda(String, Node, variable: String, Node)
        case isOne(Node, of: [Node])
    }

    let node: Node

    init(_ node: Node) { self.node = node }

    public var expression: ODataExpression { self }

    /// A function by its name, for functions without a method here.
    public static func call(_ function: String, _ arguments: any ODataOperand...) -> ODataExpression {
        ODataExpression(.call(function, arguments.map(\.expression.node)))
    }
}

/// A property, or a property of a property: `Category/Name`.
public struct ODataProperty: ODataTerm, ExpressibleByStringLiteral {
    /// The path, with slashes.
    public let path: String

    /// A property by its path.
    public init(_ path: String) { self.path = path }
    public init(stringLiteral value: String) { path = value }

    /// A property of this one.
    public func property(_ name: String) -> ODataProperty { ODataProperty("\(path)/\(name)") }

    public var expression: ODataExpression { ODataExpression(.path(path)) }

    /// Whether a condition holds for at least one element of a collection (4.0).
    ///
    /// - Parameters:
    ///   - variable: the name for the element; nested expressions need another one
    ///   - condition: the condition for an element
    public func any(_ variable: String = "x", _ condition: (ODataProperty) -> some ODataTerm) -> ODataExpression {
        ODataExpression(
            .lambda("any", expression.node, variable: variable, condition(ODataProperty(variable)).expression.node))
    }

    /// Whether a condition holds for all elements of a collection (4.0).
    public func all(_ variable: String = "x", _ condition: (ODataProperty) -> some ODataTerm) -> ODataExpression {
        ODataExpression(
            .lambda("all", expression.node, variable: variable, condition(ODataProperty(variable)).expression.node))
    }
}
