import HTTPTypes
import HttpConversation

/// An answer of a service with its whole body.
struct ServiceAnswer: Sendable {
    let status: Int
    let fields: HTTPFields
    let bytes: [UInt8]
    /// The address of the answer, after redirects.
    let url: TargetURL
    /// The secrets that were sent for it, or for the batch that it is a part of.
    let sent: SentFields

    /// The body of an error without the secrets that were sent, which a service may repeat.
    var shownBytes: [UInt8] { sent.hidden(in: bytes) }
    var isSuccess: Bool { (200...299).contains(status) }
    var kind: ContentKind { ContentKind(fields[.contentType], bytes) }
    var etag: String? { fields[.eTag] }
    /// The ETag of an error; nil for one that repeats a secret that was sent.
    var shownETag: String? { etag.flatMap { sent.hidden(in: $0) == $0 ? $0 : nil } }
}
