import ArgumentParser
import HttpC

/// Runs a sub-command that talks to a server: applies its time limit, handles interruptions, and writes the files of
/// `--har` and `--trace`.
enum CommandRun {
    static func run(
        _ options: ProfileOptions, _ work: @escaping @Sendable (Diagnostics, TranscriptFiles) async throws -> Void
    ) async throws {
        if let seconds = options.server.maximumTime {
            Interruption.shared.limit(seconds: seconds, isSilent: false)
        }
        let diagnostics = Diagnostics(
            isSilent: options.silent, style: TerminalStyle(descriptor: 2), progress: nil)
        let status = await Interruption.shared.cancelling { () async -> ExitStatus in
            do {
                let transcripts = try TranscriptFiles(options.transcripts)
                do { try await diagnostics.tellingWaits { try await work(diagnostics, transcripts) } } catch {
                    try? await transcripts.write()
                    throw error
                }
                try await transcripts.write()
                return .success
            } catch {
                let failure = CommandFailure(login: error)
                if Interruption.shared.status == nil { diagnostics.message(failure.message, status: failure.status) }
                return failure.status
            }
        }
        if Interruption.shared.isTimeOver { diagnostics.message(RequestRun.timeIsOver, status: .timedOut) }
        throw ExitCode(Interruption.shared.status ?? status.rawValue)
    }
}

extension HttpConversationManager.Configuration {
    /// Adds the observers that the options ask for.
    mutating func observe(
        _ options: ProfileOptions, of profile: Profile, _ transcripts: TranscriptFiles, _ diagnostics: Diagnostics
    ) {
        if let observer = transcripts.observer { observers.add(observer) }
        if let story = Story(level: options.verbose, diagnostics) {
            story.apply(profile: profile.name)
            observers.add(story)
        }
    }
}
