package import HttpC
import HttpCTerminal
import HttpConvPlatform

/// The question whether to trust a server with an untrusted certificate. It is asked on a terminal only, and only about
/// servers that the person or the profile has named (security rule S21).
package enum TrustPrompt {
    /// Asks about the server of an error, and returns the pin of its key. Returns nil if there is no question, or if
    /// the answer is no.
    package static func accepted(_ error: ConversationError, _ setup: RequestSetup) async -> String? {
        guard error.code == .certificateNotTrusted, let failure = error.underlyingError as? ServerTrustError,
            setup.names(failure.origin), let summary = failure.trust.summary, TerminalPrompter.isAvailable
        else { return nil }
        let text = words(failure.origin, summary, failure.trust, remark: await remark(failure.origin, summary))
        let prompter = TerminalPrompter(onInterrupt: ControllingTerminal.interrupted)
        let question = "Trust this key of \(failure.origin) from now on?"
        guard await prompter.isAgreed(question, after: text) else { return nil }
        // If the key cannot be stored, the next run asks again.
        try? await KnownServers.accept(summary.pin, for: failure.origin)
        return summary.pin
    }

    /// The warning if a server's key is not the accepted one, or if that is unknown; nil without an accepted key.
    private static func remark(_ origin: Origin, _ summary: CertificateSummary) async -> String? {
        do throws(CommandFailure) {
            let known = try await KnownServers.pins()[origin.description]
            guard let known, known != summary.pin else { return nil }
            return "ITS KEY HAS CHANGED since you accepted one: somebody may be in between."
        } catch {
            return "WHETHER ITS KEY HAS CHANGED IS UNKNOWN: the keys that you have accepted cannot be read."
        }
    }

    private static func words(
        _ origin: Origin, _ summary: CertificateSummary, _ trust: ServerTrust, remark: String?
    ) -> String {
        let names = summary.names.prefix(8).map { TerminalText.sanitise($0, limit: 80) }.joined(separator: ", ")
        var lines = ["httpc: \(trust.failure(at: origin).message)"]
        if let remark { lines.append("       \(remark)") }
        lines += [
            "       for          \(TerminalText.sanitise(summary.subject, limit: 120))",
            "       names        \(names.isEmpty ? "none" : names)",
            "       issued by    \(TerminalText.sanitise(summary.issuer, limit: 120))",
            "       valid        \(summary.notBefore.formatted(.iso8601)) to \(summary.notAfter.formatted(.iso8601))",
            "       fingerprint  \(summary.fingerprintText)",
            "       public key   \(summary.pin)",
        ]
        return lines.joined(separator: "\n")
    }
}
