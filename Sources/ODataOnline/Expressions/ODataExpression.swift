/// An expression of `$filter` or `$orderby` (OData 4.01 URL Conventions §5.1.1; OData 2.0 URI Conventions).
///
/// ```swift
/// let name = ODataProperty("Name"), price = ODataProperty("Price")
/// let filter = name.contains("O'Neil & Söhne") && price * 2 > Decimal(9.5) || !ODataProperty("Sold").isNull
/// ```
/// Values are quoted and encoded for the version of the service that is asked, so that no text of a person's can become a
/// part of an expression.
public struct ODataExpression: ODataTerm {
    indirect enum Node: Sendable {
        case literal(ODataValue)
        case path(String)
        case binary(String, Node, Node)
        case not(Node)
        case negative(Node)
        case call(String, [Node])
        /// `contains`, which OData 2.0 has the other way round.
        case contains(Node, Node)
        case lambda(String, Node, variable: String, Node)
        case isOne(Node, of: [Node])
    }

    let node: Node

    init(_ node: Node) { self.node = node }

    public var expression: ODataExpression { self }

    /// A function by its name, for those that have no method here.
    public static func call(_ function: String, _ arguments: any ODataOperand...) -> ODataExpression {
        ODataExpression(.call(function, arguments.map(\.expression.node)))
    }
}

/// A property, or one behind others: `Category/Name`.
public struct ODataProperty: ODataTerm, ExpressibleByStringLiteral {
    /// The path, with slashes.
    public let path: String

    /// A property by its path.
    public init(_ path: String) { self.path = path }
    public init(stringLiteral value: String) { path = value }

    /// A property of this one.
    public func property(_ name: String) -> ODataProperty { ODataProperty("\(path)/\(name)") }

    public var expression: ODataExpression { ODataExpression(.path(path)) }

    /// Whether one of the elements of a collection is as is said (4.0).
    ///
    /// - Parameters:
    ///   - variable: stands for the element; another one in each expression inside of another
    ///   - condition: what the element has to fulfil
    public func any(_ variable: String = "x", _ condition: (ODataProperty) -> some ODataTerm) -> ODataExpression {
        ODataExpression(
            .lambda("any", expression.node, variable: variable, condition(ODataProperty(variable)).expression.node))
    }

    /// Whether all elements of a collection are as is said (4.0).
    public func all(_ variable: String = "x", _ condition: (ODataProperty) -> some ODataTerm) -> ODataExpression {
        ODataExpression(
            .lambda("all", expression.node, variable: variable, condition(ODataProperty(variable)).expression.node))
    }
}
