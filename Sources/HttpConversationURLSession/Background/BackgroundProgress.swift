public import HttpConversation

/// The progress of a background transfer.
public struct BackgroundProgress: Hashable, Sendable {
    /// The conversation that the transfer belongs to.
    public let conversationID: ConversationID
    /// The kind of transfer.
    public let kind: BackgroundLabel.Kind
    /// The bytes of the file that were sent or received, including those before an interruption.
    public let bytes: Int
    /// The bytes of the whole file; nil if unknown.
    public let total: Int?

    /// Reads the numbers of the system, where -1 is an unknown length.
    init(_ label: BackgroundLabel, bytes: Int64, total: Int64) {
        conversationID = label.conversationID
        kind = label.kind
        self.bytes = Int(clamping: max(bytes, 0))
        self.total = total >= 0 ? Int(clamping: total) : nil
    }
}
