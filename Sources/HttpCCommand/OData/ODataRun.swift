import Foundation
import HttpC
import ODataOnline

/// A command of OData, from its arguments to the exit status. The service is opened with the login of any other
/// request.
struct ODataRun: Sendable {
    private let options: ODataConnectionOptions
    private let address: ODataAddress
    private let diagnostics: Diagnostics

    init(_ options: ODataConnectionOptions, _ address: ODataAddress) {
        self.options = options
        self.address = address
        diagnostics = Diagnostics(isSilent: options.silent, style: TerminalStyle(descriptor: 2), progress: nil)
    }

    /// Opens the service, does the work, and reports failures to the person.
    func run(_ body: @escaping @Sendable (ODataStore, _ path: String?) async throws -> Void) async -> ExitStatus {
        if let seconds = options.server.maximumTime {
            Interruption.shared.limit(seconds: seconds, isSilent: options.silent)
        }
        let outcome = await Interruption.shared.cancelling { await diagnostics.tellingWaits { await perform(body) } }
        diagnostics.progress?.finish(isComplete: false)
        if let status = Interruption.shared.status {
            if Interruption.shared.isTimeOver { diagnostics.message(RequestRun.timeIsOver, status: .timedOut) }
            return ExitStatus(rawValue: status) ?? .interrupted
        }
        guard let failure = outcome else { return .success }
        diagnostics.message(failure.message, status: failure.status)
        return failure.status
    }

    private func perform(_ body: @escaping @Sendable (ODataStore, _ path: String?) async throws -> Void) async
        -> CommandFailure?
    {
        do throws(CommandFailure) {
            let command = try options.request(address.url)
            let transcripts = try TranscriptFiles(command.transcripts)
            let plan = try await TransferPlan(command, transcripts, diagnostics)
            guard let transfer = plan.transfers.first else { return nil }
            for warning in transfer.group.setup.warnings { diagnostics.message(warning) }
            PasswordHint.showOnce(command, diagnostics)
            let failure = await converse(transfer, body)
            // Cookies and transcripts are written after any outcome, as for other requests.
            do throws(CommandFailure) { try await keep(transcripts, transfer.group) } catch { return failure ?? error }
            return failure
        } catch {
            return error
        }
    }

    private func keep(_ transcripts: TranscriptFiles, _ group: TransferGroup) async throws(CommandFailure) {
        try await CommandFailure.both(
            { () async throws(CommandFailure) in try await transcripts.write() },
            { () async throws(CommandFailure) in try await group.keep() })
    }

    private func converse(
        _ transfer: Transfer, _ body: @Sendable (ODataStore, _ path: String?) async throws -> Void
    ) async -> CommandFailure? {
        while true {
            let manager = transfer.group.manager
            do {
                try await converse(transfer, manager, body)
                return nil
            } catch {
                if let cause = (error as? ODataError)?.underlyingError as? ConversationError,
                    await transfer.group.accepts(cause, from: manager)
                {
                    continue
                }
                return ODataFailure.failure(error, transfer.group.setup)
            }
        }
    }

    private func converse(
        _ transfer: Transfer, _ manager: HttpConversationManager,
        _ body: @Sendable (ODataStore, _ path: String?) async throws -> Void
    ) async throws {
        var settings = ODataStoreOptions()
        // The limit is --max-time.
        if options.server.maximumTime != nil { settings.limits.waitingTime = nil }
        settings.metadataOptions = address.metadataOptions
        // The person's fields are for each request; the store adds the protocol's own.
        for field in transfer.request.headerFields where field.name != .accept { settings.fields.append(field) }
        let (store, path) = try await open(transfer, manager, settings)
        try await body(store, path)
    }

    /// Opens the service at the first place that has metadata.
    private func open(
        _ transfer: Transfer, _ manager: HttpConversationManager, _ settings: ODataStoreOptions
    ) async throws -> (ODataStore, path: String?) {
        var first: (any Error)?
        for place in address.places {
            do {
                // The transfer's URL has a scheme and no user name.
                let root = try transfer.url.with(path: String(try URLArgument(place.root).target.path))
                return (try await ODataStore.open(at: root, with: manager, options: settings), place.path)
            } catch {
                guard ODataAddress.mayBeFurtherUp(error) else { throw error }
                first = first ?? error
            }
        }
        throw first ?? CommandFailure(.malformedURL, "The service's address cannot be used.")
    }
}
