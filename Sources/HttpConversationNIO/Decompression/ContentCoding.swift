import HTTPTypes
import HttpConvFormats

/// The content codings that this transport decodes (RFC 9110 §8.4.1).
enum ContentCoding: Equatable {
    case gzip
    case deflate

    /// The content codings of a response.
    enum List: Equatable {
        /// In the order they were applied; empty if there is nothing to decode.
        case known([ContentCoding])
        case unknown
        case tooMany
    }

    /// The maximum number of codings that are accepted. Each costs memory and time (security rule S24).
    static let maximumCount = 5

    /// The codings of a response. Reads the fields once.
    static func list(_ fields: HTTPFields) -> List {
        var codings: [ContentCoding] = []
        var count = 0
        var areKnown = true
        for value in fields[values: .contentEncoding] {
            for element in value.utf8.split(separator: UInt8(ascii: ",")) {
                let name = element.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
                if name.isEmpty { continue }
                count += 1
                guard count <= maximumCount else { return .tooMany }
                switch String(decoding: name, as: UTF8.self).lowercased() {
                case "gzip", "x-gzip": codings.append(.gzip)
                case "deflate": codings.append(.deflate)
                // Some servers write "none" for a body as it is, as curl and browsers allow.
                case "identity", "none": break
                default: areKnown = false
                }
            }
        }
        return areKnown ? .known(codings) : .unknown
    }
}
