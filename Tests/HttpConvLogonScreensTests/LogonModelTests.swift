import HttpConvLogon
import HttpConvLogonScreens
import HttpConvVault
import Testing

/// The observable model; the view itself runs on Apple's platforms only.
@Suite(.timeLimit(.minutes(1))) @MainActor struct LogonModelTests {
    private let unlock = LogonScreen(
        .unlock, title: "Unlock", fields: [LogonField(.passcode, "Passcode", kind: .secret, isRequired: true)])

    private func shown(_ screen: LogonScreen, in model: LogonModel) async -> Task<LogonScreenAnswer, any Error> {
        let task = Task { try await model.show(screen) }
        while model.screen != screen && model.activity != screen { await Task.yield() }
        return task
    }

    @Test func anAnswer() async throws {
        let model = LogonModel()
        let task = await shown(unlock, in: model)
        #expect(!model.canProceed)
        model.values[.passcode] = "1234"
        #expect(model.canProceed)
        model.answer(.proceed)
        #expect(try await task.value == LogonScreenAnswer(.proceed, [.passcode: "1234"]))
        #expect(model.screen == nil)
        #expect(model.values.isEmpty, "secrets go with their screen")
    }

    @Test func rulesAsTheyAreTyped() async throws {
        let model = LogonModel()
        let screen = LogonScreen(
            .makePasscode, title: "Make", fields: [LogonField(.newPasscode, "New", kind: .secret, isRequired: true)],
            rules: [.minimumLength(3), .digit])
        let task = await shown(screen, in: model)
        for (typed, satisfied) in [("a", [false, false]), ("a1", [false, true]), ("abc", [true, false])] {
            model.values[.newPasscode] = typed
            #expect(screen.rules.map(model.isSatisfied) == satisfied)
            #expect(!model.canProceed)
        }
        model.values[.newPasscode] = "ab1"
        #expect(model.canProceed)
        model.answer(.cancel)
        #expect(try await task.value == .cancelled, "nothing that was typed goes along")
    }

    @Test func presetValues() async throws {
        let model = LogonModel()
        let field = LogonField(.registration(.serverHost), "Server", value: "mobile.example.com", isRequired: true)
        let task = await shown(LogonScreen(.registration, title: "Register", fields: [field]), in: model)
        #expect(model.canProceed)
        model.answer(.proceed)
        #expect(try await task.value[.registration(.serverHost)] == "mobile.example.com")
    }

    @Test func anActivityStandsBehindAScreen() async throws {
        let model = LogonModel()
        let activity = await shown(LogonScreen(.activity, title: "Doing", actions: [.cancel]), in: model)
        let task = await shown(unlock, in: model)
        #expect(model.activity != nil)
        model.answer(.cancel)
        #expect(try await task.value == .cancelled)
        model.cancelActivity()
        #expect(try await activity.value == .cancelled)
        #expect(model.activity == nil)
    }

    @Test func cancelledTasksTakeTheirScreensAway() async throws {
        let model = LogonModel()
        for screen in [unlock, LogonScreen(.activity, title: "Doing", actions: [.cancel])] {
            let task = await shown(screen, in: model)
            task.cancel()
            #expect(try await task.value == .cancelled)
            #expect(model.screen == nil && model.activity == nil)
        }
        let early = Task { try await model.show(unlock) }
        early.cancel()
        #expect(try await early.value == .cancelled)
        #expect(model.screen == nil)
    }

    /// A screen that replaces another one ends it; the end of the first comes too late to affect the second.
    @Test func anotherScreen() async throws {
        let model = LogonModel()
        let first = await shown(unlock, in: model)
        let second = Task { try await model.show(unlock) }
        #expect(try await first.value == .cancelled)
        while model.screen == nil { await Task.yield() }
        first.cancel()
        model.values[.passcode] = "1234"
        model.answer(.proceed)
        #expect(try await second.value.action == .proceed)
        let third = await shown(unlock, in: model)
        await model.close()
        #expect(try await third.value == .cancelled)
    }
}
