import HttpConvFormats

/// The kind of an answer's body, by its `Content-Type`, or by its first byte if it has none.
enum AnswerKind: Equatable {
    case entity(EntityFormat)
    case page
    case other

    init(contentType: String?, body: [UInt8]) {
        guard let contentType else {
            switch body.first(where: { !$0.isBlank }) {
            case UInt8(ascii: "{"): self = .entity(.json)
            case UInt8(ascii: "<"): self = HTMLPage.begins(body) ? .page : .entity(.atom)
            default: self = .other
            }
            return
        }
        let type = contentType.mediaType
        switch type {
        case "application/json": self = .entity(.json)
        case "application/atom+xml", "application/xml", "text/xml": self = .entity(.atom)
        case _ where type.isHTMLType: self = .page
        default: self = type.hasSuffix("+json") ? .entity(.json) : .other
        }
    }
}
