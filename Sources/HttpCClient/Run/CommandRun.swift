import HttpC
package import HttpCTerminal

/// A run of a command that talks to servers: applies its time limit, handles interruptions, and writes the files of
/// `--har` and `--trace`.
package struct CommandRun: Sendable {
    package let diagnostics: Diagnostics
    package let transcripts: TranscriptFiles

    /// Runs a command and reports failures to the person.
    ///
    /// - Parameters:
    ///   - seconds: the value of --max-time
    ///   - work: the command; returns the exit status
    /// - Returns: the exit status, or that of an interruption
    package static func run(
        _ diagnostics: Diagnostics, limit seconds: Double?, transcripts: () throws(CommandFailure) -> TranscriptFiles,
        _ work: @escaping @Sendable (CommandRun) async throws -> ExitStatus
    ) async -> Int32 {
        if let seconds { Interruption.shared.limit(seconds: seconds, isSilent: diagnostics.isSilent) }
        let files = Result(catching: transcripts)
        let status = await Interruption.shared.cancelling {
            await diagnostics.tellingWaits {
                await diagnostics.telling {
                    let run = CommandRun(diagnostics: diagnostics, transcripts: try files.get())
                    let status: ExitStatus
                    do { status = try await work(run) } catch {
                        // A failure before the first conversation leaves an earlier file unchanged.
                        if !run.transcripts.isEmpty { try? await run.transcripts.write() }
                        throw error
                    }
                    let written = await diagnostics.telling {
                        try await run.transcripts.write()
                        return .success
                    }
                    return status == .success ? written : status
                }
            }
        }
        await ActiveLogins.shared.end()
        if Interruption.shared.isTimeOver { diagnostics.message(Interruption.timeIsOver, status: .timedOut) }
        return Interruption.shared.status ?? status.rawValue
    }
}

extension Diagnostics {
    /// Runs work that returns an exit status. Reports a failure to the person, unless the work was interrupted.
    package func telling(_ work: () async throws -> ExitStatus) async -> ExitStatus {
        do { return try await work() } catch {
            let failure = CommandFailure(login: error)
            progress?.finish(isComplete: false)
            if Interruption.shared.status == nil { message(failure.message, status: failure.status) }
            return failure.status
        }
    }
}

extension HttpConversationManager.Configuration {
    /// Adds the observers that the options ask for.
    mutating func observe(
        _ plan: ClientPlan, of profile: Profile, _ transcripts: TranscriptFiles, _ diagnostics: Diagnostics
    ) {
        if let observer = transcripts.observer { observers.add(observer) }
        if let story = Story(level: plan.verbose, diagnostics) {
            story.apply(profile: profile.name)
            observers.add(story)
        }
    }
}
