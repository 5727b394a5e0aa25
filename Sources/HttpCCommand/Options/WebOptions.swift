import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvFormats

/// The options of logins on web pages.
struct WebOptions: ParsableArguments {
    @Option(
        name: .customLong("web"),
        help: ArgumentHelp(
            "Where login pages are shown: chromium, headless (without a window, for prepared answers), system (OAuth2 with a loopback redirect-uri), terminal or none, instead of the profile's choice.",
            valueName: "kind"))
    var kind: Profile.ViewerChoice?

    @Flag(name: .customLong("headless"), help: "Runs Chromium without a window, for logins by prepared answers.")
    var headless = false

    @Option(
        name: .customLong("answer"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Fills the field of that name on login pages.", valueName: "name=value"))
    var answers: [String] = []

    @Option(
        name: .customLong("answer-env"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The same, from an environment variable.", valueName: "name=VAR"))
    var answersFromEnvironment: [String] = []

    @Option(
        name: .customLong("answer-file"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The same, from the first line of a file that only you can read.", valueName: "name=file"))
    var answersFromFiles: [String] = []

    @Option(
        name: .customLong("answer-totp"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Fills it with the current one-time code; the variable holds the secret in base32.",
            valueName: "name=VAR"))
    var answersByCode: [String] = []

    @Option(
        name: .customLong("answer-origin"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another origin that may get answers. Without it only the profile's origins get them.", valueName: "origin")
    )
    var answerOrigins: [String] = []

    func validate() throws {
        if headless, let kind, kind != .chromium, kind != .headless {
            throw ValidationError("--headless is for Chromium, not for --web \(kind.rawValue).")
        }
    }

    /// The answers by the names of their fields.
    func answerSources() throws(CommandFailure) -> [String: AnswerSource] {
        var sources: [String: AnswerSource] = [:]
        try add("--answer", answers, to: &sources) { .text(.literal(Redacted($0))) }
        try add("--answer-env", answersFromEnvironment, to: &sources) { .text(.environment($0)) }
        try add("--answer-file", answersFromFiles, to: &sources) { .text(.file($0)) }
        try add("--answer-totp", answersByCode, to: &sources) { .totp(.environment($0)) }
        return sources
    }

    /// The further origins that may get answers.
    func origins() throws(CommandFailure) -> [Origin] {
        var origins: [Origin] = []
        for text in answerOrigins {
            do throws(ConversationError) { origins.append(try TargetURL(text).origin) } catch {
                throw CommandFailure(.usage, "--answer-origin: \(error.message)")
            }
        }
        return origins
    }

    private func add(
        _ option: String, _ values: [String], to sources: inout [String: AnswerSource],
        _ source: (String) -> AnswerSource
    ) throws(CommandFailure) {
        for value in values {
            // The value may be a secret, so it is not repeated.
            guard let (name, content) = value.cut(atASCII: "="), !name.isEmpty else {
                throw CommandFailure(.usage, "\(option) needs NAME=VALUE: the name of a field and its value.")
            }
            let field = String(name)
            guard sources[field] == nil else {
                throw CommandFailure(
                    .usage, "There is more than one answer for the field \"\(TerminalText.sanitise(field))\".")
            }
            sources[field] = source(String(content))
        }
    }
}

extension Profile.ViewerChoice: ExpressibleByArgument {}
