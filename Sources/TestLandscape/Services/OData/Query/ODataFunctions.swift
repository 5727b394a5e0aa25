import Foundation

/// The operators and functions of both versions.
enum ODataFunctions {
    static func binary(
        _ name: String, _ left: ODataValue, _ right: ODataValue
    ) throws(ODataFailure) -> ODataValue {
        switch name {
        case "eq", "ne":
            if left == .null || right == .null { return .flag((left == right) == (name == "eq")) }
            return .flag((try compare(left, right) == 0) == (name == "eq"))
        case "gt", "ge", "lt", "le":
            if left == .null || right == .null { return .flag(false) }
            let order = try compare(left, right)
            return .flag(name == "gt" ? order > 0 : name == "ge" ? order >= 0 : name == "lt" ? order < 0 : order <= 0)
        default: return try calculate(name, left, right)
        }
    }

    /// A number below, at or above zero, by the order of the two values.
    static func compare(_ left: ODataValue, _ right: ODataValue) throws(ODataFailure) -> Int {
        func order<Value: Comparable>(_ one: Value, _ other: Value) -> Int { one < other ? -1 : one > other ? 1 : 0 }
        switch (left, right) {
        case (.null, .null): return 0
        case (.null, _): return -1
        case (_, .null): return 1
        case (.text(let one), .text(let other)), (.guid(let one), .guid(let other)):
            // By code points, without the rules of a language.
            return one.unicodeScalars.elementsEqual(other.unicodeScalars)
                ? 0 : one.unicodeScalars.lexicographicallyPrecedes(other.unicodeScalars) ? -1 : 1
        case (.instant(let one, _), .instant(let other, _)), (.span(let one), .span(let other)):
            return order(one, other)
        case (.flag(let one), .flag(let other)): return order(one ? 1 : 0, other ? 1 : 0)
        case (.binary(let one), .binary(let other)): return one == other ? 0 : 1
        default:
            if let one = left.number, let other = right.number { return order(one, other) }
            throw .syntax("the types of both sides do not go together")
        }
    }

    private static func calculate(
        _ name: String, _ left: ODataValue, _ right: ODataValue
    ) throws(ODataFailure) -> ODataValue {
        if left == .null || right == .null { return .null }
        guard let one = left.number, let other = right.number else { throw .syntax("“\(name)” wants numbers") }
        switch name {
        case "add": return .decimal(one + other)
        case "sub": return .decimal(one - other)
        case "mul": return .decimal(one * other)
        default: break
        }
        guard other != 0 else { throw ODataFailure(400, "a division by zero") }
        if case .integer(let dividend) = left, case .integer(let divisor) = right {
            return .integer(name == "div" ? dividend / divisor : dividend % divisor)
        }
        guard name == "div" else { throw .syntax("“mod” wants whole numbers") }
        return .decimal(one / other)
    }

    private static func texts(_ values: [ODataValue], _ name: String) throws(ODataFailure) -> [String] {
        var texts: [String] = []
        for value in values {
            guard case .text(let text) = value else { throw .syntax("“\(name)” wants texts") }
            texts.append(text)
        }
        return texts
    }

    private static let arity: [String: ClosedRange<Int>] = [
        "contains": 2...2, "substringof": 2...2, "startswith": 2...2, "endswith": 2...2, "indexof": 2...2,
        "concat": 2...2, "replace": 3...3, "length": 1...1, "tolower": 1...1, "toupper": 1...1, "trim": 1...1,
        "substring": 2...3, "year": 1...1, "month": 1...1, "day": 1...1, "hour": 1...1, "minute": 1...1,
        "second": 1...1, "round": 1...1, "floor": 1...1, "ceiling": 1...1,
    ]

    static func call(_ name: String, _ values: [ODataValue]) throws(ODataFailure) -> ODataValue {
        guard let arity = arity[name] else { throw .syntax("there is no function “\(name)”") }
        guard arity.contains(values.count) else { throw .syntax("“\(name)” has other arguments") }
        if values.contains(.null) { return .null }
        switch name {
        case "year", "month", "day", "hour", "minute", "second":
            switch values[0] {
            case .instant(let time, _), .span(let time):
                return ODataDates.unit(name, of: time).map { .integer($0) } ?? .null
            default: throw .syntax("“\(name)” wants a time")
            }
        case "round", "floor", "ceiling":
            guard var number = values[0].number else { throw .syntax("“\(name)” wants a number") }
            var result = Decimal()
            NSDecimalRound(&result, &number, 0, name == "round" ? .plain : name == "floor" ? .down : .up)
            return .decimal(result)
        case "substring":
            let text = Array(try texts([values[0]], name)[0].unicodeScalars)
            let numbers = values.dropFirst().compactMap { value in
                if case .integer(let number) = value { Int(clamping: number) } else { Int?.none }
            }
            guard numbers.count == values.count - 1 else { throw .syntax("“substring” wants numbers") }
            let rest = text.dropFirst(max(0, numbers[0]))
            return .text(String(String.UnicodeScalarView(numbers.count > 1 ? rest.prefix(max(0, numbers[1])) : rest)))
        default: return text(name, try texts(values, name))
        }
    }

    private static func text(_ name: String, _ texts: [String]) -> ODataValue {
        let scalars = texts.map { Array($0.unicodeScalars) }
        switch name {
        case "contains": return .flag(index(of: scalars[1], in: scalars[0]) != nil)
        case "substringof": return .flag(index(of: scalars[0], in: scalars[1]) != nil)
        case "startswith": return .flag(scalars[0].starts(with: scalars[1]))
        case "endswith": return .flag(scalars[0].suffix(scalars[1].count).elementsEqual(scalars[1]))
        case "indexof": return .integer(Int64(index(of: scalars[1], in: scalars[0]) ?? -1))
        case "concat": return .text(texts[0] + texts[1])
        case "replace": return .text(texts[0].replacingOccurrences(of: texts[1], with: texts[2]))
        case "length": return .integer(Int64(scalars[0].count))
        case "tolower": return .text(texts[0].lowercased())
        case "toupper": return .text(texts[0].uppercased())
        default: return .text(texts[0].trimmingCharacters(in: .whitespaces))
        }
    }

    private static func index(of part: [Unicode.Scalar], in whole: [Unicode.Scalar]) -> Int? {
        guard part.count <= whole.count else { return nil }
        return (0...whole.count - part.count).first { whole[$0...].starts(with: part) }
    }
}
