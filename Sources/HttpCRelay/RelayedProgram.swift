import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem

/// The program that a relay runs for.
struct RelayedProgram: Sendable {
    /// The text that stands for the relay's URL, without a slash at its end.
    static let placeholder = "{url}"

    /// The time that a program has to end after Ctrl-C.
    private static let endTimeout = Duration.seconds(5)

    private let words: [String]

    /// - Throws: a usage failure if the program would not get the URL, or if other users could use it
    init(_ words: [String], overSocket socket: String?) throws(CommandFailure) {
        self.words = words
        guard socket == nil else {
            throw CommandFailure(
                .usage,
                "With --socket there is no \(Self.placeholder) for a program: leave out --socket, or the program.")
        }
        guard words.contains(where: { $0.contains(Self.placeholder) }) else {
            throw CommandFailure(
                .usage,
                "The program gets no \(Self.placeholder), so it would not use the relay: put it where the URL goes.")
        }
        // Arguments are in the process list, which everybody can read.
        guard PeerUser.isKnown else {
            throw CommandFailure(
                .usage,
                "This system does not say whose process a connection belongs to (no /proc/net/tcp), so another user could use a \(Self.placeholder) of the process list. Start the relay by itself, or with --socket."
            )
        }
    }

    private static func failure(toFind name: String) -> CommandFailure {
        let shown = "\"\(TerminalText.sanitise(name))\""
        guard name.contains("/") else { return CommandFailure(.usage, "There is no program \(shown) on the PATH.") }
        let reason =
            SystemCalls.isDirectory(name)
            ? "it is a directory"
            : FileManager.default.fileExists(atPath: name) ? "it may not be executed (chmod +x)" : "it is not there"
        return CommandFailure(.usage, "The program \(shown) cannot be run: \(reason).")
    }

    /// The program's environment, in which no proxy is used for the relay: a proxy must not get the relay's secret.
    ///
    /// Some programs read `no_proxy` and others `NO_PROXY`, so both get the same list. `*` stays alone, because in a
    /// list programs do not take it for all hosts.
    static func withoutProxy(_ environment: [String: String]) -> [String: String] {
        let names = ["no_proxy", "NO_PROXY"]
        let given = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let list = given.isEmpty ? "127.0.0.1" : given.trimmingSpaces == "*" ? "*" : given + ",127.0.0.1"
        return environment.merging(names.map { ($0, list) }) { $1 }
    }

    /// Runs the program to its end.
    ///
    /// - Returns: its exit status, or 128 + the signal that ended it
    func perform(url: Redacted<String>?) async throws(CommandFailure) -> Int32 {
        #if os(Linux)
        let environment = Self.withoutProxy(ProcessInfo.processInfo.environment)
        let name = words.first ?? ""
        guard let executable = ProgramEnvironment.program(name, path: environment["PATH"] ?? "/usr/bin:/bin") else {
            throw Self.failure(toFind: name)
        }
        let arguments = words.dropFirst().map { $0.replacing(Self.placeholder, with: url?.value ?? "") }
        let process: SpawnedProcess
        do throws(SpawnedProcess.Failure) {
            process = try SpawnedProcess(
                inForeground: executable, Array(arguments), environment: environment,
                ignoring: Interruption.shared.ignoredSignals)
        } catch {
            throw CommandFailure(.usage, error.message)
        }
        Interruption.shared.allowTime(seconds: 30)
        return await withTaskCancellationHandler {
            await process.status
        } onCancel: {
            guard Interruption.shared.status == ExitStatus.interrupted.rawValue else { return process.terminate() }
            // Ctrl-C has reached the program already. SIGINT to this process alone has not, and the relay is about to
            // end.
            Task { if await !process.hasEnded(within: Self.endTimeout) { process.terminate() } }
        }
        #else
        throw CommandFailure(.usage, "A relay runs no program on this system.")
        #endif
    }
}
