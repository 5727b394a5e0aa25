import HttpC
import Synchronization

/// Performs a login during a conversation, as a flow does.
final class LoginProbe: ResponseFilter {
    private let start: TargetURL
    private let strategy: any WebLoginStrategy
    private let result = Mutex<Result<WebLoginOutcome, any Error>?>(nil)

    /// Creates a login that ends at any URL with the path `/finish`.
    init(start: TargetURL, strategy: any WebLoginStrategy) {
        self.start = start
        self.strategy = strategy
    }

    /// The URL that ended it.
    var finish: String? { result.withLock { try? $0?.get().finish.value } }
    var failure: (any Error)? {
        result.withLock { result in
            if case .failure(let error)? = result { error } else { nil }
        }
    }

    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
        let login = WebLogin(.saml2, start: start, cookieTargets: [start], returnsCookies: true) {
            (try? TargetURL($0).path) == "/finish"
        }
        let outcome: Result<WebLoginOutcome, any Error>
        do { outcome = .success(try await strategy.perform(login, in: context)) } catch { outcome = .failure(error) }
        result.withLock { $0 = outcome }
        return .proceed
    }
}
