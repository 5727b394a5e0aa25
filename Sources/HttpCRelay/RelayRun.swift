import Foundation
import HttpC
package import HttpCClient
package import HttpCTerminal

/// `httpc relay`: a relay until Ctrl-C, or for the time of one program.
package struct RelayRun: Sendable {
    private let settings: RelaySettings
    private let program: RelayedProgram?
    private let client: RelayClient
    private let run: CommandRun

    /// Checks everything before the relay listens.
    ///
    /// - Parameter user: the login of the URL
    package init(
        _ plan: ClientPlan, _ settings: RelaySettings, user: UserArgument?, _ run: CommandRun
    ) async throws(CommandFailure) {
        self.settings = settings
        self.run = run
        let place = try RelayPlace(settings.url)
        program = try settings.command.isEmpty ? nil : RelayedProgram(settings.command, overSocket: settings.socket)
        let file = try ConfigurationFile.load(plan.configuration)
        let profile = try ProfileChoice.choose(plan.profile, for: settings.url, from: file)
        let setup = try await RequestSetup(
            plan, for: [settings.url], hostField: nil, profile, plan.user ?? user, run.diagnostics)
        for warning in setup.warnings { run.diagnostics.message(warning) }
        let story = Story(level: plan.verbose, isParallel: true, run.diagnostics)
        if let name = setup.profile { story?.apply(profile: name) }
        client = RelayClient(
            place, setup, settings.limits, observing: [story as (any ConversationObserver)?].compactMap { $0 },
            run.diagnostics)
    }

    /// Serves until Ctrl-C, until the relay is idle, or until the program ends.
    ///
    /// - Returns: the exit status of the program; nil without one
    package func perform() async throws(CommandFailure) -> Int32? {
        let server = try await start()
        var status: Int32?
        var failure: CommandFailure?
        do throws(CommandFailure) { status = try await serve(server) } catch { failure = error }
        await server.stop()
        try await client.save()
        if let failure { throw failure }
        return status
    }

    private func start() async throws(CommandFailure) -> RelayServer {
        if let socket = settings.socket {
            return try await RelayServer.start(client, socket: socket, limits: settings.limits)
        }
        return try await RelayServer.start(client, port: settings.port, limits: settings.limits)
    }

    private func serve(_ server: RelayServer) async throws(CommandFailure) -> Int32? {
        if let program { return try await program.perform(url: server.secretURL) }
        try StandardOutput.print((server.secretURL.map { $0.value + "/" } ?? server.address) + "\n")
        run.diagnostics.message("Relaying to \(settings.url) until Ctrl-C.")
        if let limit = settings.idleLimit {
            await server.waitUntilIdle(for: limit)
        } else {
            await Interruption.waitForCancellation()
        }
        return nil
    }
}
