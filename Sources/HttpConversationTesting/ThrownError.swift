package import HttpConversation

/// The error of a type that a closure throws; nil if it throws none, or an error of another type.
package func thrown<Failure: Error, Result>(
    _ type: Failure.Type, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async -> Failure? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? Failure
    }
}

/// The code of a conversation's error that a closure throws; nil if it throws none, or an error of another type.
package func failureCode<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async -> ConversationError.Code? {
    await thrown(ConversationError.self, body)?.code
}
