public import HttpConversation

/// The input for making a transport under test. Each case has its own.
public struct ConformanceSetup: Sendable {
    /// The id of the case.
    public let caseID: String
    /// The trust roots in PEM: the authority of the suite's servers, the same for all cases of a process. A transport
    /// needs no other setting.
    public let trustRoots: [UInt8]
    let answerer: @Sendable (TransportRequest) async throws -> ConformanceReply

    /// The server's answer, for a transport that runs its server in its own process (``ConformanceWire/inProcess``).
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/cancelled`` if the task was cancelled meanwhile
    public func answer(_ request: TransportRequest) async throws(ConversationError) -> ConformanceReply {
        do { return try await answerer(request) } catch {
            if Task.isCancelled { throw .cancelled }
            throw .wrapping(error, as: .receiveFailed, "The case gives no answer.")
        }
    }
}
