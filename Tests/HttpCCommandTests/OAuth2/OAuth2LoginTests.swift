import Foundation
import HttpC
import LandscapeSupport
import TestSupport
import Testing

@testable import HttpCDemo

/// `httpc login` with a person.
@Suite(.landscape, .timeLimit(.minutes(1))) struct OAuth2LoginTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func onTerminal(_ line: String, columns: Int = 80) throws -> RunningCommand {
        try RunningCommand(
            onTerminal: "stty cols \(columns); exec \(BuiltProduct.httpc) \(line)", in: sandbox,
            environment: ["NO_COLOR": "1"])
    }

    /// The URL in the command's output.
    private func address(in text: String) throws -> URL {
        let words = text.split(whereSeparator: \.isWhitespace)
        let word = try #require(words.first { $0.contains("/authorize?") })
        return try #require(URL(string: String(word)))
    }

    @Test func codeInTheBrowserThatTheEnvironmentNames() async throws {
        try OAuth2Profile.install("code", landscape, in: sandbox)
        let browser = try sandbox.write(
            "#!/bin/sh\nprintf '%s\\n' \"$1\" > \"$HOME/part\" && mv \"$HOME/part\" \"$HOME/opened\"\n",
            to: "browser", mode: 0o700)
        let login = try RunningCommand(["login"], in: sandbox, environment: ["BROWSER": browser])
        while sandbox.read("opened") == nil { try await Task.sleep(for: .milliseconds(5)) }
        let opened = String(decoding: sandbox.read("opened") ?? Data(), as: UTF8.self)
        try await OAuth2Profile.person().open(address(in: opened))
        let outcome = await login.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("logged in"))
        #expect(try address(in: outcome.errors) == address(in: opened), "the page is named, too")
        let request = try await sandbox.httpc(landscape.urlString(.main, "/api/1"))
        #expect(request.text.contains("\"user\":\"alice\""), "\(request.errors)")
        #expect(landscape.oauthCounters.tokenRequests == 1)
    }

    @Test func requestAsksOnATerminalWithoutABrowser() async throws {
        try OAuth2Profile.install("code", landscape, in: sandbox)
        let command = try onTerminal(landscape.urlString(.main, "/api/1"))
        try await command.waitForOutput("Open the page above")
        try await OAuth2Profile.person().open(address(in: command.outputSoFar))
        let outcome = await command.outcome()
        #expect(outcome.text.contains("\"user\": \"alice\""), "\(outcome.text)")
    }

    @Test func withoutBrowserAndTerminalItFailsAtOnce() async throws {
        try OAuth2Profile.install("code", landscape, in: sandbox)
        let outcome = try await sandbox.httpc(landscape.urlString(.main, "/api/1"))
        #expect(outcome.status == 67)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("neither a browser nor a terminal"), "\(outcome.errors)")
        #expect(outcome.errors.contains("httpc login --grant device --profile work"), "\(outcome.errors)")
        #expect(landscape.count(path: "/api/1") == 1)
    }

    @Test func deviceShowsAddressCodeAndQRCode() async throws {
        var configuration = LandscapeConfiguration()
        configuration.oauthRule.deviceInterval = .seconds(1)
        try await withLandscape(configuration) { landscape in
            try OAuth2Profile.install("device", landscape, in: sandbox)
            let command = try onTerminal("login --profile work")
            try await command.waitForOutput("waiting for the login at http://127.0.0.1")
            let shown = command.outputSoFar.replacing("\r\n", with: "\n")
            let code = try #require(shown.firstMatch(of: /enter +([A-Z]{4}-[A-Z]{4})/)).1
            #expect(shown.contains("open   \(landscape.issuer())/device\n"))
            // The code to type stands below the QR code.
            let last = try #require(shown.lastIndex(of: "█"))
            #expect(shown[last...].contains("enter  \(code)"))
            #expect(try await Scanner.read(shown) == "\(landscape.issuer())/device?user_code=\(code)")
            #expect(landscape.approveDevice(userCode: String(code)))
            let outcome = await command.outcome()
            #expect(outcome.text.contains("logged in"), "\(outcome.text)")
            let request = try await sandbox.httpc(landscape.urlString(.main, "/api/1"))
            #expect(request.text.contains("\"client\":\"tv\""), "\(request.errors)")
            #expect(landscape.count(path: "/api/1") == 1)
        }
    }

    /// A code that nobody sees would only make the command wait.
    @Test func statusAsksNoDevice() async throws {
        try OAuth2Profile.install("device", landscape, in: sandbox)
        let outcome = try await sandbox.httpc("status", "--check", landscape.urlString(.main, "/api/1"))
        #expect(outcome.status == 67, "\(outcome.errors)")
        #expect(outcome.errors.contains("logged out") && outcome.errors.contains("httpc login --profile work"))
        #expect(landscape.count(path: "/api/1") == 1)
        #expect(landscape.requests().allSatisfy { !$0.target.contains("device") })
    }

    @Test func narrowTerminalGetsNoHalfQRCode() async throws {
        try OAuth2Profile.install("device", landscape, in: sandbox)
        let command = try onTerminal("login", columns: 30)
        try await command.waitForOutput("waiting for the login")
        #expect(command.outputSoFar.contains(/enter +[A-Z]{4}-[A-Z]{4}/))
        #expect(!command.outputSoFar.contains("█"))
        try command.type("\u{3}")
        #expect(await command.outcome().status == 130)
    }

    @Test func deviceThatIsDeniedIs67AndGrantCanBeChosen() async throws {
        var configuration = LandscapeConfiguration()
        configuration.oauthRule.deviceInterval = .seconds(1)
        try await withLandscape(configuration) { landscape in
            var native = try #require(landscape.oauthClients.first { $0.id == "native" })
            native.grants.insert(.deviceCode)
            landscape.addOAuthClient(native)
            try OAuth2Profile.install("code", landscape, in: sandbox)
            let errors = sandbox.path("errors")
            let command = try RunningCommand(
                ["-c", "exec \(BuiltProduct.httpc) login --grant device 2>\(errors)"], in: sandbox, program: "/bin/sh")
            var code: String?
            while code == nil {
                try await Task.sleep(for: .milliseconds(5))
                let text = String(decoding: sandbox.read("errors") ?? Data(), as: UTF8.self)
                code = text.firstMatch(of: /enter +([A-Z]{4}-[A-Z]{4})/).map { String($0.1) }
            }
            #expect(landscape.denyDevice(userCode: code ?? ""))
            let outcome = await command.outcome()
            #expect(outcome.status == 67)
            let text = String(decoding: sandbox.read("errors") ?? Data(), as: UTF8.self)
            #expect(text.contains("access_denied"), "\(text)")
            #expect(!text.contains("█"), "no QR code where there is no terminal")
        }
    }

    /// Security rule S21.
    @Test func deviceCodeCannotActOnTheTerminal() async throws {
        let json =
            #"{"device_code":"d","user_code":"A\u001b[31m\u202eB","expires_in":1,"interval":1,"#
            + #""verification_uri":"http://127.0.0.1:1/login"}"#
        landscape.raw.respond(
            path: "/device",
            text: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n"
                + json)
        try sandbox.write(
            """
            [profiles.work]
            match = ["\(landscape.urlString(.main, "/api"))"]
            [profiles.work.oauth2]
            grant = "device"
            device-authorization-endpoint = "\(landscape.urlString(.raw, "/device"))"
            token-endpoint = "\(landscape.issuer())/token"
            client-id = "tv"
            """, to: "config/httpc/config.toml")
        let outcome = try await sandbox.httpc("login")
        #expect(outcome.status == 67)
        #expect(outcome.errors.contains("enter  A\\u{1b}[31m\\u{202e}B"), "\(outcome.errors)")
        #expect(!outcome.errors.unicodeScalars.contains { [0x1B, 0x202E].contains($0.value) })
    }

    @Test func controlCEndsTheLogin() async throws {
        try OAuth2Profile.install("device", landscape, in: sandbox)
        let command = try onTerminal("login")
        try await command.waitForOutput("waiting for the login")
        try command.type("\u{3}")
        let outcome = await command.outcome()
        #expect(outcome.status == 130, "\(outcome.text)")
    }

    @Test(arguments: [("none", "says that none can"), ("terminal", "asks for \"username\"")])
    func webChoiceCounts(web: String, message: String) async throws {
        try sandbox.write(
            "[profiles.work]\nmatch = [\"\(landscape.urlString(.main, "/api"))\"]\nweb = \"\(web)\"\n"
                + OAuth2Profile.table("code", landscape), to: "config/httpc/config.toml")
        for arguments in [["login"], [landscape.urlString(.main, "/api/1")]] {
            let outcome = try await sandbox.withoutTerminal(arguments)
            #expect(outcome.status == 67)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
    }

    @Test func maximumTimeEndsTheWait() async throws {
        try OAuth2Profile.install("device", landscape, in: sandbox)
        let outcome = try await sandbox.httpc("login", "--max-time", "1")
        #expect(outcome.status == 28)
        #expect(outcome.errors.contains("--max-time"), "\(outcome.errors)")
    }

    @Test(arguments: [
        (["login", "--grant", "code"], "no [profiles.work.oauth2]"),
        (["login", "--profile", "wrk"], "Did you mean \"work\"?"),
        (["login", "--profile", "work", "--grant", "device"], "no [profiles.work.oauth2]"),
        (["logout", "https://other.example/"], "matches"),
        (["login", "--grant", "implicit"], "grant"), (["tokens", "--access-token", "--profile", "work"], "oauth2"),
    ])
    func usageErrors(arguments: [String], message: String) async throws {
        try sandbox.write(
            "[profiles.work]\nmatch = ['https://a.example/']\n[profiles.work.basic]\nusername = 'a'\n",
            to: "config/httpc/config.toml")
        let outcome = try await sandbox.httpc(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }
}
