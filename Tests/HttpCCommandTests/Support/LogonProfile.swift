import Foundation
import HttpC
import TestLandscape
import TestSupport

/// A profile with a logon at the landscape's mobile server, behind one of its logins, and a person at a terminal.
struct LogonProfile {
    /// The login of the mobile server, and the typed answers for it.
    enum Login: String, CaseIterable, Sendable {
        case basic
        case codeAfterSAML2 = "saml-otp"
        case oauth2 = "bearer"
        case certificate
    }

    static let passcode = "abcd1234"
    static let application = "com.example.app"

    let sandbox: Sandbox
    let landscape: Landscape
    let login: Login
    private var origin: LandscapeOrigin { login == .certificate ? .mutual : .main }

    /// Writes the configuration.
    ///
    /// - Parameters:
    ///   - tables: text below the profile
    ///   - keys: further lines of the logon
    init(
        _ login: Login, _ landscape: Landscape, in sandbox: Sandbox, tables: String = "", keys: String = ""
    ) throws {
        (self.login, self.landscape, self.sandbox) = (login, landscape, sandbox)
        let text = """
            [profiles.work]
            match = ["\(url(""))"]
            answer-origins = ["\(landscape.urlString(.main, ""))", "\(landscape.identityProvider())"]
            web = "terminal"
            cacert = "\(try sandbox.authority(of: landscape))"
            [profiles.work.logon]
            application = "\(Self.application)"
            \(keys)

            """
        try sandbox.write(text + (try loginTables()) + tables, to: "config/httpc/config.toml")
    }

    private func loginTables() throws -> String {
        switch login {
        case .basic: return ""
        case .codeAfterSAML2:
            return """
                [profiles.work.saml2]
                finish-endpoint = "/SAMLAuthLauncher"
                finish-parameter = "finishEndpointParam"
                [profiles.work.otp]

                """
        case .oauth2:
            return """
                [profiles.work.oauth2]
                client-id = "native"
                scopes = ["openid", "read"]
                authorization-endpoint = "\(landscape.issuer())/authorize"
                token-endpoint = "\(landscape.issuer())/token"

                """
        case .certificate:
            let directory = URL(filePath: sandbox.path("certificates"), directoryHint: .isDirectory)
            try landscape.certificates.writeClients(named: ["alice"], to: directory)
            return
                "[profiles.work.cert]\nfile = \"\(sandbox.path("certificates/alice.p12"))\"\npassphrase-env = \"PASS\"\n"
        }
    }

    /// A URL of the mobile server.
    func url(_ path: String) -> String { landscape.urlString(origin, "/mobile/\(login.rawValue)\(path)") }

    /// A resource for registered devices alone.
    var resource: String { url("/\(Self.application)/orders") }

    /// The questions in order, with the typed answers.
    func answers() throws -> [(question: String, text: String)] {
        let people: [(String, String)] =
            switch login {
            case .basic: [("User name: ", "alice"), ("Password: ", "wonderland")]
            case .codeAfterSAML2:
                [
                    ("User name: ", "alice"), ("Password: ", "wonderland"),
                    ("\(landscape.urlString(.main, "")): Passcode: ", landscape.passcode(of: "alice") ?? ""),
                ]
            case .oauth2: [("Name: ", "alice"), ("Password: ", "wonderland")]
            case .certificate: []
            }
        return people + [("New passcode: ", Self.passcode), ("Once more: ", Self.passcode)]
    }

    // MARK: Running

    private static let environment = ["PASS": LandscapeCertificates.passphrase, "CODE": passcode]

    /// Runs the command with no terminal to ask on.
    func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> RunningCommand.Outcome {
        try await run(arguments, environment: environment)
    }

    func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> RunningCommand.Outcome {
        try await sandbox.withoutTerminal(arguments, environment: Self.environment.merging(environment) { $1 })
    }

    /// Runs the command on a terminal, and types the answers.
    func onTerminal(
        _ arguments: String, typing answers: [(question: String, text: String)], environment: [String: String] = [:]
    ) async throws -> RunningCommand.Outcome {
        let command = try RunningCommand(
            onTerminal: "\(BuiltProduct.httpc) \(arguments); echo status=$?", in: sandbox,
            environment: Self.environment.merging(["NO_COLOR": "1"]) { $1 }.merging(environment) { $1 })
        for (question, text) in answers { try await command.answer(question, text) }
        return try await command.outcome(after: "status=")
    }

    /// Registers without a person.
    func logOn(_ options: String...) async throws -> RunningCommand.Outcome {
        try await run(
            ["logon", "--profile", "work", "--passcode-env", "CODE"] + options, environment: ["PASSWORD": "wonderland"])
    }

    /// A table with name and password from the environment, for a login without a person.
    static let password = "[profiles.work.basic]\nusername = \"alice\"\npassword-env = \"PASSWORD\"\n"
}
