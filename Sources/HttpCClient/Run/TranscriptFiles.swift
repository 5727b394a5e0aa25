package import HttpC
package import HttpCTerminal
import HttpConvPlatform
import HttpConvTranscripts

/// The files of --har and --trace, written at the end after any outcome.
package struct TranscriptFiles: Sendable {
    /// The file of --har.
    private let archive: String?
    /// The file of --trace.
    private let page: String?
    /// The version of the program, which the files name.
    private let version: String
    private let recorder: TranscriptRecorder?

    package init(archive: String?, page: String?, version: String) throws(CommandFailure) {
        let files = [("--har", archive), ("--trace", page)]
        for case (let name, "-"?) in files {
            throw CommandFailure(.usage, "\(name) writes a file: standard output is for bodies.")
        }
        try DistinctFiles.require(files)
        self.archive = archive
        self.page = page
        self.version = version
        recorder = archive == nil && page == nil ? nil : TranscriptRecorder()
    }

    /// The recorder; nil without these options.
    package var observer: (any ConversationObserver)? { recorder }

    /// Whether nothing was recorded.
    var isEmpty: Bool { recorder?.transcript.entries.isEmpty ?? true }

    /// Writes the requested files atomically, readable by their owner alone.
    func write() async throws(CommandFailure) {
        guard let transcript = recorder?.transcript else { return }
        try await CommandFailure.both(
            { () async throws(CommandFailure) in
                guard let archive else { return }
                // The file may be a terminal, or be shown on one.
                let text = TerminalJSON.lines(transcript.har(creator: "httpc", version: version))
                try await OutputFile.write(text, to: archive, isPrivate: true)
            },
            { () async throws(CommandFailure) in
                guard let page else { return }
                let text = transcript.html(creator: "httpc \(version)")
                try await OutputFile.write(text, to: page, isPrivate: true)
            })
    }
}
