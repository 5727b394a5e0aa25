/// The tokens of an expression.
enum ODataToken: Hashable {
    case word(String)
    case literal(ODataValue)
    case sign(Unicode.Scalar)
    case end

    /// Reads a whole text. Throws for an unknown token.
    static func read(_ text: String, _ version: ODataVersion) throws(ODataFailure) -> [ODataToken] {
        var tokens: [ODataToken] = []
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            switch scalar {
            case " ", "\t":
                index += 1
            case "(", ")", ",", ":", "=", ";", "*":
                tokens.append(.sign(scalar))
                index += 1
            case "'":
                tokens.append(.literal(.text(try quoted(scalars, &index))))
            default:
                let start = index
                let isNumeric = scalar.properties.numericType != nil || scalar == "-"
                while index < scalars.count, isPart(scalars[index], isNumeric) { index += 1 }
                guard index > start else { throw .syntax("“\(scalar)” is not expected at \(start)") }
                let word = String(String.UnicodeScalarView(scalars[start..<index]))
                if index < scalars.count, scalars[index] == "'" {
                    guard let value = ODataLiteral.value(named: word, try quoted(scalars, &index), version) else {
                        throw .syntax("“\(word)'…'” is no literal")
                    }
                    tokens.append(.literal(value))
                } else {
                    tokens.append(ODataLiteral.value(word, version).map { .literal($0) } ?? .word(word))
                }
            }
        }
        return tokens + [.end]
    }

    private static func isPart(_ scalar: Unicode.Scalar, _ isNumeric: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", ".", "/", "-", "$", "@": true
        case ":", "+": isNumeric
        default: scalar.value > 0x7F
        }
    }

    /// A text in quotes. A quote in it is written twice.
    private static func quoted(_ scalars: [Unicode.Scalar], _ index: inout Int) throws(ODataFailure) -> String {
        var text = String.UnicodeScalarView()
        index += 1
        while index < scalars.count {
            if scalars[index] != "'" {
                text.append(scalars[index])
                index += 1
            } else if index + 1 < scalars.count, scalars[index + 1] == "'" {
                text.append("'")
                index += 2
            } else {
                index += 1
                return String(text)
            }
        }
        throw .syntax("a text has no end")
    }
}
