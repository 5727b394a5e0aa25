import HTTPTypes
import HttpConversation

/// A complete answer of a mobile server.
struct ServiceAnswer: Sendable {
    let status: Int
    let fields: HTTPFields
    let bytes: [UInt8]
    /// The secrets that were sent for it, which its body may repeat; nil without a body.
    var sent: SentFields?

    var kind: AnswerKind { AnswerKind(contentType: fields[.contentType], body: bytes) }
    var isSuccess: Bool { (200...299).contains(status) }
}
