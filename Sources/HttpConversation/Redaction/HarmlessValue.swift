import HttpConvFormats

/// Forms of a query parameter's value that cannot carry a secret. Other values are not shown, such as the filter that
/// an `$expand` may have in parentheses (OData URL conventions 4.01 §5.1.3).
enum HarmlessValue {
    case number
    /// `true`, `en-GB`.
    case word
    /// `json`, `application/json;odata.metadata=minimal`.
    case mediaType
    /// Names of properties, with dots and slashes in them and commas between them: `Name,Address/City desc`.
    case names

    func matches(_ value: Substring) -> Bool {
        let bytes = value.utf8
        return switch self {
        case .number: bytes.count <= 10 && bytes.allSatisfy(\.isASCIIDigit)
        case .word: bytes.count <= 12 && bytes.allSatisfy { $0.isAlphanumeric || $0 == 0x2D || $0 == 0x5F }
        case .mediaType: Self.isMediaType(value)
        case .names: Self.decodedBlanks(value).split(ascii: ",", keepsEmpty: true).allSatisfy(Self.isName)
        }
    }

    private static func isMediaType(_ value: Substring) -> Bool {
        if HarmlessValue.word.matches(value) { return true }
        let isKnown = ["application/json", "application/xml", "application/atom"].contains {
            value.starts(withBytesOf: $0)
        }
        return isKnown && value.utf8.allSatisfy { $0.isAlphanumeric || "/+-.;=".utf8.contains($0) }
    }

    /// Decodes blanks and commas, which may be escaped or not.
    private static func decodedBlanks(_ value: Substring) -> Substring {
        value.replacing("%20", with: " ").replacing("+", with: " ").replacing("%2C", with: ",")[...]
    }

    /// A path of identifiers, or `*`, perhaps with a direction.
    private static func isName(_ part: Substring) -> Bool {
        let words = part.split(ascii: " ")
        guard let path = words.first, words.count <= 2 else { return false }
        if words.count == 2, words[1] != "asc", words[1] != "desc" { return false }
        var segments = path.split(ascii: "/", keepsEmpty: true)
        if segments.last == "*" {
            guard words.count == 1 else { return false }
            segments.removeLast()
        }
        return segments.allSatisfy(isIdentifier)
    }

    private static func isIdentifier(_ segment: Substring) -> Bool {
        guard let first = segment.utf8.first, first.isAlphanumeric || first == 0x5F || first == 0x2D else {
            return false
        }
        return !first.isASCIIDigit && segment.utf8.count <= 60
            && segment.utf8.dropFirst().allSatisfy { $0.isAlphanumeric || $0 == 0x5F || $0 == 0x2E }
    }
}
