import Foundation
import HTTPTypes
import HttpConvVault
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvLogon
@testable import HttpConvLogonScreens

/// The screens of several accounts, at a scripted gateway.
@Suite(.timeLimit(.minutes(1))) final class LogonAccountsDialogueTests: Sendable {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "accounts-\(UUID().uuidString)")
    private let multiplexer = UserInteractionMultiplexer()
    private let isDown = Mutex(false)

    deinit { try? FileManager.default.removeItem(at: directory) }

    private var accounts: LogonAccounts {
        get throws {
            var options = LogonOptions()
            options.usesSplashScreen = false
            options.registration.serverHost = "gateway.example.com"
            options.registration.serverPort = 443
            options.registration.isGatewayOnly = true
            options.hiddenRegistrationFields = Set(RegistrationField.allCases)
            options.authentication.types = ["saml2.web.redirect"]
            var vault = PasscodeVaultConfiguration()
            vault.scrypt = try ScryptParameters(cost: 16, blockSize: 1, parallelism: 1)
            var fields = HTTPFields()
            fields[try #require(HTTPField.Name("sap-server"))] = "true"
            let transport = ScriptedTransport(capabilities: [.streamingResponses, .clientCertificates]) {
                [weak self, fields] _, _ throws(ConversationError) in
                .init(self?.isDown.withLock { $0 } == false ? .ok : .serviceUnavailable, fields)
            }
            return LogonAccounts(directory: directory) { [options, vault] in
                Logon(application: "sales", directory: $0, transport: transport, options: options, vault: vault)
            }
        }
    }

    private static func passcode(_ text: String) -> LogonScreenAnswer {
        LogonScreenAnswer(.proceed, [.newPasscode: text, .repeatedPasscode: text])
    }
    private static func name(_ text: String) -> LogonScreenAnswer { LogonScreenAnswer(.proceed, [.accountName: text]) }
    private static func unlock(_ text: String) -> LogonScreenAnswer { LogonScreenAnswer(.proceed, [.passcode: text]) }
    private static func account(_ account: LogonAccount, _ action: LogonAction = .proceed) -> LogonScreenAnswer {
        LogonScreenAnswer(action, [.account: account.id.description])
    }

    private func run(_ accounts: LogonAccounts, _ answers: LogonScreenAnswer...) async throws -> ScriptedView {
        let view = ScriptedView(answers.map { answer -> ScriptedView.Answer in { _ in answer } })
        _ = try await LogonAccountsDialogue(accounts: accounts, view: view, multiplexer: multiplexer).run()
        return view
    }

    private func failure(_ accounts: LogonAccounts, _ view: ScriptedView) async -> LogonError? {
        await thrown(LogonError.self) {
            _ = try await LogonAccountsDialogue(accounts: accounts, view: view, multiplexer: multiplexer).run()
        }
    }

    /// Two accounts, the first one selected; all of them locked, as at a process's start.
    private func twoAccounts() async throws -> (LogonAccounts, work: LogonAccount, home: LogonAccount) {
        _ = try await run(try accounts, Self.name("Work"), Self.passcode("12345678"))
        _ = try await run(try accounts, LogonScreenAnswer(.addAccount), Self.name("Home"), Self.passcode("abcdefgh"))
        let later = try accounts
        let work = try await later.account(named: "Work")
        try await later.select(work.id)
        return (later, work, try await later.account(named: "Home"))
    }

    @Test func theFirstAccountIsAdded() async throws {
        let accounts = try accounts
        let view = try await run(accounts, Self.name("Work"), Self.passcode("12345678"))
        #expect(view.kinds == [.newAccount, .makePasscode])
        let work = try #require(try await accounts.selected())
        #expect(work.name == "Work" && work.isRegistered && work.server == "https://gateway.example.com")
        #expect(try await accounts.logon(for: work.id).state == .unlocked)
    }

    @Test func oneIsChosen() async throws {
        let (accounts, work, home) = try await twoAccounts()
        let view = try await run(accounts, Self.account(home), Self.unlock("abcdefgh"))
        #expect(view.kinds == [.accounts, .unlock])
        let list = try #require(view.screens.first)
        let field = try #require(list[.account])
        #expect(field.kind == .choice && field.value == work.id.description)
        #expect(
            field.choices.map(\.label) == [
                "Home (https://gateway.example.com)", "Work (https://gateway.example.com)",
            ])
        #expect(list.actions == [.proceed, .addAccount, .removeAccount, .cancel])
        #expect(try await accounts.selected()?.id == home.id)
        #expect(try await accounts.logon(for: work.id).state == .locked)
        // The usual one needs no value.
        let again = try await run(try self.accounts, LogonScreenAnswer(.proceed), Self.unlock("abcdefgh"))
        #expect(again.kinds == [.accounts, .unlock])
    }

    /// At a start, the list is shown only if there is nothing to open.
    @Test func theSelectedOneIsOpened() async throws {
        let (accounts, work, _) = try await twoAccounts()
        let opened = Mutex<[String]>([])
        func open(_ accounts: LogonAccounts, _ answers: LogonScreenAnswer...) async throws -> (Logon, ScriptedView) {
            let view = ScriptedView(answers.map { answer -> ScriptedView.Answer in { _ in answer } })
            var dialogue = LogonAccountsDialogue(accounts: accounts, view: view, multiplexer: multiplexer)
            dialogue.biometry = { logon in
                LogonBiometry {
                    logon.directory == accounts.directory(of: work.id)
                } unlock: { () async throws(LogonError) in
                    opened.withLock { $0.append(logon.application) }
                    try await logon.unlock(passcode: "12345678")
                }
            }
            return (try await dialogue.open(), view)
        }
        let (logon, view) = try await open(accounts)
        #expect(view.kinds == [] && opened.withLock { $0 } == ["sales"], "by its own finger")
        #expect(try await accounts.logon(for: work.id) === logon)
        // It is removed: no other account takes its place without a question.
        try await accounts.remove(work.id)
        let (_, list) = try await open(
            accounts, LogonScreenAnswer(.addAccount), Self.name("New"), Self.passcode("12345678"))
        #expect(list.kinds == [.accounts, .newAccount, .makePasscode])
        #expect(try await accounts.selected()?.name == "New")
    }

    /// An account whose passcode is not known is not selected.
    @Test func theSwitchIsGivenUp() async throws {
        let (accounts, work, home) = try await twoAccounts()
        let view = ScriptedView(Self.account(home), Self.unlock("12345678"), .cancelled)
        #expect(await failure(accounts, view)?.code == .operationCancelled)
        #expect(view.kinds == [.accounts, .unlock, .unlock])
        #expect(view.screens[2].problem.hasPrefix("The passcode is wrong."))
        #expect(try await accounts.selected()?.id == work.id)
        #expect(try await accounts.logon(for: work.id).attemptsLeft() == 10)
        #expect(try await accounts.logon(for: home.id).attemptsLeft() == 9)
    }

    @Test func badNamesAreAskedAgain() async throws {
        let (accounts, _, _) = try await twoAccounts()
        let view = try await run(
            accounts, LogonScreenAnswer(.addAccount), Self.name("work"), Self.name("red\u{1B}[31m"), Self.name("Third"),
            Self.passcode("12345678"))
        #expect(view.kinds == [.accounts, .newAccount, .newAccount, .newAccount, .makePasscode])
        #expect(view.screens[2].problem.contains("already"))
        #expect(view.screens[2][.accountName]?.value == "work")
        #expect(view.screens[3].problem.contains("control characters"))
        #expect(try await accounts.list().map(\.name) == ["Home", "Third", "Work"])
    }

    /// An account that is not registered in the end is removed again.
    @Test(arguments: [false, true]) func addingIsGivenUp(isServerDown: Bool) async throws {
        let (accounts, work, _) = try await twoAccounts()
        isDown.withLock { $0 = isServerDown }
        let view = ScriptedView(LogonScreenAnswer(.addAccount), Self.name("Third"), .cancelled)
        #expect(await failure(accounts, view)?.code == .operationCancelled)
        #expect(view.kinds == [.accounts, .newAccount, isServerDown ? .error : .makePasscode])
        #expect(try await accounts.list().map(\.name) == ["Home", "Work"])
        #expect(try await accounts.selected()?.id == work.id)
    }

    // MARK: Removing

    @Test func oneIsRemoved() async throws {
        let (accounts, work, home) = try await twoAccounts()
        let view = try await run(
            accounts, LogonScreenAnswer(.removeAccount), Self.account(home, .removeAccount),
            LogonScreenAnswer(.removeAccount), Self.account(work), Self.unlock("12345678"))
        #expect(view.kinds == [.accounts, .accounts, .confirmation, .accounts, .unlock])
        #expect(view.screens[1][.account]?.value == "", "no account is removed by default")
        #expect(view.screens[2].actions == [.cancel, .removeAccount] && view.screens[2].title.contains("\"Home\""))
        #expect(view.screens[3].problem.hasPrefix("The account \"Home\" is removed here, but the server was not told"))
        #expect(try await accounts.list().map(\.name) == ["Work"])
    }

    @Test func theRemovalIsDeclined() async throws {
        let (accounts, work, home) = try await twoAccounts()
        let view = try await run(
            accounts, LogonScreenAnswer(.removeAccount), .cancelled, LogonScreenAnswer(.removeAccount),
            Self.account(home, .removeAccount), .cancelled, Self.account(work), Self.unlock("12345678"))
        #expect(view.kinds == [.accounts, .accounts, .accounts, .accounts, .confirmation, .accounts, .unlock])
        #expect(try await accounts.list().count == 2)
    }

    // MARK: Bad input

    /// Another process removes the account while its passcode is being entered.
    @Test func theAccountVanishes() async throws {
        let (accounts, work, home) = try await twoAccounts()
        let view = ScriptedView([
            { _ in Self.account(home) },
            { [directory] _ in
                try? FileManager.default.removeItem(at: directory.appending(path: "accounts/\(home.id)"))
                return Self.unlock("abcdefgh")
            },
        ])
        let error = await failure(accounts, view)
        #expect(error?.isAccountVanished == true && error?.message.contains("\"Home\"") == true)
        #expect(view.kinds == [.accounts, .unlock])
        #expect(try await accounts.list().map(\.id) == [work.id])
    }

    @Test func anAccountThatCannotBeUsed() async throws {
        let (accounts, work, home) = try await twoAccounts()
        let file = directory.appending(path: "accounts/\(home.id)/account")
        try Data("{}".utf8).write(to: file)
        let view = try await run(accounts, Self.account(home), Self.account(work), Self.unlock("12345678"))
        #expect(view.kinds == [.accounts, .accounts, .unlock])
        #expect(view.screens[0][.account]?.choices.first?.label.hasSuffix("(cannot be used)") == true)
        #expect(view.screens[1].problem.contains("cannot be read"))
    }

    @Test(arguments: [
        LogonScreenAnswer(.proceed, [.account: "../../etc"]), LogonScreenAnswer(.proceed, [.passcode: "12345678"]),
        LogonScreenAnswer(.deleteUser),
    ])
    func answersThatDoNotFit(answer: LogonScreenAnswer) async throws {
        let (accounts, _, _) = try await twoAccounts()
        let code = await failure(accounts, ScriptedView(answer))?.code
        #expect(code == (answer.action == .deleteUser ? .invalidActionItemID : .invalidParameter))
    }
}
