import Foundation
import HTTPTypes
import HttpConvFormats
import HttpConversation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The header fields of a URLSession's response, which has one text per name.
enum ResponseFields {
    static func read(
        _ response: HTTPURLResponse, _ origin: Origin
    ) throws(ConversationError) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            guard let field = HTTPField.Name(name) else {
                throw ConversationError(
                    .malformedResponse, "The answer of \(origin.hostAndPort) has a header field with an invalid name.")
            }
            if field == .setCookie {
                for cookie in splitCookies(value) { fields.append(HTTPField(name: field, value: cookie)) }
            } else {
                fields.append(HTTPField(name: field, value: value))
            }
        }
        return fields
    }

    /// Splits several `Set-Cookie` fields that come as one text. A comma separates cookies if a name and an equals sign
    /// follow it; the comma in a date does not.
    static func splitCookies(_ text: String) -> [String] {
        var result: [String] = []
        var start = text.startIndex
        var at = start
        while let comma = text[at...].utf8.firstIndex(of: UInt8(ascii: ",")) {
            at = text.utf8.index(after: comma)
            guard beginsCookie(text[at...]) else { continue }
            result.append(String(text[start..<comma].trimmingSpaces))
            start = at
        }
        result.append(String(text[start...].trimmingSpaces))
        return result.filter { !$0.isEmpty }
    }

    private static func beginsCookie(_ text: Substring) -> Bool {
        let name = text.utf8.drop(while: \.isSpaceOrTab).prefix(while: \.isTokenByte)
        return !name.isEmpty && name.endIndex < text.endIndex && text.utf8[name.endIndex] == UInt8(ascii: "=")
    }
}
