import HttpConvFormats

/// The kind of a body, by its `Content-Type`, or by its first byte if it has none.
enum ContentKind: Equatable {
    case json
    case xml
    case page
    case multipart
    case other

    init(_ contentType: String?, _ start: [UInt8]) {
        guard let contentType else {
            switch start.first(where: { !$0.isBlank && ![0xEF, 0xBB, 0xBF].contains($0) }) {
            case UInt8(ascii: "{"), UInt8(ascii: "["): self = .json
            case UInt8(ascii: "<"): self = HTMLPage.begins(start) ? .page : .xml
            default: self = .other
            }
            return
        }
        let type = contentType.mediaType
        switch type {
        case "application/json": self = .json
        case "application/atom+xml", "application/xml", "text/xml", "application/atomsvc+xml": self = .xml
        case _ where type.isHTMLType: self = .page
        case "multipart/mixed": self = .multipart
        default: self = type.hasSuffix("+json") ? .json : type.hasSuffix("+xml") ? .xml : .other
        }
    }
}
