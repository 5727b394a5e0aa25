import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

extension ODataFault {
    /// The body in place of the right one; nil: the body stays.
    func body(instead bytes: [UInt8], isMetadata: Bool) -> ResponseBody? {
        let text = String(decoding: bytes, as: UTF8.self)
        let isXML = text.hasPrefix("<")
        switch self {
        case .malformedJSON where !isXML: return Self.whole(String(text.dropLast(text.count / 2 + 1)))
        case .malformedAtom where isXML && !isMetadata, .malformedMetadata where isMetadata:
            return Self.whole(text.replacingOccurrences(of: "</", with: "</x"))
        case .wrongTypes where !isMetadata: return Self.whole(Self.confused(text, isXML: isXML))
        case .page: return Self.whole("<!DOCTYPE html><html><body><h1>Sorry</h1></body></html>")
        case .controls where !isMetadata:
            let escapes = isXML ? "&#x9B;31m\u{202E}" : "\\u001b[31m\\u001b]0;owned\\u0007\\u009b2J\u{202E}"
            return Self.whole(text.replacingOccurrences(of: "Row ", with: "Row " + escapes))
        case .laughs where isXML: return Self.whole(Self.expanding(text))
        case .externalEntity where isXML:
            return Self.whole(
                Self.declaring("<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>", text, use: "&e;"))
        case .deep where !isXML:
            let depth = 100_000
            return Self.whole(
                "{\"value\":[" + String(repeating: "{\"Parent\":", count: depth) + "{}"
                    + String(repeating: "}", count: depth) + "],\"d\":{\"results\":[]}}")
        case .endlessText: return Self.endless(isXML ? Self.xmlStart : "{\"value\":[{\"ID\":1,\"Name\":\"", "endless ")
        case .endlessRows:
            return Self.endless(
                isXML ? Self.xmlStart : "{\"value\":[{\"ID\":0}",
                isXML ? "<d:ID>1</d:ID>" : ",{\"ID\":1,\"Name\":\"Row\"}")
        case .endlessNesting:
            return Self.endless(
                isXML ? Self.xmlStart : "{\"value\":[{\"ID\":1", isXML ? "<d:Parent>" : ",\"Parent\":{\"ID\":1")
        case .slow: return Self.slow(bytes)
        default: return nil
        }
    }

    private static let xmlStart = "<feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:d=\"\(MobileEntity.data)\">"

    private static func whole(_ text: String) -> ResponseBody { ResponseBody(byteBuffer: ByteBuffer(string: text)) }

    private static func confused(_ text: String, isXML: Bool) -> String {
        guard !isXML else { return text.replacing(/(<d:(?:ID|ProductID)[^>]*>)\d+/) { "\($0.1)many" } }
        return text.replacing(/"(ID|ProductID)":\d+/) { "\"\($0.1)\":\"many\"" }
            .replacing(/"Name":"[^"]*"/) { _ in "\"Name\":{\"a\":[1]}" }
    }

    private static func declaring(_ declaration: String, _ text: String, use: String) -> String {
        let rest = text.hasPrefix("<?xml") ? text.drop { $0 != ">" }.dropFirst() : text[...]
        return "<?xml version=\"1.0\"?>" + declaration
            + String(rest).replacing(
                /(<(?:d:Name|title|Documentation|m:properties|Schema)[^>\/]*>)/, maxReplacements: 1
            ) {
                "\($0.1)\(use)"
            }
    }

    private static func expanding(_ text: String) -> String {
        let levels = (1...12).map { level in
            "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
        }
        return declaring("<!DOCTYPE x [<!ENTITY l0 \"ha\">" + levels.joined() + "]>", text, use: "&l12;")
    }

    private static func endless(_ start: String, _ more: String) -> ResponseBody {
        ResponseBody { writer in
            try await writer.write(ByteBuffer(string: start))
            let piece = ByteBuffer(string: String(repeating: more, count: 8192 / more.utf8.count + 1))
            while true {
                try Task.checkCancellation()
                try await writer.write(piece)
            }
        }
    }

    private static func slow(_ bytes: [UInt8]) -> ResponseBody {
        ResponseBody { writer in
            for byte in bytes {
                try await writer.write(ByteBuffer(bytes: [byte]))
                try await Task.sleep(for: .milliseconds(20))
            }
            try await writer.finish(nil)
        }
    }
}
