/// Operators (OData 4.01 URL Conventions §5.1.1.1).

/// Whether both are equal.
public func == (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("eq", left.expression.node, right.expression.node))
}

/// Whether both are not equal.
public func != (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("ne", left.expression.node, right.expression.node))
}

/// Whether the left one is less.
public func < (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("lt", left.expression.node, right.expression.node))
}

/// Whether the left one is less or equal.
public func <= (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("le", left.expression.node, right.expression.node))
}

/// Whether the left one is greater.
public func > (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("gt", left.expression.node, right.expression.node))
}

/// Whether the left one is greater or equal.
public func >= (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("ge", left.expression.node, right.expression.node))
}

/// The sum.
public func + (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("add", left.expression.node, right.expression.node))
}

/// The difference.
public func - (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("sub", left.expression.node, right.expression.node))
}

/// The product.
public func * (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("mul", left.expression.node, right.expression.node))
}

/// The quotient.
public func / (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("div", left.expression.node, right.expression.node))
}

/// The remainder.
public func % (left: some ODataTerm, right: some ODataOperand) -> ODataExpression {
    ODataExpression(.binary("mod", left.expression.node, right.expression.node))
}

/// Whether both are true.
public func && (left: some ODataTerm, right: some ODataTerm) -> ODataExpression {
    ODataExpression(.binary("and", left.expression.node, right.expression.node))
}

/// Whether one is true, or both.
public func || (left: some ODataTerm, right: some ODataTerm) -> ODataExpression {
    ODataExpression(.binary("or", left.expression.node, right.expression.node))
}

/// The negation of a term.
public prefix func ! (term: some ODataTerm) -> ODataExpression { ODataExpression(.not(term.expression.node)) }

/// The number with the other sign.
public prefix func - (term: some ODataTerm) -> ODataExpression { ODataExpression(.negative(term.expression.node)) }
