import Foundation

/// One part of a multipart body (RFC 2046, 5.1).
struct ODataMultipart {
    let type: String
    let id: String?
    let body: [UInt8]

    /// The parts; nil for a body without parts, or without an end.
    static func parts(_ body: [UInt8], type: String) -> [ODataMultipart]? {
        guard let match = type.firstMatch(of: /boundary="?([^";,\s]{1,70})"?/) else { return nil }
        let delimiter = Data("--\(match.1)".utf8)
        let data = Data(body)
        var parts: [ODataMultipart] = []
        guard var found = data.range(of: delimiter) else { return nil }
        while true {
            let rest = data[found.upperBound...]
            if rest.starts(with: Data("--".utf8)) { return parts }
            guard let next = rest.range(of: delimiter) else { return nil }
            guard let part = part(trimmed(rest[..<next.lowerBound])) else { return nil }
            parts.append(part)
            found = next
        }
    }

    /// The content without the line ends that belong to the delimiters.
    private static func trimmed(_ data: Data) -> [UInt8] {
        var bytes = Array(data)[...]
        if bytes.first == 13 { bytes = bytes.dropFirst() }
        if bytes.first == 10 { bytes = bytes.dropFirst() }
        if bytes.last == 10 { bytes = bytes.dropLast() }
        if bytes.last == 13 { bytes = bytes.dropLast() }
        return Array(bytes)
    }

    private static func part(_ bytes: [UInt8]) -> ODataMultipart? {
        guard let (fields, body) = head(bytes) else { return nil }
        func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
        guard let type = field("content-type") else { return nil }
        return ODataMultipart(type: type, id: field("content-id"), body: body)
    }

    private static func head(_ bytes: [UInt8]) -> (fields: [HeaderField], body: [UInt8])? {
        var fields: [HeaderField] = []
        var rest = bytes[...]
        while true {
            let line = line(&rest)
            guard let line else { return rest.isEmpty ? (fields, []) : nil }
            if line.isEmpty { return (fields, Array(rest)) }
            let pair = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard pair.count == 2 else { return nil }
            fields.append(HeaderField(name: pair[0], value: pair[1]))
        }
    }

    private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: 10) ?? rest.endIndex
        var line = rest[..<end]
        if line.last == 13 { line = line.dropLast() }
        rest = end == rest.endIndex ? [] : rest[(end + 1)...]
        return String(decoding: line, as: UTF8.self)
    }

    /// Reads a request in `application/http`.
    static func request(
        _ bytes: [UInt8]
    ) -> (method: String, target: String, fields: [HeaderField], body: [UInt8])? {
        var rest = bytes[...]
        guard let words = line(&rest)?.split(separator: " "), words.count == 3, words[2].hasPrefix("HTTP/"),
            let (fields, body) = head(Array(rest))
        else { return nil }
        return (String(words[0]), String(words[1]), fields, body)
    }
}
