public import HttpConversation

/// What a transport under test is made with; for each case anew.
public struct ConformanceSetup: Sendable {
    /// The id of the case.
    public let caseID: String
    /// What to trust, in PEM: the authority of the suite's servers, the same for all cases of a process. Nothing else is
    /// ever asked of a transport's configuration.
    public let trustRoots: [UInt8]
    let answerer: @Sendable (TransportRequest) async throws -> ConformanceReply

    /// The server's answer, for a transport that has it in its own process (``ConformanceWire/inProcess``).
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/cancelled`` where the task was cancelled meanwhile
    public func answer(_ request: TransportRequest) async throws(ConversationError) -> ConformanceReply {
        do { return try await answerer(request) } catch {
            if Task.isCancelled { throw .cancelled }
            throw .wrapping(error, as: .receiveFailed, "The case gives no answer.")
        }
    }
}
