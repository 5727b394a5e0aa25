import Foundation
import HttpC
import TestLandscape
import TestSupport
import Testing

@testable import HttpCClient

/// Several accounts of a profile, with the command.
@Suite(.timeLimit(.minutes(2))) struct AccountTests {
    /// A profile with the accounts "Work" of alice and "At home" of bob, each with a passcode of its own. The first one
    /// is selected.
    private struct Accounts {
        let profile: LogonProfile
        let landscape: Landscape

        static let passcodes = ["Work": "abcd1234", "At home": "wxyz9876"]

        init(_ landscape: Landscape, in sandbox: Sandbox) async throws {
            landscape.addUser("bob", password: "wonderland")
            self.landscape = landscape
            profile = try LogonProfile(.basic, landscape, in: sandbox, keys: "passcode-env = \"GIVEN\"")
            for (name, user) in [("Work", "alice"), ("At home", "bob")] {
                let logon = try await profile.onTerminal(
                    "logon --profile work --account '\(name)'",
                    typing: [("User name: ", user), ("Password: ", "wonderland")], environment: Self.passcode(of: name))
                try #require(logon.text.contains("status=0"), "\(logon.text)")
                #expect(logon.text.contains("the account \"\(name)\" of the profile \"work\" is registered"))
            }
        }

        static func passcode(of name: String) -> [String: String] { ["GIVEN": passcodes[name] ?? ""] }

        /// Runs the command with the passcode of an account.
        func run(_ arguments: String..., with name: String) async throws -> RunningCommand.Outcome {
            try await profile.run(arguments, environment: Self.passcode(of: name))
        }
    }

    private func list(_ accounts: Accounts) async throws -> [String] {
        let outcome = try await accounts.profile.run("logon", "--profile", "work", "--list")
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.text.split(separator: "\n").dropFirst().map {
            $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
    }

    @Test func accountsAreAddedListedSwitchedAndRemoved() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let accounts = try await Accounts(landscape, in: sandbox)
            let (profile, server) = (accounts.profile, landscape.urlString(.main, ""))
            #expect(
                try await list(accounts) == [
                    "At home bob \(server) registered", "Work alice \(server) registered selected",
                ])
            let work = try await accounts.run(profile.resource, with: "Work")
            #expect(work.text.contains("\"user\":\"alice\""), "\(work.errors)")
            let home = try await accounts.run(profile.resource, "--account", "At home", with: "At home")
            #expect(home.text.contains("\"user\":\"bob\""), "\(home.errors)")

            let moved = try await profile.run("logon", "--profile", "work", "--switch", "at home")
            #expect(moved.status == 0 && moved.errors.contains("\"at home\" is selected"), "\(moved.errors)")
            let status = try await profile.run("status", "--profile", "work")
            #expect(status.text.contains("account At home") && status.text.contains("registered, selected"))
            let later = try await accounts.run(profile.resource, with: "At home")
            #expect(later.text.contains("\"user\":\"bob\""), "\(later.errors)")

            // One is locked alone.
            let locked = try await profile.run("lock", "--profile", "work", "--account", "Work")
            #expect(locked.errors.contains("locked: \"work\""))
            let refused = try await accounts.run(profile.resource, "--account", "Work", with: "At home")
            #expect(refused.status == 67 && refused.text.isEmpty, "\(refused.errors)")
            #expect(refused.errors.contains("httpc unlock --profile work --account Work"), "\(refused.errors)")

            #expect(landscape.mobileConnections.count == 2)
            let gone = try await accounts.run("unregister", "--profile", "work", "--account", "Work", with: "Work")
            #expect(gone.status == 0 && landscape.mobileConnections.count == 1, "\(gone.errors)")
            #expect(try await list(accounts) == ["At home bob \(server) registered selected"])
            _ = try await profile.run("lock")
            let local = try await profile.run("unregister", "--local", "--profile", "work", "--account", "At home")
            #expect(local.status == 0 && landscape.mobileConnections.count == 1, "\(local.errors)")
            #expect(try await list(accounts).isEmpty)
        }
    }

    /// A wrong passcode counts at its own account, and the last one wipes that account alone.
    @Test func passcodesAreApart() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            landscape.mobileRule.properties["PasswordPolicyRetryLimit"] = .number(2)
            let accounts = try await Accounts(landscape, in: sandbox)
            _ = try await accounts.profile.run("lock")
            let unlock = ["unlock", "--profile", "work", "--account"]
            let wrong = try await accounts.profile.run(unlock + ["Work"], environment: Accounts.passcode(of: "At home"))
            #expect(wrong.status == 67 && wrong.errors.contains("One try is left"), "\(wrong.errors)")
            let last = try await accounts.profile.run(unlock + ["Work"], environment: Accounts.passcode(of: "At home"))
            #expect(last.status == 67, "\(last.errors)")
            let right = try await accounts.profile.run(
                unlock + ["At home"], environment: Accounts.passcode(of: "At home"))
            #expect(right.status == 0, "\(right.errors)")
            let server = landscape.urlString(.main, "")
            #expect(
                try await list(accounts) == [
                    "At home bob \(server) registered", "Work alice \(server) not registered selected",
                ])
            let request = try await accounts.profile.run(accounts.profile.resource)
            #expect(request.status == 67 && request.errors.contains("httpc logon --profile work --account Work"))
            _ = try await accounts.profile.run("lock")
        }
    }

    /// A profile whose state cannot be used does not keep the others from being locked.
    @Test func oneProfileCannotBeLocked() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let accounts = try await Accounts(landscape, in: sandbox)
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("state/httpc/aaa"), withDestinationPath: sandbox.path("config"))
            let lock = try await accounts.profile.run("lock")
            #expect(lock.status != 0 && lock.errors.contains("/aaa"), "\(lock.errors)")
            let locked = try await accounts.run(accounts.profile.resource, with: "At home")
            #expect(locked.status == 67 && locked.text.isEmpty, "\(locked.errors)")
        }
    }

    @Test func theListOnTheTerminal() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let accounts = try await Accounts(landscape, in: sandbox)
            _ = try await accounts.profile.run("lock")
            let chosen = try await accounts.profile.onTerminal(
                "logon --profile work --choose",
                typing: [("   1  At home (bob at", "1")], environment: Accounts.passcode(of: "At home"))
            #expect(chosen.text.contains("status=0"), "\(chosen.text)")
            #expect(chosen.text.contains("Number [2]: "), "the selected one")
            #expect(try await list(accounts)[0].hasSuffix("registered selected"))
            let removed = try await accounts.profile.onTerminal(
                "logon --profile work --choose",
                typing: [
                    ("Remove an account", "4"), ("Remove which account?", "2"), ("Its registration, passwords", "2"),
                    ("removed here, but the server was not told", ""),
                ], environment: Accounts.passcode(of: "At home"))
            #expect(try await list(accounts).count == 1, "\(removed.text)")
            let alone = try await accounts.profile.run("logon", "--profile", "work", "--choose")
            #expect(alone.status == 67 && alone.errors.contains("there is no terminal to ask"), "\(alone.errors)")
        }
    }

    /// An account whose registration fails is not kept.
    @Test func aRegistrationThatFails() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try LogonProfile(.basic, landscape, in: sandbox, tables: LogonProfile.password)
            let failed = try await profile.run(
                ["logon", "--profile", "work", "--account", "Work", "--passcode-env", "CODE"],
                environment: ["PASSWORD": "wrong"])
            #expect(failed.status == 67, "\(failed.errors)")
            let list = try await profile.run("logon", "--profile", "work", "--list")
            #expect(list.text.isEmpty && list.errors.contains("no account yet"), "\(list.text)")
        }
    }

    @Test func aDamagedAccountIsRemoved() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try LogonProfile(.basic, landscape, in: sandbox, tables: LogonProfile.password)
            #expect(try await profile.logOn().status == 0)
            try sandbox.write("{", to: "state/httpc/work/logon/account")
            let damaged = try await profile.run(profile.resource)
            #expect(damaged.status == 23, "\(damaged.errors)")
            for part in ["cannot be read", "logon --profile work --list", "unregister --profile work --local"] {
                #expect(damaged.errors.contains(part), "\(damaged.errors)")
            }
            let removed = try await profile.run("unregister", "--profile", "work", "--local", "--account", "default")
            #expect(removed.status == 0, "\(removed.errors)")
            #expect(try await profile.logOn().status == 0)
            _ = try await profile.run("lock")
        }
    }

    @Test func accountsThatVanishedOrNeverWere() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let accounts = try await Accounts(landscape, in: sandbox)
            let profile = accounts.profile
            _ = try await profile.run("unregister", "--local", "--profile", "work", "--account", "Work")
            let requests = landscape.requests(path: "/mobile/basic/\(LogonProfile.application)/orders").count
            let vanished = try await profile.run(profile.resource)
            #expect(vanished.status == 67 && vanished.text.isEmpty)
            for part in ["The account \"Work\" was removed", "httpc logon --profile work --list"] {
                #expect(vanished.errors.contains(part), "\(vanished.errors)")
            }
            for arguments in [
                [profile.resource, "--account", "Work"], ["unlock", "--profile", "work", "--account", "Work"],
                ["logon", "--profile", "work", "--switch", "Work"], ["lock", "--profile", "work", "--account", "Work"],
            ] {
                let unknown = try await profile.run(arguments)
                #expect(unknown.status == 2 && unknown.errors.contains("no account \"Work\""), "\(unknown.errors)")
            }
            #expect(landscape.requests(path: "/mobile/basic/\(LogonProfile.application)/orders").count == requests)
            for (arguments, text) in [
                (["logon", "--profile", "work", "--account", "red\u{1B}[31m"], "control characters"),
                (["logon", "--profile", "work", "--account", ""], "it is empty"),
                (["logon", "--profile", "work", "--account", String(repeating: "x", count: 10_000)], "longer than 64"),
                (["logon", "--list", "--switch", "Work"], "exclude each other"),
                (["lock", "--account", "Work"], "--account needs --profile"),
                ([profile.resource, "-u", "alice:wonderland", "--account", "Work"], "--account needs a profile"),
                ([profile.resource, "--basic"], "--basic: the profile \"work\" has a logon"),
            ] {
                let refused = try await profile.run(arguments)
                #expect(refused.status == 2 && refused.errors.contains(text), "\(refused.errors)")
                #expect(!refused.errors.contains("\u{1B}"))
            }
        }
    }

    /// The profile's account goes before the selected one.
    @Test func theAccountOfTheProfile() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try LogonProfile(
                .basic, landscape, in: sandbox, tables: LogonProfile.password.replacing("alice", with: "bob"),
                keys: "account = \"Mine\"")
            landscape.addUser("bob", password: "wonderland")
            #expect(try await profile.logOn().status == 0)
            let list = try await profile.run("logon", "--profile", "work", "--list")
            #expect(list.text.contains("Mine") && !list.text.contains("default"), "\(list.text)")
            _ = try await profile.run("lock")
            let locked = try await profile.run(profile.resource)
            #expect(locked.errors.contains("--account Mine"), "\(locked.errors)")
        }
    }
}
