import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform
import Synchronization

/// One transfer with its retries, to its exit status.
final class TransferRun: Sendable {
    private let transfer: Transfer
    private let plan: RequestPlan
    private let diagnostics: Diagnostics
    private let output: TransferOutput
    private let clock = ContinuousClock()
    private let sent = Atomic(0)
    private let observer = TransferObserver()

    init(
        _ transfer: Transfer, _ plan: RequestPlan, _ diagnostics: Diagnostics, _ output: TransferOutput
    ) {
        self.transfer = transfer
        self.plan = plan
        self.diagnostics = diagnostics
        self.output = output
    }

    private var setup: RequestSetup { transfer.group.setup }

    /// Runs the transfer, and reports failures to the person.
    func run() async -> ExitStatus {
        var report = newReport
        do throws(ConversationError) { try await perform(&report) } catch {
            report.isTunnelRefused = error.code == .proxyRefused
            fail(CommandFailure(error, of: setup), &report)
        }
        diagnostics.progress?.ended(transfer.index)
        report.total = clock.now - report.beganAt
        report.sent = sent.load(ordering: .relaxed)
        report.facts = observer.facts
        await writeReport(&report)
        return report.exit
    }

    private func fail(_ failure: CommandFailure, _ report: inout TransferReport) {
        let ended = Interruption.shared.status.map { ExitStatus(rawValue: $0) ?? .interrupted }
        report.exit = ended ?? failure.status
        report.message = ended == .timedOut ? Interruption.timeIsOver : failure.message
        if Interruption.shared.status == nil { diagnostics.message(failure.message, status: failure.status) }
        if failure.status != .outputFailed, let hint = hint(report) { diagnostics.message(hint) }
    }

    /// A hint at the option that would have kept the part of a file that has arrived.
    private func hint(_ report: TransferReport) -> String? {
        guard report.received > 0, plan.continuation == nil, let file = report.file,
            transfer.destination.path == file, !transfer.destination.isInPlace,
            ContinueOption.fits(plan, transfer), let head = report.head, Resumption.isResumable(head)
        else { return nil }
        return
            "Nothing of \"\(TerminalText.sanitise(file))\" was kept. With -C - the received part stays, and the same "
            + "command resumes from it."
    }

    // MARK: Attempts

    private func perform(_ report: inout TransferReport) async throws(ConversationError) {
        let start = clock.now
        let policy = RetryPolicy(
            plan, transfer.request.method, isReplayable: transfer.body?.isRestartable ?? true)
        while true {
            let manager = transfer.group.manager
            resetReport(&report)
            do throws(ConversationError) {
                let (stream, resumption) = try await open(manager)
                report.timeToHead = clock.now - report.beganAt
                record(stream, in: &report)
                let code = stream.status.code
                let busy = RetryPolicy.Trouble.status(code, retryAfter: RetryAfter.read(stream.headerFields, now: .now))
                guard let pause = retryPause(policy, busy, report.retries + 1, since: start) else {
                    return try await deliver(stream, resumption, &report)
                }
                stream.body.cancel()
                let why = "\(stream.url.originInMessages) answered \(code); retrying"
                try await waitForRetry(in: pause, because: why, &report)
            } catch {
                let isReplayable = transfer.body?.isRestartable ?? true
                if await transfer.group.resolves(error, from: manager, isReplayable: isReplayable) { continue }
                let isInPlace = offset != nil || transfer.destination.isInPlace
                let hasOutput = isInPlace && report.received > 0
                guard Interruption.shared.status == nil,
                    let pause = retryPause(
                        policy, .error(error), report.retries + 1, since: start, hasOutput: hasOutput)
                else { throw error }
                try await waitForRetry(
                    in: pause, because: "\(CommandFailure(error, of: setup).message) Retrying", &report)
            }
        }
    }

    private var newReport: TransferReport {
        TransferReport(
            url: transfer.url, index: transfer.index, method: transfer.request.method,
            referer: transfer.request.headerFields[.referer], beganAt: clock.now)
    }

    /// Resets the report for another attempt, except for the number of retries.
    private func resetReport(_ report: inout TransferReport) {
        observer.reset()
        sent.store(0, ordering: .relaxed)
        let retries = report.retries
        report = newReport
        report.retries = retries
    }

    private func retryPause(
        _ policy: RetryPolicy, _ trouble: RetryPolicy.Trouble, _ tries: Int, since start: ContinuousClock.Instant,
        hasOutput: Bool = false
    ) -> Duration? {
        switch policy.verdict(trouble, tries: tries, elapsed: clock.now - start, hasOutput: hasOutput) {
        case .again(let pause): return pause
        case .stop(let reason):
            if let reason { diagnostics.notice("Not retrying (--retry): \(reason).") }
            return nil
        }
    }

    /// Reports the reason for a retry, and waits.
    private func waitForRetry(
        in pause: Duration, because why: String, _ report: inout TransferReport
    ) async throws(ConversationError) {
        diagnostics.notice(
            "\(why) in \(PeerNumber.integer((pause / .seconds(1)).rounded(.up), clampingTo: 0...Int.max) ?? 0) s."
        )
        do { try await clock.sleep(for: pause) } catch {
            throw ConversationError(.cancelled, "The conversation was cancelled.")
        }
        report.retries += 1
    }

    private func open(
        _ shared: HttpConversationManager
    ) async throws(ConversationError) -> (ConversationStream, Resumption?) {
        var manager = shared
        let resumption = try await resumption()
        if resumption != nil || plan.writeOut != nil || transfer.keepsCoding {
            manager = shared.copy()
            manager.update { [observer, transfer] configuration in
                if transfer.keepsCoding { configuration.decompresses = false }
                if let resumption { configuration.add(resumption) }
                configuration.observers.add(observer)
            }
        }
        let stream = try await manager.bytes(for: transfer.request, body: body)
        return (stream, resumption)
    }

    /// The number of bytes to leave out.
    private var offset: Int? {
        if case .offset(let offset)? = plan.continuation { offset } else { nil }
    }

    /// -C -: the stored part of the file, with the check whether the answer continues it.
    private func resumption() async throws(ConversationError) -> Resumption? {
        guard plan.continuation == .measured, let path = transfer.destination.path else { return nil }
        let file = URL(exactPath: path)
        return try Resumption(transfer.request, to: file, from: try await DownloadToken.find(for: file))
    }

    private var body: RequestBody? {
        transfer.body?.onProgress { [self] count, total in
            sent.store(count, ordering: .relaxed)
            diagnostics.progress?.update(transfer.index, .up, count, of: total)
        }
    }

    private func record(_ stream: ConversationStream, in report: inout TransferReport) {
        report.head = stream.head
        report.version = stream.version
        report.effective = stream.url
        report.attempts = stream.attempts.count
    }

    // MARK: The answer

    private func deliver(
        _ stream: ConversationStream, _ resumption: Resumption?, _ report: inout TransferReport
    ) async throws(ConversationError) {
        if let refusal = refusal(stream, resumption) {
            if let message = refusal.message { diagnostics.message(message, status: refusal.status) }
            if stream.status == .unauthorized,
                let line = await BearerAdvice.line(stream.head, at: stream.url, using: transfer.group.manager)
            {
                diagnostics.message(line)
            }
            report.exit = refusal.status ?? .success
            report.message = refusal.status == nil ? "" : refusal.message ?? ""
            if !refusal.printsBody { return try await writeHead(of: stream) }
        }
        if let offset, !plan.asksForHead, let message = try ContinueOption.check(stream, from: offset) {
            diagnostics.notice(message)
            return try await writeHead(of: stream)
        }
        if let range = plan.range, let message = try RangeOption.check(stream, range) {
            diagnostics.notice(message)
        }
        if transfer.destination.isStandardOutput {
            await output.lock()
            defer { output.unlock() }
            try await writeBody(stream, resumption, &report)
        } else {
            try await writeBody(stream, resumption, &report)
        }
    }

    /// The reason to refuse an answer; nil if there is none.
    private func refusal(_ stream: ConversationStream, _ resumption: Resumption?) -> Refusal? {
        let code = stream.status.code
        let status: ExitStatus? = plan.failsOnErrors ? .httpError : nil
        if code == 401 {
            let why = setup.explain(stream.head, from: stream.url)
            if setup.expectsLogin { return Refusal(status: .loginFailed, message: why, printsBody: false) }
            return Refusal(status: status, message: why, printsBody: !plan.hidesErrors)
        }
        if code == 407, let proxy = setup.proxy(of: stream.url) {
            return Refusal(
                status: status, message: setup.explain(stream.head, from: proxy), printsBody: !plan.hidesErrors)
        }
        guard status != nil, code >= 400, resumption?.isComplete(by: stream) != true else { return nil }
        let reason = TerminalText.sanitise(stream.status.reasonPhrase, limit: 60)
        return Refusal(
            status: status,
            message: "\(stream.url.originInMessages) answered \(code)" + (reason.isEmpty ? "" : " \(reason)") + ".",
            printsBody: !plan.hidesErrors)
    }

    private struct Refusal {
        /// The failure's status; nil if the message alone is printed.
        let status: ExitStatus?
        let message: String?
        let printsBody: Bool
    }

    // MARK: The body

    /// Stores the head for -D; on standard output it waits for its turn.
    ///
    /// - Returns: the bytes that -i and -I put before the body
    private func keepHead(of stream: ConversationStream) async throws(ConversationError) -> [UInt8] {
        let head = UnredactedHead.text(stream.head, stream.version)
        if let file = plan.headFile {
            let needsLock = file == "-" && !transfer.destination.isStandardOutput
            if needsLock { await output.lock() }
            defer { if needsLock { output.unlock() } }
            try output.add(head, to: file)
        }
        return plan.includesHead || plan.asksForHead ? Array(head.utf8) : []
    }

    /// Writes the head alone, if the body is not wanted.
    private func writeHead(of stream: ConversationStream) async throws(ConversationError) {
        guard transfer.destination.isStandardOutput else {
            _ = try await keepHead(of: stream)
            return
        }
        await output.lock()
        defer { output.unlock() }
        try StandardOutput.write(try await keepHead(of: stream))
    }

    /// Writes the body, after the head if requested.
    private func writeBody(
        _ stream: ConversationStream, _ resumption: Resumption?, _ report: inout TransferReport
    ) async throws(ConversationError) {
        var prefix = try await keepHead(of: stream)
        if let resumption { return try await resume(resumption, stream, &report) }
        // As with curl, a 304 leaves the file alone: it has no body, and the file may be what has not changed.
        if stream.status == .notModified, prefix.isEmpty, !transfer.destination.isStandardOutput {
            report.file = transfer.destination.path
            return
        }
        if case .standardOutput(takesAnything: false) = transfer.destination, output.isTerminal {
            if !prefix.isEmpty { try StandardOutput.write(prefix) }
            prefix = []
        }
        let total = plan.printsEvents || isBodyUnwanted ? nil : stream.expectedLength
        // A body that appears on the terminal needs no bar.
        let bar = transfer.destination.isStandardOutput && output.isTerminal ? nil : diagnostics.progress
        let progress = { [index = transfer.index] (count: Int) in
            report.received = max(0, count - prefix.count)
            bar?.update(index, .down, report.received, of: total)
        }
        let content = content(of: stream)
        let body = prefix.isEmpty ? content : ResponseBody(PrefixedBody(prefix, content))
        let file = try transfer.destination.file(for: stream.head)
        if let file { report.file = file.path }
        try await store(body, of: stream.head, in: file, progress)
    }

    /// -I -X GET: the body is not wanted. Dropping it ends the exchange.
    private var isBodyUnwanted: Bool { plan.asksForHead && transfer.request.method != .head }

    private func content(of stream: ConversationStream) -> ResponseBody {
        if isBodyUnwanted { return ResponseBody(bytes: []) }
        return plan.printsEvents ? EventLines.body(stream) : stream.body
    }

    /// Writes the body into a file, or to standard output if there is none.
    private func store(
        _ body: ResponseBody, of head: HTTPResponse, in file: (sink: OutputFile, path: String)?,
        _ progress: (Int) -> Void
    ) async throws(ConversationError) {
        if let (sink, path) = file {
            diagnostics.progress?.name(path)
            if let offset {
                try await append(body, from: offset, to: path, progress)
            } else {
                try await sink.write(body, progress: progress)
            }
            if case .named = transfer.destination {
                diagnostics.notice("Saved as \"\(TerminalText.sanitise(path))\".")
            }
        } else if case .standardOutput(takesAnything: false) = transfer.destination, output.isTerminal {
            try await StandardOutput.write(body, for: TerminalBody(head, plan.layout), progress: progress)
        } else {
            try await StandardOutput.write(body, progress: progress)
        }
    }

    /// -C with a number: the caller is responsible for the stored part of the file, as with curl. A different size
    /// causes a message.
    private func append(
        _ body: ResponseBody, from offset: Int, to path: String, _ progress: (Int) -> Void
    ) async throws(ConversationError) {
        let shown = "\"\(TerminalText.sanitise(path))\""
        if let size = InputFile.size(ofRegular: path), size > 0, size != offset {
            diagnostics.notice("\(shown) has \(size) bytes and not \(offset) (-C): the rest is appended all the same.")
        }
        var count = 0
        do throws(ConversationError) {
            try await OutputFile.appending(to: URL(exactPath: path)).write(body) {
                count = $0
                progress($0)
            }
        } catch {
            guard count > 0, let size = InputFile.size(ofRegular: path) else { throw error }
            throw error.adding("The bytes that came before are kept: \(shown) has \(size) bytes.")
        }
    }

    private func resume(
        _ resumption: Resumption, _ stream: ConversationStream, _ report: inout TransferReport
    ) async throws(ConversationError) {
        report.file = transfer.destination.path
        diagnostics.progress?.name(report.file ?? "")
        if let reason = resumption.startedOver(by: stream) {
            diagnostics.notice("The download starts over: \(reason.rawValue).")
        }
        var size = 0
        let start = try await resumption.receive(stream) { [bar = diagnostics.progress, index = transfer.index] in
            size = $0
            bar?.update(index, .down, $0, of: $1)
        }
        report.received = max(0, size - start)
    }

    /// Writes the text of -w, even after a failure, which takes precedence over one of writing.
    private func writeReport(_ report: inout TransferReport) async {
        guard let writeOut = plan.writeOut else { return }
        let text = writeOut.text(report)
        await output.lock()
        defer { output.unlock() }
        do throws(ConversationError) { try StandardOutput.write(Array(text.output.utf8)) } catch {
            if report.exit == .success { fail(CommandFailure(error, of: setup), &report) }
        }
        if !text.errors.isEmpty { diagnostics.raw(text.errors) }
    }
}
