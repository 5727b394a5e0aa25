#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform

/// An event from the browser.
struct DevToolsEvent: Sendable {
    /// The name, such as `Page.loadEventFired`.
    let method: String
    let parameters: JSONValue
    /// The page or frame that it comes from; nil for the browser itself.
    let session: String?
}

/// The browser's error for a command that it could not perform.
struct DevToolsError: Error, CustomStringConvertible {
    let method: String
    let message: String
    var description: String { "\(method): \(message)" }
}

/// A message of the browser: an answer to a command, or an event.
struct DevToolsMessage: Decodable {
    struct Failure: Decodable {
        let message: String
    }

    let id: Int?
    let method: String?
    let params: JSONValue?
    let sessionId: String?
    let result: JSONValue?
    let error: Failure?

    /// Reads a message.
    ///
    /// - Throws: `DecodingError`
    static func read(_ bytes: [UInt8]) throws -> DevToolsMessage {
        do { return try JSONDecoder().decode(Self.self, from: Data(bytes)) } catch {
            // A page's text may have half of a surrogate pair, which the browser writes and the decoder refuses.
            return try JSONDecoder().decode(Self.self, from: Data(replacingLoneSurrogates(in: bytes)))
        }
    }

    /// The number of a message that cannot be read otherwise; nil for an event.
    static func number(of bytes: [UInt8]) -> Int? {
        struct Numbered: Decodable {
            let id: Int
        }
        return try? JSONDecoder().decode(Numbered.self, from: Data(bytes)).id
    }

    /// JSON with U+FFFD in place of each escaped half of a surrogate pair.
    private static func replacingLoneSurrogates(in bytes: [UInt8]) -> [UInt8] {
        /// The UTF-16 unit of the escape at an index.
        func unit(at index: Int) -> UInt32? {
            guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
            else { return nil }
            return bytes[(index + 2)..<(index + 6)].reduce(0) { value, byte in
                guard let value, let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
                return value << 4 | UInt32(digit)
            }
        }
        var result = bytes
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            switch unit(at: index) {
            case nil: index += 2
            case .some(0xd800...0xdbff) where (0xdc00...0xdfff).contains(unit(at: index + 6) ?? 0): index += 12
            case .some(0xd800...0xdfff):
                result.replaceSubrange((index + 2)..<(index + 6), with: "fffd".utf8)
                index += 6
            default: index += 6
            }
        }
        return result
    }
}

/// A command in its wire form.
struct DevToolsCommand: Encodable {
    let id: Int
    let method: String
    let params: [String: JSONValue]
    let sessionId: String?
}
#endif
