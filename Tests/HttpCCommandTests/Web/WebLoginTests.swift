import Foundation
import LandscapeSupport
import Testing

/// Logins on web pages without a person.
@Suite(.landscape, .timeLimit(.minutes(1))) struct WebLoginTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private static let answers = ["--answer", "user=alice", "--answer", "password=wonderland"]

    @Test(arguments: ["post-post", "redirect-artifact", "post-artifact-noheader", "redirect-post"])
    func saml2ByOptions(variant: String) async throws {
        let profile = try WebProfile(landscape, in: sandbox, launcher: "/saml/\(variant)")
        let outcome = try await profile.start(Self.answers + [profile.url("/saml/\(variant)/x")]).outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("\"user\":\"alice\""), "\(outcome.text)")
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(landscape.samlCounters.artifactsResolved == (variant.contains("artifact") ? 1 : 0))
        #expect(landscape.samlCounters.logins == 1)
    }

    @Test func saml2ByProfileAndThenWithoutLogin() async throws {
        let profile = try WebProfile(landscape, in: sandbox, "web = \"terminal\"", tables: WebProfile.answers)
        for _ in 0..<2 {
            let outcome = try await profile.run("-d", "whole", profile.url("/saml/post-post/x"))
            #expect(outcome.text.contains("\"user\":\"alice\""), "\(outcome.errors)")
            #expect(outcome.text.contains("\"length\":5"), "the body arrived")
        }
        #expect(landscape.samlCounters.logins == 1)
        #expect(sandbox.mode("state/httpc/work/vault.sqlite") == 0o600)
        // After both servers have ended the sessions, there is one more login.
        landscape.expireSAMLSessions()
        landscape.expireIdentityProviderSessions()
        #expect(try await profile.run(profile.url("/saml/post-post/x")).status == 0)
        #expect(landscape.samlCounters.logins == 2)
    }

    @Test func otpAfterSAML2() async throws {
        let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
        for _ in 0..<2 {
            let outcome = try await profile.run(profile.url("/otp/saml/x"))
            #expect(outcome.text.contains("[\"SAML2\",\"OTP\"]"), "\(outcome.errors)")
        }
        #expect(landscape.otpCounters.accepted == 1)
        #expect(landscape.samlCounters.logins == 1)
    }

    @Test func otpAfterBasic() async throws {
        let basic = "[profiles.work.basic]\nusername = \"alice\"\npassword-env = \"PASSWORD\"\n"
        let profile = try WebProfile(landscape, in: sandbox, tables: basic)
        let outcome = try await profile.run("--answer-totp", "passcode=TOTP", profile.url("/otp/basic/x"))
        #expect(outcome.text.contains("[\"Basic\",\"OTP\"]"), "\(outcome.errors)")
        #expect(landscape.otpCounters.accepted == 1)
    }

    @Test func wrongAnswerIsOneFailedLogin() async throws {
        let profile = try WebProfile(landscape, in: sandbox)
        let url = profile.url("/saml/post-post/x")
        let outcome = try await profile.run("--answer", "user=alice", "--answer", "password=wrong", url)
        #expect(outcome.status == 67)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("Unknown user or wrong password"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("answersRefused"), "codes are for programs")
        #expect(landscape.samlCounters.failedPasswords == 1)
    }

    @Test(arguments: [
        ([], "Give --answer user=TEXT --answer-env password=VAR, or put it into [profiles.work.answers]."),
        (["--answer", "user=alice"], "Give --answer-env password=VAR, or"),
    ])
    func missingAnswerIsNamed(arguments: [String], field: String) async throws {
        let profile = try WebProfile(landscape, in: sandbox)
        let outcome = try await profile.start(arguments + [profile.url("/saml/post-post/x")]).outcome()
        #expect(outcome.status == 67)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(field), "\(outcome.errors)")
        #expect(landscape.samlCounters.loginForms == 1)
        #expect(landscape.samlCounters.failedPasswords == 0)
    }

    @Test func missingVariableIsNamed() async throws {
        let profile = try WebProfile(landscape, in: sandbox)
        let outcome = try await profile.run(
            "--answer-env", "password=UNSET_VARIABLE", profile.url("/saml/post-post/x"))
        #expect(outcome.status == 67)
        #expect(outcome.errors.contains("UNSET_VARIABLE"), "\(outcome.errors)")
    }

    /// Security rule S14.
    @Test func answersGoToNoForeignOrigin() async throws {
        let profile = try WebProfile(landscape, in: sandbox, origins: [])
        let url = profile.url("/saml/post-post/x")
        let refused = try await profile.start(Self.answers + [url]).outcome()
        #expect(refused.status == 67)
        #expect(refused.errors.contains("may not go to \(landscape.identityProvider())"), "\(refused.errors)")
        #expect(landscape.samlCounters.loginForms == 1, "the page was there")
        #expect(landscape.samlCounters.logins + landscape.samlCounters.failedPasswords == 0)
        let allowed = try await profile.start(
            Self.answers + ["--answer-origin", landscape.identityProvider(), url]
        ).outcome()
        #expect(allowed.text.contains("\"user\":\"alice\""), "\(allowed.errors)")
    }

    @Test(arguments: [("none", "says that nothing shows them"), ("system", "keeps its cookies to itself")])
    func withoutWebPagesItSaysWhatIsNeeded(kind: String, message: String) async throws {
        let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
        let outcome = try await profile.run("--web", kind, profile.url("/saml/post-post/x"))
        #expect(outcome.status == 67)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(landscape.samlCounters.signOns == 0)
    }

    /// Outside the match there is no login, and the login page is not printed.
    @Test func otherPlacesAreNoBusinessOfTheProfile() async throws {
        let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
        let url = landscape.urlString(.other, "/saml/post-post/x")
        let outcome = try await profile.run(url)
        #expect(outcome.status == 67)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(landscape.urlString(.other, "")), "\(outcome.errors)")
        #expect(landscape.count(path: "/saml/post-post/x") == 1)
        #expect(landscape.samlCounters.signOns == 0)
    }

    @Test func verboseShowsTheWebPartWithoutSecrets() async throws {
        let profile = try WebProfile(
            landscape, in: sandbox, tables: WebProfile.answers, launcher: "/saml/redirect-post")
        let outcome = try await profile.run("-vv", profile.url("/saml/redirect-post/x"))
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.contains("* SAML2 login at \(landscape.urlString(.main, "")) in the terminal"),
            "\(outcome.errors)")
        #expect(outcome.errors.contains(landscape.identityProvider()))
        #expect(outcome.errors.contains("* The SAML2 login is done."))
        #expect(outcome.errors.contains("SAMLRequest=…"))
        #expect(Canary.forms(of: "wonderland", in: outcome.errors).isEmpty)
    }

    /// Security rule S23: the process list is read while the login waits.
    @Test func answersLeaveTheArguments() async throws {
        let profile = try WebProfile(landscape, in: sandbox)
        let gate = landscape.holdIdentityProvider()
        let arguments = [
            "--answer", "password=wonderland", "--answer=user=alice", profile.url("/saml/post-post/x"),
        ]
        let command = try RunningCommand(arguments, in: sandbox)
        try await landscape.waitFor(count: 1, path: "/SAMLAuthLauncher")
        let line = FileManager.default.contents(atPath: "/proc/\(command.identifier)/cmdline") ?? Data()
        let text = String(decoding: line, as: UTF8.self)
        gate.release()
        #expect(text.contains("/saml/post-post/x"))
        #expect(!text.contains("wonderland") && !text.contains("alice"), "\(text)")
        #expect(await command.outcome().text.contains("alice"))
    }

    @Test(arguments: [
        (["--answer", "canary"], "name of a field"),
        (["--answer", "a=1", "--answer-env", "a=B"], "more than one answer"),
        (["--web", "terminal", "--headless"], "--headless is for Chromium"), (["--web", "lynx"], "'--web <kind>'"),
        (["--answer-origin", "nonsense"], "--answer-origin"),
    ])
    func usageErrors(arguments: [String], message: String) async throws {
        try sandbox.write("[profiles.work]\nmatch = ['https://a.example/']\n", to: "config/httpc/config.toml")
        let outcome = try await sandbox.httpc(arguments + ["https://a.example/"])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(!outcome.errors.contains("canary"))
    }

    @Test func oauth2OnATerminalThatNobodyAttends() async throws {
        try sandbox.write(
            "[profiles.work]\nmatch = [\"\(landscape.urlString(.main, "/api"))\"]\n"
                + OAuth2Profile.table("code", landscape), to: "config/httpc/config.toml")
        let outcome = try await sandbox.httpc(
            "login", "--web", "terminal", "--answer", "username=alice", "--answer", "password=wonderland",
            "--answer", "consent=allow")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("logged in"))
    }
}
