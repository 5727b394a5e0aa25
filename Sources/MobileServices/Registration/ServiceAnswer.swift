import HTTPTypes

/// A complete answer of a mobile server.
struct ServiceAnswer: Sendable {
    let status: Int
    let fields: HTTPFields
    let bytes: [UInt8]

    var kind: AnswerKind { AnswerKind(contentType: fields[.contentType], body: bytes) }
    var isSuccess: Bool { (200...299).contains(status) }
}
