import Foundation
import HttpC
import HttpConvTranscripts

/// The files of --har and --trace, written at the end after any outcome.
struct TranscriptFiles: Sendable {
    private let options: TranscriptOptions
    private let recorder: TranscriptRecorder?

    init(_ options: TranscriptOptions) throws(CommandFailure) {
        let files = [("--har", options.archive), ("--trace", options.page)]
        for case (let name, "-"?) in files {
            throw CommandFailure(.usage, "\(name) writes a file: standard output is for bodies.")
        }
        if let archive = options.archive, archive == options.page {
            throw CommandFailure(.usage, "--har and --trace want a file each.")
        }
        self.options = options
        recorder = options.archive == nil && options.page == nil ? nil : TranscriptRecorder()
    }

    /// The recorder; nil without these options.
    var observer: (any ConversationObserver)? { recorder }

    /// Writes the requested files atomically, readable by their owner alone.
    func write() async throws(CommandFailure) {
        guard let transcript = recorder?.transcript else { return }
        try await CommandFailure.both(
            { () async throws(CommandFailure) in
                guard let path = options.archive else { return }
                // The file may be a terminal, or be shown on one.
                let text = TerminalJSON.lines(transcript.har(creator: "httpc", version: HttpcMain.version))
                try await OutputFile.write(text, to: path, isPrivate: true)
            },
            { () async throws(CommandFailure) in
                guard let path = options.page else { return }
                let text = transcript.html(creator: "httpc \(HttpcMain.version)")
                try await OutputFile.write(text, to: path, isPrivate: true)
            })
    }
}
