import Foundation
import HttpC
import HttpConvVault
import TestLandscape
import Testing

@testable import HttpConvLogon

/// The files about accounts: damaged, of a newer version, changed by others, or half written.
@Suite(.timeLimit(.minutes(1))) struct AccountFilesTests {
    private func folder(_ bench: LogonBench, _ account: LogonAccount) -> URL {
        bench.accounts().directory(of: account.id)
    }

    private func write(_ text: String, to file: URL) throws {
        try Data(text.utf8).write(to: file)
        chmod(file.path, 0o600)
    }

    /// One bad file does not keep the other accounts from being used.
    @Test(arguments: [
        ("", "cannot be read"), ("{", "cannot be read"), ("{\"version\":1}", "cannot be read"),
        ("{\"version\":1,\"name\":\"red\\u001b[31m\"}", "cannot be read"),
        ("{\"version\":1,\"name\":\"\"}", "cannot be read"),
        ("{\"version\":1,\"name\":\"\(String(repeating: "x", count: 10_000))\"}", "cannot be read"),
        ("{\"version\":2,\"names\":[]}", "newer version"), (String(repeating: " ", count: 20_000), "longer than"),
    ])
    func aDamagedName(text: String, reason: String) async throws {
        try await withLogon { bench in
            let before = bench.accounts()
            let work = try await bench.add("Work", to: before)
            let home = try await bench.add("Home", to: before, user: "bob")
            try write(text, to: folder(bench, work).appending(path: "account"))

            let accounts = bench.accounts()
            let list = try await accounts.list()
            #expect(list.map(\.name) == ["account-\(work.id.description.prefix(8))", "Home"])
            #expect(list[0].problem?.contains(reason) == true && list[0].isRegistered, "\(list[0].problem ?? "")")
            #expect(list[0].problem?.unicodeScalars.contains("\u{1B}") == false)
            let error = await logonError { try await accounts.logon(for: work.id) }
            #expect(error?.code == .operationNotAllowed && error?.underlyingError is DataVaultError)
            try await accounts.logon(for: home.id).unlock(passcode: LogonBench.passcode)

            if reason == "newer version" {
                // A newer version may need the account.
                #expect(await logonCode { try await accounts.remove(work.id) } == .operationNotAllowed)
                #expect(PasscodeVault.exists(at: folder(bench, work)))
            } else {
                #expect(try await accounts.remove(work.id) != nil)
                #expect(try await accounts.list().map(\.name) == ["Home"])
            }
        }
    }

    /// The first account is found by its name as well, and so can be removed.
    @Test func aDamagedNameOfTheFirstAccount() async throws {
        try await withLogon { bench in
            let logon = try await bench.accounts().logon(for: .first)
            try await logon.register(bench.input())
            try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            try write("{", to: bench.directory.appending(path: "account"))

            let accounts = bench.accounts()
            let found = try await accounts.account(named: LogonAccount.firstName)
            #expect(found.id == .first && found.isRegistered)
            #expect(found.problem?.contains("cannot be read") == true, "\(found.problem ?? "")")
            #expect(await logonCode { try await accounts.logon(for: .first) } == .operationNotAllowed)
            #expect(try await accounts.remove(found.id) != nil)
            let again = try await accounts.account(named: LogonAccount.firstName)
            #expect(!again.isRegistered && again.problem == nil)
        }
    }

    @Test(arguments: ["{", "{\"version\":1,\"id\":\"../..\",\"name\":\"x\"}", "{\"version\":7,\"id\":\"default\"}"])
    func aDamagedSelection(text: String) async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let account = try await bench.add("Work", to: accounts)
            try write(text, to: bench.group.appending(path: "selected"))
            let error = await logonError { try await accounts.selected() }
            #expect(error?.code == .operationNotAllowed && error?.underlyingError is DataVaultError)
            #expect(try await accounts.list().count == 1)
            try await accounts.select(account.id)
            #expect(try await accounts.selected() == account.registered(try await accounts.list()))
        }
    }

    /// A folder or a file of somebody else's is not followed, and not used.
    @Test func links() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let work = try await bench.add("Work", to: accounts)
            let link = String(repeating: "b", count: 32)
            try FileManager.default.createSymbolicLink(
                at: bench.group.appending(path: link), withDestinationURL: folder(bench, work))
            let list = try await accounts.list()
            #expect(list.map { $0.problem == nil } == [false, true])
            let id = try #require(LogonAccount.ID(link))
            #expect(await logonCode { try await accounts.logon(for: id) } == .operationNotAllowed)
            #expect(await logonCode { try await accounts.remove(id) } == .operationNotAllowed)
            #expect(PasscodeVault.exists(at: folder(bench, work)))
            for text in ["..", "../default", "/etc", ""] { #expect(LogonAccount.ID(text) == nil) }
        }
    }

    @Test func filesThatOthersCanUse() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let work = try await bench.add("Work", to: accounts)
            let file = folder(bench, work).appending(path: "account")
            chmod(file.path, 0o644)
            #expect(try await accounts.list().first?.problem?.contains("chmod 600") == true)
            chmod(file.path, 0o600)
            chmod(bench.group.path, 0o777)
            let error = await logonError { try await accounts.list() }
            #expect((error?.underlyingError as? DataVaultError)?.code == .insecurePermissions)
            chmod(bench.group.path, 0o700)
            #expect(try await accounts.list().first?.problem == nil)
        }
    }

    /// A folder that somebody removes by hand is an account that vanished.
    @Test func aFolderThatIsGone() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let work = try await bench.add("Work", to: accounts)
            let logon = try await accounts.logon(for: work.id)
            try FileManager.default.removeItem(at: folder(bench, work))
            #expect(await accountCode { try await logon.logon() } == .vanished)
            #expect(await accountCode { try await accounts.selected() } == .vanished)
            #expect(try await accounts.list().isEmpty)
        }
    }

    /// Files outside of the vaults have no secret.
    @Test func noSecretOutsideOfTheVaults() async throws {
        try await withLogon { bench in
            let accounts = bench.accounts()
            let account = try await bench.add("Work", to: accounts)
            let connection = try #require(bench.landscape.mobileConnections.first)
            for file in [folder(bench, account).appending(path: "account"), bench.group.appending(path: "selected")] {
                let text = try String(contentsOf: file, encoding: .utf8)
                for secret in ["wonderland", LogonBench.passcode, connection] { #expect(!text.contains(secret)) }
                let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
        }
    }

    // MARK: Processes

    /// A process that dies while it removes an account leaves nothing that opens.
    @Test(arguments: [VaultGroup.FailPoint.retired, .destroyed]) func aCrashDuringTheRemoval(
        _ point: VaultGroup.FailPoint
    ) async throws {
        try await withLogon { bench in
            let before = bench.accounts()
            let work = try await bench.add("Work", to: before)
            try await bench.add("Home", to: before, user: "bob")
            let path = bench.directory.path
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, id = work.id.description as String, point = point.rawValue as String] in
                let accounts = LogonAccounts(directory: URL(filePath: path)) {
                    if $0.rawValue == point { kill(getpid(), SIGKILL) }
                } logon: {
                    Logon(application: LogonBench.applicationID, directory: $0, transport: NIOTransport())
                }
                try await accounts.remove(try #require(LogonAccount.ID(id)))
            }
            let accounts = bench.accounts()
            #expect(try await accounts.list().map(\.name) == ["Home"])
            #expect(await accountCode { try await accounts.logon(for: work.id) } == .vanished)
            #expect(bench.files(in: bench.group).count == 2, "the rest is removed: the account, and the selection")
        }
    }

    @Test(arguments: [VaultGroup.FailPoint.drafted, .placed]) func aCrashDuringTheAddition(
        _ point: VaultGroup.FailPoint
    ) async throws {
        try await withLogon { bench in
            let path = bench.directory.path
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, point = point.rawValue as String] in
                let accounts = LogonAccounts(directory: URL(filePath: path)) {
                    if $0.rawValue == point { kill(getpid(), SIGKILL) }
                } logon: {
                    Logon(application: LogonBench.applicationID, directory: $0, transport: NIOTransport())
                }
                _ = try await accounts.add(named: "Work")
            }
            let accounts = bench.accounts()
            let list = try await accounts.list()
            #expect(list.map(\.name) == (point == .placed ? ["Work"] : []))
            // The name is free, or its account can be registered.
            let account = try await point == .placed ? list[0] : accounts.add(named: "Work")
            try await accounts.logon(for: account.id).register(bench.input())
        }
    }

    /// Many processes add, list, select and remove at once; one of all that want the same name gets it.
    @Test func manyProcesses() async throws {
        try await withLogon { bench in
            let path = bench.directory.path
            await withTaskGroup { tasks in
                for number in 0..<6 {
                    tasks.addTask {
                        await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                            let accounts = LogonAccounts(directory: URL(filePath: path)) {
                                Logon(application: LogonBench.applicationID, directory: $0, transport: NIOTransport())
                            }
                            for round in 0..<4 {
                                let own = try await accounts.add(named: "own \(number) \(round)")
                                try await accounts.select(own.id)
                                do { _ = try await accounts.add(named: "shared \(round)") } catch let error
                                    as LogonError
                                {
                                    guard (error.underlyingError as? LogonAccountError)?.code == .nameTaken else {
                                        throw error
                                    }
                                }
                                _ = try await accounts.list()
                                if round > 0 { try await accounts.remove(own.id) }
                            }
                        }
                    }
                }
            }
            let names = try await bench.accounts().list().map(\.name)
            #expect(names == (0..<6).map { "own \($0) 0" } + (0..<4).map { "shared \($0)" })
        }
    }
}

extension LogonAccount {
    /// The same account in a list.
    fileprivate func registered(_ list: [LogonAccount]) -> LogonAccount? { list.first { $0.id == id } }
}
