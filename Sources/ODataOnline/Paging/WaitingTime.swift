import HttpConversation

/// The time spent waiting for the pages of a service.
struct WaitingTime {
    private var waited = Duration.zero

    /// Adds to the time, and checks the limit.
    mutating func add(since start: ContinuousClock.Instant, _ client: ServiceClient) throws(ODataError) {
        waited += .now - start
        guard let limit = client.configuration.limits.waitingTime, waited > limit else { return }
        throw ODataError(
            ConversationError(
                .timedOut, "its pages took longer than \(limit) together: ask for less, or raise the limit."),
            at: "\(client.root.url)")
    }
}
