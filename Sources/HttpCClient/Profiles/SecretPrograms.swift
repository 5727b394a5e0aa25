import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem
import Synchronization

/// Runs the programs that know secrets: those of `-command`, and `secret-tool` for `-keyring`. Each runs once per run
/// of httpc, so that no question of a key ring comes twice. A relay runs for days: there a program that has failed, or
/// whose secret was refused, runs again after a pause. Programs that print assertions or tokens run for each grant.
///
/// A program gets the variables of the session and its desktop, and nothing else of the environment: a variable may
/// hold another secret. Messages contain neither its output nor its arguments.
final class SecretPrograms: Sendable {
    /// The reason why a program gave no secret.
    enum Problem: Error, Equatable {
        case notFound, cancelled, empty, notText
        case failed(ProgramOutput.Failure)
    }

    /// The only instance, because the outcomes are those of the process.
    static let shared = SecretPrograms()

    private typealias Outcome = Result<Redacted<String>, Problem>

    private let environment: [String: String]
    private let time: Duration
    private let pause: Duration
    private let runs = Mutex<[[String]: Run]>([:])

    private struct Run {
        let task: Task<Outcome, Never>
        var end: (time: ContinuousClock.Instant, isFailure: Bool)?
    }

    /// The most that a program may print, in bytes.
    private static let longestOutput = 64 << 10
    /// Variables of password managers that say where things are, and hold no secrets.
    private static let variables: Set<String> = [
        "GNUPGHOME", "GPG_TTY", "PASSWORD_STORE_DIR", "PASSWORD_STORE_GPG_OPTS", "PINENTRY_USER_DATA", "SHELL",
        "SSH_AUTH_SOCK", "TERM",
    ]

    /// - Parameters:
    ///   - time: the time limit for one program, in which a person may have to unlock a key ring
    ///   - pause: the least time between two runs of one program
    init(
        environment: [String: String] = ProcessInfo.processInfo.environment, time: Duration = .seconds(120),
        pause: Duration = .seconds(30)
    ) {
        self.environment = environment
        self.time = time
        self.pause = pause
    }

    /// The first line that a program prints.
    ///
    /// - Parameters:
    ///   - words: the program and its arguments
    ///   - name: the name of the secret, for a report of the wait
    func line(of words: [String], _ name: String) async throws(Problem) -> Redacted<String> {
        while true {
            let task = run(words)
            let outcome = await ConversationEvent.Wait.during("for the program that has the \(name)", atMost: time) {
                await withTaskCancellationHandler {
                    await task.value
                } onCancel: {
                    task.cancel()
                }
            }
            // The run may have been cancelled by another request that waited for it.
            if case .failure(.cancelled) = outcome, !Task.isCancelled {
                runs.withLock { if $0[words]?.task == task { $0[words] = nil } }
                continue
            }
            let isFailure = if case .failure = outcome { true } else { false }
            runs.withLock {
                guard $0[words]?.task == task, $0[words]?.end == nil else { return }
                $0[words]?.end = (.now, isFailure)
            }
            return try outcome.get()
        }
    }

    /// All that a program prints, without the white space around it. The program runs each time.
    ///
    /// - Parameter name: as for ``line(of:_:)``
    func text(of words: [String], _ name: String) async throws(Problem) -> Redacted<String> {
        let outcome = await ConversationEvent.Wait.during("for the program that has the \(name)", atMost: time) {
            await ActiveLogins.shared.during { await output(of: words, isWhole: true) }
        }
        return try outcome.get()
    }

    private func run(_ words: [String]) -> Task<Outcome, Never> {
        runs.withLock { runs in
            if let known = runs[words], !(known.end?.isFailure == true && isOver(known)) { return known.task }
            let task = Task { [self] in await ActiveLogins.shared.during { await output(of: words) } }
            runs[words] = Run(task: task)
            return task
        }
    }

    /// Forgets the secret of a program, which a server has refused, unless it is newer than the pause.
    func forget(_ words: [String]) { runs.withLock { if let known = $0[words], isOver(known) { $0[words] = nil } } }

    private func isOver(_ run: Run) -> Bool { run.end.map { $0.time + pause <= .now } ?? false }

    /// - Parameter isWhole: whether all lines count, and not only the first one
    private func output(of words: [String], isWhole: Bool = false) async -> Outcome {
        #if os(Linux)
        guard let name = words.first,
            let program = ProgramEnvironment.program(name, path: environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
        else { return .failure(.notFound) }
        do {
            let output = try await ProgramOutput.read(
                program, Array(words.dropFirst()),
                environment: ProgramEnvironment.scrubbed(environment, also: Self.variables),
                limit: Self.longestOutput, within: time)
            let bytes = isWhole ? output[...] : output.prefix { $0 != 10 && $0 != 13 }
            guard var text = String(bytes: bytes, encoding: .utf8) else { return .failure(.notText) }
            if isWhole { text = String(text.trimmingBlanks) }
            return text.isEmpty ? .failure(.empty) : .success(Redacted(text))
        } catch let failure as ProgramOutput.Failure { return .failure(.failed(failure)) } catch {
            return .failure(.cancelled)
        }
        #else
        return .failure(.failed(.notStarted))
        #endif
    }

    // MARK: Key rings

    /// The program that looks an entry up. A name means the attributes `service httpc` and `key NAME`; otherwise the
    /// text lists attributes, as `attribute=value,attribute=value`.
    static func lookUp(_ entry: String) -> [String] {
        guard entry.contains("=") else { return ["secret-tool", "lookup", "service", "httpc", "key", entry] }
        let pairs = entry.split(separator: ",").flatMap { pair -> [String] in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? parts.map(String.init) : []
        }
        return ["secret-tool", "lookup"] + pairs
    }

    /// Whether a text names an entry. secret-tool takes a NUL for the end, and nothing for any entry.
    static func isEntry(_ text: String) -> Bool {
        let attributes = lookUp(text).dropFirst(2)
        return !text.utf8.contains(0) && !attributes.isEmpty && attributes.allSatisfy { !$0.isEmpty }
    }
}

extension SecretPrograms.Problem {
    /// The message about a program of `-command`.
    ///
    /// - Parameter name: the name of the secret
    func message(_ name: String) -> String {
        switch self {
        case .notFound:
            "The program that prints the \(name) is not there, or is not a program: name one of the PATH, or a file."
        case .cancelled: "The program that prints the \(name) was ended."
        case .empty: "The program that prints the \(name) ended well, but its first line is empty."
        case .notText: "The program that prints the \(name) printed something that is not text (UTF-8)."
        case .failed(.notStarted): "The program that prints the \(name) could not be started."
        case .failed(.status(let status)):
            "The program that prints the \(name) ended with status \(status): run it by hand to see why."
        case .failed(.tooLong): "The program that prints the \(name) printed more than 64 KiB, and was ended."
        case .failed(.timedOut): "The program that prints the \(name) did not end in time, and was ended."
        }
    }

    /// The message about an entry of the key ring.
    ///
    /// - Parameter name: the name of the secret
    func keyringMessage(_ name: String) -> String {
        switch self {
        case .notFound:
            "The \(name) is in a key ring, and secret-tool, which reads it, is missing (Debian: libsecret-tools)."
        case .empty, .failed(.status):
            "The key ring has no \(name) for that entry, or is locked. An entry is made by: "
                + "secret-tool store --label=NAME service httpc key NAME"
        case .cancelled: "The question to the key ring for the \(name) was ended."
        case .notText: "The key ring has a \(name) that is not text (UTF-8)."
        case .failed(.notStarted): "secret-tool, which reads the \(name) in the key ring, could not be started."
        case .failed(.tooLong): "The key ring has a \(name) of more than 64 KiB."
        case .failed(.timedOut): "The key ring did not give the \(name) in time: unlock it first."
        }
    }
}
