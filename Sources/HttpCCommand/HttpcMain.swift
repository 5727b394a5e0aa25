import ArgumentParser
import Foundation
import Logging

/// The command: dispatches to a sub-command, or to the request.
@main struct HttpcMain: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "httpc", version: version,
        subcommands: [
            LoginCommand.self, LogoutCommand.self, TokensCommand.self, CookiesCommand.self,
            CertificatesCommand.self, LogonCommand.self, UnlockCommand.self, LockCommand.self, PasscodeCommand.self,
            SettingsCommand.self, UnregisterCommand.self, ODataCommand.self, LandscapeCommand.self,
            DemoCommand.self,
        ])

    static func main() async {
        Interruption.shared.listen()
        // swift-log writes to standard output unless told otherwise, and that belongs to the body.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        let arguments = Array(CommandLine.arguments.dropFirst())
        SecretArguments.overwrite()
        Foundation.exit(await run(arguments))
    }

    /// Only the first word can name a sub-command: `-o demo` writes a file, `https://demo/` asks a host.
    private static func run(_ arguments: [String]) async -> Int32 {
        if arguments.isEmpty {
            Diagnostics.write("Usage: httpc [options] URL\nTry httpc --help, or see it at work: httpc demo")
            return ExitStatus.usage.rawValue
        }
        let names = configuration.subcommands.map { $0.configuration.commandName }
        let type: any ParsableCommand.Type =
            arguments.first.map { names.contains($0) } == true ? HttpcMain.self : RequestCommand.self
        do {
            var command = try type.parseAsRoot(ShortOptions.separated(arguments))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return ExitStatus.success.rawValue
        } catch {
            return report(error, by: type, arguments)
        }
    }

    private static func report(
        _ error: any Error, by type: any ParsableCommand.Type, _ arguments: [String]
    ) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if let failure = error as? CommandFailure {
            Diagnostics.write("httpc: (\(failure.status.rawValue)) \(failure.message)")
            return failure.status.rawValue
        }
        if type.exitCode(for: error) == .success {
            return Posix.writeAll(1, Array((type.fullMessage(for: error) + "\n").utf8)) == 0
                ? ExitStatus.success.rawValue : ExitStatus.outputFailed.rawValue
        }
        Diagnostics.write(UsageMessage(error, by: type, arguments).text)
        return ExitStatus.usage.rawValue
    }
}
