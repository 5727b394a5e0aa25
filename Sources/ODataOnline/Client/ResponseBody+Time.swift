import HttpConversation

extension ResponseBody {
    /// The whole body in memory. The time limit is checked whenever bytes arrive.
    func collect(upTo limit: Int, within time: Duration?) async throws(ConversationError) -> [UInt8] {
        let start = ContinuousClock.now
        var result: [UInt8] = []
        while let chunk = try await next() {
            guard result.count + chunk.count <= limit else {
                throw ConversationError(.tooLarge, "The answer is larger than \(limit) bytes.")
            }
            if let time, .now - start > time {
                throw ConversationError(.timedOut, "its answer took longer than \(time) (ODataLimits.waitingTime).")
            }
            result += chunk
        }
        return result
    }
}
