public import HttpConvLogon
public import HttpConvVault
import HttpConversation
public import Observation

/// The observable state of a dialogue: the screen that asks, its input, and the operation in progress.
///
/// `LogonSwiftUIView` shows it; any other toolkit with observation can.
@MainActor @Observable
public final class LogonModel {
    /// The screen that asks now; nil: none.
    public private(set) var screen: LogonScreen?
    /// The operation in progress; nil: none.
    public private(set) var activity: LogonScreen?
    /// The values of the fields; secrets are dropped with their screen.
    public var values: [LogonField.Name: String] = [:]

    @ObservationIgnored private var waiting: CheckedContinuation<LogonScreenAnswer, Never>?
    @ObservationIgnored private var waitingActivity: CheckedContinuation<LogonScreenAnswer, Never>?
    /// The number of screens and activities shown so far. A late cancellation compares it, and leaves later ones alone.
    @ObservationIgnored private var shown = 0
    @ObservationIgnored private var current: (screen: Int, activity: Int) = (0, 0)

    /// A model that shows nothing yet.
    public init() {}

    /// Whether the typed passcode satisfies a rule of the screen.
    public func isSatisfied(_ rule: PasswordRule) -> Bool { rule.isSatisfied(by: values[.newPasscode] ?? "") }

    /// Whether the input is complete.
    public var canProceed: Bool {
        guard let screen else { return false }
        let isFilled = screen.fields.allSatisfy { !$0.isRequired || values[$0.id]?.isEmpty == false }
        return isFilled && screen.rules.allSatisfy(isSatisfied)
    }

    /// Answers the screen with the typed values; a cancellation carries none.
    public func answer(_ action: LogonAction) {
        guard let waiting else { return }
        let answer = LogonScreenAnswer(action, action == .cancel ? [:] : values)
        hideScreen()
        waiting.resume(returning: answer)
    }

    /// Cancels the operation in progress.
    public func cancelActivity() { hideActivity() }

    private func ask(_ screen: LogonScreen) async -> LogonScreenAnswer {
        answer(.cancel)
        values = Dictionary(screen.fields.map { ($0.id, $0.value) }) { first, _ in first }
        self.screen = screen
        shown += 1
        let turn = shown
        current.screen = turn
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting = $0 }
        } onCancel: {
            Task { @MainActor in if self.current.screen == turn { self.answer(.cancel) } }
        }
    }

    private func wait(_ screen: LogonScreen) async -> LogonScreenAnswer {
        hideActivity()
        activity = screen
        shown += 1
        let turn = shown
        current.activity = turn
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waitingActivity = $0 }
        } onCancel: {
            Task { @MainActor in if self.current.activity == turn { self.hideActivity() } }
        }
    }

    private func hideScreen() {
        screen = nil
        values = [:]
        waiting = nil
    }

    private func hideActivity() {
        activity = nil
        waitingActivity?.resume(returning: .cancelled)
        waitingActivity = nil
    }
}

extension LogonModel: LogonView {
    public func show(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer {
        screen.kind == .activity ? await wait(screen) : await ask(screen)
    }

    public func operationResponded(_ operation: LogonOperation, _ error: LogonError?) async {}

    public func close() async {
        answer(.cancel)
        hideActivity()
    }
}
