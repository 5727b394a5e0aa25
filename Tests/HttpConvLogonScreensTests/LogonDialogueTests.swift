import HttpConvLogon
import HttpConvVault
import HttpConversation
import MobileServices
import Synchronization
import Testing

@testable import HttpConvLogonScreens

/// The sequence of screens, and the effect of their answers.
@Suite(.timeLimit(.minutes(1))) struct LogonDialogueTests {
    private static let proceed = LogonScreenAnswer(.proceed)
    private static let server = LogonScreenAnswer(
        .proceed,
        [
            .registration(.serverHost): "mobile.example.com", .registration(.backendUserName): "alice",
            .password: "wonderland",
        ])
    private static let passcode = LogonScreenAnswer(
        .proceed, [.newPasscode: "12345678", .repeatedPasscode: "12345678"])

    private func dialogue(_ logon: ScriptedLogon, _ view: ScriptedView) -> LogonDialogue {
        LogonDialogue(operations: logon, view: view, multiplexer: UserInteractionMultiplexer())
    }

    private func unlock(_ passcode: String) -> LogonScreenAnswer { LogonScreenAnswer(.proceed, [.passcode: passcode]) }

    private func code(_ work: () async throws -> Void) async -> LogonError.Code? {
        do { try await work() } catch { return (error as? LogonError)?.code }
        return nil
    }

    // MARK: The first time

    @Test func fromNothing() async throws {
        let logon = ScriptedLogon(.nothing)
        let view = ScriptedView(Self.proceed, Self.server, Self.passcode)
        try await dialogue(logon, view).run()
        #expect(view.kinds == [.splash, .registration, .makePasscode])
        #expect(view.operations == [.register, .makeVault])
        #expect(view.outcomes == [nil, nil])
        #expect(view.activities == ["Registering at https://mobile.example.com:8081", "Making the vault"])
        #expect(await logon.inputs.map(\.values.serverHost) == ["mobile.example.com"])
        #expect(await logon.inputs.first?.credentials?.password.value == "wonderland")
        #expect(await logon.passcodes == [["12345678", "12345678"]])
        #expect(view.closings == 1)
    }

    @Test func theSplashScreenIsOptional() async throws {
        var options = LogonOptions()
        options.usesSplashScreen = false
        let view = ScriptedView(Self.server, Self.passcode)
        try await dialogue(ScriptedLogon(.nothing, options), view).run()
        #expect(view.kinds == [.registration, .makePasscode])
    }

    /// If everything is known, nobody is asked about the server.
    @Test func nothingToAsk() async throws {
        var options = LogonOptions()
        options.usesSplashScreen = false
        options.registration.serverHost = "mobile.example.com"
        options.hiddenRegistrationFields = Set(RegistrationField.allCases)
        options.authentication.types = ["saml2.web.redirect"]
        let view = ScriptedView(Self.passcode)
        try await dialogue(ScriptedLogon(.nothing, options), view).run()
        #expect(view.kinds == [.makePasscode])
    }

    /// The input stays after an error, except secrets.
    @Test func anotherTryKeepsWhatWasTyped() async throws {
        let logon = ScriptedLogon(
            .nothing, failing: [LogonError(.couldNotDecideCommunicator, "Nobody \u{1B}is there.")])
        let view = ScriptedView(Self.proceed, Self.server, LogonScreenAnswer(.retry), Self.proceed, Self.passcode)
        try await dialogue(logon, view).run()
        #expect(view.kinds == [.splash, .registration, .error, .registration, .makePasscode])
        #expect(view.screens[2].problem == "Nobody \\u{1b}is there.")
        #expect(view.screens[2].actions == [.retry, .cancel])
        #expect(view.screens[3][.registration(.serverHost)]?.value == "mobile.example.com")
        #expect(view.screens[3][.registration(.backendUserName)]?.value == "alice")
        #expect(await logon.inputs.map { $0.credentials?.password.value } == ["wonderland", nil])
    }

    @Test func theBackEndDoesNotAcceptThePassword() async throws {
        let logon = ScriptedLogon(.nothing, failing: [LogonError(.invalidBackendPassword, "No.")])
        let again = LogonScreenAnswer(.proceed, [.registration(.backendUserName): "alicia", .password: "other"])
        let view = ScriptedView(Self.proceed, Self.server, again, Self.passcode)
        try await dialogue(logon, view).run()
        #expect(view.kinds == [.splash, .registration, .credentials, .makePasscode])
        #expect(view.screens[2].problem == "No.")
        #expect(view.screens[2].message == "The server is https://mobile.example.com:8081.")
        #expect(view.screens[2][.registration(.backendUserName)]?.value == "alice")
        #expect(await logon.inputs.map { $0.credentials?.username } == ["alice", "alicia"])
        #expect(await logon.inputs.map { $0.credentials?.password.value } == ["wonderland", "other"])
    }

    @Test func invalidInputIsAskedAgain() async throws {
        let wrong = LogonScreenAnswer(.proceed, [.registration(.serverHost): "no host"])
        let view = ScriptedView(Self.proceed, wrong, Self.server, Self.passcode)
        try await dialogue(ScriptedLogon(.nothing), view).run()
        #expect(view.kinds == [.splash, .registration, .registration, .makePasscode])
        #expect(view.screens[2].problem.hasPrefix("The server's address cannot be used"))
    }

    // MARK: By an e-mail address

    private struct Discovery: ServerDiscovery {
        let host: String?
        func server(
            for address: String, _ options: LogonOptions, applicationID: String
        ) async throws(LogonError) -> DiscoveredServer? {
            guard let source = try? Origin(scheme: .https, host: "example.com"), address == "alice@example.com" else {
                throw LogonError(.invalidParameter, "That is no address.")
            }
            guard let host else { return nil }
            var registration = options.registration
            registration.serverHost = host
            return DiscoveredServer(registration, from: source, for: "example.com")
        }
    }

    private static let discover = LogonScreenAnswer(.discover)
    private static let address = LogonScreenAnswer(.proceed, [.emailAddress: "alice@example.com"])

    private func discovering(_ host: String?, _ answers: LogonScreenAnswer...) async -> ScriptedView {
        let view = ScriptedView(([Self.proceed] + answers + [.cancelled]).map { answer in { _ in answer } })
        var dialogue = dialogue(ScriptedLogon(.nothing), view)
        dialogue.discovery = Discovery(host: host)
        #expect(await code { try await dialogue.run() } == .operationCancelled)
        return view
    }

    @Test func aServerIsFoundAndAgreedTo() async {
        let view = await discovering("mobile.example.com", Self.discover, Self.address, Self.proceed)
        #expect(view.kinds == [.splash, .registration, .configuration, .confirmation, .registration])
        #expect(view.screens[1].actions == [.proceed, .discover, .cancel])
        #expect(view.screens[3].message == "mobile.example.com:8081, named by https://example.com.")
        #expect(view.screens[3].actions == [.proceed, .cancel])
        #expect(view.screens[4][.registration(.serverHost)]?.value == "mobile.example.com")
    }

    /// For another domain the default is to cancel; after a cancellation nothing is filled in.
    @Test func aServerOfAnotherDomain() async {
        let view = await discovering("evil.example", Self.discover, Self.address, .cancelled)
        #expect(view.screens[3].actions == [.cancel, .proceed])
        #expect(view.screens[3].message.hasSuffix("look twice."))
        #expect(view.screens[4][.registration(.serverHost)]?.value == "")
    }

    @Test func noServerIsFound() async {
        let nothing = await discovering(nil, Self.discover, Self.address)
        #expect(nothing.screens.last?.problem == "Nobody there names a server: enter its address.")
        let wrong = await discovering(nil, Self.discover, LogonScreenAnswer(.proceed, [.emailAddress: "alice"]))
        #expect(wrong.screens.last?.problem == "That is no address.")
        #expect(wrong.kinds.last == .registration)
    }

    /// If the server's address is hidden, discovery is not offered.
    @Test func noDiscoveryOfAHiddenServer() async {
        var options = LogonOptions()
        options.hiddenRegistrationFields = [.serverHost]
        let view = ScriptedView(Self.proceed, Self.discover)
        var dialogue = dialogue(ScriptedLogon(.nothing, options), view)
        dialogue.discovery = Discovery(host: "mobile.example.com")
        #expect(await code { try await dialogue.run() } == .invalidActionItemID)
    }

    // MARK: The passcode

    @Test func theRulesAreShown() async throws {
        var policy = PasswordPolicy()
        policy.requiresDigit = true
        let view = ScriptedView(Self.passcode)
        try await dialogue(ScriptedLogon(.registered, policy: policy), view).run()
        #expect(view.screens[0].rules == [.minimumLength(8), .digit])
        #expect(view.screens[0].actions == [.proceed, .cancel])
    }

    @Test func withoutAPasscodeWhereThePolicyAllowsIt() async throws {
        var policy = PasswordPolicy()
        policy.allowsDefaultPassword = true
        let logon = ScriptedLogon(.registered, policy: policy)
        let view = ScriptedView(LogonScreenAnswer(.useDefaultPasscode))
        try await dialogue(logon, view).run()
        #expect(view.screens[0].actions == [.proceed, .useDefaultPasscode, .cancel])
        #expect(await logon.passcodes == [[nil, nil]])
    }

    /// An empty passcode counts as an invalid one, and never as the default one.
    @Test func anEmptyPasscodeIsNotNone() async throws {
        let logon = ScriptedLogon(.registered)
        try await dialogue(logon, ScriptedView(Self.proceed)).run()
        #expect(await logon.passcodes == [["", ""]])
    }

    @Test func aPolicyWithoutPasscodeAsksNothing() async throws {
        var policy = PasswordPolicy()
        policy.isEnabled = false
        let view = ScriptedView()
        try await dialogue(ScriptedLogon(.registered, policy: policy), view).run()
        #expect(view.kinds.isEmpty)
        #expect(view.operations == [.makeVault])
    }

    @Test func repeatedInAnotherWay() async throws {
        let wrong = LogonScreenAnswer(.proceed, [.newPasscode: "12345678", .repeatedPasscode: "12345679"])
        let view = ScriptedView(wrong, Self.passcode)
        try await dialogue(ScriptedLogon(.registered), view).run()
        #expect(view.kinds == [.makePasscode, .makePasscode])
        #expect(view.screens[1].problem == "The two differ.")
        #expect(view.outcomes == [.passwordsNotEqual, nil])
    }

    @Test func anotherProcessRegistersWhileTheFormIsShown() async throws {
        let logon = ScriptedLogon(
            .nothing, passcode: "right", failing: [LogonError(.userAlreadyLoggedIn, "There is one.")])
        let view = ScriptedView(Self.proceed, Self.server, LogonScreenAnswer(.retry), unlock("right"))
        try await dialogue(logon, view).run()
        #expect(view.kinds == [.splash, .registration, .error, .unlock])
        #expect(view.operations == [.register, .unlock])
    }

    @Test func aVaultThatNeedsNoPasscodeIsMadeElsewhere() async throws {
        var policy = PasswordPolicy()
        policy.isEnabled = false
        let logon = ScriptedLogon(
            .registered, policy: policy, passcode: "right",
            failing: [LogonError(.userAlreadyLoggedIn, "There is one.")])
        let view = ScriptedView(unlock("right"))
        try await dialogue(logon, view).run()
        #expect(view.kinds == [.unlock])
        #expect(view.operations == [.makeVault, .unlock])
    }

    /// Another process registers meanwhile: its vault is to be unlocked.
    @Test func theVaultIsMadeElsewhere() async throws {
        let logon = ScriptedLogon(
            .registered, passcode: "right", failing: [LogonError(.userAlreadyLoggedIn, "There is one.")])
        let view = ScriptedView(Self.passcode, LogonScreenAnswer(.retry), unlock("right"))
        try await dialogue(logon, view).run()
        #expect(view.kinds == [.makePasscode, .error, .unlock])
        #expect(view.operations == [.makeVault, .unlock])
    }

    // MARK: Later

    @Test func aWrongPasscodeShowsWhatIsLeft() async throws {
        let view = ScriptedView(unlock("wrong"), unlock("right"))
        try await dialogue(ScriptedLogon(.locked, passcode: "right"), view).run()
        #expect(view.kinds == [.unlock, .unlock])
        #expect(view.screens.map(\.attemptsLeft) == [3, 2])
        #expect(view.screens.map(\.problem) == ["", "That is wrong."])
    }

    @Test func afterTheLastTryItBeginsAnew() async throws {
        let view = ScriptedView(unlock("wrong"), Self.proceed, Self.proceed, Self.server, Self.passcode)
        try await dialogue(ScriptedLogon(.locked, passcode: "right", tries: 1), view).run()
        #expect(view.kinds == [.unlock, .error, .splash, .registration, .makePasscode])
        #expect(view.screens[1].problem == "It is gone.")
        #expect(view.screens[1].actions == [.proceed, .cancel])
    }

    @Test func withoutAPasscodeNobodyIsAsked() async throws {
        let view = ScriptedView()
        try await dialogue(ScriptedLogon(.locked, passcode: nil), view).run()
        #expect(view.kinds.isEmpty)
        #expect(view.operations == [.unlock])
    }

    @Test func aForgottenPasscode() async throws {
        let delete = LogonScreenAnswer(.deleteUser)
        let logon = ScriptedLogon(.locked, passcode: "right")
        let view = ScriptedView(delete, .cancelled, delete, delete, Self.proceed, Self.server, Self.passcode)
        try await dialogue(logon, view).run()
        #expect(
            view.kinds == [
                .unlock, .confirmation, .unlock, .confirmation, .splash, .registration, .makePasscode,
            ])
        #expect(view.screens[1].actions == [.cancel, .deleteUser], "what cannot be undone is not the usual thing")
        #expect(view.operations == [.deleteUser, .register, .makeVault])
    }

    @Test func anOldPasscodeIsChanged() async throws {
        let expired = LogonError(
            .operationNotAllowed, "It is too old.", underlyingError: PasscodeVaultError(.expired, ""))
        let logon = ScriptedLogon(.locked, passcode: "right", failing: [expired])
        let view = ScriptedView(unlock("right"), Self.passcode)
        try await dialogue(logon, view).run()
        #expect(view.kinds == [.unlock, .changePasscode])
        #expect(view.screens[1].problem == "It is too old.")
        #expect(view.screens[1][.passcode] == nil, "it was just entered")
        #expect(await logon.passcodes == [["right"], ["right", "12345678", "12345678"]])
    }

    private static let expired = LogonError(
        .operationNotAllowed, "It is too old.", underlyingError: PasscodeVaultError(.expired, ""))

    private static func refused(_ code: PasscodeVaultError.Code) -> LogonError {
        LogonError(.invalidParameter, "Refused.", underlyingError: PasscodeVaultError(code, ""))
    }

    /// Another process changes the passcode meanwhile: the remembered one is not tried again.
    @Test func changedElsewhereMeanwhile() async throws {
        let logon = ScriptedLogon(.locked, passcode: "right", failing: [Self.expired, Self.refused(.wrongPasscode)])
        let view = ScriptedView(unlock("old"), Self.passcode, unlock("right"))
        try await dialogue(logon, view).run()
        #expect(view.kinds == [.unlock, .changePasscode, .unlock])
        #expect(view.screens.map(\.problem) == ["", "It is too old.", "Refused."])
        #expect(await logon.passcodes == [["old"], ["old", "12345678", "12345678"], ["right"]])
    }

    /// Another process removes the passcode meanwhile: then there is nothing to ask for.
    @Test func removedElsewhereMeanwhile() async throws {
        let logon = ScriptedLogon(.locked, passcode: "right", failing: [Self.expired, Self.refused(.noPasscode)])
        let view = ScriptedView(unlock("right"), Self.passcode)
        try await dialogue(logon, view).run()
        #expect(view.kinds == [.unlock, .changePasscode])
        #expect(await logon.passcodes == [["right"], ["right", "12345678", "12345678"], [nil]])
    }

    /// The vault had no passcode, and another process has given it one: the next screen asks for it.
    @Test func aPasscodeFromElsewhere() async throws {
        let logon = ScriptedLogon(
            .locked, passcode: nil, failing: [Self.expired, Self.refused(.passcodeNeeded)])
        let view = ScriptedView(Self.passcode, unlock("right"))
        try await dialogue(logon, view).run()
        #expect(view.kinds == [.changePasscode, .unlock])
        #expect(await logon.passcodes == [[nil], [nil, "12345678", "12345678"], ["right"]])
    }

    @Test func changing() async throws {
        let wrong = LogonError(.invalidParameter, "Wrong.", underlyingError: PasscodeVaultError(.wrongPasscode, ""))
        let logon = ScriptedLogon(.unlocked, passcode: "right", failing: [wrong])
        let answer = LogonScreenAnswer(.proceed, [.passcode: "right", .newPasscode: "n", .repeatedPasscode: "n"])
        let view = ScriptedView(answer, answer)
        try await dialogue(logon, view).changePasscode()
        #expect(view.kinds == [.changePasscode, .changePasscode])
        #expect(view.screens[0].attemptsLeft == 3)
        #expect(view.screens[1].problem == "Wrong.")
        #expect(await logon.passcodes == [["right", "n", "n"], ["right", "n", "n"]])
    }

    /// The number of tries does not tell whether there is a passcode.
    @Test func unlimitedTries() async throws {
        let logon = ScriptedLogon(.locked, passcode: "right", tries: nil)
        let answer = LogonScreenAnswer(.proceed, [.passcode: "right", .newPasscode: "n", .repeatedPasscode: "n"])
        let view = ScriptedView(unlock("right"), answer)
        try await dialogue(logon, view).run()
        try await dialogue(logon, view).changePasscode()
        #expect(view.kinds == [.unlock, .changePasscode])
        #expect(view.screens[1][.passcode] != nil)
        #expect(await logon.passcodes == [["right"], ["right", "n", "n"]])
    }

    @Test func anotherBackendPassword() async throws {
        let logon = ScriptedLogon(.unlocked, failing: [LogonError(.invalidBackendPassword, "No.")])
        let answer = LogonScreenAnswer(.proceed, [.password: "new"])
        let view = ScriptedView(answer, answer)
        try await dialogue(logon, view).changeBackendPassword()
        #expect(view.kinds == [.credentials, .credentials])
        #expect(view.screens[1].problem == "No.")
        #expect(await logon.passcodes == [["new"], ["new"]])
    }

    /// Requests of several managers wait for one vault.
    @Test func oneScreenForAllWhoWait() async throws {
        let multiplexer = UserInteractionMultiplexer()
        let view = ScriptedView(unlock("right"))
        let logon = ScriptedLogon(.locked, passcode: "right")
        let dialogue = LogonDialogue(operations: logon, view: view, multiplexer: multiplexer)
        let key = LogonDialogue.OpeningKey(directory: logon.directory.path)
        let (began, beginning) = AsyncStream<Void>.makeStream()
        // The screen becomes free once all of them wait.
        let gate = Task {
            try await multiplexer.perform("gate") {
                beginning.finish()
                while await multiplexer.waiterCount(key, Void.self) < 8 { await Task.yield() }
            }
        }
        for await _ in began {}
        let all = (0..<8).map { _ in Task { try await dialogue.open() } }
        try await gate.value
        for task in all { try await task.value }
        #expect(view.kinds == [.unlock])
        #expect(view.operations == [.unlock])
    }

    // MARK: Cancellation and invalid answers

    /// Cancels each screen.
    @Test(
        arguments: [
            (.nothing, [], .splash), (.nothing, [proceed], .registration), (.registered, [], .makePasscode),
            (.locked, [], .unlock),
        ] as [(LogonState, [LogonScreenAnswer], LogonScreen.Kind)])
    func cancelling(state: LogonState, before: [LogonScreenAnswer], kind: LogonScreen.Kind) async {
        let logon = ScriptedLogon(state, passcode: "right")
        let view = ScriptedView((before + [.cancelled]).map { answer in { _ in answer } })
        #expect(await code { try await dialogue(logon, view).run() } == .operationCancelled)
        #expect(view.kinds.last == kind)
        #expect(view.operations.isEmpty, "nothing was done")
        #expect(view.closings == 1)
        #expect(await logon.state == state)
    }

    @Test func cancellingAfterAnError() async {
        let error = LogonError(.communicationManagerError, "The server is on fire.")
        let view = ScriptedView(Self.proceed, Self.server, .cancelled)
        do throws(LogonError) {
            try await dialogue(ScriptedLogon(.nothing, failing: [error]), view).run()
            Issue.record("It went on.")
        } catch {
            #expect(error.code == .operationCancelled)
            #expect((error.underlyingError as? LogonError)?.code == .communicationManagerError)
        }
    }

    /// If the error's screen cannot be shown, the caller gets the error itself.
    @Test func anErrorWithoutAScreen() async {
        let error = LogonError(.communicationManagerError, "The server is on fire.")
        let view = ScriptedView(Self.proceed, Self.server)
        let found = await code { try await dialogue(ScriptedLogon(.nothing, failing: [error]), view).run() }
        #expect(found == .communicationManagerError)
    }

    @Test func cancellingAnOperation() async {
        let logon = ScriptedLogon(.nothing, waitsForCancellation: true)
        let view = ScriptedView(cancelsActivity: true, Self.proceed, Self.server)
        #expect(await code { try await dialogue(logon, view).run() } == .operationCancelled)
        #expect(await logon.hasCancelled)
        #expect(view.outcomes == [.operationCancelled])
    }

    /// An answer with an action that the screen does not have.
    @Test(
        arguments: [
            (.nothing, [], .retry), (.nothing, [proceed], .deleteUser), (.registered, [], .useDefaultPasscode),
            (.locked, [], .discover),
        ] as [(LogonState, [LogonScreenAnswer], LogonAction)])
    func unknownActions(state: LogonState, before: [LogonScreenAnswer], action: LogonAction) async {
        let logon = ScriptedLogon(state, passcode: "right")
        let view = ScriptedView((before + [LogonScreenAnswer(action)]).map { answer in { _ in answer } })
        #expect(await code { try await dialogue(logon, view).run() } == .invalidActionItemID)
        #expect(view.operations.isEmpty)
    }

    /// An answer with a value for a field that the screen does not have, such as a hidden one.
    @Test func valuesOfFieldsThatAreNotThere() async {
        var options = LogonOptions()
        options.hiddenRegistrationFields = [.serverHost]
        let logon = ScriptedLogon(.nothing, options)
        let view = ScriptedView(Self.proceed, Self.server)
        #expect(await code { try await dialogue(logon, view).run() } == .invalidParameter)
        #expect(await logon.inputs.isEmpty)
    }

    @Test func aCancelledTaskAsksNobody() async {
        let view = ScriptedView(unlock("right"))
        let dialogue = dialogue(ScriptedLogon(.locked, passcode: "right"), view)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await code { try await dialogue.run() }
        }
        task.cancel()
        #expect(await task.value == .operationCancelled)
        #expect(view.operations.isEmpty)
        #expect(view.closings == 1)
    }

    // MARK: Fingerprint or face

    /// A key that is released, or not, as the keychain's.
    private func biometry(_ logon: ScriptedLogon, _ answers: [LogonError?]) -> LogonBiometry {
        let left = Mutex(answers)
        return LogonBiometry {
            left.withLock { !$0.isEmpty }
        } unlock: { () async throws(LogonError) in
            if let error = left.withLock({ $0.removeFirst() }) { throw error }
            try await logon.unlock(passcode: "12345678")
        }
    }

    @Test func biometryComesFirst() async throws {
        let (logon, view) = (ScriptedLogon(.locked, passcode: "12345678"), ScriptedView())
        var dialogue = dialogue(logon, view)
        dialogue.biometry = biometry(logon, [nil])
        try await dialogue.run()
        #expect(view.kinds == [] && view.operations == [.unlock])
        #expect(await logon.state == .unlocked)
    }

    /// A person who declines enters the passcode, or tries again by finger.
    @Test func thePasscodeIsTheOtherWay() async throws {
        let declined = LogonError(.operationCancelled, "Declined.")
        let failed = LogonError(.operationNotAllowed, "Too many tries: enter the passcode.")
        let logon = ScriptedLogon(.locked, passcode: "12345678")
        let view = ScriptedView(LogonScreenAnswer(.useBiometry), unlock("12345678"))
        var dialogue = dialogue(logon, view)
        dialogue.biometry = biometry(logon, [declined, failed])
        try await dialogue.run()
        #expect(view.kinds == [.unlock, .unlock])
        #expect(view.screens.map(\.problem) == ["", failed.message])
        // Nothing is kept for it any more, so it is no longer offered.
        #expect(view.screens.map { $0.actions.contains(.useBiometry) } == [true, false])
    }
}
