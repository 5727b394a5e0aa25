import HTTPTypes
import HttpConversation

/// A certificate server's answer.
struct EnrolmentAnswer: Sendable {
    /// A few certificates in PEM take some kilobytes.
    static let maximumBytes = 64 << 10

    let status: Int
    let fields: HTTPFields
    let url: TargetURL
    let bytes: [UInt8]
}
