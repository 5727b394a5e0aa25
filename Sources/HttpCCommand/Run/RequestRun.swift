import Foundation
import HttpC

/// The requests of a command line, in order or in parallel, from the arguments to the exit status.
struct RequestRun: Sendable {
    static let timeIsOver = "The time of --max-time is over."

    private let command: RequestCommand
    private let diagnostics: Diagnostics
    private let output: TransferOutput

    init(_ command: RequestCommand) {
        self.command = command
        let options = command.output
        let isQuiet = options.silent && !options.showErrors
        let bodyIsSeen = !command.files.areFiles(command.urls.count) && isatty(1) != 0
        let showsProgress =
            !options.silent && isatty(2) != 0 && (!bodyIsSeen || !command.body.uploads.isEmpty)
        diagnostics = Diagnostics(
            isSilent: isQuiet, style: options.style(descriptor: 2),
            progress: showsProgress ? ProgressBar(transfers: command.urls.count) : nil)
        output = TransferOutput(diagnostics.progress)
    }

    /// Runs the requests, and reports failures to the person.
    func run() async -> ExitStatus { await diagnostics.tellingWaits { await runTelling() } }

    private func runTelling() async -> ExitStatus {
        let status: ExitStatus
        do throws(CommandFailure) { status = try await perform() } catch {
            diagnostics.progress?.finish(isComplete: false)
            status = error.status
            if Interruption.shared.status == nil { diagnostics.message(error.message, status: status) }
        }
        guard let status = Interruption.shared.status else { return status }
        if Interruption.shared.isTimeOver { diagnostics.message(Self.timeIsOver, status: .timedOut) }
        return ExitStatus(rawValue: status) ?? .interrupted
    }

    private func perform() async throws(CommandFailure) -> ExitStatus {
        let writeOut = try command.output.writeOut.map { text throws(CommandFailure) in try WriteOut(text) }
        let transcripts = try TranscriptFiles(command.transcripts)
        let plan = try await TransferPlan(command, transcripts, diagnostics)
        for warning in Set(plan.groups.flatMap(\.setup.warnings)).sorted() { diagnostics.message(warning) }
        PasswordHint.showOnce(command, diagnostics)
        let runs = plan.transfers.map { TransferRun($0, command, diagnostics, output, writeOut) }
        var statuses = await command.transfers.isParallel ? parallel(runs) : inOrder(runs)
        diagnostics.progress?.finish(isComplete: statuses.allSatisfy { $0 == .success })
        // Earlier failures take precedence, and every file that can be written is.
        statuses.append(await keeping { () async throws(CommandFailure) in try await transcripts.write() })
        if let file = command.files.headFile {
            statuses.append(await keeping { () async throws(CommandFailure) in try await output.writeHeads(to: file) })
        }
        for group in plan.groups {
            statuses.append(await keeping { () async throws(CommandFailure) in try await group.keep() })
        }
        return statuses.first { $0 != .success } ?? .success
    }

    private func keeping(_ work: () async throws(CommandFailure) -> Void) async -> ExitStatus {
        do throws(CommandFailure) { try await work() } catch {
            if Interruption.shared.status == nil { diagnostics.message(error.message, status: error.status) }
            return error.status
        }
        return .success
    }

    /// Whether to stop. A Ctrl-C at a question is known before the work is cancelled.
    private var isOver: Bool { Task.isCancelled || Interruption.shared.status != nil }

    private func inOrder(_ runs: [TransferRun]) async -> [ExitStatus] {
        var statuses: [ExitStatus] = []
        for run in runs where !isOver { statuses.append(await run.run()) }
        return statuses
    }

    /// - Returns: the statuses in the order of the URLs
    private func parallel(_ runs: [TransferRun]) async -> [ExitStatus] {
        await withTaskGroup(of: (Int, ExitStatus).self) { group in
            var waiting = runs.enumerated().makeIterator()
            func start() {
                guard !isOver, let (index, run) = waiting.next() else { return }
                group.addTask { (index, await run.run()) }
            }
            for _ in 0..<command.transfers.maximumParallel { start() }
            var statuses: [Int: ExitStatus] = [:]
            for await (index, status) in group {
                statuses[index] = status
                start()
            }
            return statuses.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
