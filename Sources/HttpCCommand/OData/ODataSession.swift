import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform
import ODataOnline

extension Transfers {
    /// Opens the service at an address, does the work, and saves the sessions.
    ///
    /// - Parameter hasTimeLimit: whether --max-time limits everything together, which replaces the service's own limit
    func openService(
        _ address: ODataAddress, hasTimeLimit: Bool,
        _ body: @escaping @Sendable (ODataStore, _ path: String?) async throws -> Void
    ) async -> ExitStatus {
        guard let transfer = transfers.first else { return .success }
        let session = ODataSession(address: address, hasTimeLimit: hasTimeLimit, transfer: transfer)
        let status = await diagnostics.telling {
            try await session.converse(body)
            return .success
        }
        let kept = await keep()
        return status == .success ? kept : status
    }
}

/// The work at one service of OData, which is opened with the login of any other request.
private struct ODataSession: Sendable {
    let address: ODataAddress
    let hasTimeLimit: Bool
    let transfer: Transfer

    func converse(
        _ body: @Sendable (ODataStore, _ path: String?) async throws -> Void
    ) async throws(CommandFailure) {
        while true {
            let manager = transfer.group.manager
            let unauthorized = LastUnauthorized()
            let watched = manager.copy()
            watched.update { $0.responseFilters.add(unauthorized, id: "httpc.unauthorized") }
            do { return try await converse(watched, body) } catch {
                // Not replayable: rows may be printed already, and changes sent.
                if let cause = (error as? ODataError)?.underlyingError as? ConversationError,
                    await transfer.group.resolves(cause, from: manager, isReplayable: false)
                {
                    continue
                }
                throw ODataFailure.failure(error, transfer.group.setup, unauthorized)
            }
        }
    }

    private func converse(
        _ manager: HttpConversationManager,
        _ body: @Sendable (ODataStore, _ path: String?) async throws -> Void
    ) async throws {
        var settings = ODataStoreConfiguration()
        // The limit is --max-time.
        if hasTimeLimit { settings.limits.waitingTime = nil }
        settings.metadataOptions = address.metadataOptions
        // The person's fields are for each request; the store adds the protocol's own.
        for field in transfer.request.headerFields where field.name != .accept { settings.fields.append(field) }
        var (store, path) = try await open(manager, settings)
        // The metadata have one format only. The default of other requests, `*/*`, would let the service choose.
        if let accept = transfer.request.headerFields[.accept], accept != "*/*" {
            settings.fields[.accept] = accept
            store = try ODataStore(
                at: store.root, version: store.version, with: manager, model: store.model, configuration: settings)
        }
        try await body(store, path)
    }

    /// Opens the service at the first place that has metadata.
    private func open(
        _ manager: HttpConversationManager, _ settings: ODataStoreConfiguration
    ) async throws -> (ODataStore, path: String?) {
        var first: (any Error)?
        for place in address.places {
            do {
                // The transfer's URL has a scheme and no user name.
                let root = try transfer.url.with(path: String(try URLArgument(place.root).target.path))
                return (try await ODataStore.open(at: root, with: manager, configuration: settings), place.path)
            } catch {
                guard ODataAddress.mayBeFurtherUp(error) else { throw error }
                first = first ?? error
            }
        }
        throw first ?? CommandFailure(.malformedURL, "The service's address cannot be used.")
    }
}
