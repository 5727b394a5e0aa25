public import Foundation
public import HttpConversation

/// A download that is complete.
public struct DownloadedFile: Sendable {
    /// Where it is.
    public let file: URL
    /// The final response, with no bytes in memory; of a download that went on, the one with the rest.
    public let response: ConversationResponse
    /// The number of bytes that were there before; 0 for a download from the start.
    public let resumedAt: Int
    /// Why what was there before was not used; nil where it was, or there was nothing.
    public let startedOver: StartOver?

    /// Why a download starts over.
    public enum StartOver: String, Sendable, CaseIterable {
        /// The resource is another one than before: its validator or its length is.
        case changed = "the resource has changed"
        /// The server sent the whole, though nothing has changed.
        case rangesIgnored = "the server sends the whole"
        /// What the server sent does not begin where the rest does, or is not all of it.
        case otherRange = "the server sent another range"
        /// The bytes come in a content coding, or in several parts.
        case coded = "the server sent the range in another form"
    }
}
