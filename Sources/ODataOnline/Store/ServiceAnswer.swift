import HTTPTypes
import HttpConversation

/// An answer of a service that was read.
struct ServiceAnswer: Sendable {
    let status: Int
    let fields: HTTPFields
    let bytes: [UInt8]
    /// Where it came from, after redirects.
    let url: TargetURL

    var isSuccess: Bool { (200...299).contains(status) }
    var kind: ContentKind { ContentKind(fields[.contentType], bytes) }
    var etag: String? { fields[.eTag] }
}
