/// Writes expressions for a version of the protocol, before percent-encoding.
struct ExpressionWriter {
    let version: ODataVersion
    private var variables: [String] = []

    init(_ version: ODataVersion) { self.version = version }

    mutating func text(_ expression: ODataExpression) throws(ODataError) -> String { try text(expression.node) }

    private mutating func text(_ node: ODataExpression.Node) throws(ODataError) -> String {
        switch node {
        case .literal(let value): return try EdmLiteral.text(value, version)
        case .path(let path):
            try ODataName.check(path: path)
            return path
        case .binary(let name, let left, let right):
            return "\(try operand(left, of: name)) \(name) \(try operand(right, of: name, isRight: true))"
        case .not(let node): return "not (\(try text(node)))"
        case .negative(let node): return "-(\(try text(node)))"
        case .call(let name, let arguments):
            try ODataName.check(qualified: name)
            return "\(name)(\(try list(arguments)))"
        case .contains(let whole, let part):
            return version == .v2 ? "substringof(\(try list([part, whole])))" : "contains(\(try list([whole, part])))"
        case .lambda(let name, let path, let variable, let condition):
            try ODataName.check(variable)
            guard !variables.contains(variable) else {
                throw ODataError(
                    .invalidRequest,
                    "Two nested any() or all() expressions use the variable \(variable): give one of them another name."
                )
            }
            variables.append(variable)
            defer { variables.removeLast() }
            return "\(try text(path))/\(name)(\(variable):\(try text(condition)))"
        case .isOne(let node, let values):
            guard let first = values.first else { return "false" }
            let all = values.dropFirst().reduce(ODataExpression.Node.binary("eq", node, first)) {
                .binary("or", $0, .binary("eq", node, $1))
            }
            return "(\(try text(all)))"
        }
    }

    /// Writes an operand, in parentheses if it needs them. A chain of one logical operator and comparisons in it need
    /// none.
    private mutating func operand(
        _ node: ODataExpression.Node, of name: String, isRight: Bool = false
    ) throws(ODataError) -> String {
        guard case .binary(let other, _, _) = node else { return try text(node) }
        let isChain = other == name && !isRight && (name == "and" || name == "or")
        let isComparison = (name == "and" || name == "or") && other != "and" && other != "or"
        return isChain || isComparison ? try text(node) : "(\(try text(node)))"
    }

    private mutating func list(_ nodes: [ODataExpression.Node]) throws(ODataError) -> String {
        var texts: [String] = []
        for node in nodes { texts.append(try text(node)) }
        return texts.joined(separator: ",")
    }
}
