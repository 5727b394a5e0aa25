import HttpConvLogon

/// Asks and runs operations, and handles their failures.
extension LogonDialogue {
    var application: String { logon.application }

    func ask(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer { try await screens.ask(screen) }

    /// Runs an operation of the logon, and tells the view its result.
    func perform<Value: Sendable>(
        _ operation: LogonOperation, _ title: String, _ body: () async throws(LogonError) -> Value
    ) async throws(LogonError) -> Value {
        let result = await screens.during(title, cancel: { [logon] in await logon.cancel() }, body)
        switch result {
        case .success: await view.operationResponded(operation, nil)
        case .failure(let error): await view.operationResponded(operation, error)
        }
        return try result.get()
    }

    /// Shows an error, and offers to retry.
    ///
    /// - Parameter way: the action to offer: the retry, or another one that comes first
    /// - Throws: `LogonError.Code.operationCancelled` if the person declines; the error itself if it is a
    ///   cancellation, if the account was removed, or if no person can be asked
    func offerRetry(after error: LogonError, _ title: String, _ way: LogonAction = .retry) async throws(LogonError) {
        guard error.code != .operationCancelled, !error.isAccountVanished else { throw error }
        try await screens.show(error, title, actions: [way, .cancel])
    }
}
