import ArgumentParser
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem
import Logging
import Synchronization

/// The command: dispatches to a sub-command, or to the request.
@main struct HttpcMain: AsyncParsableCommand {
    static let version = "0.2.0"

    static let configuration = CommandConfiguration(
        commandName: "httpc", version: version,
        subcommands: [
            InitCommand.self, LoginCommand.self, LogoutCommand.self, StatusCommand.self, ProfilesCommand.self,
            ConfigCommand.self,
            TokensCommand.self, CredentialCommand.self, CookiesCommand.self, CertificatesCommand.self,
            LogonCommand.self, UnlockCommand.self, LockCommand.self, PasscodeCommand.self,
            SettingsCommand.self, UnregisterCommand.self, ODataCommand.self, RelayCommand.self,
            LandscapeCommand.self,
            DemoCommand.self,
        ])

    static func main() async {
        InheritedDescriptors.note()
        CoreDumps.switchOff()
        Interruption.shared.listen()
        // swift-log writes to standard output by default, which is reserved for the body.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        let arguments = Array(CommandLine.arguments.dropFirst())
        let invalid = firstArgumentThatIsNotUTF8
        SecretArguments.overwrite()
        HttpConvPlatform.exit(await run(arguments, notUTF8: invalid))
    }

    /// The number of the first argument that is not UTF-8. `CommandLine.arguments` has other bytes than were typed.
    private static var firstArgumentThatIsNotUTF8: Int? {
        (1..<max(1, Int(CommandLine.argc))).first { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) == nil } ?? false
        }
    }

    /// The words of the command line after a sub-command, in the order in which they were parsed. `CommandLine` no
    /// longer has the secrets among them.
    static func wordsAfter(_ command: [String]) -> [String] {
        var words = parsedWords.withLock(\.self)
        for name in command { if let index = words.firstIndex(of: name) { words.remove(at: index) } }
        return words
    }

    private static let parsedWords = Mutex<[String]>([])

    private static func run(_ arguments: [String], notUTF8 invalid: Int?) async -> Int32 {
        if arguments.isEmpty {
            let demo = EmbeddedServers.areIncluded ? ", or see it at work: httpc demo" : ""
            Diagnostics.write("Usage: httpc [options] URL\nTry httpc --help\(demo)")
            return ExitStatus.usage.rawValue
        }
        do {
            if let invalid {
                throw CommandFailure(
                    .usage,
                    "Argument \(invalid) is not UTF-8, and httpc would change its bytes. Put such data into a file and use -d @FILE; rename a file with such a name."
                )
            }
            var command = try parse(ShortOptions.separated(arguments))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return ExitStatus.success.rawValue
        } catch {
            return report(error, arguments)
        }
    }

    /// An error of parsing, and the command whose grammar was used.
    private struct Unparsed: Error {
        let error: any Error
        let type: any ParsableCommand.Type
    }

    private static func parse(_ words: [String]) throws -> any ParsableCommand {
        var (words, type) = (words, RequestCommand.self as any ParsableCommand.Type)
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        if ["--generate-completion-script", "--experimental-dump-help", "---completion"].contains(words.first) {
            type = WholeCommand.self
        } else {
            switch CommandWord.find(in: words, among: names + ["help"]) {
            case .command(let found):
                (words, type) = (found.first == "help" ? try helped(found.dropFirst(), names) : found, HttpcMain.self)
            case .mistyped(let name):
                throw CommandFailure(
                    .usage,
                    "There is no such command. Did you mean httpc \(name)? To request a host with that name, put https:// before it."
                )
            case .none: break
            }
        }
        if words.first == "-V" { words = ["--version"] }
        parsedWords.withLock { $0 = words }
        let command: any ParsableCommand
        do { command = try type.parseAsRoot(words) } catch { throw Unparsed(error: error, type: type) }
        // If help is requested, the parser returns a command of its own that shows it.
        if type == RequestCommand.self, !(command is RequestCommand) { throw HelpText(text: HelpScreen.text) }
        return command
    }

    /// The arguments that show the help of a command; throws the text if a topic or no word was given.
    private static func helped(_ words: ArraySlice<String>, _ names: [String]) throws -> [String] {
        let word = words.first.map { $0.hasPrefix("-") ? "" : $0 } ?? ""
        if word.isEmpty { throw HelpText(text: HelpScreen.text) }
        if let topic = HelpTopic(rawValue: word) { throw HelpText(text: topic.text) }
        if names.contains(word) { return words + ["--help"] }
        let topics = HelpTopic.allCases.map(\.rawValue)
        // A word that looks like a topic is repeated; any other may be a secret.
        let isPlain =
            word.utf8.count <= 30 && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
        let shown = isPlain ? "\"\(word)\"" : "that"
        let nearest = EditDistance.nearest(to: word, in: topics + names).map { " Did you mean httpc help \($0)?" } ?? ""
        throw CommandFailure(
            .usage,
            "There is no help about \(shown).\(nearest) There is help about \(topics.joined(separator: ", ")), and about each command."
        )
    }

    private static func report(_ error: any Error, _ arguments: [String]) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if let failure = error as? CommandFailure {
            Diagnostics.write("httpc: (\(failure.status.rawValue)) \(failure.message)")
            return failure.status.rawValue
        }
        if let help = error as? HelpText { return show(help.text) }
        let unparsed = error as? Unparsed ?? Unparsed(error: error, type: HttpcMain.self)
        let message = unparsed.type.message(for: unparsed.error)
        let text = unparsed.type.fullMessage(for: unparsed.error)
        // The whole text of an error has the usage, too.
        if message == text {
            return show(arguments.first == "--generate-completion-script" ? CompletedNames.addTopics(to: text) : text)
        }
        Diagnostics.write(UsageMessage(message, fullText: text, arguments).text)
        return ExitStatus.usage.rawValue
    }

    private static func show(_ text: String) -> Int32 {
        SystemCalls.writeAll(1, Array((text + "\n").utf8)) == 0
            ? ExitStatus.success.rawValue : ExitStatus.outputFailed.rawValue
    }
}

/// A help text that the user asked for. It is thrown, but is not a failure.
private struct HelpText: Error {
    let text: String
}

/// Request and sub-commands as one grammar, for completions and the man page. It is never parsed, because a URL and the
/// name of a sub-command stand in the same place.
struct WholeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "httpc", abstract: RequestCommand.configuration.abstract, version: HttpcMain.version,
        subcommands: HttpcMain.configuration.subcommands)

    @OptionGroup var request: RequestCommand
}
