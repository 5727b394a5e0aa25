import Foundation
import TestLandscape
import TestSupport

/// A profile for all web logins of the landscape, without a person.
struct WebProfile {
    let sandbox: Sandbox
    let landscape: Landscape

    static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    static let environment = ["PASSWORD": "wonderland", "TOTP": secret]
    static let answers = """
        [profiles.work.answers]
        user = "alice"
        password = { env = "PASSWORD" }
        passcode = { totp-env = "TOTP" }

        """

    /// Writes the configuration.
    ///
    /// - Parameters:
    ///   - keys: keys of the profile itself
    ///   - tables: tables below it
    ///   - origins: origins that may get answers; by default both parties
    ///   - launcher: the path above the finish endpoint, which decides the bindings of logins
    init(
        _ landscape: Landscape, in sandbox: Sandbox, _ keys: String = "", tables: String = "", origins: [String]? = nil,
        launcher: String = ""
    ) throws {
        self.sandbox = sandbox
        self.landscape = landscape
        let base = landscape.urlString(.main, "")
        let places = (origins ?? [base, landscape.identityProvider()]).map { "\"\($0)\"" }.joined(separator: ", ")
        try sandbox.write(
            """
            [profiles.work]
            match = ["\(base)/saml", "\(base)/otp"]
            answer-origins = [\(places)]
            \(keys)
            [profiles.work.saml2]
            finish-endpoint = "\(launcher)/SAMLAuthLauncher"
            finish-parameter = "finishEndpointParam"
            [profiles.work.otp]
            \(tables)
            """, to: "config/httpc/config.toml")
    }

    func url(_ path: String) -> String { landscape.urlString(.main, path) }

    /// Starts the command with no terminal to ask on.
    func start(_ arguments: [String]) throws -> RunningCommand {
        try RunningCommand(withoutTerminal: arguments, in: sandbox, environment: Self.environment)
    }

    /// Runs the command with no terminal to ask on.
    func run(_ arguments: String...) async throws -> RunningCommand.Outcome {
        try await start(arguments).outcome()
    }

    /// Starts the command on a terminal; `then` runs after it.
    func onTerminal(_ arguments: String, then: String = "true") throws -> RunningCommand {
        // The shell must survive the Ctrl-C that ends the command.
        try RunningCommand(
            onTerminal: "trap : INT; \(BuiltProduct.httpc) \(arguments); echo status=$?; \(then)", in: sandbox,
            environment: Self.environment.merging(["NO_COLOR": "1"]) { $1 })
    }
}
