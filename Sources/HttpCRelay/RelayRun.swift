package import HttpC
package import HttpCClient
package import HttpCTerminal
import HttpConvPlatform

/// `httpc relay`: relays until Ctrl-C, or for the time of one program.
package struct RelayRun: Sendable {
    private let settings: RelaySettings
    private let program: RelayedProgram?
    private let clients: [RelayClient]
    private let activity = RelayActivity()
    private let run: CommandRun

    /// Checks everything before a relay listens.
    package init(_ plan: ClientPlan, _ settings: RelaySettings, _ run: CommandRun) async throws(CommandFailure) {
        var settings = settings
        settings.limits.share(settings.descriptors, among: settings.targets.count)
        self.settings = settings
        self.run = run
        var places: [TargetDirectory] = []
        for target in settings.targets { places.append(try TargetDirectory(target.url)) }
        program =
            try settings.command.isEmpty
            ? nil : RelayedProgram(settings.command, overSocket: settings.targets.first?.socket)
        let file = try ConfigurationFile.load(plan.configuration)
        var clients: [RelayClient] = []
        for (target, place) in zip(settings.targets, places) {
            let profile = try ProfileChoice.choose(plan.profile, for: target.url, from: file)
            let user = plan.user ?? plan.netrc?.user(of: target.argument) ?? target.argument.user
            if let user, user.password == nil, plan.web.isUnwatched { throw Self.missingPassword(of: user) }
            let setup = try await RequestSetup(
                plan, for: [target.url], hostField: nil, profile, user, run.diagnostics)
            for warning in setup.warnings { run.diagnostics.message(warning) }
            let story = Story(level: plan.verbose, isParallel: true, run.diagnostics)
            if let name = setup.profile { story?.apply(profile: name) }
            let observers = [story as (any ConversationObserver)?].compactMap { $0 }
            clients.append(RelayClient(place, setup, settings.limits, observing: observers, run.diagnostics))
        }
        self.clients = clients
    }

    private static func missingPassword(of user: UserArgument) -> CommandFailure {
        CommandFailure(
            .usage,
            "In the background nobody is asked for the password of \(TerminalText.sanitise(user.name)): put it into ~/.netrc and use -n without -u, let a profile name its place, or use httpc relay without start."
        )
    }

    /// Serves until Ctrl-C, until the relays are idle, or until the program ends.
    ///
    /// - Returns: the exit status of the program; nil without one
    package func perform() async throws(CommandFailure) -> Int32? {
        try await serving { servers throws(CommandFailure) in
            if let program { return try await program.perform(url: servers.first?.secretURL) }
            for server in servers { try StandardOutput.print(server.clientURL.value + "\n") }
            run.diagnostics.message(
                "Relaying to \(settings.targets.map { "\($0.url)" }.joined(separator: ", ")) until Ctrl-C.")
            await waitForTheEnd()
            return nil
        }
    }

    /// Serves in the background until a signal, or until the relays are idle.
    ///
    /// - Parameter isReady: called with the URLs for clients once the relays accept connections
    package func perform(
        inBackground isReady: @Sendable ([Redacted<String>]) throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        _ = try await serving { servers throws(CommandFailure) in
            let entries = zip(settings.targets, servers).map { target, server in
                RelayRecord.Entry(target: "\(target.url)", local: server.clientURL.value)
            }
            let record = try RelayRecord.write(entries)
            defer { record.remove() }
            try isReady(servers.map(\.clientURL))
            Interruption.shared.allowTime(seconds: RelayRecord.timeToEnd)
            await waitForTheEnd()
            return nil
        }
    }

    private func serving(
        _ work: ([RelayServer]) async throws(CommandFailure) -> Int32?
    ) async throws(CommandFailure) -> Int32? {
        var servers: [RelayServer] = []
        let result: Result<Int32?, CommandFailure>
        do throws(CommandFailure) {
            for (target, client) in zip(settings.targets, clients) {
                servers.append(try await start(target, client))
            }
            result = .success(try await work(servers))
        } catch {
            result = .failure(error)
        }
        for server in servers { await server.close() }
        // A signal has cancelled this task.
        await Task { await activity.finish(within: settings.grace) }.value
        for server in servers { await server.stop() }
        var failure: CommandFailure?
        for client in clients {
            do throws(CommandFailure) { try await client.save() } catch {
                if failure != nil { run.diagnostics.message(error.message, status: error.status) }
                failure = failure ?? error
            }
        }
        return try Self.outcome(result, saving: failure, run.diagnostics)
    }

    /// The outcome of a run whose sessions were saved at its end. If the program and the saving fail, the program's
    /// failure counts, and the other one is only reported.
    static func outcome(
        _ result: Result<Int32?, CommandFailure>, saving failure: CommandFailure?, _ diagnostics: Diagnostics
    ) throws(CommandFailure) -> Int32? {
        guard let failure else { return try result.get() }
        if case .success(nil) = result { throw failure }
        if case .success(0) = result { throw failure }
        diagnostics.message(failure.message, status: failure.status)
        return try result.get()
    }

    private func start(
        _ target: RelaySettings.Target, _ client: RelayClient
    ) async throws(CommandFailure) -> RelayServer {
        if let socket = target.socket {
            return try await RelayServer.start(client, socket: socket, limits: settings.limits, activity)
        }
        return try await RelayServer.start(client, port: target.port, limits: settings.limits, activity)
    }

    private func waitForTheEnd() async {
        guard let limit = settings.idleLimit else { return await Interruption.waitForCancellation() }
        await activity.waitUntilIdle(for: limit)
    }
}
