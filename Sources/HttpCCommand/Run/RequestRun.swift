import Foundation
import HttpC
import Logon

/// One request from the command line, from its arguments to the exit status.
struct RequestRun: Sendable {
    static let timeIsOver = "The time of --max-time is over."

    private let command: RequestCommand
    private let diagnostics: Diagnostics

    init(_ command: RequestCommand) {
        self.command = command
        let isQuiet = command.output.silent && !command.output.showErrors
        let bodyIsSeen = command.output.output == nil && isatty(1) != 0
        let showsProgress = !command.output.silent && isatty(2) != 0 && (!bodyIsSeen || command.request.upload != nil)
        diagnostics = Diagnostics(
            isSilent: isQuiet, style: TerminalStyle(descriptor: 2), progress: showsProgress ? ProgressBar() : nil)
    }

    /// Does it, and tells the person where it did not work.
    func run() async -> ExitStatus {
        let outcome = await perform()
        diagnostics.progress?.finish()
        if let status = Interruption.shared.status {
            if Interruption.shared.isTimeOver {
                diagnostics.message(Self.timeIsOver, status: .timedOut)
            }
            return ExitStatus(rawValue: status) ?? .interrupted
        }
        switch outcome {
        case .success(let status): return status
        case .failure(let failure):
            diagnostics.message(failure.message, status: failure.status)
            return failure.status
        }
    }

    private func perform() async -> Result<ExitStatus, CommandFailure> {
        do throws(CommandFailure) {
            let setup = try await RequestSetup(command, diagnostics)
            for warning in setup.warnings { diagnostics.message(warning) }
            PasswordHint.showOnce(command, diagnostics)
            let result = await converse(setup)
            // Cookies are kept whatever became of the conversation, as curl does.
            try await setup.cookies.save(setup.session)
            try await setup.logon?.leaveSession()
            return .success(try result.get())
        } catch {
            return .failure(error)
        }
    }

    private func converse(_ setup: RequestSetup) async -> Result<ExitStatus, CommandFailure> {
        do throws(ConversationError) { return .success(try await converse(setup, accepting: nil)) } catch {
            guard let server = await TrustPrompt.accepted(error, setup) else {
                return .failure(Self.failure(error, setup))
            }
            do throws(ConversationError) { return .success(try await converse(setup, accepting: server)) } catch {
                return .failure(Self.failure(error, setup))
            }
        }
    }

    private func converse(
        _ setup: RequestSetup, accepting server: KnownServerFilter?
    ) async throws(ConversationError) -> ExitStatus {
        let observer = command.output.verbose ? VerboseObserver(diagnostics: diagnostics) : nil
        let manager = setup.manager(observing: observer, accepting: server)
        let resumption = try await resumption(of: setup.request)
        if let resumption { manager.update { $0.add(resumption) } }
        let stream = try await manager.bytes(for: setup.request, body: body(setup))
        return try await deliver(stream, setup, resumption)
    }

    /// -C: what there is of the file, and what looks whether the answer goes on from it.
    private func resumption(of request: HTTPRequest) async throws(ConversationError) -> Resumption? {
        guard command.output.continueAt != nil, let path = command.output.output else { return nil }
        let file = URL(filePath: path)
        return try Resumption(request, to: file, from: try await DownloadToken.find(for: file))
    }

    private func body(_ setup: RequestSetup) -> RequestBody? {
        guard let progress = diagnostics.progress else { return setup.body }
        return setup.body?.onProgress { progress.update(.up, $0, of: $1) }
    }

    /// The provider's or flow's own words are better than the engine's about it.
    static func failure(_ error: ConversationError, _ setup: RequestSetup) -> CommandFailure {
        if let cause = error.underlyingError as? CommandFailure { return cause }
        if let cause = error.underlyingError as? LogonError { return CommandFailure(cause) }
        if let cause = error.underlyingError as? UnaskedSAML2Login {
            return CommandFailure(.loginFailed, LoginPageAdvice.text(cause, profile: setup.profile))
        }
        if let cause = error.underlyingError as? WebLoginError {
            if let failure = cause.underlyingError as? CommandFailure { return failure }
            let page = cause.underlyingError as? ConversationError
            if let failure = page?.underlyingError as? CommandFailure { return failure }
            // The code is for programs.
            return CommandFailure(
                ExitStatus(error.code),
                error.message.replacing("failed. \(cause.code): ", with: "failed. ")
                    + FailureAdvice.text(cause, profile: setup.profile))
        }
        if let cause = error.underlyingError as? OAuth2Error {
            // Whatever kept the login from happening: the profile expected one.
            return CommandFailure(
                cause.code == .storageFailed ? .outputFailed : ExitStatus(error.code),
                CommandFailure(login: cause).message)
        }
        return CommandFailure(error, profile: setup.profile)
    }

    // MARK: The answer

    private func deliver(
        _ stream: ConversationStream, _ setup: RequestSetup, _ resumption: Resumption?
    ) async throws(ConversationError) -> ExitStatus {
        let code = stream.status.code
        if code == 401 {
            let why = UnansweredLogin.explain(
                stream.head, from: stream.url, hasCredentials: setup.hasCredentials, tokens: setup.tokens,
                outcomes: setup.outcomes)
            if setup.expectsLogin {
                diagnostics.message(why, status: .loginFailed)
                return .loginFailed
            }
            diagnostics.message(why, status: command.output.fail ? .httpError : nil)
            if command.output.fail { return .httpError }
        } else if code == 407, let proxy = setup.proxy(of: stream.url) {
            diagnostics.message(
                "The proxy \(proxy) wants a login (407), and "
                    + (proxy.login == nil ? "there is none" : "does not accept the one there is")
                    + ": use --proxy-user, or proxy-user in a profile.",
                status: command.output.fail ? .httpError : nil)
            if command.output.fail { return .httpError }
        } else if command.output.fail, code >= 400, resumption?.isComplete(by: stream) != true {
            let reason = TerminalText.sanitise(stream.status.reasonPhrase, limit: 60)
            diagnostics.message(
                "The answer of \(stream.url.origin) is \(code)" + (reason.isEmpty ? "" : " \(reason)") + ".",
                status: .httpError)
            return .httpError
        }
        if let range = command.output.range, let message = try RangeOption.check(stream, range) {
            diagnostics.message(message)
        }
        let size = try await write(stream, resumption)
        if let format = command.output.writeOut {
            try StandardOutput.write(Array(WriteOut.text(format, for: stream, size: size).utf8))
        }
        return .success
    }

    /// The body, after the head where it was asked for.
    private func write(
        _ stream: ConversationStream, _ resumption: Resumption?
    ) async throws(ConversationError) -> Int {
        if let resumption { return try await resume(resumption, stream) }
        let head =
            command.output.include || command.output.head ? Array(HeadText.text(stream.head, stream.version).utf8) : []
        let total = stream.expectedLength
        var size = 0
        let progress = { [bar = diagnostics.progress] (count: Int) in
            size = max(0, count - head.count)
            bar?.update(.down, size, of: total)
        }
        let body = head.isEmpty ? stream.body : ResponseBody(PrefixedBody(head, stream.body))
        if let path = command.output.output, path != "-" {
            try await OutputFile(URL(filePath: path)).write(body, progress: progress)
        } else {
            try await StandardOutput.write(body, progress: progress)
        }
        return size
    }

    private func resume(_ resumption: Resumption, _ stream: ConversationStream) async throws(ConversationError) -> Int {
        if let reason = resumption.startedOver(by: stream) {
            diagnostics.message("The download starts over: \(reason.rawValue).")
        }
        var size = 0
        let start = try await resumption.receive(stream) { [bar = diagnostics.progress] received, total in
            size = received
            bar?.update(.down, received, of: total)
        }
        return max(0, size - start)
    }
}
