#if os(Linux)
import Foundation
import HttpC
import HttpCTerminal
import TestLandscape

/// Types commands as a person would, in a separate home directory, and shows their output.
struct DemoShell: Sendable {
    /// The result of a command.
    struct Outcome: Sendable {
        let status: Int32
        /// The whole output, without colours.
        let text: String
    }

    let stage: DemoStage
    private let page: DemoPage
    private let directory: URL
    private static let patience = Duration.seconds(60)

    /// Does work with a shell, and removes the commands' files afterwards.
    static func open(
        _ stage: DemoStage, _ timeline: DemoTimeline, _ work: (DemoShell) async throws -> String
    ) async throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: "httpc-demo-\(UUID().uuidString)")
        for place in ["", ".config", ".config/httpc"] {
            try FileManager.default.createDirectory(
                at: directory.appending(path: place), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        defer { try? FileManager.default.removeItem(at: directory) }
        let before = stage.landscape.counters.requests
        defer { timeline.count(exchanges: stage.landscape.counters.requests - before) }
        return try await work(DemoShell(stage: stage, page: timeline.page, directory: directory))
    }

    /// Writes the profiles.
    ///
    /// - Parameter summary: a text that is shown instead of the profiles
    func configure(_ profiles: String, summary: String? = nil) throws {
        try profiles.write(
            to: directory.appending(path: ".config/httpc/config.toml"), atomically: true, encoding: .utf8)
        page.line("")
        if let summary { return page.note(summary) }
        page.note("~/.config/httpc/config.toml says")
        for line in profiles.split(separator: "\n") { page.output(String(line)) }
    }

    /// A file that a command has written.
    func file(_ name: String) -> String {
        String(
            decoding: FileManager.default.contents(atPath: directory.appending(path: name).path(percentEncoded: false))
                ?? Data(),
            as: UTF8.self)
    }

    func say(_ text: String) { page.note(text) }

    /// Runs a command to its end.
    ///
    /// - Parameters:
    ///   - words: the words as typed; `$NAME` comes from the environment
    ///   - environment: variables that the person has set before
    ///   - answers: the typed answers, in the order of the questions; a question is at the end of the last line
    ///   - isAttended: whether the command has a terminal for questions
    ///   - expecting: the expected exit status
    ///   - seeing: gets each line of output
    @discardableResult func run(
        _ words: String..., environment: [String: String] = [:], answers: [(question: String, answer: String)] = [],
        isAttended: Bool = true, expecting: ExitStatus = .success,
        seeing: (String) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        page.command(Self.typed(["httpc"] + words))
        let terminal = try DemoTerminal(
            Self.program, words.map { Self.expanded($0, environment) },
            environment: self.environment.merging(environment) { $1 }, directory: directory.path(percentEncoded: false),
            columns: page.room, isAttended: isAttended)
        let limit = Task {
            try await Task.sleep(for: Self.patience)
            terminal.end()
        }
        defer { limit.cancel() }
        let text: String
        do { text = try await follow(terminal, answers, seeing) } catch {
            terminal.end()
            throw error
        }
        if Task.isCancelled { terminal.end() }
        let status = await terminal.status
        try Task.checkCancellation()
        if status != 0 { page.note("exit status \(status)") }
        try DemoFailure.unless(status == expecting.rawValue, "it ended with \(status), not \(expecting.rawValue)")
        return Outcome(status: status, text: text)
    }

    /// Shows the output, and types the answers.
    private func follow(
        _ terminal: DemoTerminal, _ answers: [(question: String, answer: String)],
        _ seeing: (String) async throws -> Void
    ) async throws -> String {
        var transcript = DemoTranscript(keepsColours: page.style.isColoured)
        var answers = answers[...]
        var text = ""
        func show(_ lines: [String]) async throws {
            for line in lines {
                page.output(line)
                text += DemoTranscript.plain(line) + "\n"
                try await seeing(DemoTranscript.plain(line))
            }
        }
        for await piece in terminal.output {
            try await show(transcript.add(piece))
            if let next = answers.first, transcript.lastLine.hasSuffix(next.question) {
                answers.removeFirst()
                terminal.type(next.answer)
            }
        }
        try await show(transcript.finish())
        return text
    }

    /// The path of this program.
    private static var program: String {
        FileManager.default.isExecutableFile(atPath: "/proc/self/exe")
            ? "/proc/self/exe" : Bundle.main.executablePath ?? CommandLine.arguments[0]
    }

    /// The person's environment, without profiles, proxies and browser.
    private var environment: [String: String] {
        let own = ProcessInfo.processInfo.environment
        let kept = own.filter { ["PATH", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE"].contains($0.key) }
        return kept.merging([
            "HOME": directory.path(percentEncoded: false), "BROWSER": "true",
            "TERM": page.style.isColoured ? own["TERM"] ?? "xterm" : "dumb",
        ]) { $1 }
    }

    private static func typed(_ words: [String]) -> String {
        words.map { $0.contains { " $?&\"%\\".contains($0) } ? "\"\($0)\"" : $0 }.joined(separator: " ")
    }

    private static func expanded(_ word: String, _ environment: [String: String]) -> String {
        environment.reduce(word) { $0.replacing("$\($1.key)", with: $1.value) }
    }
}
#endif
