import HttpC
import HttpConvFormats
import ODataOnline

/// The address of a command of OData: a service and a path below it, or one whole URL with its query as a browser shows
/// it.
struct ODataAddress: Sendable {
    /// A service, and a path below it.
    struct Place: Equatable, Sendable {
        /// The service's root, percent-encoded.
        let root: String
        /// The path, percent-encoded; nil for the service itself.
        let path: String?
    }

    /// The address without its query.
    let url: String
    /// The query of the address, percent-encoded; empty without one.
    let query: String
    /// Whether the address is the metadata's.
    let isMetadata: Bool
    /// The possible meanings, the most likely first: the service's root is known when its metadata are found.
    let places: [Place]

    /// The options of the query that also go with the request for the metadata: those of SAP's servers, such as
    /// `sap-client`.
    var metadataOptions: [String: String] {
        let path = places.first?.path ?? ""
        let below = Substring(path.utf8.dropFirst(path.prefix(upToASCII: "?").utf8.count + 1))
        let pairs = [query[...], below].flatMap { $0.split(separator: "&") }.compactMap { pair -> (String, String)? in
            guard let mark = pair.firstIndex(of: "="), pair.hasPrefix("sap-"),
                let value = pair[mark...].dropFirst().percentDecodedText
            else { return nil }
            return (String(pair[..<mark]), value)
        }
        return Dictionary(pairs) { $1 }
    }

    private static let most = 3

    /// The names of the query's options.
    var optionNames: Set<String> { Self.names(in: query) }

    /// The path below the service with the query of the service's URL.
    var link: ODataPath { ODataPath(link: ODataPathText.adding(query, to: places.first?.path ?? "")) }

    /// The service, and a path below it. The options of the service's URL, such as `sap-client`, are for the path, too.
    init(service: String, path: String) {
        (url, query) = Self.cut(service.prefix(upToASCII: "#"))
        isMetadata = false
        places = [Place(root: url, path: ODataPathText.encoded(path))]
    }

    /// Parses a whole URL, or the service's.
    init(_ text: String) {
        let whole = Self.encoded(text)
        let base: String
        (base, query) = Self.cut(whole.prefix(upToASCII: "#"))
        url = base
        let (origin, segments) = Self.segments(of: base)
        isMetadata = segments.last == "$metadata"
        let place = { (count: Int) in
            Place(
                root: origin + segments.prefix(count).map { $0 + "/" }.joined(),
                path: segments.dropFirst(count).joined(separator: "/"))
        }
        if isMetadata {
            places = [Place(root: place(segments.count - 1).root, path: nil)]
        } else if let first = segments.firstIndex(where: { Self.hasKey($0) || $0.hasPrefix("$") }) {
            // A segment with a key is a set, or follows a singleton; `$count` and the like follow a set.
            let end = segments[first].hasPrefix("$") ? first - 1 : first
            places = stride(from: end, to: max(-1, end - Self.most), by: -1).filter { $0 >= 0 }.map(place)
        } else if query.isEmpty {
            let isClosed = base.utf8.last == UInt8(ascii: "/") || segments.isEmpty
            places = [Place(root: base, path: nil)] + (isClosed ? [] : [place(segments.count - 1)])
        } else {
            let end = segments.count - 1
            let below = stride(from: end, to: max(-1, end - Self.most), by: -1).filter { $0 >= 0 }.map(place)
            // The options of rows are of no use at the service itself.
            let selectsRows = Self.names(in: query).contains { $0.hasPrefix("$") && $0 != "$format" }
            let service = selectsRows ? [] : [Place(root: base, path: nil)]
            places = base.utf8.last == UInt8(ascii: "/") ? service + below : below + service
        }
    }

    /// The address before its query, and the query, percent-encoded.
    private static func cut(_ address: Substring) -> (base: String, query: String) {
        let base = String(address.prefix(upToASCII: "?"))
        return (base, encoded(String(Substring(address.utf8.dropFirst(base.utf8.count + 1)))))
    }

    /// The names of a query's options. Browsers may escape the dollar sign.
    private static func names(in query: String) -> Set<String> {
        Set(query.split(ascii: "&").map { String($0.prefix(upToASCII: "=").replacing("%24", with: "$")) })
    }

    /// Whether a segment ends in a key. A segment that begins with a parenthesis, such as a session's `(S(…))`, has
    /// none.
    private static func hasKey(_ segment: String) -> Bool { segment.hasSuffix(")") && !segment.hasPrefix("(") }

    /// Whether the service may begin further up, because an error says that there are no metadata here.
    static func mayBeFurtherUp(_ error: any Error) -> Bool {
        guard let code = (error as? ODataError)?.code else { return false }
        return [.notFound, .refused, .malformedAnswer].contains(code)
    }

    /// Scheme and authority, with a slash after them, and the segments of the path. A slash in quotes is part of a key.
    private static func segments(of base: String) -> (origin: String, segments: [String]) {
        let bytes = Array(base.utf8)
        var start = 0
        for index in bytes.indices where bytes[index...].starts(with: "://".utf8) {
            start = index + 3
            break
        }
        let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        let texts = LiteralPath.segments(String(decoding: bytes[slash...], as: UTF8.self))
        return (String(decoding: bytes[..<slash], as: UTF8.self) + "/", texts)
    }

    /// Percent-encodes characters that a URL cannot have, as browsers do; escapes stay unchanged.
    private static func encoded(_ text: String) -> String {
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            let isEscape =
                byte == UInt8(ascii: "%") && bytes[(index + 1)...].prefix(2).filter { $0.hexDigit != nil }.count == 2
            let isForbidden =
                byte <= 0x20 || byte >= 0x7F || "\"<>\\^`{|}".utf8.contains(byte) || byte == UInt8(ascii: "%")
            if isForbidden, !isEscape {
                result += Hexadecimal.percentEncoded([byte]).utf8
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
