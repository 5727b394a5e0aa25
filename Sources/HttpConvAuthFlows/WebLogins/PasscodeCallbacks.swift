import HttpConvFormats
import HttpConvPlatform
import HttpConversation
import Synchronization

/// The codes that an authenticator application has returned, each for the page whose link opened it.
final class PasscodeCallbacks: CustomURLSchemeHandler {
    private typealias Waiter = (page: TargetURL, continuation: CheckedContinuation<Redacted<String>, any Error>)

    private struct State {
        /// The page whose link was opened last, and the callback address in that link.
        var expected: (page: TargetURL, callback: String?)?
        var code: (page: TargetURL, text: Redacted<String>)?
        var waiting: [Int: Waiter] = [:]
        var next = 0
    }

    private let parameter: String
    private let state = Mutex(State())

    /// - Parameter parameter: the name of the code in a callback's query
    init(parameter: String) { self.parameter = parameter }

    /// Assigns the next callback to a page.
    ///
    /// - Parameter callback: the only accepted address; nil: any address with a callback scheme
    func expect(callback: String?, for page: TargetURL) {
        state.withLock { state in
            state.expected = (page.withoutFragment, callback.flatMap(OAuth2RedirectURI.base))
            state.code = nil
        }
    }

    func handle(_ url: URL) -> Bool {
        guard url.scheme?.lowercased().hasSuffix(CodeAuthenticator.callbackSuffix) == true,
            let code = FormEncoding.query(of: url.absoluteString).first(where: { $0.name == parameter })?.value,
            !code.isEmpty
        else { return false }
        let (isExpected, waiters) = state.withLock { state -> (Bool, [Waiter]) in
            // A code that was not requested, or comes to another address, is ignored.
            guard let (page, callback) = state.expected,
                callback == nil || callback == OAuth2RedirectURI.base(url.absoluteString)
            else { return (false, []) }
            // One code for each opened link.
            state.expected = nil
            let ready = state.waiting.filter { $0.value.page == page }
            for number in ready.keys { state.waiting[number] = nil }
            if ready.isEmpty { state.code = (page, Redacted(code)) }
            return (true, Array(ready.values))
        }
        for waiter in waiters { waiter.continuation.resume(returning: Redacted(code)) }
        return isExpected
    }

    /// Waits for the code for a page.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or the callbacks are closed
    func code(for page: TargetURL) async throws -> Redacted<String> {
        let page = page.withoutFragment
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Redacted<String>? in
                    guard let code = state.code, code.page == page else {
                        state.waiting[number] = (page, continuation)
                        return nil
                    }
                    state.code = nil
                    return code.text
                }
                if let known { return continuation.resume(returning: known) }
                // The cancellation handler may have run before the entry existed.
                if Task.isCancelled { abandon { $0 == number } }
            }
        } onCancel: {
            abandon { $0 == number }
        }
    }

    /// Ends all waits.
    func close() {
        state.withLock { $0.expected = nil }
        abandon { _ in true }
    }

    private func abandon(where matches: (Int) -> Bool) {
        let waiters = state.withLock { state in
            let gone = state.waiting.filter { matches($0.key) }
            for number in gone.keys { state.waiting[number] = nil }
            return Array(gone.values)
        }
        for waiter in waiters { waiter.continuation.resume(throwing: CancellationError()) }
    }
}
