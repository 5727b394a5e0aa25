import HTTPTypes
import HttpConversation

/// An answer of a service with its whole body.
struct ServiceAnswer: Sendable {
    let status: Int
    let fields: HTTPFields
    let bytes: [UInt8]
    /// The address of the answer, after redirects.
    let url: TargetURL
    /// The conversation; nil for a part of a batch.
    var context: ConversationContext?

    /// The body of an error without the secrets that were sent, which a service may repeat.
    var shownBytes: [UInt8] { context?.hidingSecrets(in: bytes) ?? bytes }
    var isSuccess: Bool { (200...299).contains(status) }
    var kind: ContentKind { ContentKind(fields[.contentType], bytes) }
    var etag: String? { fields[.eTag] }
}
