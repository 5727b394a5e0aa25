import Foundation
import HttpC
import HttpConvLogon
import HttpConvLogonScreens
import HttpConvVault
import HttpConversationNIO
import Synchronization
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

@Suite struct LogonProfileParserTests {
    private func parse(_ text: String) throws -> Profile? {
        try ProfileParser(shownPath: "config.toml", directory: "/etc/httpc", home: nil, isPrivate: true).parse(text)
            .first
    }

    @Test func readsEveryKey() throws {
        let profile = try parse(
            """
            [profiles.a]
            [profiles.a.logon]
            application = "com.example.sales"
            server = "https://mobile.example.com:8443/way/in/"
            options = "Logon.plist"
            farm = "farm1"
            gateway-client = "300"
            account = "Work"
            passcode-file = "code"
            """)
        let logon = try #require(profile?.logon)
        #expect(logon.account == "Work")
        #expect(logon.optionsFile == "/etc/httpc/Logon.plist")
        guard case .file("/etc/httpc/code")? = logon.passcode else {
            Issue.record("the passcode comes from elsewhere")
            return
        }
        var bare = logon
        bare.optionsFile = nil
        let values = try bare.options(of: Profile(name: "a"), at: nil).registration
        #expect(values.serverHost == "mobile.example.com" && values.isHTTPS && values.port == 8443)
        #expect(values.resourcePath == "way/in" && values.farmID == "farm1" && values.gatewayClient == "300")
    }

    /// Security rules S11 and S13: the profile's password goes to the profile's servers, over https or on this machine.
    @Test(
        arguments: [
            ("https://mobile.example.com/", "", nil, nil), ("http://127.0.0.1/", "", nil, nil),
            ("https://mobile.example.com/a/", "", "https://mobile.example.com/a/b", nil),
            ("https://a.example/", "server = 'https://mobile.example.com/way/in/'", nil, nil),
            ("https://a.example/", "server = 'https://b.example/way/in/'", "https://b.example/way/in", nil),
            ("http://mobile.example.com/", "", nil, "https only"),
            ("https://a.example/", "server = 'http://mobile.example.com/'", nil, "https only"),
            ("https://mobile.example.com/", "", "http://mobile.example.com/", "https only"),
            ("https://mobile.example.com/", "", "https://other.example/", "does not name https://other.example/"),
            ("https://mobile.example.com/a/", "", "https://mobile.example.com/ab", "does not name"),
            ("https://a.example/", "server = 'https://b.example/in/'", "https://b.example/", "does not name"),
        ] as [(String, String, String?, String?)])
    func thePasswordGoesToTheProfilesServers(match: String, server: String, url: String?, refusal: String?) throws {
        let text = "[profiles.a]\nmatch = ['\(match)']\n[profiles.a.logon]\napplication = 'x'\n\(server)\n"
        let target = try url.map { try TargetURL($0) }
        for (source, refusal) in [("password-env = 'PW'", refusal), ("", nil)] {
            let profile = try #require(try parse("\(text)[profiles.a.basic]\nusername = 'alice'\n\(source)\n"))
            let logon = try #require(profile.logon)
            let result = Result { try logon.requirePlace(ofPasswordOf: profile, at: target) }
            guard let refusal else {
                #expect(throws: Never.self) { try result.get() }
                continue
            }
            #expect {
                try result.get()
            } throws: { error in
                (error as? CommandFailure)?.message.contains(refusal) == true
            }
        }
    }

    /// Security rule S22: the file of the options decides where the password goes.
    @Test func optionsThatAllUsersCanWriteAreRefused() throws {
        let sandbox = try Sandbox()
        let path = try sandbox.write("{}", to: "Logon.json")
        let profile = try #require(
            try parse("[profiles.a.logon]\napplication = 'x'\noptions = '\(path)'\n"))
        let logon = try #require(profile.logon)
        for (mode, isRefused) in [(0o644, false), (0o664, false), (0o646, true), (0o602, true)] as [(mode_t, Bool)] {
            #expect(chmod(path, mode) == 0)
            guard isRefused else {
                #expect(throws: Never.self) { try logon.options(of: profile, at: nil) }
                continue
            }
            let failure = try #require(throws: CommandFailure.self) { try logon.options(of: profile, at: nil) }
            #expect(failure.status == .usage && failure.message.contains("chmod go-w"))
        }
    }

    /// Security rule S31: a server that is typed on the screen gets no password of the profile.
    @Test(arguments: [
        ("", false), ("match = ['https://mobile.example.com/']", true),
        ("logon.server = 'https://mobile.example.com/'", true),
    ])
    func thePasswordNeedsAServerOfTheProfile(key: String, isGiven: Bool) throws {
        let text = "[profiles.a]\n\(key)\nlogon.application = 'x'\n[profiles.a.basic]\nusername = 'alice'\n"
        let profile = try #require(try parse("\(text)password-env = 'PW'\n"))
        #expect((PreparedLogonView.values(of: profile)[.password] != nil) == isGiven)
    }

    @Test(arguments: [
        ("", "no application"), ("application = 'a'\nservr = 'x'", "did you mean \"server\""),
        ("application = 'a'\npasscode = 'x'", "unknown key \"passcode\""),
        ("application = 'a'\nserver = 'ftp://x/'", "server in [profiles.a.logon]"),
        ("application = 'a'\nserver = 'https://x/?q=1'", "nothing else"),
        ("application = 'a'\npasscode-env = 'X'\npasscode-file = 'y'", "more than one"),
    ])
    func namesTheMistake(text: String, message: String) {
        #expect {
            _ = try parse("[profiles.a.logon]\n\(text)\n")
        } throws: { error in
            (error as? CommandFailure)?.message.contains(message) == true
        }
    }
}

@Suite struct LogonCommandLineTests {
    /// The command lines of messages find the profile.
    @Test func theyHaveTheConfiguration() async throws {
        let sandbox = try Sandbox()
        var field = Profile(name: "field")
        field.configuration = "own.toml"
        let profile = field
        let accounts = LogonAccounts(directory: sandbox.directory.appending(path: "logon")) {
            Logon(application: "", directory: $0, transport: NIOTransport())
        }
        let list = ": httpc --config own.toml logon --profile field --list"
        await #expect {
            _ = try await AccountChoice.known("Work").account(in: accounts, of: profile)
        } throws: { error in
            (error as? CommandFailure)?.message.hasSuffix(list) == true
        }
        let account = try await AccountChoice.known(nil).account(in: accounts, of: profile)
        let logon = try await accounts.logon(for: account.id)
        let shared = SharedLogon(profile: profile, accounts: accounts, account: account, logon: logon)
        #expect(shared.notRegistered.message.hasSuffix(": httpc --config own.toml logon --profile field"))
        #expect(shared.locked("").message.hasSuffix(": httpc --config own.toml unlock --profile field"))
    }
}

@Suite struct LogonExitStatusTests {
    @Test(
        arguments: [
            (.operationCancelled, 67), (.invalidParameter, 2), (.invalidOperationCode, 2),
            (.communicationManagerError, 67), (.userAlreadyLoggedIn, 2), (.operationExecutionInProgress, 67),
            (.invalidOperationContext, 2), (.invalidCommunicatorID, 2), (.invalidActionItemID, 70),
            (.couldNotDecideCommunicator, 67), (.passwordsNotEqual, 67), (.operationNotAllowed, 67),
            (.invalidServerHost, 3), (.invalidBackendPassword, 67), (.passcodeChangeNotEnabled, 67),
            (.uploadTraceFailed, 55),
        ] as [(LogonError.Code, Int32)])
    func everyCodeHasItsNumber(code: LogonError.Code, number: Int32) {
        #expect(CommandFailure(LogonError(code, "")).status.rawValue == number)
        #expect(Set(CommandFailure.logonTable.keys) == Set(LogonError.Code.allCases))
    }

    @Test(
        arguments: [
            (PasscodeVaultError(.wrongPasscode, ""), 67), (PasscodeVaultError(.diskFull, ""), 23),
            (PasscodeVaultError(.insecurePermissions, ""), 2),
            (DataVaultError(.unsafeFile, ""), 2), (DataVaultError(.damaged, ""), 23),
            (ConversationError(.certificateNotTrusted, ""), 60),
            (CommandFailure(.clientCertificateUnusable, ""), 58),
        ] as [(any Error, Int32)])
    func whatIsBelowSaysItBetter(cause: any Error, number: Int32) {
        let error = LogonError(.communicationManagerError, "", underlyingError: cause)
        #expect(CommandFailure(login: error).status.rawValue == number)
    }
}

@Suite struct PreparedLogonViewTests {
    /// A person who records the screens.
    private final class Person: LogonView {
        let asked = Mutex<[LogonScreen]>([])

        func show(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer {
            asked.withLock { $0.append(screen) }
            return .cancelled
        }
        func operationResponded(_ operation: LogonOperation, _ error: LogonError?) async {}
        func close() async {}
    }

    private static let unlock = [LogonField(.passcode, "Passcode", kind: .secret, isRequired: true)]

    @Test(arguments: [true, false]) func eachValueIsUsedOnce(isAttended: Bool) async throws {
        let person = Person()
        let view = PreparedLogonView(
            [.passcode: .init(source: .literal(Redacted("secret")), name: "passcode")], then: person,
            isAttended: isAttended)
        let first = try await view.show(LogonScreen(.unlock, title: "", fields: Self.unlock))
        #expect(first[.passcode] == "secret" && first.action == .proceed)
        let again = LogonScreen(.unlock, title: "", problem: "It is wrong.", fields: Self.unlock)
        if isAttended {
            #expect(try await view.show(again) == .cancelled)
            #expect(person.asked.withLock { $0.count } == 1)
        } else {
            await #expect {
                try await view.show(again)
            } throws: { error in
                (error as? LogonError)?.message == "It is wrong."
            }
        }
    }

    /// The account is never chosen by itself, even if it has a default.
    @Test func aChoiceNeedsAPerson() async throws {
        let person = Person()
        let view = PreparedLogonView([:], then: person, isAttended: true)
        let field = LogonField(
            .account, "Account", kind: .choice, value: "a", choices: [LogonField.Choice("a", "Work")], isRequired: true)
        #expect(try await view.show(LogonScreen(.accounts, title: "", fields: [field])) == .cancelled)
        #expect(person.asked.withLock { $0.count } == 1)
    }

    /// The server decides later whether a password is needed, so a person who is there is asked before.
    @Test(arguments: [true, false]) func optionalSecret(isAttended: Bool) async throws {
        let person = Person()
        let fields = [
            LogonField(.registration(.backendUserName), "User name", value: "alice"),
            LogonField(.password, "Password", kind: .secret),
        ]
        let view = PreparedLogonView([:], then: person, isAttended: isAttended)
        let answer = try await view.show(LogonScreen(.registration, title: "", fields: fields))
        #expect(answer.action == (isAttended ? .cancel : .proceed))
        #expect(person.asked.withLock { $0.count } == (isAttended ? 1 : 0))
    }
}
