/// An expression of `$filter` or `$orderby`.
indirect enum ODataExpression: Sendable {
    case literal(ODataValue)
    case path([String])
    case call(String, [ODataExpression])
    case binary(String, ODataExpression, ODataExpression)
    case not(ODataExpression)
    case negated(ODataExpression)
    /// `PATH/any(x:…)`. Without an expression: whether the collection has elements.
    case lambda([String], isAll: Bool, variable: String, ODataExpression?)

    static func parse(_ text: String, _ version: ODataVersion) throws(ODataFailure) -> ODataExpression {
        var parser = ODataParser(tokens: try ODataToken.read(text, version))
        let expression = try parser.expression(depth: 0)
        try parser.expect(.end)
        return expression
    }
}

/// Parses expressions by precedence (OData 4.0, URL conventions, 5.1.1.1.9).
struct ODataParser {
    private let tokens: [ODataToken]
    private var index = 0

    init(tokens: [ODataToken]) { self.tokens = tokens }

    private static let levels: [Set<String>] = [
        ["or"], ["and"], ["eq", "ne"], ["gt", "ge", "lt", "le"], ["add", "sub"], ["mul", "div", "mod"],
    ]

    private var next: ODataToken { tokens[min(index, tokens.count - 1)] }

    mutating func expect(_ token: ODataToken) throws(ODataFailure) {
        guard next == token else { throw .syntax("\(next) where \(token) is expected") }
        index += 1
    }

    mutating func expression(depth: Int) throws(ODataFailure) -> ODataExpression {
        guard depth < 60 else { throw .syntax("nested too deep") }
        return try binary(level: 0, depth: depth)
    }

    private mutating func binary(level: Int, depth: Int) throws(ODataFailure) -> ODataExpression {
        guard level < Self.levels.count else { return try unary(depth: depth) }
        var left = try binary(level: level + 1, depth: depth)
        while case .word(let word) = next, Self.levels[level].contains(word) {
            index += 1
            left = .binary(word, left, try binary(level: level + 1, depth: depth))
        }
        return left
    }

    private mutating func unary(depth: Int) throws(ODataFailure) -> ODataExpression {
        switch next {
        case .word("not"):
            index += 1
            return .not(try unary(depth: depth + 1))
        case .word("-"):
            index += 1
            return .negated(try unary(depth: depth + 1))
        case .sign("("):
            index += 1
            let inner = try expression(depth: depth + 1)
            try expect(.sign(")"))
            return inner
        case .literal(let value):
            index += 1
            return .literal(value)
        case .word(let word):
            index += 1
            return next == .sign("(")
                ? try call(word, depth: depth) : .path(word.split(separator: "/").map(String.init))
        case .sign, .end: throw .syntax("\(next) is not expected")
        }
    }

    private mutating func call(_ name: String, depth: Int) throws(ODataFailure) -> ODataExpression {
        try expect(.sign("("))
        let parts = name.split(separator: "/").map(String.init)
        if parts.count > 1, let last = parts.last, last == "any" || last == "all" {
            guard case .word(let variable) = next else {
                try expect(.sign(")"))
                return .lambda(parts.dropLast(), isAll: false, variable: "", nil)
            }
            index += 1
            try expect(.sign(":"))
            let body = try expression(depth: depth + 1)
            try expect(.sign(")"))
            return .lambda(parts.dropLast(), isAll: last == "all", variable: variable, body)
        }
        var arguments: [ODataExpression] = []
        while next != .sign(")") {
            if !arguments.isEmpty { try expect(.sign(",")) }
            arguments.append(try expression(depth: depth + 1))
        }
        index += 1
        return .call(name, arguments)
    }
}
