import HttpConvFormats

/// The text of a path below a service.
enum ODataPathText {
    /// Percent-encodes the characters that would end the path early: `#`, and `?` in a literal.
    static func encoded(_ path: String) -> String {
        let bytes = Array(path.utf8)
        var result: [UInt8] = []
        var isQuery = false
        for (byte, isQuoted) in zip(bytes, LiteralPath.literals(bytes)) {
            switch byte {
            case UInt8(ascii: "#"): result += "%23".utf8
            case UInt8(ascii: "?") where isQuoted && !isQuery: result += "%3F".utf8
            default:
                isQuery = isQuery || byte == UInt8(ascii: "?")
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// A path with more query options, percent-encoded.
    static func adding(_ query: String, to path: String) -> String {
        query.isEmpty ? path : path + (path.contains("?") ? "&" : "?") + query
    }
}
