import HttpConvLogon
import HttpConvPlatform
import HttpConversation

/// Shows screens, one at a time, and checks their answers.
struct LogonScreens: Sendable {
    let view: any LogonView
    let multiplexer: UserInteractionMultiplexer

    /// Shows a screen when it may ask.
    ///
    /// - Throws: `LogonError.Code.operationCancelled` if the person cancels
    func ask(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer {
        let answer = try await alone(UUID()) { [view] () async throws(LogonError) in try await view.show(screen) }
        guard screen.actions.contains(answer.action) else {
            throw LogonError(
                .invalidActionItemID, "The screen \"\(screen.title)\" has no action \(answer.action.rawValue).")
        }
        guard answer.action != .cancel, !Task.isCancelled else { throw Self.cancelled(screen.title) }
        guard answer.values.keys.allSatisfy({ screen[$0] != nil }) else {
            throw LogonError(
                .invalidParameter, "The screen \"\(screen.title)\" was given a value for a field that it does not have."
            )
        }
        return answer
    }

    /// Shows an error, with ways to go on.
    ///
    /// - Throws: `LogonError.Code.operationCancelled` if the person declines; the error itself if no person can be
    ///   asked
    func show(_ error: LogonError, _ title: String, actions: [LogonAction]) async throws(LogonError) {
        let screen = LogonScreen(.error, title: title, problem: error.message, actions: actions)
        do throws(LogonError) {
            _ = try await ask(screen)
        } catch let answer {
            switch answer.code {
            case .operationCancelled: throw Self.cancelled(title, underlyingError: error)
            case .operationNotAllowed: throw error
            default: throw answer
            }
        }
    }

    /// Whether the person agrees.
    ///
    /// - Parameter actions: the default one first; anything but ``LogonAction/cancel`` is a yes
    func confirm(_ title: String, _ message: String, _ actions: [LogonAction]) async throws(LogonError) -> Bool {
        do throws(LogonError) {
            _ = try await ask(LogonScreen(.confirmation, title: title, message: message, actions: actions))
            return true
        } catch {
            guard error.code == .operationCancelled, !Task.isCancelled else { throw error }
            return false
        }
    }

    /// Runs a closure that has the screen to itself. Callers with equal keys share one run and its result.
    func alone<Key: Hashable & Sendable, Value: Sendable>(
        _ key: Key, _ body: @escaping @Sendable () async throws(LogonError) -> Value
    ) async throws(LogonError) -> Value {
        do {
            return try await multiplexer.perform(key) { try await body() }
        } catch let error as LogonError {
            throw error
        } catch {
            throw Self.cancelled("the screen was not free in time", underlyingError: error)
        }
    }

    /// Runs a closure while the view shows an activity.
    ///
    /// The activity does not count as a screen that asks: a login during the closure would wait for it.
    func during<Value: Sendable>(
        _ title: String, cancel: @escaping @Sendable () async -> Void,
        _ body: () async throws(LogonError) -> Value
    ) async -> Result<Value, LogonError> {
        let screen = LogonScreen(.activity, title: title, actions: [.cancel])
        let activity = Task { [view] in
            let answer = try? await view.show(screen)
            guard !Task.isCancelled, answer?.action == .cancel else { return }
            await cancel()
        }
        let result: Result<Value, LogonError>
        do throws(LogonError) { result = .success(try await body()) } catch { result = .failure(error) }
        activity.cancel()
        await activity.value
        return result
    }

    static func cancelled(_ what: String, underlyingError: (any Error)? = nil) -> LogonError {
        LogonError(.operationCancelled, "Cancelled: \(what).", underlyingError: underlyingError)
    }
}
