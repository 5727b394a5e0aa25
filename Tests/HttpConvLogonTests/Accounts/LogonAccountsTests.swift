import Foundation
import HttpC
import HttpConvVault
import Synchronization
import TestLandscape
import Testing

@testable import HttpConvLogon

/// Several accounts on one device.
@Suite(.timeLimit(.minutes(1))) struct LogonAccountsTests {
    @Test func accountsAreAddedListedSelectedAndRemoved() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            #expect(try await accounts.list().isEmpty)
            #expect(try await accounts.selected() == nil)
            let work = try await bench.add("  Work ", to: accounts)
            let home = try await bench.add("home", to: accounts, user: "bob", passcode: "Zweit3spass")

            // Another process sees the same.
            let other = bench.accounts()
            let list = try await other.list()
            #expect(list.map(\.name) == ["home", "Work"])
            #expect(list.map(\.userName) == ["bob", "alice"])
            #expect(list.map(\.server) == [bench.landscape.urlString(.main, ""), bench.landscape.urlString(.main, "")])
            #expect(list.allSatisfy { $0.isRegistered && $0.problem == nil })
            #expect(try await other.selected()?.id == work.id, "the first one")
            try await accounts.select(home.id)
            #expect(try await other.selected()?.name == "home")
            #expect(try await other.account(named: " WORK ").id == work.id)
            #expect(LogonAccount.ID(home.id.description) == home.id)
            #expect(try await other.logon(for: work.id) === other.logon(for: work.id))

            #expect(bench.landscape.mobileConnections.count == 2)
            #expect(try await accounts.remove(work.id) == nil)
            #expect(bench.landscape.mobileConnections.count == 1, "the server was told")
            #expect(try await other.list().map(\.name) == ["home"])
            #expect(try await bench.backEnd(accounts.logon(for: home.id)).user == "bob")
            try await accounts.remove(home.id)
            #expect(try await other.selected() == nil)
            #expect(bench.files(in: bench.group) == ["selected"])
        }
    }

    /// Requests of each account have its user, its connection and its cookies, over one transport.
    @Test func nothingIsShared() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            var managers: [String: HttpConversationManager] = [:]
            for user in ["alice", "bob"] {
                let account = try await bench.add(user, to: accounts, user: user)
                managers[user] = bench.manager(try await accounts.logon(for: account.id).configurator)
            }
            let connections = bench.landscape.mobileConnections
            for _ in 0..<3 {
                for (user, manager) in managers {
                    let answer = try await bench.backEnd(manager)
                    #expect(answer.user == user && answer.isRegistered)
                    #expect(connections.contains(try #require(answer.connection)))
                }
            }
            let (alice, bob) = (try #require(managers["alice"]), try #require(managers["bob"]))
            let seen = try await (bench.backEnd(alice), bench.backEnd(bob))
            #expect(seen.0.connection != seen.1.connection)
            let cookies = [alice, bob].map { Set($0.configuration.session.cookies.snapshot.cookies.map(\.value)) }
            #expect(!cookies[0].isEmpty && cookies[0].isDisjoint(with: cookies[1]))
        }
    }

    /// A passcode counts and wipes at its own account alone.
    @Test func passcodesAreApart() async throws {
        try await withLogon { bench in
            bench.landscape.mobileRule.properties["PasswordPolicyRetryLimit"] = .number(2)
            let before = bench.accounts()
            let work = try await bench.add("Work", to: before)
            let home = try await bench.add("Home", to: before, user: "bob", passcode: "Zweit3spass")

            let accounts = bench.accounts()
            let (one, other) = (try await accounts.logon(for: work.id), try await accounts.logon(for: home.id))
            #expect(await one.state == .locked)
            try await other.unlock(passcode: "Zweit3spass")
            #expect(await one.state == .locked)
            #expect(await logonCode { try await bench.backEnd(one) } == .operationNotAllowed)
            // The key of one account does not open another one.
            let key = try #require(await other.vaultKey)
            let wrongKey = await logonError { try await one.unlock(key: key) }
            #expect((wrongKey?.underlyingError as? PasscodeVaultError)?.code == .wrongKey)
            #expect(await logonCode { try await one.unlock(passcode: "Zweit3spass") } == .invalidParameter)
            #expect(try await one.attemptsLeft() == 1)
            #expect(try await other.attemptsLeft() == 2)
            #expect(await logonCode { try await one.unlock(passcode: "Zweit3spass") } == .operationNotAllowed)

            #expect(try await accounts.list().map(\.isRegistered) == [true, false])
            #expect(try await bench.backEnd(other).user == "bob")
            // A wiped account keeps its name, and can be registered again.
            try await one.register(bench.input())
            try await one.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            #expect(try await accounts.list().map(\.isRegistered) == [true, true])
        }
    }

    // MARK: A single registration

    /// A registration without accounts is the first account, where it is.
    @Test func theFirstAccount() async throws {
        try await withLogon { bench in
            _ = try await bench.registered()
            let files = bench.files(in: bench.directory)
            let accounts = bench.accounts()
            let first = try #require(try await accounts.selected())
            #expect(first.id == .first && first.name == "default" && first.isRegistered)
            #expect(first.server == nil, "it is in the vault")
            #expect(bench.files(in: bench.directory) == files)
            let logon = try await accounts.logon(for: .first)
            try await logon.unlock(passcode: LogonBench.passcode)
            #expect(try await accounts.list().first?.userName == "alice")
            try await bench.add("Home", to: accounts, user: "bob")
            #expect(try await accounts.selected()?.id == .first)
            #expect(try await accounts.list().map(\.name) == ["default", "Home"])
            // Without accounts it goes on working.
            let alone = try bench.logon()
            try await alone.unlock(passcode: LogonBench.passcode)
            #expect(try await bench.backEnd(alone).user == "alice")

            #expect(try await accounts.remove(.first) == nil)
            #expect(await logonCode { try await bench.backEnd(alone) } == .operationNotAllowed)
            #expect(try await accounts.list().map(\.name) == ["Home"])
            #expect(bench.files(in: bench.directory) == ["accounts"])
            // The first account can be registered again at any time.
            let again = try await accounts.logon(for: .first)
            try await again.register(bench.input())
            try await again.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            #expect(try await accounts.list().map(\.name) == ["default", "Home"])
        }
    }

    // MARK: Names

    @Test(arguments: [
        "", "   ", String(repeating: "x", count: 65), String(repeating: "x", count: 10_000), "red\u{1B}[31m", "a\nb",
        "\u{202E}evil",
    ])
    func namesThatCannotBeUsed(name: String) async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let error = await logonError { try await accounts.add(named: name) }
            #expect(error?.code == .invalidParameter)
            #expect((error?.underlyingError as? LogonAccountError)?.code == .invalidName)
            #expect(error?.message.contains("\u{1B}") == false && (error?.message.count ?? 0) < 200)
            #expect(bench.files(in: bench.directory).isEmpty)
        }
    }

    @Test func namesThatAreTaken() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            _ = try await accounts.add(named: "Café")
            for name in ["Café", "cafe\u{301}", "CAFÉ ", "default", "Default"] {
                #expect(await accountCode { try await accounts.add(named: name) } == .nameTaken, "\(name)")
            }
            #expect(await accountCode { try await accounts.account(named: "Cafe") } == .unknownName)
            #expect(try await accounts.list().count == 1)
        }
    }

    @Test func aLogonOfAnotherDirectory() async throws {
        try await withLogon { bench in
            let accounts = LogonAccounts(directory: bench.directory) { [bench] _ in
                Logon(application: "a", directory: bench.directory, transport: bench.transport)
            }
            let account = try await accounts.add(named: "Work")
            #expect(await logonCode { try await accounts.logon(for: account.id) } == .invalidParameter)
        }
    }

    // MARK: Accounts that vanish

    /// Each use of a removed account names it, says what to do, and makes nothing again.
    @Test func removedByAnotherProcess() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            var accountsByState: [LogonState: LogonAccount] = [:]
            var logons: [LogonState: Logon] = [:]
            for state in LogonState.allCases {
                let account = try await accounts.add(named: state.rawValue)
                accountsByState[state] = account
                let logon = try await accounts.logon(for: account.id)
                logons[state] = logon
                if state != .nothing { try await logon.register(bench.input()) }
                guard [.locked, .unlocked].contains(state) else { continue }
                try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
                if state == .locked { try await logon.lock() }
            }
            let unlocked = try #require(accountsByState[.unlocked])
            try await accounts.select(unlocked.id)
            let manager = bench.manager(try await accounts.logon(for: unlocked.id).configurator)
            _ = try await bench.backEnd(manager)

            let other = bench.accounts()
            for account in accountsByState.values { _ = try await other.remove(account.id) }
            let requests = bench.landscape.requests(path: "/mobile/basic/\(LogonBench.applicationID)/orders").count

            let gone = await logonError { try await bench.backEnd(manager) }
            #expect(gone?.isAccountVanished == true && gone?.code == .operationNotAllowed)
            #expect(
                gone?.message
                    == "The account \"unlocked\" was removed from this device: choose another account, or add it again."
            )
            #expect(
                bench.landscape.requests(path: "/mobile/basic/\(LogonBench.applicationID)/orders").count == requests)
            for (state, account) in accountsByState {
                let logon = try #require(logons[state])
                let (input, passcode) = (bench.input(), LogonBench.passcode)
                let operations: [(String, () async throws -> Void)] =
                    switch state {
                    case .registered: [("make", { try await logon.makeVault(passcode: passcode, repeated: passcode) })]
                    default:
                        [
                            ("register", { try await logon.register(input) }),
                            ("unlock", { try await logon.unlock(passcode: passcode) }),
                            ("logon", { try await logon.logon() }),
                            ("delete", { try await logon.deleteUser() }),
                        ]
                    }
                for (name, operation) in operations {
                    #expect(await accountCode(operation) == .vanished, "\(name) of \(state)")
                }
                #expect(await accountCode { try await accounts.logon(for: account.id) } == .vanished)
                #expect(await accountCode { try await accounts.select(account.id) } == .vanished)
                #expect(await accountCode { try await accounts.remove(account.id) } == .vanished)
            }
            #expect(try await accounts.list().isEmpty)
            #expect(bench.files(in: bench.group) == ["selected"])
        }
    }

    /// The requests of a locked account that was removed fail, and nobody is asked for its passcode.
    @Test func removedWhileRequestsWaitForThePasscode() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let account = try await bench.add("Work", to: accounts)
            let logon = try await accounts.logon(for: account.id)
            try await logon.lock()
            _ = try await bench.accounts().remove(account.id)
            let asked = Asked()
            let manager = bench.manager(logon.configurator.asking(asked))
            #expect(await logonError { try await bench.backEnd(manager) }?.isAccountVanished == true)
            #expect(!asked.isAsked)
        }
    }

    private final class Asked: LogonUnlocker {
        private let flag = Atomic(false)
        var isAsked: Bool { flag.load(ordering: .acquiring) }
        func unlock(_ logon: Logon) async throws { flag.store(true, ordering: .releasing) }
    }

    /// The selected account stays selected: no other one takes its place.
    @Test func theSelectedAccountWasRemoved() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let work = try await bench.add("Work", to: accounts)
            let home = try await bench.add("Home", to: accounts, user: "bob")
            _ = try await bench.accounts().remove(work.id)
            let later = bench.accounts()
            let error = await logonError { try await later.selected() }
            #expect(error?.isAccountVanished == true && error?.message.contains("\"Work\"") == true)
            _ = try await later.add(named: "Third")
            #expect(await accountCode { try await later.selected() } == .vanished)
            try await later.select(home.id)
            #expect(try await later.selected()?.name == "Home")
        }
    }

    // MARK: Removal

    @Test func theServerIsNotToldOfALockedAccount() async throws {
        try await withLogon { bench in
            let account = try await bench.add("Work", to: bench.accounts())
            let accounts = bench.accounts()
            let reason = try #require(try await accounts.remove(account.id))
            #expect(reason.code == .operationNotAllowed && reason.message.contains("unlock it first"))
            #expect(bench.landscape.mobileConnections.count == 1)
            #expect(try await accounts.list().isEmpty)
        }
    }

    @Test func theServerCannotBeTold() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let account = try await bench.add("Work", to: accounts)
            let logon = try await accounts.logon(for: account.id)
            await bench.transport.shutdown()
            #expect(try await accounts.remove(account.id)?.code == .communicationManagerError)
            #expect(await logon.state == .nothing)
            #expect(bench.files(in: bench.group) == ["selected"])
        }
    }

    /// Another process registers an account that this one knows without a registration.
    @Test func registeredByAnotherProcess() async throws {
        try await withLogon { bench in
            let (accounts, others) = (bench.accounts(), bench.accounts())
            let account = try await accounts.add(named: "Work")
            let logon = try await accounts.logon(for: account.id)
            #expect(await logon.state == .nothing)
            let other = try await others.logon(for: account.id)
            try await other.register(bench.input())
            try await other.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            // The server was not told, because the vault is locked here.
            #expect(try await accounts.remove(account.id)?.code == .operationNotAllowed)
            #expect(bench.landscape.mobileConnections.count == 1)
        }
    }

    @Test func nothingIsRemovedDuringAnOperation() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let account = try await bench.add("Work", to: accounts)
            let logon = try await accounts.logon(for: account.id)
            let gate = bench.landscape.holdMobileConnections()
            async let settings = logon.refreshSettings()
            try await gate.waitForWaiters(1)
            #expect(await logonCode { try await accounts.remove(account.id) } == .operationExecutionInProgress)
            gate.release()
            _ = try await settings
            #expect(try await accounts.list().map(\.isRegistered) == [true])
        }
    }

    @Test func anUnfinishedRegistrationIsGivenUp() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let work = try await bench.add("Work", to: accounts)
            let new = try await accounts.add(named: "New")
            try await accounts.logon(for: new.id).register(bench.input())
            await accounts.discard(new.id)
            await accounts.discard(work.id)
            await accounts.discard(.first)
            #expect(try await accounts.list().map(\.name) == ["Work"])
            #expect(bench.landscape.mobileConnections.count == 1)
        }
    }

    /// Another process may be registering an account that was not added here.
    @Test func anAccountOfAnotherProcessIsNotGivenUp() async throws {
        try await withLogon { bench in
            let (own, other) = (bench.accounts(), bench.accounts())
            let account = try await own.add(named: "Work")
            let logon = try await own.logon(for: account.id)
            try await logon.register(bench.input())
            await other.discard(account.id)
            try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            #expect(try await other.list().map(\.isRegistered) == [true])
            await own.discard(account.id)
            #expect(try await other.list().map(\.isRegistered) == [true])
        }
    }

    /// Another process may make the vault after the look for it.
    @Test func aVaultThatWasJustMadeIsNotGivenUp() async throws {
        try await withLogon { bench in
            let (own, other) = (bench.accounts(), bench.accounts())
            let account = try await bench.add("Work", to: other)
            let error = await logonError { try await own.remove(account.id, ifEmpty: true) }
            #expect((error?.underlyingError as? DataVaultError)?.code == .alreadyExists)
            #expect(try await own.list().map(\.isRegistered) == [true])
            #expect(bench.landscape.mobileConnections.count == 1)
            let logon = try await own.logon(for: account.id)
            try await logon.unlock(passcode: LogonBench.passcode)
        }
    }

    /// A selection that cannot be read stays, and one that cannot be written gives the account up.
    @Test(arguments: [("selected", ["Work"]), ("selected.new", [])])
    func theSelectionCannotBeUsed(file: String, expected: [String]) async throws {
        try await withLogon { bench in
            try FileManager.default.createDirectory(
                at: bench.group.appending(path: file), withIntermediateDirectories: true)
            for directory in [bench.directory, bench.group] { chmod(directory.path, 0o700) }
            let accounts = bench.accounts()
            let error = await logonError { try await accounts.add(named: "Work") }
            #expect((error == nil) == !expected.isEmpty)
            #expect(try await accounts.list().map(\.name) == expected)
        }
    }
}
